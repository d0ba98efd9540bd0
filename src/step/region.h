/*
 * What torch.utils.checkpoint keeps of a region that backward runs again, without reentrance.
 *
 *   forward    what an operation saves stays empty: a holder, the node's slot that waits for it
 *   backward   the first node that needs one runs the region again: its k-th saved tensor goes to
 *              the k-th holder, and with the last one the run stops where it is
 *
 *   holders    [node, slot] [node, slot] …        empty ones of nodes that are gone
 *   kept       [mm, result] [flash, result] …     selective: not computed again, but taken
 *
 * A region lives until the last of its holders is released or dies; the procedure's arguments and
 * what is left of the kept results go with it. Source: torch/utils/checkpoint.py (PyTorch 2.6),
 * _CheckpointFrame, _checkpoint_hook, _recomputation_hook, create_selective_checkpoint_contexts.
 */
#ifndef ZIRVE_STEP_REGION_H
#define ZIRVE_STEP_REGION_H

#include "step/engine.h"

/* What a policy may name; unary operations follow by their index (op_table.h). */
enum step_keeps {
    STEP_KEEPS_MM,
    STEP_KEEPS_ADDMM,
    STEP_KEEPS_BMM,
    STEP_KEEPS_BADDBMM,
    STEP_KEEPS_CONVOLUTION,
    STEP_KEEPS_FLASH,
    STEP_KEEPS_EFFICIENT,
    STEP_KEEPS_ADD,
    STEP_KEEPS_SUB,
    STEP_KEEPS_MUL,
    STEP_KEEPS_DIV,
    STEP_KEEPS_TO,
    STEP_KEEPS_DROPOUT,
    STEP_KEEPS_SOFTMAX,
    STEP_KEEPS_LAYER_NORM,
    STEP_KEEPS_MAX,
    STEP_KEEPS_UNARY,
    STEP_KEEPS_COUNT = STEP_KEEPS_UNARY + 24
};

/* Of every so many results of an operation the first is kept; 0: none. */
struct step_policy {
    uint32_t every[STEP_KEEPS_COUNT];
};

/* The operation of a name, as aten has it where it is no unary one; -1: there is none. */
int step_keeps_find(struct zv_slice name);
/* The names, in the order of their numbers; NULL behind the last. */
const char *step_keeps_name(size_t index);

struct step_holder {
    struct step_node *node; /* NULL: gone */
    uint32_t slot;
};

struct step_kept {
    uint32_t operation;
    struct step_tensor *t; /* NULL: taken */
};

typedef void step_region_run_fn(struct step_engine *e, struct step_region *region);

struct step_region {
    struct step_region *next; /* unused ones */
    uint32_t refs;            /* holders that wait, and who makes it */
    bool runs_again;
    bool is_filled;
    step_region_run_fn *run;  /* again */
    struct step_again *again; /* what it runs */
    struct step_holder *holders;
    size_t count;
    size_t capacity;
    size_t filled;
    const struct step_policy *policy; /* NULL: nothing is kept */
    uint32_t seen[STEP_KEEPS_COUNT];  /* in this run of the region */
    struct step_kept *kept;
    size_t kept_count;
    size_t kept_capacity;
};

/* The caller owns a use; NULL without memory. */
struct step_region *step_region_new(struct step_engine *e);
void step_region_drop(struct step_engine *e, struct step_region *region);

/* step_save() while a region is at work. */
void step_region_save(struct step_engine *e, struct step_node *node, size_t slot,
                      const struct step_tensor *t);
/* Before a node runs: fills what it saved. */
void step_region_fill(struct step_engine *e, struct step_region *region);
/* A node's slot is released. */
void step_region_release(struct step_engine *e, struct step_node *node, size_t slot);

/* The first result of an operation that a region kept, owned: it is not computed; NULL: it is. */
struct step_tensor *step_region_take(struct step_engine *e, uint32_t operation);
/* Its next one. */
struct step_tensor *step_region_take_more(struct step_engine *e, uint32_t operation);
/* A result that was computed: kept if the policy says so. */
void step_region_keep(struct step_engine *e, uint32_t operation, const struct step_tensor *result);

static inline struct step_tensor *step_kept(struct step_engine *e, uint32_t operation)
{
    return e->region == NULL ? NULL : step_region_take(e, operation);
}

static inline void step_keep(struct step_engine *e, uint32_t operation,
                             const struct step_tensor *result)
{
    if (e->region != NULL) {
        step_region_keep(e, operation, result);
    }
}

#endif
