#include "cli/explain_file.h"

#include "base/fail.h"
#include "cli/input_file.h"
#include "report/report_explain.h"
#include "trace/op_list.h"
#include "trace/open.h"

static bool has_message(struct zv_slice text)
{
    struct zv_oom_message message;
    struct zv_engine_message stop;
    return zv_oom_message_find(&message, text) || zv_engine_message_find(&stop, text) ||
           zv_oom_words_find(&message, text);
}

enum zv_status explain_open(struct zv_record *record, const char *path,
                            const struct zv_record_options *record_options, struct zv_file *file,
                            bool *is_text, struct zv_error *err)
{
    enum zv_status status = input_file_open(file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice content = zv_file_slice(file);
    const bool is_ops = !zv_trace_is(content) && zv_ops_are(content);
    *is_text = !zv_trace_is(content) && !is_ops;
    if (is_ops) {
        status = zv_record_of_ops(record, content, record_options, err);
    } else if (!*is_text) {
        struct zv_error cause = {0};
        status = zv_record_open(record, content, record_options, &cause);
        if (status == ZV_E_SYNTAX || status == ZV_E_UNSUPPORTED) {
            input_file_unpack(file);
            *is_text = has_message(zv_file_slice(file));
        }
        if (*is_text) {
            zv_record_close(record);
            return ZV_OK;
        }
        if (status != ZV_OK) {
            *err = cause;
        }
    }
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, path);
}

enum zv_status explain_text(const char *path, struct zv_slice text, struct output *out,
                            struct zv_error *err)
{
    struct zv_oom_message message;
    struct zv_engine_message stop;
    const bool has_message = zv_oom_message_find(&message, text);
    /* What an engine says of a failed allocation is no more than the allocator's own message. */
    if (zv_engine_message_find(&stop, text) &&
        (!has_message || (stop.line > message.line && stop.stop != ZV_ENGINE_BUFFER))) {
        if (out->json) {
            report_engine_message_json(&out->sink, &stop);
        } else {
            report_engine_message_text(&out->sink, &out->style, &stop);
        }
        return ZV_OK;
    }
    if (!has_message && !zv_oom_words_find(&message, text)) {
        (void)zv_fail(
            err, ZV_E_UNSUPPORTED,
            "neither a memory snapshot (pickle), a profiler trace (JSON), an op list nor a "
            "text with an out-of-memory message");
        return zv_fail_where(err, path);
    }
    if (out->json) {
        report_oom_message_json(&out->sink, &message);
    } else {
        report_oom_message_text(&out->sink, &out->style, &message);
    }
    return ZV_OK;
}
