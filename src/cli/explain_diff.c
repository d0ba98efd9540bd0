#include "cli/explain_diff.h"

#include <string.h>

#include "base/fail.h"
#include "cli/explain_file.h"

enum zv_status explain_by(const char *word, unsigned *which, struct zv_error *err)
{
    for (*which = 0; zv_group_words[*which] != NULL; (*which)++) {
        if (strcmp(zv_group_words[*which], word) == 0) {
            return ZV_OK;
        }
    }
    return zv_fail(err, ZV_E_USAGE, "--by %s: no such word (see zirve explain --help)", word);
}

/* The heap at the end of a record, by what --by says first. */
static enum zv_status end_groups(struct explain_session *session, const struct arguments *args,
                                 const struct zv_record *record, struct zv_groups *groups,
                                 struct zv_trace_usage *usage, struct zv_error *err)
{
    size_t at = 0;
    const char *const word = arguments_next(args, "by", &at);
    unsigned which = session->has_pattern ? ZV_GROUP_PATTERN : ZV_GROUP_FRAME;
    struct zv_heap heap = {0};
    enum zv_status status = word != NULL ? explain_by(word, &which, err) : ZV_OK;
    if (status == ZV_OK && arguments_next(args, "by", &at) != NULL) {
        status = zv_fail(err, ZV_E_USAGE, "--diff: expected --by once");
    }
    if (status == ZV_OK && which == ZV_GROUP_PATTERN && !session->has_pattern) {
        status = zv_fail(err, ZV_E_USAGE, "--by pattern needs --pattern");
    }
    status = status == ZV_OK ? zv_heap_at(&heap, record, zv_record_device(record)->event_count,
                                          &session->arena, err)
                             : status;
    *usage = heap.usage;
    return status == ZV_OK ? zv_groups_make(groups, record, &heap, explain_grouping(session, which),
                                            &session->arena, err)
                           : status;
}

enum zv_status explain_diff(struct explain_session *session, const struct arguments *args,
                            const struct zv_record_options *record_options, struct output *out,
                            struct zv_error *err)
{
    struct zv_groups before;
    struct zv_groups after;
    struct zv_trace_usage usage[2];
    struct zv_difference difference;
    struct zv_file file = {0};
    bool is_text = false;
    enum zv_status status = explain_open(&session->before, arguments_value(args, "diff"),
                                         record_options, &file, &is_text, err);
    zv_file_close(&file);
    if (status == ZV_OK && (is_text || session->before.trace.source != ZV_TRACE_FROM_SNAPSHOT)) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "--diff needs two memory snapshots");
    }
    if (status == ZV_OK) {
        status = end_groups(session, args, &session->before, &before, &usage[0], err);
    }
    if (status == ZV_OK) {
        status = end_groups(session, args, &session->record, &after, &usage[1], err);
    }
    if (status == ZV_OK) {
        status = zv_difference_make(&difference, &before, &after, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    difference.before = usage[0];
    difference.after = usage[1];
    difference.before_known = session->before.trace.known;
    difference.after_known = session->record.trace.known;
    if (out->json) {
        report_difference_json(&out->sink, &difference);
    } else {
        report_difference_text(&out->sink, &out->style, &difference, session->top);
    }
    return ZV_OK;
}
