/* Two heaps: what changed between them, and who holds more or less. */
#include <inttypes.h>
#include <stdio.h>

#include "report/report_explain.h"

enum { LINE_TEXT = 512 };

static void put_change(char to[ZV_BYTES_TEXT + 2], const struct report_style *style,
                       uint64_t before, uint64_t after)
{
    char text[ZV_BYTES_TEXT];
    const uint64_t change = after > before ? after - before : before - after;
    report_bytes_short(text, style, change);
    (void)snprintf(to, ZV_BYTES_TEXT + 2, "%s%s",
                   after > before   ? "+"
                   : before > after ? "-"
                                    : "",
                   text);
}

void report_difference_text(struct zv_sink *sink, const struct report_style *style,
                            const struct zv_difference *difference, size_t top)
{
    char before[REPORT_BYTES_TEXT];
    char after[REPORT_BYTES_TEXT];
    char change[ZV_BYTES_TEXT + 2];
    char line[LINE_TEXT];
    report_bytes(before, style, difference->before.active_bytes);
    report_bytes(after, style, difference->after.active_bytes);
    put_change(change, style, difference->before.active_bytes, difference->after.active_bytes);
    (void)snprintf(line, sizeof line, "ACTIVE %s: from %s to %s.", change, before, after);
    report_fold(sink, style, 0, 0, line);
    report_bytes(before, style, difference->before.reserved_bytes);
    report_bytes(after, style, difference->after.reserved_bytes);
    put_change(change, style, difference->before.reserved_bytes, difference->after.reserved_bytes);
    (void)snprintf(line, sizeof line, "Reserved %s: from %s to %s.", change, before, after);
    report_fold(sink, style, 0, 0, line);
    if (difference->before_known != ZV_TRACE_RECORDED ||
        difference->after_known != ZV_TRACE_RECORDED) {
        (void)snprintf(line, sizeof line, "The earlier file is %s, this one %s.",
                       report_known_word(difference->before_known),
                       report_known_word(difference->after_known));
        report_fold(sink, style, 0, 0, line);
    }
    zv_sink_text(sink, "\n");
    size_t shown = 0;
    for (size_t i = 0; i < difference->count && shown < top; i++) {
        const struct zv_changed *const one = &difference->at[i];
        char label[REPORT_LABEL_TEXT];
        if (one->before_bytes == one->after_bytes) {
            break;
        }
        put_change(change, style, one->before_bytes, one->after_bytes);
        report_label(label, one->label, 44);
        zv_sink_print(sink, "  %14s  %6" PRIu64 " to %6" PRIu64 " x  %s\n", change,
                      one->before_blocks, one->after_blocks, label);
        shown++;
    }
    if (shown == 0) {
        zv_sink_text(sink, "  no stack holds more or less\n");
    }
}
