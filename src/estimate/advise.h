/*
 * Advise: what could be changed, and what would each change save?
 *
 *   question ──► answer ───────────────┐
 *   question + one change ──► answer ──┴──► saved bytes on the card that needs most, ranked
 *
 * A lever is a changed job (or changed weights), estimated by the same engine; its saving is the
 * difference at the question's instant, never a typed-in figure. One change at a time: savings do
 * not add up. Levers that do not help stay in the list with the reason. None of them is free: the
 * note says what it costs and what has to be checked again.
 */
#ifndef ZIRVE_ESTIMATE_ADVISE_H
#define ZIRVE_ESTIMATE_ADVISE_H

#include "estimate/question.h"

struct zv_lever {
    const char *id;     /* stable, for machines: "kv_cache.fp8" */
    const char *name;   /* for people, with the values used */
    const char *note;   /* what it costs, what to check */
    const char *reason; /* why it does not help; NULL when it does */
    bool more;          /* it needs more: bytes is what comes on top */
    uint64_t bytes;     /* saved on the device group that needs most */
    bool host_more;     /* the host needs host_bytes more, else as many less */
    uint64_t host_bytes;
    bool judged; /* asked, and there was a card: verdict is with this change alone */
    enum zv_verdict verdict;
};

struct zv_advice {
    int scope; /* the device group that needs most now */
    uint64_t expected_bytes;
    struct zv_lever *levers; /* most saved first, then in the order of the table */
    size_t count;
    size_t unknown; /* items of that group in no saving */
};

/* Lives in arena. Errors: what the question itself fails with; ZV_E_NOMEM. A lever that makes no
 * sense for this job is no error: its reason says so. */
enum zv_status zv_advise(struct zv_advice *advice, const struct zv_question *question,
                         struct zv_arena *arena, struct zv_error *err);

#endif
