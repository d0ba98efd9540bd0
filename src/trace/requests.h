/*
 * What a program asked of its allocator, without what the allocator made of it: the size of each
 * allocation and how long it lived, in order. Two runs are held against each other by that,
 * whatever settings, cards and addresses they had.
 *
 *     trace, op list ─► requests: bytes, freed after how many requests
 *     requests A, B  ─► aligned  ─► equal | another size | another lifetime | only in A | only in B
 *
 * Time is counted in requests. Only those that both have count: a block lives as long in B as in A
 * when it is freed between the same two of them. Streams, pools, addresses and the order of frees
 * between two requests are not looked at; a request that failed is none.
 */
#ifndef ZIRVE_TRACE_REQUESTS_H
#define ZIRVE_TRACE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "trace/trace.h"
#include "zirve/arena.h"
#include "zirve/error.h"

#define ZV_REQUEST_KEPT UINT32_MAX

struct zv_request {
    uint64_t bytes;
    uint64_t place;    /* event of the device (0-based), line of an op list (1-based) */
    uint32_t freed_at; /* how many requests were made before it was freed, or ZV_REQUEST_KEPT */
    uint32_t stack;    /* of the trace; 0: not recorded */
};

struct zv_request_list {
    struct zv_request *at;
    size_t count;
    uint64_t other_frees;   /* of what was live before the first request */
    bool lifetimes_unknown; /* nothing tells which free is of which request */
    bool sizes_of_blocks;   /* rounded by the allocator, not as asked for */
};

/* Results live in the arena. Errors: ZV_E_UNSUPPORTED (a memory timeline has no frees that could be
 * told apart), ZV_E_NOMEM. */
enum zv_status zv_requests_of_trace(struct zv_request_list *to, const struct zv_trace *trace,
                                    size_t device, struct zv_arena *arena, struct zv_error *err);

/* Errors, with the line: those of zv_op_read, ZV_E_SYNTAX for ids that are live already or are not,
 * ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_requests_of_ops(struct zv_request_list *to, struct zv_slice ops,
                                  struct zv_arena *arena, struct zv_error *err);

enum zv_request_change {
    ZV_REQUEST_EQUAL,
    ZV_REQUEST_SIZE,
    ZV_REQUEST_LIFETIME,
    ZV_REQUEST_ONLY_A,
    ZV_REQUEST_ONLY_B,
    ZV_REQUEST_CHANGES
};

struct zv_request_difference {
    enum zv_request_change change;
    size_t a; /* index; of what only B has: of the request of A before which it would be */
    size_t b;
};

enum { ZV_REQUEST_DIFFERENCES = 100 };

struct zv_request_comparison {
    uint64_t counts[ZV_REQUEST_CHANGES];
    size_t common; /* equal ones in a row, from the first */
    bool rounded;  /* sizes were compared as multiples of 512 bytes: one side knows no others */
    bool lifetimes_compared;
    struct zv_request_difference differences[ZV_REQUEST_DIFFERENCES]; /* the first, in order */
    size_t difference_count;                                          /* all of them */
};

/*
 * Aligns by size with few insertions and deletions (Myers 1986, "An O(ND) difference algorithm and
 * its variations", in pieces of at most 256 of them, so that the time is bounded by 256 times the
 * number of requests; then it may not be the fewest). Errors: ZV_E_NOMEM.
 */
enum zv_status zv_requests_compare(struct zv_request_comparison *to,
                                   const struct zv_request_list *a, const struct zv_request_list *b,
                                   struct zv_error *err);

#endif
