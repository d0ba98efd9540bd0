/*
 * Habits of a run over its record: what grows, what is freed late, which segments never empty.
 *
 * Growth is live bytes by user frame at several instants: after each optimizer step when the record
 * names at least three, else at its four quarters. What grows at every one of them is listed; a
 * cache that fills up grows too, so it is a hint and no verdict.
 */
#ifndef ZIRVE_EXPLAIN_HABITS_H
#define ZIRVE_EXPLAIN_HABITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/groups.h"

enum { ZV_HABIT_INSTANTS = 8, ZV_HABIT_LATE = 5 }; /* at most */

struct zv_growing {
    struct zv_slice label;
    uint64_t bytes[ZV_HABIT_INSTANTS];
};

/* Blocks of one frame of the user's code that were freed late. */
struct zv_late {
    struct zv_slice label;
    uint64_t bytes; /* rounded requests, all of them together */
    uint64_t frees;
};

struct zv_habits {
    size_t instants[ZV_HABIT_INSTANTS]; /* events before which the heap was looked at */
    size_t instant_count;
    bool by_steps;              /* instants are ends of optimizer steps */
    enum zv_trace_known known;  /* of the record */
    struct zv_growing *growing; /* largest growth first */
    size_t growing_count;

    /* Frees that waited for other streams. */
    uint64_t late_frees;
    uint64_t late_peak_bytes;           /* most bytes waiting at once, rounded requests */
    size_t late_longest;                /* events between request and completion */
    struct zv_late late[ZV_HABIT_LATE]; /* most bytes first, by who allocated them */
    size_t late_count;

    /* Segments that were there all the time and never without a live block. */
    uint64_t pinned_segments;
    uint64_t pinned_bytes;
    uint64_t pinned_live_bytes; /* live in them at the end */
    struct zv_groups pinned_by; /* by frame */
};

/* Only for snapshots with a history (else ZV_E_UNSUPPORTED). Results live in the arena. */
enum zv_status zv_habits_make(struct zv_habits *habits, const struct zv_record *record,
                              struct zv_arena *arena, struct zv_error *err);

#endif
