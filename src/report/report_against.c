/* An estimate beside what was recorded. */
#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_explain.h"

enum { CELL = 22 };

static void put_cell(char to[REPORT_BYTES_TEXT], const struct report_style *style,
                     const struct zv_against_figure *figure, bool applies)
{
    if (!applies) {
        (void)snprintf(to, REPORT_BYTES_TEXT, "-");
    } else if (!figure->known) {
        (void)snprintf(to, REPORT_BYTES_TEXT, "unknown");
    } else {
        report_bytes_short(to, style, figure->bytes);
    }
}

static void put_difference(char to[REPORT_BYTES_TEXT], const struct report_style *style,
                           const struct zv_against_figure *estimated,
                           const struct zv_against_figure *recorded)
{
    const bool below = recorded->bytes < estimated->bytes;
    char text[REPORT_BYTES_TEXT];
    if (!estimated->known || !recorded->known) {
        to[0] = 0;
        return;
    }
    const struct zv_against_figure gap = {true, below ? estimated->bytes - recorded->bytes
                                                      : recorded->bytes - estimated->bytes};
    put_cell(text, style, &gap, true);
    (void)snprintf(to, REPORT_BYTES_TEXT, "%s%.90s", below ? "-" : "+", text);
}

void report_against_text(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_against *against)
{
    char line[512];
    const char *const known = report_known_word(against->known);
    (void)snprintf(line, sizeof line,
                   "Against the estimate%s%.*s%s, at the peak of allocated bytes (requests; "
                   "difference: %s less estimated):",
                   against->phase.length != 0 ? " (phase " : "", (int)against->phase.length,
                   against->phase.length != 0 ? against->phase.at : "",
                   against->phase.length != 0 ? ")" : "", known);
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0, line);
    zv_sink_print(sink, "  %-24s %14s %14s %14s\n", "", "estimated", known, "difference");
    for (int row = 0; row < ZV_AGAINST_COUNT; row++) {
        const struct zv_against_figure *const estimated = &against->rows[row].estimated;
        const struct zv_against_figure *const recorded = &against->rows[row].recorded;
        const bool in_estimate = row != ZV_AGAINST_ROUNDING && row != ZV_AGAINST_CACHED;
        char first[REPORT_BYTES_TEXT];
        char second[REPORT_BYTES_TEXT];
        char third[REPORT_BYTES_TEXT];
        if (row == ZV_AGAINST_OTHER && estimated->known && estimated->bytes == 0) {
            continue;
        }
        put_cell(first, style, estimated, in_estimate);
        put_cell(second, style, recorded, row != ZV_AGAINST_OTHER);
        third[0] = 0;
        if (in_estimate && row != ZV_AGAINST_OTHER) {
            put_difference(third, style, estimated, recorded);
        }
        zv_sink_print(sink, "  %-24s %14s %14s%s%*s\n", zv_against_name((enum zv_against_row)row),
                      first, second, third[0] != 0 ? " " : "", third[0] != 0 ? 14 : 0, third);
    }
    report_fold(
        sink, style, 0, 0,
        against->roles_told
            ? "Recorded items are told by PyTorch's frames in the stacks: gradients are what "
              "backward allocated (its temporaries too), activations what a forward did."
            : "No stack tells who allocated what: only the sums can be compared.");
}

void report_against_json(struct zv_sink *sink, const struct zv_against *against)
{
    static const char *const ids[] = {"resident", "gradients", "optimizer", "activations", "other",
                                      "rounding", "allocated", "cached",    "outside"};
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain_against/1");
    json_text(&json, "known", zv_trace_known_name(against->known));
    json_slice(&json, "phase", against->phase);
    json_bool(&json, "roles_told", against->roles_told);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (int row = 0; row < ZV_AGAINST_COUNT; row++) {
        zv_json_begin_object(&json);
        json_text(&json, "id", ids[row]);
        json_text(&json, "name", zv_against_name((enum zv_against_row)row));
        json_bytes(&json, "estimated_bytes", against->rows[row].estimated.known,
                   against->rows[row].estimated.bytes);
        json_bytes(&json, "recorded_bytes", against->rows[row].recorded.known,
                   against->rows[row].recorded.bytes);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
