#include "estimate/grid.h"

#include "base/checked.h"
#include "base/fail.h"

static enum zv_status set_reason(struct zv_grid_cell *cell, const char *why, struct zv_arena *arena,
                                 struct zv_error *err)
{
    cell->reason = zv_arena_print(arena, "%s", why);
    return cell->reason != NULL ? ZV_OK : zv_fail_memory(err, "a grid");
}

static enum zv_status fill(const struct zv_grid *grid, struct zv_grid_cell *cell,
                           const struct zv_question *question, struct zv_arena *arena,
                           struct zv_error *err)
{
    const struct zv_grid_model *const stored = &grid->axes.models[cell->model];
    struct zv_arena scratch = {0};
    struct zv_error cause = {0};
    struct zv_answer answer;
    struct zv_job job = *question->input.job;
    struct zv_question changed = *question;
    if (stored->model == NULL) {
        return set_reason(cell, stored->why, arena, err);
    }
    changed.input.model = stored->model;
    changed.input.job = &job;
    changed.capacity = &grid->axes.cards[cell->card];
    if (grid->axes.tokens[cell->tokens] != 0) {
        zv_dimension_set(grid->token_dimension, &job, grid->axes.tokens[cell->tokens]);
    }
    if (grid->axes.sequences[cell->sequences] != 0) {
        zv_dimension_set(grid->sequence_dimension, &job, grid->axes.sequences[cell->sequences]);
    }
    enum zv_status status = zv_question_answer(&answer, &changed, &scratch, &cause);
    if (status == ZV_OK) {
        cell->used_tokens = answer.estimate.context_tokens;
        cell->used_sequences = answer.estimate.sequences;
        cell->verdict = answer.fit.verdict;
        cell->total = answer.fit.total;
        cell->over = answer.fit.over;
        cell->margin = answer.fit.margin;
        cell->total.phase = NULL; /* it may lie in scratch */
    } else if (status == ZV_E_NOMEM) {
        status = zv_fail(err, status, "%s", cause.text);
    } else {
        status = set_reason(cell, cause.text, arena, err);
    }
    zv_arena_free(&scratch);
    return status;
}

static void tally(struct zv_grid *grid, const struct zv_grid_cell *cell)
{
    if (cell->reason != NULL || cell->verdict == ZV_CANNOT_TELL) {
        grid->open++;
    } else if (cell->verdict == ZV_FITS) {
        grid->fit++;
    } else {
        grid->fit_not++;
    }
}

enum zv_status zv_grid_run(struct zv_grid *grid, const struct zv_question *question,
                           const struct zv_grid_axes *axes, struct zv_arena *arena,
                           struct zv_error *err)
{
    const bool trains = question->input.job->task == ZV_TASK_TRAIN;
    const size_t sizes[] = {axes->card_count, axes->model_count, axes->token_count,
                            axes->sequence_count};
    uint64_t count = 1;
    *grid = (struct zv_grid){
        .axes = *axes,
        .token_dimension = trains ? ZV_DIMENSION_SEQ_LENGTH : ZV_DIMENSION_CONTEXT,
        .sequence_dimension = trains ? ZV_DIMENSION_MICRO_BATCH : ZV_DIMENSION_CONCURRENCY,
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!zv_mul(count, sizes[i], &count) || count > ZV_GRID_MAX_CELLS) {
            return zv_fail(err, ZV_E_LIMIT, "a grid of more than %d cells", ZV_GRID_MAX_CELLS);
        }
    }
    grid->cells = zv_arena_array(arena, (size_t)count, sizeof *grid->cells);
    if (grid->cells == NULL) {
        return zv_fail_memory(err, "a grid");
    }
    for (size_t i = 0; i < count; i++) {
        struct zv_grid_cell *const cell = &grid->cells[i];
        cell->sequences = i % sizes[3];
        cell->tokens = i / sizes[3] % sizes[2];
        cell->model = i / sizes[3] / sizes[2] % sizes[1];
        cell->card = i / sizes[3] / sizes[2] / sizes[1];
        const enum zv_status status = fill(grid, cell, question, arena, err);
        if (status != ZV_OK) {
            return status;
        }
        tally(grid, cell);
        grid->count++;
    }
    return ZV_OK;
}
