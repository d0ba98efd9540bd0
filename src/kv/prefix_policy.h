/*
 * Prefix policies: which ids would a cache of so many entries still have? Requests one after
 * another, an entry per id of the trace (a partial last block too), no pages and no time.
 */
#ifndef ZIRVE_KV_PREFIX_POLICY_H
#define ZIRVE_KV_PREFIX_POLICY_H

#include "kv/figures.h"
#include "kv/request_trace.h"

enum kv_prefix_policy {
    KV_PREFIX_LRU_FRONT,    /* least recently used, a request's first id touched first */
    KV_PREFIX_LRU_REV,      /* … last id touched first, as vLLM frees its pages */
    KV_PREFIX_FIFO,         /* oldest */
    KV_PREFIX_LFU,          /* least often used, then least recently */
    KV_PREFIX_LENGTH_AWARE, /* least often used, then latest in its request, then least recently */
    KV_PREFIX_COUNT
};

const char *kv_prefix_name(enum kv_prefix_policy policy); /* "lru_front" */

/* capacity in ids, 0 without limit. Errors: the source's, ZV_E_USAGE for a trace without ids,
 * ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status kv_prefix_run(struct kv_figures *to, struct zv_request_source source,
                             enum kv_prefix_policy policy, uint64_t capacity, struct zv_error *err);

#endif
