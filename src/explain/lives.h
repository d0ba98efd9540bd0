/*
 * Lives: every block and every piece of reserved memory of a record, from when to when and where.
 *
 *     instant   0        1        2   ...   n          instant i is after event i - 1 (0-based);
 *               |event 0 |event 1 |         |          0 is before the record, n its end
 *     a life    born ──────── freed ── died            born <= i < died: it is there
 *                             freed <= i: pending, another stream may still use it
 *
 * A heap at any instant is the lives that are there then: what a picture needs to move through
 * time. Sizes are those of the replay as far as it proved itself, else the request rounded.
 */
#ifndef ZIRVE_EXPLAIN_LIVES_H
#define ZIRVE_EXPLAIN_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/record.h"

#define ZV_LIFE_ON          UINT32_MAX /* not freed, not dead when the record ends */
#define ZV_LIVES_MAX_EVENTS (UINT64_C(1) << 24)

struct zv_life {
    uint64_t address;
    uint64_t bytes;
    uint64_t requested_bytes;
    uint32_t born;
    uint32_t freed;
    uint32_t died;
    uint32_t stack; /* 0: not recorded */
    uint16_t stream;
};

/* A piece of reserved memory: a segment, or a part of an expandable one. */
struct zv_span {
    uint64_t address;
    uint64_t bytes;
    uint32_t born;
    uint32_t died;
    uint16_t stream;
    bool is_small;
    bool is_expandable;
};

struct zv_lives {
    struct zv_life *blocks; /* by address, then by birth */
    size_t block_count;
    struct zv_span *spans; /* by address, then by birth */
    size_t span_count;
    uint64_t *allocated_bytes; /* of each instant */
    uint64_t *active_bytes;
    uint64_t *reserved_bytes;
    size_t instant_count; /* events + 1 */
    bool has_addresses;   /* else there are no blocks: the file does not say where they were */
};

/*
 * Owns its tables: close after a failure too. Errors: ZV_E_LIMIT above ZV_LIVES_MAX_EVENTS events
 * (a part can be asked for), those of zv_record_series.
 */
enum zv_status zv_lives_make(struct zv_lives *lives, const struct zv_record *record,
                             struct zv_error *err);
void zv_lives_close(struct zv_lives *lives);

#endif
