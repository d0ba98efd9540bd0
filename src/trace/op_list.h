/*
 * Op lists: what a program asked of an allocator, one operation a line.
 *
 *     a ID BYTES STREAM   allocate                  f ID          free
 *     s ID STREAM         record_stream             y [STREAM]    queued work (of a stream) is done
 *     e                   empty_cache               r             reset_peak_memory_stats
 *     F X                 set_per_process_memory_fraction(X)
 *     C CONF              settings change while running
 *     p POOL [use_on_oom] [no_split]   a use of a private pool    q POOL   drops it
 *     b POOL [STREAM]     requests (of a stream) go to the pool   n POOL   no longer
 *     E POOL              empty_cache of one pool   c 0|1         a capture ends, begins
 *
 * Words are separated by blanks. Empty lines and lines that start with '#' are skipped; they count
 * as lines. IDs are any numbers below 2^64; streams below 65536; sizes at most 2^48.
 */
#ifndef ZIRVE_TRACE_OP_LIST_H
#define ZIRVE_TRACE_OP_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/error.h"

enum zv_op_kind {
    ZV_OP_ALLOCATE,
    ZV_OP_FREE,
    ZV_OP_RECORD_STREAM,
    ZV_OP_FINISH,
    ZV_OP_EMPTY_CACHE,
    ZV_OP_RESET_PEAKS,
    ZV_OP_SET_FRACTION,
    ZV_OP_SET_CONF,
    ZV_OP_POOL_RETAIN,
    ZV_OP_POOL_RELEASE,
    ZV_OP_POOL_BEGIN,
    ZV_OP_POOL_END,
    ZV_OP_POOL_EMPTY,
    ZV_OP_CAPTURE
};

#define ZV_OP_MAX_BYTES   (UINT64_C(1) << 48)
#define ZV_OP_MAX_STREAM  UINT64_C(65535)
#define ZV_OP_ALL_STREAMS UINT64_MAX

struct zv_op {
    enum zv_op_kind kind;
    uint64_t id;          /* of the allocation or the pool */
    uint64_t bytes;       /* allocate */
    uint64_t stream;      /* ZV_OP_ALL_STREAMS when none was given */
    double fraction;      /* set_fraction */
    unsigned pool_flags;  /* enum zv_pool_flags */
    bool capturing;       /* capture */
    struct zv_slice conf; /* set_conf; part of the text that was read */
};

struct zv_op_reader {
    struct zv_slice rest;
    uint64_t line; /* 1-based line of the operation read last */
};

void zv_op_reader_open(struct zv_op_reader *reader, struct zv_slice text);

/*
 * Reads the next operation; *more is false at the end. Errors: ZV_E_SYNTAX or ZV_E_LIMIT with the
 * line. Whether ids make sense is not looked at.
 */
enum zv_status zv_op_read(struct zv_op_reader *reader, struct zv_op *op, bool *more,
                          struct zv_error *err);

/* Whether a text begins like an op list: its first operation is one. */
bool zv_ops_are(struct zv_slice text);

#endif
