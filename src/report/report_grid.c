#include "report/report_grid.h"

#include <stdio.h>
#include <string.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"

enum { AXIS_WIDTH = 12, CELL_WIDTH = 13 };

static const struct zv_grid_cell *cell_at(const struct zv_grid *grid, const size_t at[4])
{
    const struct zv_grid_axes *const axes = &grid->axes;
    const size_t index =
        ((at[0] * axes->model_count + at[1]) * axes->token_count + at[2]) * axes->sequence_count +
        at[3];
    return &grid->cells[index];
}

/* "fits   +7.12", "no     -3.10", "?      +0.40", "-": verdict and what is left or missing. */
static void cell_text(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_grid_cell *cell)
{
    static const char *const words[] = {"fits", "no", "?"};
    char margin[ZV_BYTES_TEXT];
    if (cell->reason != NULL) {
        zv_sink_print(sink, " %12s", "-");
        return;
    }
    zv_bytes_print_number(margin, cell->margin,
                          style->units == REPORT_UNITS_ONE ? style->unit : ZV_UNIT_GIB, 2);
    char text[ZV_BYTES_TEXT + 2];
    (void)snprintf(text, sizeof text, "%s%s", cell->over ? "-" : "+", margin);
    zv_sink_print(sink, " %-4s %7s", words[cell->verdict], text);
}

/* A size asked for, or what the job's own came to; "?" when no cell of the row could say. */
static void size_text(char to[32], uint64_t asked, uint64_t used)
{
    if (asked == 0 && used == 0) {
        (void)snprintf(to, 32, "?");
    } else {
        report_count(to, asked != 0 ? asked : used);
    }
}

/* The sequences of one block of columns. */
struct columns {
    size_t first;
    size_t end;
};

static void rows(struct zv_sink *sink, const struct report_style *style, const struct zv_grid *grid,
                 size_t at[4], struct columns columns)
{
    const struct zv_grid_axes *const axes = &grid->axes;
    char text[32];
    zv_sink_print(sink, "%*s", AXIS_WIDTH, zv_dimension_name(grid->token_dimension));
    for (size_t i = columns.first; i < columns.end; i++) {
        char head[48];
        at[3] = i;
        size_text(text, axes->sequences[i], cell_at(grid, at)->used_sequences);
        (void)snprintf(head, sizeof head, "x %s", text);
        zv_sink_print(sink, " %12s", head);
    }
    zv_sink_text(sink, "\n");
    for (at[2] = 0; at[2] < axes->token_count; at[2]++) {
        at[3] = columns.first;
        size_text(text, axes->tokens[at[2]], cell_at(grid, at)->used_tokens);
        zv_sink_print(sink, "%*s", AXIS_WIDTH, text);
        for (; at[3] < columns.end; at[3]++) {
            cell_text(sink, style, cell_at(grid, at));
        }
        zv_sink_text(sink, "\n");
    }
}

/* Each reason once. */
static void reasons(struct zv_sink *sink, const struct report_style *style,
                    const struct zv_grid *grid, size_t card, size_t model)
{
    const char *last = NULL;
    for (size_t i = 0; i < grid->count; i++) {
        const struct zv_grid_cell *const cell = &grid->cells[i];
        if (cell->card != card || cell->model != model || cell->reason == NULL ||
            (last != NULL && strcmp(last, cell->reason) == 0)) {
            continue;
        }
        char line[640];
        last = cell->reason;
        (void)snprintf(line, sizeof line, "-: %s", last);
        report_fold(sink, style, 2, 0, line);
    }
}

static void card_block(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_grid *grid, size_t card)
{
    const struct zv_grid_axes *const axes = &grid->axes;
    const struct zv_capacity *const capacity = &axes->cards[card];
    const size_t width = style->width < 80 ? 80 : style->width;
    const size_t fit = (width - AXIS_WIDTH) / CELL_WIDTH;
    char bytes[REPORT_BYTES_TEXT];
    char line[256];
    report_bytes(bytes, style, capacity->low);
    (void)snprintf(line, sizeof line, "%.*s: %s",
                   (int)(capacity->name.length < 100 ? capacity->name.length : 100),
                   capacity->name.at, bytes);
    report_bold(sink, style, line);
    zv_sink_text(sink, "\n");
    for (size_t model = 0; model < axes->model_count; model++) {
        zv_sink_print(sink, "  weights: %s\n", axes->models[model].name);
        for (size_t first = 0; first < axes->sequence_count; first += fit) {
            const size_t end = first + fit;
            size_t at[4] = {card, model, 0, 0};
            rows(sink, style, grid, at,
                 (struct columns){first, end < axes->sequence_count ? end : axes->sequence_count});
        }
        reasons(sink, style, grid, card, model);
    }
}

void report_grid_text(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_grid *grid)
{
    char line[320];
    for (size_t card = 0; card < grid->axes.card_count; card++) {
        card_block(sink, style, grid, card);
        zv_sink_text(sink, "\n");
    }
    (void)snprintf(line, sizeof line,
                   "%zu of %zu combinations fit by calculation, %zu do not, %zu cannot be told. "
                   "Columns: %s; margins in %s to what the runtime may use, - is missing. A "
                   "calculation never proves that a job runs.",
                   grid->fit, grid->count, grid->fit_not, grid->open,
                   zv_dimension_name(grid->sequence_dimension),
                   zv_unit_name(style->units == REPORT_UNITS_ONE ? style->unit : ZV_UNIT_GIB));
    report_fold(sink, style, 0, 0, line);
}

static void cell_json(struct zv_json_writer *json, const struct zv_grid *grid,
                      const struct zv_grid_cell *cell)
{
    const struct zv_grid_axes *const axes = &grid->axes;
    const bool known = cell->reason == NULL;
    const bool trains = grid->token_dimension == ZV_DIMENSION_SEQ_LENGTH;
    const uint64_t asked = axes->tokens[cell->tokens];
    const uint64_t many = axes->sequences[cell->sequences];
    zv_json_begin_object(json);
    json_slice(json, "card", axes->cards[cell->card].name);
    json_text(json, "quantization", axes->models[cell->model].name);
    json_bytes(json, trains ? "seq_length_tokens" : "context_tokens", asked != 0 || known,
               asked != 0 ? asked : cell->used_tokens);
    json_bytes(json, trains ? "micro_batch" : "concurrency", many != 0 || known,
               many != 0 ? many : cell->used_sequences);
    json_bytes(json, "at_least_bytes", known, cell->total.at_least);
    json_bytes(json, "expected_bytes", known, cell->total.expected);
    json_bytes(json, "unknown_items", known, cell->total.unknown);
    json_text(json, "verdict", known ? zv_verdict_name(cell->verdict) : NULL);
    if (known) {
        json_signed(json, "margin_bytes", cell->over, cell->margin);
    } else {
        json_bytes(json, "margin_bytes", false, 0);
    }
    json_text(json, "reason", cell->reason);
    zv_json_end_object(json);
}

void report_grid_json(struct zv_sink *sink, const struct zv_grid *grid)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.estimate-grid/1");
    json_text(&json, "by", "calculation");
    zv_json_write_key(&json, "cards");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < grid->axes.card_count; i++) {
        const struct zv_capacity *const capacity = &grid->axes.cards[i];
        zv_json_begin_object(&json);
        json_slice(&json, "card", capacity->name);
        json_bytes(&json, "capacity_low_bytes", true, capacity->low);
        json_bytes(&json, "capacity_high_bytes", true, capacity->high);
        json_text(&json, "capacity_known", zv_known_name(capacity->known));
        json_text(&json, "capacity_basis", capacity->basis);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < grid->count; i++) {
        cell_json(&json, grid, &grid->cells[i]);
    }
    zv_json_end_array(&json);
    json_bytes(&json, "fit", true, grid->fit);
    json_bytes(&json, "fit_not", true, grid->fit_not);
    json_bytes(&json, "open", true, grid->open);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
