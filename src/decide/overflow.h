/*
 * Overflow: memory ran out; in which phase, what is suspect there, what can be changed?
 *
 *   message, stack, phase readings ──► phase ──► suspects ──► changes of that phase, one at a time
 *
 * A change mends only the phases of its row: a smaller training batch does nothing for an
 * evaluation or an export. Each says what it costs, whether quality must be shown again, and which
 * levers of an estimate say what it frees; what the ledger does not hold is said to be in no
 * figure.
 */
#ifndef ZIRVE_DECIDE_OVERFLOW_H
#define ZIRVE_DECIDE_OVERFLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "estimate/advise.h"
#include "explain/oom_message.h"
#include "explain/oom_sign.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_phase {
    ZV_PHASE_LOAD,
    ZV_PHASE_PREFILL,
    ZV_PHASE_GENERATION,
    ZV_PHASE_FORWARD,
    ZV_PHASE_BACKWARD,
    ZV_PHASE_UPDATE,
    ZV_PHASE_EVALUATION,
    ZV_PHASE_EXPORT,
    ZV_PHASES /* not known */
};

enum { ZV_OVERFLOW_MAX_SUSPECTS = 4 };

struct zv_phase_facts {
    const char *name;
    const char *suspects[ZV_OVERFLOW_MAX_SUSPECTS + 1]; /* ends with NULL */
    const char *warning;                                /* what does not help; NULL */
    bool in_ledger;                                     /* an estimate has this phase */
    struct zv_instant serves;                           /* where, in a serving job's ledger */
    struct zv_instant trains;                           /* and in a training job's */
};

struct zv_change {
    const char *id; /* stable: "micro_batch" */
    const char *name;
    const char *cost;   /* time, cards, what to measure */
    bool quality;       /* must be shown again */
    unsigned phases;    /* bits, 1 << enum zv_phase */
    const char *levers; /* ids of an estimate's levers that say what it frees, space-separated,
                           "weights." for all that begin so; NULL: in no ledger */
};

extern const struct zv_phase_facts zv_phase_facts[ZV_PHASES];
extern const struct zv_change zv_changes[]; /* in the order they are worth trying in */
extern const size_t zv_change_count;

/* By its name or another name for it ("decode", "optimizer", "model_load"). */
bool zv_phase_parse(struct zv_slice name, enum zv_phase *to);

/* Whether a lever (of zv_advise) is one of the change's. */
bool zv_change_has_lever(const struct zv_change *change, const char *lever);

/* What a failed run says. */
struct zv_overflow {
    enum zv_phase phase; /* ZV_PHASES: it does not say */
    const char *told_by; /* "in evaluation_loop", "the reading of phase load"; NULL */
    bool memory_named;   /* something says that memory ran out */
    enum zv_oom_memory memory;
    const char *text; /* that says it; NULL */
    bool has_message; /* text is one with figures */
    struct zv_oom_message message;
};

/* The phase that a function of a stack belongs to; ZV_PHASES: any. file: where it stands, may be
 * empty. The phase of a stack is the outermost that rules: evaluation over forward. */
enum zv_phase zv_phase_of_function(struct zv_slice function, struct zv_slice file);

/* The one of two phases that rules a stack in which both occur. */
enum zv_phase zv_phase_ruling(enum zv_phase a, enum zv_phase b);

/* Whether it is a result of zirve's, by the schema that it states. */
bool zv_overflow_is_result(struct zv_slice text);

/*
 * Reads the result of a failed run: zirve.run/1, zirve.run_search/1 (its last try that ran out),
 * results with a list `phases` of name, outcome and message, or any text with a traceback or log.
 * Texts live in the arena. Errors: ZV_E_SYNTAX, ZV_E_USAGE (it did not fail), ZV_E_NOMEM.
 */
enum zv_status zv_overflow_read(struct zv_overflow *overflow, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err);

#endif
