/* What grows, what is freed late, which segments never empty. */
#include <inttypes.h>
#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_explain.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 512 };

static void put_growth(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_habits *habits, size_t top)
{
    zv_sink_print(sink, "\nLive bytes that grew at each of %zu %s:\n", habits->instant_count,
                  habits->by_steps ? "optimizer steps" : "quarters of the record");
    if (habits->growing_count == 0) {
        zv_sink_text(sink, "  none\n");
    }
    for (size_t i = 0; i < habits->growing_count && i < top; i++) {
        const struct zv_growing *const one = &habits->growing[i];
        char first[REPORT_BYTES_TEXT];
        char last[REPORT_BYTES_TEXT];
        char label[REPORT_LABEL_TEXT];
        report_label(label, one->label, 76);
        report_bytes(first, style, one->bytes[0]);
        report_bytes(last, style, one->bytes[habits->instant_count - 1]);
        zv_sink_print(sink, "  %s\n    %s to %s\n", label, first, last);
    }
}

static void put_holder(struct zv_sink *sink, const struct report_style *style, uint64_t bytes,
                       uint64_t blocks, struct zv_slice label)
{
    enum { LABEL_WIDTH = 50 };
    char text[ZV_BYTES_TEXT];
    char count[COUNT_TEXT];
    char name[REPORT_LABEL_TEXT];
    report_bytes_short(text, style, bytes);
    report_count(count, blocks);
    report_label(name, label, LABEL_WIDTH);
    zv_sink_print(sink, "  %12s %9s x  %s\n", text, count, name);
}

void report_habits_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_habits *habits, size_t top)
{
    char count[COUNT_TEXT];
    char bytes[REPORT_BYTES_TEXT];
    char live[REPORT_BYTES_TEXT];
    char line[LINE_TEXT];
    put_growth(sink, style, habits, top);
    report_count(count, habits->late_frees);
    report_bytes(bytes, style, habits->late_peak_bytes);
    (void)snprintf(line, sizeof line,
                   "Frees that waited for another stream: %s, at most %s at once, the longest for "
                   "%zu events.",
                   count, bytes, habits->late_longest);
    report_fold(sink, style, 0, 0,
                habits->late_frees != 0 ? line : "Frees that waited for another stream: none.");
    for (size_t i = 0; i < habits->late_count; i++) {
        const struct zv_late *const late = &habits->late[i];
        put_holder(sink, style, late->bytes, late->frees, late->label);
    }
    report_count(count, habits->pinned_segments);
    report_bytes(bytes, style, habits->pinned_bytes);
    report_bytes(live, style, habits->pinned_live_bytes);
    (void)snprintf(
        line, sizeof line,
        "Segments present throughout and never empty: %s, %s, of which %s is live at the "
        "end.",
        count, bytes, live);
    report_fold(sink, style, 0, 0, line);
    for (size_t i = 0; i < habits->pinned_by.count && i < top; i++) {
        const struct zv_group *const group = &habits->pinned_by.at[i];
        put_holder(sink, style, group->bytes, group->blocks, group->label);
    }
}

/* label, bytes and blocks of those that a list is about. */
static void write_holder(struct zv_json_writer *json, struct zv_slice label, uint64_t bytes,
                         uint64_t blocks)
{
    zv_json_begin_object(json);
    json_slice(json, "label", label);
    json_bytes(json, "bytes", true, bytes);
    json_bytes(json, "blocks", true, blocks);
    zv_json_end_object(json);
}

void report_habits_json(struct zv_sink *sink, const struct zv_habits *habits)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain_habits/1");
    json_text(&json, "known", zv_trace_known_name(habits->known));
    json_bool(&json, "by_optimizer_steps", habits->by_steps);
    zv_json_write_key(&json, "growing");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < habits->growing_count; i++) {
        zv_json_begin_object(&json);
        json_slice(&json, "label", habits->growing[i].label);
        zv_json_write_key(&json, "bytes");
        zv_json_begin_array(&json);
        for (size_t j = 0; j < habits->instant_count; j++) {
            zv_json_write_u64(&json, habits->growing[i].bytes[j]);
        }
        zv_json_end_array(&json);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    json_bytes(&json, "late_frees", true, habits->late_frees);
    json_bytes(&json, "late_peak_bytes", true, habits->late_peak_bytes);
    json_bytes(&json, "late_longest_events", true, habits->late_longest);
    zv_json_write_key(&json, "late_by");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < habits->late_count; i++) {
        write_holder(&json, habits->late[i].label, habits->late[i].bytes, habits->late[i].frees);
    }
    zv_json_end_array(&json);
    json_bytes(&json, "never_empty_segments", true, habits->pinned_segments);
    json_bytes(&json, "never_empty_bytes", true, habits->pinned_bytes);
    json_bytes(&json, "never_empty_live_bytes", true, habits->pinned_live_bytes);
    zv_json_write_key(&json, "never_empty_by");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < habits->pinned_by.count; i++) {
        const struct zv_group *const group = &habits->pinned_by.at[i];
        write_holder(&json, group->label, group->bytes, group->blocks);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
