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

enum { ZV_STEP_HOLDERS = 24, ZV_STEP_OPEN = 8, ZV_STEP_MAX_RUNS = 64, ZV_STEP_LEVERS = 8 };

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

/* Why a setting is open and what it may be. */
struct zv_step_open_setting {
    struct zv_slice name;
    struct zv_slice values;  /* "adamw_foreach|adamw_fused|adamw_loop" */
    struct zv_slice highest; /* of which the peak is the highest */
    struct zv_slice lowest;
};

struct zv_step_peak {
    struct zv_step_result low;  /* the combination with the lowest peak */
    struct zv_step_result high; /* with the highest; equal when nothing is open */
    size_t runs;
    struct zv_step_open_setting open[ZV_STEP_OPEN];
    size_t open_count;
    struct zv_step_when when;          /* of the highest */
    uint64_t held[STEP_PURPOSE_COUNT]; /* as asked for; ACTIVATION: the sum of the next two */
    uint64_t saved_bytes;
    uint64_t temporary_bytes;
    uint64_t rounding_bytes; /* what the allocator adds: blocks are larger than asked for */
    struct zv_step_holder holders[ZV_STEP_HOLDERS]; /* activations by operation, largest first */
    size_t holder_count;
};

/*
 * Runs all combinations of what is open (at most ZV_STEP_MAX_RUNS), then the highest again. The
 * request's on_event hears that last run alone. Errors: as zv_step_run; ZV_E_LIMIT.
 */
enum zv_status zv_step_peak(const struct zv_step *step, const struct zv_step_request *request,
                            struct zv_step_peak *to, struct zv_error *err);

/* A setting changed by itself, and the highest peak that is left. */
struct zv_step_lever {
    struct zv_slice setting;
    struct zv_slice value;
    const char *what; /* "recompute each layer in the backward pass" */
    uint64_t peak_allocated_bytes;
    uint64_t saved_bytes;
};

/*
 * Runs the step of the highest peak again with each lever that the program has and that is not
 * pulled yet; those that save something, the largest first. Errors: as zv_step_run.
 */
enum zv_status zv_step_levers(const struct zv_step *step, const struct zv_step_request *request,
                              const struct zv_step_peak *peak,
                              struct zv_step_lever to[ZV_STEP_LEVERS], size_t *count,
                              struct zv_error *err);

#endif
