/*
 * Comparison: one trace under policies side by side, on the same memory.
 *
 *   trace ─► facts (how long, what is shared) ─► policies ─► one zv_kv_run each
 *
 * Requests longer than the context are refused by every policy alike, so that all serve the same.
 */
#ifndef ZIRVE_KV_COMPARE_H
#define ZIRVE_KV_COMPARE_H

#include "kv/prefix_policy.h"
#include "kv/serve.h"

/* A trace that can be read again from its beginning. */
struct zv_kv_input {
    struct zv_slice bytes;
    struct zv_request_trace_options options;
    uint64_t limit;          /* requests; 0: all */
    uint64_t context_tokens; /* of a request with its answer; 0: no limit */
    uint64_t replicas;       /* that requests are dealt to in turn; 0 is 1 */
};

struct zv_kv_facts {
    uint64_t requests;
    uint64_t refused; /* of them longer than the context */
    uint64_t prompt_tokens;
    uint64_t output_tokens;
    uint64_t longest_prompt;
    uint64_t longest_output;
    uint64_t longest; /* slots of one request */
    uint64_t with_ids;
    uint64_t last_ticks; /* arrival of the last */
};

/* Errors: those of the trace; ZV_E_SYNTAX for a trace without requests. */
enum zv_status zv_kv_facts_of(struct zv_kv_facts *to, const struct zv_kv_input *input,
                              struct zv_error *err);

enum zv_kv_layout { ZV_KV_CONTIGUOUS, ZV_KV_STATIC, ZV_KV_PAGED };

/* One policy and what came out. */
struct zv_kv_run {
    enum zv_kv_layout layout;
    struct kv_serve_options options; /* contiguous: slots, reservation; paged: cache */
    uint64_t batch;                  /* static */
    struct kv_serve result;
};

/*
 * Fills run->result. Replicas are simulated one by one, each with memory of its own: peaks and
 * times are the largest of them, all else their sum, and the occupancy is the first one's.
 * Errors: those of the trace and of the simulations.
 */
enum zv_status zv_kv_run(struct zv_kv_run *run, const struct zv_kv_input *input,
                         struct zv_error *err);

/* A prefix cache of so many ids of 512 tokens under each policy, without time; for each replica. */
enum zv_status zv_kv_prefixes(struct kv_figures to[KV_PREFIX_COUNT], uint64_t capacity,
                              const struct zv_kv_input *input, struct zv_error *err);

/* The most requests at once of which this trace has none pre-empted. */
struct zv_kv_search {
    uint32_t value;       /* 0: not even one */
    bool at_limit;        /* more would not run at once in this trace */
    uint64_t preemptions; /* with one more */
    unsigned simulated;
};

/* run is paged; afterwards it is the run of that value. */
enum zv_status zv_kv_search_run(struct zv_kv_search *to, struct zv_kv_run *run,
                                const struct zv_kv_input *input, struct zv_error *err);

uint64_t zv_kv_figure(const struct kv_figures *figures, const char *name); /* 0 when not there */

#endif
