/*
 * Peak: a step's peaks under all that was left open, when they are reached, and what holds them.
 *
 *   settings that the user stated ─┐
 *   alternatives of the others ────┴─► every combination is run ─► lowest .. highest
 *                                          the highest, again until its peak ─► what is live there
 */
#ifndef ZIRVE_STEP_PEAK_H
#define ZIRVE_STEP_PEAK_H

#include "step/step.h"

enum {
    ZV_STEP_HOLDERS = 24,
    ZV_STEP_OPEN = 12,
    ZV_STEP_MAX_RUNS = 128,
    ZV_STEP_LEVERS = 16,
    ZV_STEP_DEFAULTS = 16,
    ZV_STEP_LAYERS = 512
};

/* Live bytes of one kind at the peak. */
struct zv_step_holder {
    struct zv_slice operation; /* that made them: "linear" */
    bool saved;                /* for backward; else in use for the moment */
    uint64_t bytes;            /* as asked for */
    uint64_t count;
    uint64_t layers; /* how many different layers, 0: none */
};

struct zv_step_when {
    uint64_t event; /* of events */
    bool in_backward;
    int64_t layer; /* -1: none */
    struct zv_slice operation;
};

/* Live activations at the peak that one layer made. */
enum zv_step_kept { ZV_STEP_SAVED, ZV_STEP_TEMPORARY, ZV_STEP_KEPT_COUNT };
struct zv_step_layer {
    uint64_t bytes[ZV_STEP_KEPT_COUNT]; /* as asked for */
    uint64_t tensors;
};

/* A setting that nobody stated and that the framework itself sets. */
struct zv_step_default {
    struct zv_slice name;
    struct zv_slice value;
    struct zv_slice basis; /* "transformers 4.57" */
};

/* Why a setting is open and what it may be. */
struct zv_step_open_setting {
    struct zv_slice name;
    struct zv_slice values;  /* "adamw_foreach|adamw_fused|adamw_loop" */
    struct zv_slice highest; /* of which the peak is the highest */
    struct zv_slice lowest;  /* with which alone that is lowest; of the lowest, when one runs out */
    uint64_t width_bytes;    /* how much lower; 0 when a case of it is out of memory */
    uint64_t reserved_width_bytes; /* of reserved bytes, where that is all it changes */
};

struct zv_step_peak {
    struct zv_step_result low;  /* the combination with the lowest peak */
    struct zv_step_result high; /* with the highest; equal when nothing is open */
    /* lowest and highest of all runs that did not run out, which need not be those two; where all
     * ran out, what the lowest came to */
    uint64_t active_bytes[2];
    uint64_t reserved_bytes[2];
    size_t runs;
    size_t out_of_memory_runs; /* of them; as many as runs: whatever is open, it runs out */
    struct zv_step_open_setting open[ZV_STEP_OPEN];
    size_t open_count;
    struct zv_step_default defaults[ZV_STEP_DEFAULTS];
    size_t default_count;
    struct zv_step_when when;          /* of the highest */
    uint64_t held[STEP_PURPOSE_COUNT]; /* as asked for; ACTIVATION: the sum of the next two */
    uint64_t saved_bytes;
    uint64_t temporary_bytes;
    uint64_t rounding_bytes; /* what the allocator adds: blocks are larger than asked for */
    struct zv_step_holder holders[ZV_STEP_HOLDERS]; /* activations by operation, largest first */
    size_t holder_count;
    struct zv_step_layer layers[ZV_STEP_LAYERS]; /* 0: in no layer; then layer 0 and so on */
    size_t layer_count;
};

/*
 * Runs all combinations of what is open that differ (at most ZV_STEP_MAX_RUNS), then the highest
 * again. The request's on_event hears that last run alone. Errors: as zv_step_run; ZV_E_USAGE (a
 * stated setting that no run asks for); ZV_E_LIMIT.
 */
enum zv_status zv_step_peak(const struct zv_step *step, const struct zv_step_request *request,
                            struct zv_step_peak *to, struct zv_error *err);

/* A setting changed by itself, and the highest peak that is left. */
struct zv_step_lever {
    struct zv_slice setting;
    struct zv_slice value;
    const char *what; /* "recompute each layer in the backward pass" */
    uint64_t peak_allocated_bytes;
    uint64_t managed_bytes; /* as in zv_step_result */
    uint64_t saved_bytes;
    bool fits; /* of a step that runs out: it goes in with this alone */
};

struct zv_step_advice {
    struct zv_step_lever levers[ZV_STEP_LEVERS]; /* those that save something, the largest first */
    size_t count;
    uint64_t needed_bytes; /* the highest peak; where it runs out, on a card without end */
    bool runs_out;
    size_t together[ZV_STEP_LEVERS]; /* where none fits alone: levers pulled one after the other */
    size_t together_count;
    uint64_t together_bytes;   /* the peak with which it goes in then; 0: it does not */
    struct zv_step_peak whole; /* of a step that runs out: on a card without end */
};

/*
 * Runs the step of the highest peak again with each lever that the program has and that is not
 * pulled yet. Of a step that runs out of memory that is the one with the highest peak on a card
 * without end, and each lever is also run on the card. Errors: as zv_step_run.
 */
enum zv_status zv_step_levers(const struct zv_step *step, const struct zv_step_request *request,
                              const struct zv_step_peak *peak, struct zv_step_advice *to,
                              struct zv_error *err);

/* The largest value of a setting with which the step goes in, whatever is open. */
struct zv_step_search {
    struct zv_slice setting; /* "tokens" */
    uint64_t from;           /* where it begins: 1, or 2 tokens, as a loss needs a next one */
    uint64_t limit;          /* where it ends */
    bool found;              /* false: not even from goes in */
    uint64_t value;
    bool at_limit;
    bool contrary; /* a smaller value does not go in, or a larger one does */
    uint64_t contrary_value;
    uint64_t next_request_bytes; /* of value + 1 (from when not found): the request that failed */
    size_t values;               /* that were tried */
    size_t runs;                 /* steps that were run */
};

/*
 * Bisects (base/bisect.h); to->setting, to->from and to->limit are given. A value goes in
 * when no combination of what is open runs out of the request's capacity. Errors: as zv_step_run.
 */
enum zv_status zv_step_find_largest(const struct zv_step *step,
                                    const struct zv_step_request *request,
                                    struct zv_step_search *to, struct zv_error *err);

#endif
