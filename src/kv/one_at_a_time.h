/* One request in flight at a time over a pool: what paging and prefix caching do without a queue.
 */
#ifndef ZIRVE_KV_ONE_AT_A_TIME_H
#define ZIRVE_KV_ONE_AT_A_TIME_H

#include "kv/figures.h"
#include "kv/request_trace.h"
#include "zirve/kv.h"

struct kv_one_options {
    struct zv_kv_cache_options cache; /* pages, page_tokens, groups, step_tokens (the chunk) */
    bool decode;                      /* also what is generated, not only the prompt */
    uint64_t limit;                   /* requests; 0: all */
};

/* All of a request's pages at once, in one group: cache.page_tokens is 512. Errors of both: the
 * source's, ZV_E_USAGE, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status kv_one_whole(struct kv_figures *to, struct zv_request_source source,
                            const struct kv_one_options *options, struct zv_error *err);

/* In chunks of step_tokens, then token by token, over groups. */
enum zv_status kv_one_in_steps(struct kv_figures *to, struct zv_request_source source,
                               const struct kv_one_options *options, struct zv_error *err);

/* d·1000003 + page mod 2^64 for each page: fixes the order in which pages were handed out. */
uint64_t kv_digest(uint64_t digest, const uint32_t *pages, size_t count);

#endif
