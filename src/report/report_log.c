#include "report/report_log.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/report_estimate.h"

static const char *ending(const struct zv_log *log)
{
    if (log->out_of_memory) {
        return "ended out of memory";
    }
    if (log->failed) {
        return "failed";
    }
    return log->complete ? "complete" : "incomplete";
}

static void fact(char *to, size_t size, const char *name, const struct zv_log_fact *one)
{
    const size_t used = strlen(to);
    if (!one->found) {
        return;
    }
    if (one->text.length != 0) {
        (void)snprintf(to + used, size - used, "%s%s %.*s", used != 0 ? ", " : "", name,
                       (int)(one->text.length < 60 ? one->text.length : 60), one->text.at);
    } else {
        (void)snprintf(to + used, size - used, "%s%s %llu", used != 0 ? ", " : "", name,
                       (unsigned long long)one->value);
    }
}

void report_log_head(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_from_log *from)
{
    const struct zv_log *const log = from->log;
    char line[1024];
    (void)snprintf(line, sizeof line, "start log of %s%s%.*s, %s: lines %llu to %llu",
                   zv_runtime_name(log->runtime), log->version.length != 0 ? " " : "",
                   (int)(log->version.length < 60 ? log->version.length : 60),
                   log->version.at != NULL ? log->version.at : "", ending(log),
                   (unsigned long long)log->first_line, (unsigned long long)log->last_line);
    report_fold(sink, style, 0, 0, line);
    line[0] = 0;
    fact(line, sizeof line, "model", &log->model_name);
    fact(line, sizeof line, "architecture", &log->architecture);
    fact(line, sizeof line, "context", &log->context_tokens);
    fact(line, sizeof line, "sequences", &log->sequences);
    fact(line, sizeof line, "batch", &log->batch_tokens);
    fact(line, sizeof line, "micro-batch", &log->ubatch_tokens);
    fact(line, sizeof line, "K", &log->kv_type_k);
    fact(line, sizeof line, "V", &log->kv_type_v);
    fact(line, sizeof line, "layers on cards", &log->offloaded_layers);
    fact(line, sizeof line, "of", &log->offload_layers);
    fact(line, sizeof line, "pool tokens", &log->kv_tokens);
    fact(line, sizeof line, "tp", &log->tp);
    fact(line, sizeof line, "pp", &log->pp);
    if (line[0] != 0) {
        report_fold(sink, style, 0, 0, line);
    }
}

/* ", NAME 24123 MiB +- 0.5 (line 3)". */
static void reading(char *to, size_t size, const char *name, const struct zv_reading *one)
{
    const size_t used = strlen(to);
    char precision[16];
    if (one == NULL) {
        (void)snprintf(to + used, size - used, ", %s unknown", name);
        return;
    }
    zv_reading_precision(precision, one);
    (void)snprintf(to + used, size - used, ", %s %.*s%s ± %s (line %llu)", name,
                   (int)(one->printed.length < 40 ? one->printed.length : 40), one->printed.at,
                   zv_reading_unit(one), precision, (unsigned long long)one->line);
}

static void devices(struct zv_sink *sink, const struct report_style *style,
                    const struct zv_from_log *from)
{
    if (from->device_count != 0) {
        zv_sink_text(sink, "\nDevices, as the log says:\n");
    }
    for (size_t i = 0; i < from->device_count; i++) {
        const struct zv_log_device *const device = &from->devices[i];
        char line[512];
        (void)snprintf(line, sizeof line, "GPU %zu%s%.*s", i, device->name.length != 0 ? " " : "",
                       (int)(device->name.length < 40 ? device->name.length : 40),
                       device->name.at != NULL ? device->name.at : "");
        reading(line, sizeof line, "total", device->total);
        reading(line, sizeof line, "free before", device->free_before);
        reading(line, sizeof line, "free afterwards", device->free_after);
        report_fold(sink, style, 2, 0, line);
    }
}

/* "+1,234 B", "0 B", "-1,234 B": measured less calculated. */
static void difference(char to[48], const struct zv_log_row *row)
{
    char count[32];
    const bool below = row->measured < row->calculated;
    report_count(count, below ? row->calculated - row->measured : row->measured - row->calculated);
    (void)snprintf(to, 48, "%s%s%s",
                   row->measured == row->calculated ? ""
                   : below                          ? "-"
                                                    : "+",
                   count, row->tokens ? "" : " B");
}

static const char *judgement(const struct zv_log_row *row)
{
    const uint64_t gap = row->measured < row->calculated ? row->calculated - row->measured
                                                         : row->measured - row->calculated;
    if (gap <= row->half_unit) {
        return row->half_unit == 0 ? "equal" : "equal as printed";
    }
    return "";
}

static void row_name(char to[64], const struct zv_log_row *row)
{
    if (row->scope == ZV_SCOPE_HOST) {
        (void)snprintf(to, 64, "%s, host", row->name);
    } else if (row->scope == FROM_LOG_ALL) {
        (void)snprintf(to, 64, "%s, all cards", row->name);
    } else if (row->tokens) {
        (void)snprintf(to, 64, "%s", row->name);
    } else {
        (void)snprintf(to, 64, "%s, GPU %d", row->name, row->scope);
    }
}

static void rows(struct zv_sink *sink, const struct zv_from_log *from)
{
    char calculated[32];
    char measured[32];
    char gap[48];
    char name[64];
    if (from->row_count == 0) {
        return;
    }
    zv_sink_print(sink, "\nBeside what is calculated, in bytes:\n  %-40s %16s %16s %16s\n", "",
                  "calculated", "measured", "difference");
    for (size_t i = 0; i < from->row_count; i++) {
        const struct zv_log_row *const row = &from->rows[i];
        row_name(name, row);
        report_count(calculated, row->calculated);
        report_count(measured, row->measured);
        difference(gap, row);
        const char *const said = judgement(row);
        zv_sink_print(sink, "  %-40s %16s %16s %16s%s%s%s\n", name, calculated, measured, gap,
                      said[0] != 0 ? "  " : "", said,
                      row->known == ZV_ASSUMED ? "  (assumed)" : "");
    }
}

static void failure(struct zv_sink *sink, const struct report_style *style,
                    const struct zv_log *log)
{
    static const char *const ids[] = {"oom_request", "oom_total", "oom_free", "kv_needed"};
    static const char *const names[] = {"asked for", "total", "free", "needed for the KV cache"};
    char line[1024];
    if (!log->failed) {
        return;
    }
    zv_sink_text(sink,
                 log->out_of_memory ? "\nThe start ran out of memory:\n" : "\nThe start failed:\n");
    (void)snprintf(line, sizeof line, "%.*s",
                   (int)(log->failure.length < 900 ? log->failure.length : 900),
                   log->failure.at != NULL ? log->failure.at : "");
    report_fold(sink, style, 2, 0, line);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct zv_reading *const one = zv_log_find(log, ids[i]);
        line[0] = 0;
        if (one != NULL) {
            reading(line, sizeof line, names[i], one);
            report_fold(sink, style, 2, 0, line + 2);
        }
    }
}

void report_log_text(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_from_log *from)
{
    devices(sink, style, from);
    rows(sink, from);
    failure(sink, style, from->log);
    bool titled = false;
    for (size_t i = 0; i < from->log->note_count; i++) {
        /* how it failed stands above */
        if (!zv_slice_starts(zv_slice_of(from->log->notes[i]), "the start failed")) {
            zv_sink_text(sink, titled ? "" : "\nOf the log:\n");
            report_fold(sink, style, 2, 0, from->log->notes[i]);
            titled = true;
        }
    }
}
