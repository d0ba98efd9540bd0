/*
 * Peaks by the step engine. data/published/steps.tsv says for a figure which model and program the
 * source ran, with which settings and on which card; nothing in it comes from the figure.
 */
#include "base/data.h"
#include "base/fail.h"
#include "base/text_table.h"
#include "card/card.h"
#include "selftest/checks.h"
#include "step/step.h"

enum { MAX_SETTINGS = 32 };

enum column {
    ID,
    FIGURE,
    GROUP,
    SET,
    MODEL,
    FRAMEWORK,
    COUNTER,
    UNITS,
    CARD,
    CARD_BYTES,
    SETTINGS,
    OR, /* settings of the other end of a range */
    COLUMNS
};

struct published {
    struct zv_slice cells[COLUMNS];
};

static bool find(const struct zv_row *row, const struct zv_row_field *figure, struct published *to,
                 struct zv_arena *arena)
{
    struct zv_table table;
    if (zv_table_read(&table, zv_data_find("published/steps.tsv"), arena, NULL) != ZV_OK) {
        return false;
    }
    for (size_t i = 0; i < table.row_count; i++) {
        if (zv_slice_same(zv_table_cell(&table, i, ID), row->id) &&
            zv_slice_same(zv_table_cell(&table, i, FIGURE), figure->name)) {
            for (int k = 0; k < COLUMNS; k++) {
                to->cells[k] = zv_table_cell(&table, i, k);
            }
            return true;
        }
    }
    return false;
}

static enum zv_status find_card(const struct published *of, struct step_card *to,
                                struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_slice none = {0};
    const struct zv_card *card = NULL;
    struct zv_card_table table;
    const char *const name = zv_arena_copy(arena, of->cells[CARD].at, of->cells[CARD].length);
    enum zv_status status = name != NULL ? zv_card_table_load(&table, none, none, arena, err)
                                         : zv_fail_memory(err, "a card's name");
    if (status == ZV_OK) {
        status = zv_card_find(&table, name, &card, err);
    }
    if (status == ZV_OK && !zv_step_card_of(to, card)) {
        status = zv_fail(err, ZV_E_NOT_FOUND, "what kernels see of %s is not known", name);
    }
    return status;
}

static void add_settings(struct zv_step_setting to[MAX_SETTINGS], size_t *count,
                         struct zv_slice text)
{
    struct zv_slice word;
    while (zv_slice_word(&text, &word) && *count < MAX_SETTINGS) {
        const struct zv_slice name = zv_slice_cut(&word, '=');
        to[(*count)++] = (struct zv_step_setting){.name = name, .value = word};
    }
}

static enum zv_status run(const struct published *of, bool ran_out, bool other_end,
                          struct zv_step_result *result, struct zv_arena *arena,
                          struct zv_error *err)
{
    struct zv_model model;
    struct zv_step step;
    struct zv_step_setting settings[MAX_SETTINGS];
    uint64_t capacity = 0;
    struct zv_step_request request = {
        .model = &model, .habit = of->cells[FRAMEWORK], .settings = settings};
    add_settings(settings, &request.setting_count, of->cells[SETTINGS]);
    if (other_end) { /* what is stated last holds */
        add_settings(settings, &request.setting_count, of->cells[OR]);
    }
    const bool limited = ran_out && zv_slice_u64(of->cells[CARD_BYTES], &capacity);
    request.allocator.capacity_bytes = limited ? capacity : UINT64_C(1) << 47;
    const char *const name = zv_arena_print(arena, "published/%.*s.json",
                                            (int)of->cells[MODEL].length, of->cells[MODEL].at);
    enum zv_status status = find_card(of, &request.card, arena, err);
    if (status == ZV_OK && name != NULL) {
        status = zv_model_read_text(&model, name, zv_data_find(name), arena, err);
    }
    if (status == ZV_OK) {
        status = zv_step_open(&step, &model, request.habit, arena, err);
    }
    return status == ZV_OK ? zv_step_run(&step, &request, result, err) : status;
}

static uint64_t counted(const struct published *of, const struct zv_step_result *result)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } rows[] = {{"allocated", result->peak_allocated_bytes},
                {"active", result->peak_active_bytes},
                {"reserved", result->peak_reserved_bytes},
                {"end", result->end_allocated_bytes}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (zv_slice_equal(of->cells[COUNTER], rows[i].name)) {
            return rows[i].bytes;
        }
    }
    return 0;
}

/* The last check, as one of its group. */
static void put_into_group(struct checks *checks, const struct published *of, uint64_t stated)
{
    if (!checks->out_of_memory && checks->count != 0) {
        struct zv_check *const check = &checks->at[checks->count - 1];
        check->group =
            check_reason(checks, "%.*s", (int)of->cells[GROUP].length, of->cells[GROUP].at);
        check->set = check_reason(checks, "%.*s", (int)of->cells[SET].length, of->cells[SET].at);
        check->stated_value = stated;
    }
}

bool check_step(struct checks *checks, const struct zv_row_field *figure)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct published of;
    struct zv_step_result result = {0};
    struct measured measured;
    if (!find(checks->row, figure, &of, &arena)) {
        zv_arena_free(&arena);
        return false;
    }
    const bool ran_out = zv_slice_equal(figure->text, "OOM");
    struct zv_step_result other = {0};
    enum zv_status status = run(&of, ran_out, false, &result, &arena, &err);
    if (status == ZV_OK) {
        other = result;
        status = of.cells[OR].length != 0 ? run(&of, ran_out, true, &other, &arena, &err) : ZV_OK;
    }
    const char *const reason =
        check_reason(checks, "a step of %.*s run op by op (%.*s)", (int)of.cells[FRAMEWORK].length,
                     of.cells[FRAMEWORK].at, (int)of.cells[GROUP].length, of.cells[GROUP].at);
    if (status == ZV_E_NOMEM) {
        checks->out_of_memory = true;
    } else if (status != ZV_OK) {
        check_skip(checks, "step_peak", figure->text, check_reason(checks, "%s", err.text));
    } else if (ran_out) {
        check_words(checks, "step_peak", figure->text, result.out_of_memory ? "OOM" : "goes in",
                    reason);
    } else if (measured_read(figure->text, ZV_UNIT_COUNT, zv_slice_equal(of.cells[UNITS], "binary"),
                             &measured)) {
        const uint64_t one = counted(&of, &result);
        const uint64_t two = counted(&of, &other);
        if (one == two) {
            check_bytes(checks, "step_peak", &measured, one, reason);
        } else {
            check_byte_range(checks, "step_peak", &measured, one < two ? one : two,
                             one < two ? two : one, reason);
        }
    } else {
        check_skip(checks, "step_peak", figure->text, "no size is printed");
    }
    put_into_group(checks, &of, counted(&of, &result));
    zv_arena_free(&arena);
    return true;
}
