/*
 * Room step: what would this step of training or inference take, and when?
 *
 *   family table [step …] ─┐
 *   habits (litgpt, …) ────┼─► program ──► mini framework ──► allocator ──► peaks
 *   library of layers ─────┘   (text)      (engine.h)             └──► events, a trace
 *
 * Closed formulas miss training peaks by 5 to 30 %, because lifetimes decide them. Here the step is
 * run as PyTorch would run it, operation by operation and without values; the allocator engine says
 * what that comes to. What operations do to memory is in the tables of op_*.c, in which order in
 * backward.c; what a model does is text (docs/STEP.md).
 *
 * Not here: what a user meant by a job (estimate), cards (card), how a result looks (report).
 */
#ifndef ZIRVE_STEP_STEP_H
#define ZIRVE_STEP_STEP_H

#include "card/card.h"
#include "model/model.h"
#include "step/engine.h"
#include "step/program_link.h"

/* A setting that is stated: "tokens" = "1024"; "a | b": one of these, for zv_step_peak. */
struct zv_step_setting {
    struct zv_slice name;
    struct zv_slice value;
    const char *option; /* how it was stated, for messages: "--seq-length"; NULL: by its name */
};

struct zv_step_request {
    const struct zv_model *model;
    struct zv_slice habit; /* "litgpt": data/steps/litgpt.step */
    const struct zv_step_setting *settings;
    size_t setting_count;
    /* Writes what a caller states a setting with, for a message; NULL: the setting's name alone. */
    void (*spell)(struct zv_slice setting, char *to, size_t size);
    struct step_card card;
    struct zv_allocator_options allocator; /* on_event and context stay the allocator's */
    step_event_fn *on_event;               /* NULL: none */
    void *context;                         /* of on_event and on_watch */
    uint64_t watch_event;                  /* on_watch is called once, after that many events */
    void (*on_watch)(struct step_engine *e, void *context); /* NULL: none */
};

enum { ZV_STEP_MARKS = 8, ZV_STEP_OUTSIDE = 4 };

struct zv_step_result {
    uint64_t events;      /* allocations and frees */
    uint64_t allocations; /* of them */
    uint64_t peak_allocated_bytes;
    uint64_t peak_active_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t peak_event; /* where allocated was highest */
    uint32_t peak_label; /* what was at work there */
    bool peak_in_backward;
    uint64_t end_allocated_bytes;
    uint64_t managed_bytes; /* most at once outside the allocator: paged between card and host */
    uint64_t segments;      /* most at once */
    bool trains;            /* some weight has a gradient */
    bool out_of_memory;
    uint64_t oom_event;
    uint64_t oom_bytes;            /* the request that failed; the figures are those until then */
    uint64_t marks[ZV_STEP_MARKS]; /* events before mark(k) of the program; 0: there was none */
    struct step_phase phases[STEP_MAX_PHASES]; /* that the program names; names are the program's */
    size_t phase_count;
    struct step_setting_set asked;            /* that the run asked for */
    struct zv_slice outside[ZV_STEP_OUTSIDE]; /* what the job takes beside the allocator, unknown */
    size_t outside_count;
    struct zv_slice not_run; /* the model's part ("vision") whose weights are there and whose pass
                                is not; empty: all of the model is run */
};

/* A program with all it uses, ready to run any number of times. */
struct zv_step {
    struct step_link link;
    struct family_scope *scope;
    const struct zv_model *model;
    struct zv_arena *arena;
};

/*
 * Brings together the model's family, a habit and the library. Errors: ZV_E_UNSUPPORTED (a
 * checkpoint that is quantised already; the family's table says nothing of a step, or not what the
 * habit asks of it), ZV_E_NOT_FOUND (no such habit), ZV_E_SYNTAX with file, line and column,
 * ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_step_open(struct zv_step *step, const struct zv_model *model,
                            struct zv_slice habit, struct zv_arena *arena, struct zv_error *err);

/* What kernels see of the card; false and an A100's for NULL or a card of which it is not known. */
bool zv_step_card_of(struct step_card *to, const struct zv_card *card);

/*
 * Runs it. Being out of the card's memory is a result, no error. Errors: ZV_E_USAGE (a setting that
 * must be stated is not, there is none of that name, or it knows no such value), ZV_E_SYNTAX with
 * file, line and column, ZV_E_OVERFLOW, ZV_E_NOMEM, what the allocator's options are refused with.
 */
enum zv_status zv_step_run(const struct zv_step *step, const struct zv_step_request *request,
                           struct zv_step_result *result, struct zv_error *err);

#endif
