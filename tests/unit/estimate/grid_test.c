#include "estimate/grid.h"

#include "support/fail_memory.h"
#include "support/test.h"
#include "support/tiny_model.h"

enum { WEIGHTS = 2 * TINY_EMBEDDING + TINY_LAYERS * (TINY_ATTENTION + TINY_MLP) };

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_question question;
    struct zv_grid_model models[2];
    uint64_t tokens[2];
    uint64_t sequences[3];
    struct zv_capacity cards[2];
    struct zv_grid_axes axes;
};

static void set_up(struct setting *setting)
{
    *setting = (struct setting){
        .tokens = {64, 512},
        .sequences = {1, 2, 1000},
        .cards = {{.low = 1000000, .high = 1000000}, {.low = 100000, .high = 100000}},
    };
    tiny_model_make(&setting->tiny);
    setting->models[0] = (struct zv_grid_model){"as stored", &setting->tiny.model, NULL};
    setting->models[1] = (struct zv_grid_model){"nf4", NULL, "no such weights"};
    setting->question =
        (struct zv_question){.input = {.model = &setting->tiny.model, .job = &setting->job}};
    setting->axes = (struct zv_grid_axes){setting->models,    2, setting->tokens, 2,
                                          setting->sequences, 3, setting->cards,  2};
}

/* Every cell is what the question alone answers, and stands where its indices say. */
static void cells_are_single_answers(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_grid grid;
    (void)state;
    set_up(&setting);
    assert_int_equal(zv_grid_run(&grid, &setting.question, &setting.axes, &arena, NULL), ZV_OK);
    assert_int_equal(grid.count, 24);
    assert_int_equal(grid.fit + grid.fit_not + grid.open, 24);
    for (size_t i = 0; i < grid.count; i++) {
        const struct zv_grid_cell *const cell = &grid.cells[i];
        assert_int_equal(((cell->card * 2 + cell->model) * 2 + cell->tokens) * 3 + cell->sequences,
                         i);
        if (cell->model == 1) {
            assert_string_equal(cell->reason, "no such weights");
            continue;
        }
        struct zv_job job = setting.job;
        struct zv_question one = setting.question;
        struct zv_answer answer;
        job.serve.context_tokens = setting.tokens[cell->tokens];
        job.serve.sequences = setting.sequences[cell->sequences];
        one.input.job = &job;
        one.capacity = &setting.cards[cell->card];
        assert_int_equal(zv_question_answer(&answer, &one, &arena, NULL), ZV_OK);
        assert_null(cell->reason);
        assert_int_equal(cell->verdict, answer.fit.verdict);
        assert_int_equal(cell->total.expected, answer.fit.total.expected);
        assert_int_equal(cell->margin, answer.fit.margin);
    }
    zv_arena_free(&arena);
}

static void counts_what_fits(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_grid grid;
    (void)state;
    set_up(&setting);
    setting.axes.model_count = 1;
    setting.cards[1].low = setting.cards[1].high = WEIGHTS - 1;
    assert_int_equal(zv_grid_run(&grid, &setting.question, &setting.axes, &arena, NULL), ZV_OK);
    assert_int_equal(grid.count, 12);
    for (size_t i = 6; i < 12; i++) {
        assert_int_equal(grid.cells[i].verdict, ZV_FITS_NOT);
    }
    zv_arena_free(&arena);
}

/* A cell too large to calculate has its reason; the others stand. */
static void a_cell_that_fails_says_why(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_grid grid;
    (void)state;
    set_up(&setting);
    setting.axes.model_count = 1;
    setting.sequences[2] = UINT64_MAX;
    assert_int_equal(zv_grid_run(&grid, &setting.question, &setting.axes, &arena, NULL), ZV_OK);
    assert_null(grid.cells[0].reason);
    assert_non_null(grid.cells[2].reason);
    zv_arena_free(&arena);
}

static void is_bounded(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_grid grid;
    (void)state;
    set_up(&setting);
    setting.axes.token_count = SIZE_MAX;
    setting.axes.sequence_count = SIZE_MAX;
    assert_int_equal(zv_grid_run(&grid, &setting.question, &setting.axes, &arena, NULL),
                     ZV_E_LIMIT);
    assert_int_equal(arena.used, 0);
}

static void survives_every_failing_allocation(void **state)
{
    struct setting setting;
    (void)state;
    set_up(&setting);
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_grid grid;
        fail_memory_start(n);
        const enum zv_status status =
            zv_grid_run(&grid, &setting.question, &setting.axes, &arena, NULL);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_single_answers),          cmocka_unit_test(counts_what_fits),
        cmocka_unit_test(a_cell_that_fails_says_why),        cmocka_unit_test(is_bounded),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
