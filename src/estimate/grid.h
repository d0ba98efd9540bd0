/*
 * Grid: every combination of weights, sizes and cards, as one table of fits.
 *
 * A cell that cannot be estimated has its reason and leaves the others alone; only running out of
 * memory ends the whole.
 */
#ifndef ZIRVE_ESTIMATE_GRID_H
#define ZIRVE_ESTIMATE_GRID_H

#include "estimate/question.h"

enum { ZV_GRID_MAX_CELLS = 4096 };

/* One way to store the weights. */
struct zv_grid_model {
    const char *name;             /* as asked for; "as stored" */
    const struct zv_model *model; /* NULL: why says why there is none */
    const char *why;
};

/* Serving: tokens are contexts, sequences run at once. Training: tokens are sequence lengths,
 * sequences are micro-batches. No axis is empty; 0 leaves the job as it is. */
struct zv_grid_axes {
    const struct zv_grid_model *models;
    size_t model_count;
    const uint64_t *tokens;
    size_t token_count;
    const uint64_t *sequences;
    size_t sequence_count;
    const struct zv_capacity *cards;
    size_t card_count;
};

struct zv_grid_cell {
    size_t model; /* indices into the axes */
    size_t tokens;
    size_t sequences;
    size_t card;
    uint64_t used_tokens; /* what a 0 of the axes came to */
    uint64_t used_sequences;
    const char *reason; /* why there is no figure; NULL: the rest means something */
    enum zv_verdict verdict;
    struct zv_total total; /* of the device group that decides */
    bool over;             /* margin is what is missing */
    uint64_t margin;
};

/* Cells in the order card, model, tokens, sequences, the last fastest. */
struct zv_grid {
    struct zv_grid_axes axes;
    enum zv_dimension token_dimension;
    enum zv_dimension sequence_dimension;
    struct zv_grid_cell *cells;
    size_t count;
    size_t fit; /* cells that fit, that do not, that cannot be told or estimated */
    size_t fit_not;
    size_t open;
};

/* question's model and capacity are replaced by the axes'. The cells live in arena. Errors:
 * ZV_E_LIMIT (more than ZV_GRID_MAX_CELLS), ZV_E_NOMEM. */
enum zv_status zv_grid_run(struct zv_grid *grid, const struct zv_question *question,
                           const struct zv_grid_axes *axes, struct zv_arena *arena,
                           struct zv_error *err);

#endif
