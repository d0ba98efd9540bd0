/*
 * Tail: what is kept of a child's output while it passes by: the last lines, and the first one that
 * says that memory ran out. Bounded whatever the child writes.
 *
 * A carriage return starts its line anew, as a terminal would show it: of a progress bar the last
 * state is kept.
 */
#ifndef ZIRVE_LAUNCH_TAIL_H
#define ZIRVE_LAUNCH_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "explain/oom_sign.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { ZV_TAIL_LINE = 2048, ZV_TAIL_STREAMS = 2, ZV_TAIL_MAX_LINES = 1000 };

/* A line without its end; what passes ZV_TAIL_LINE bytes is cut off and counted. */
struct zv_tail_line {
    char text[ZV_TAIL_LINE];
    size_t length;
    uint64_t cut;    /* bytes left out at its end */
    unsigned stream; /* 0 output, 1 error */
};

struct zv_tail {
    struct zv_tail_line *ring;
    size_t capacity; /* lines kept */
    uint64_t lines;  /* seen, on both streams */
    uint64_t bytes[ZV_TAIL_STREAMS];
    const struct zv_oom_sign *sign; /* of the first such line; NULL: none */
    struct zv_tail_line memory;     /* that line, whole as far as it goes */
    uint64_t memory_lines;          /* how many there were */

    /* private */
    struct zv_tail_line part[ZV_TAIL_STREAMS]; /* lines that have not ended */
    bool returned[ZV_TAIL_STREAMS];            /* a carriage return was the last byte */
};

/* lines (at most ZV_TAIL_MAX_LINES) live in the arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_tail_make(struct zv_tail *tail, size_t lines, struct zv_arena *arena,
                            struct zv_error *err);

void zv_tail_feed(struct zv_tail *tail, unsigned stream, const char *data, size_t size);

/* What has no end yet becomes a line. */
void zv_tail_end(struct zv_tail *tail);

size_t zv_tail_count(const struct zv_tail *tail);
const struct zv_tail_line *zv_tail_at(const struct zv_tail *tail, size_t i); /* oldest first */

#endif
