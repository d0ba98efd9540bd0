/*
 * KV pages: which page of device memory holds which tokens of which sequence?
 *
 *   pool       pages 1 .. n of one size, a queue of those that are free, keys of full ones
 *   cache      the pool, shared by groups of layers; a sequence has a table of pages per group
 *
 *     sequence 7 ── full ────► [12][ 4][ 9]      a page of a group holds page_tokens tokens of
 *                 └ sliding ─► [ 0][ 6][ 2]      the group's layers; page 0 stands for "not kept"
 *
 * The free queue is the eviction order too. A page that is freed keeps its key and its content and
 * can be found until it is handed out again; the least recently used page goes first. A sequence is
 * freed from its last page to its first, so that of a prefix the end is evicted before the start.
 * These are the rules of vLLM's block pool and scheduler, before and after its changes of 2026.
 *
 * Nothing here touches a device: pages are numbers. Nothing is allocated once as many sequences of
 * such lengths have been there before. One cache or pool, one thread at a time; different ones are
 * independent of one another, and functions that take a const one may run at the same time.
 *
 * Not here: request traces, steps of a scheduler, bytes (room kv has simulators on top of this).
 */
#ifndef ZIRVE_KV_H
#define ZIRVE_KV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/error.h"

#define ZV_KV_MAX_PAGES (UINT32_C(1) << 30)

/* ---- keys: what a full page holds ---- */

/* Names the tokens of a page and all before it. Whoever makes keys sees that they differ. */
struct zv_kv_key {
    uint64_t low;
    uint64_t high;
};

/*
 * The key of a page from the key of the page before it (NULL for the first), its tokens and what
 * else decides its content (an adapter, a picture, a salt; may be empty): SipHash-2-4 with 128 bits
 * under the secret seed. With a seed that others do not know nobody can make two prompts that
 * share pages by mistake.
 */
struct zv_kv_key zv_kv_key_next(const struct zv_kv_key *parent, const uint32_t *tokens,
                                size_t count, struct zv_kv_key extra, struct zv_kv_key seed);

/* SipHash-2-4-128 of any bytes: for the extra part of a key. */
struct zv_kv_key zv_kv_key_of_bytes(const void *bytes, size_t size, struct zv_kv_key seed);

/* ---- pool ---- */

/* Which free page with a key loses it first. */
enum zv_kv_eviction {
    ZV_KV_EVICT_QUEUE, /* vLLM's: least recently used, in one queue with pages that have no key */
    ZV_KV_EVICT_LRU,   /* least recently used */
    ZV_KV_EVICT_LFU,   /* least often used since it got the key, then least recently */
    ZV_KV_EVICT_FIFO   /* that got its key first */
};

const char *zv_kv_eviction_name(enum zv_kv_eviction eviction); /* "lfu" */

/*
 * With another order than the queue, or a limit on what is kept, pages without a key are handed out
 * before any that has one: those that were freed first.
 */
struct zv_kv_pool_options {
    uint32_t pages;
    bool caching;       /* pages can have keys */
    bool unkeyed_first; /* vLLM since June 2026: freed pages without a key are reused first */
    enum zv_kv_eviction eviction;
    uint32_t kept_pages; /* free pages that keep their key, at most; 0: all of them */
};

struct zv_kv_pool_stats {
    uint32_t pages;
    uint32_t free;       /* of them with nobody using them; they may still hold keyed content */
    uint32_t keyed;      /* pages with a key, used or free */
    uint64_t handed_out; /* pages, since the start */
    uint64_t evictions;  /* of them those that lost a key */
};

struct zv_kv_pool;

/* *to is NULL on failure. Errors: ZV_E_USAGE (no pages), ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_kv_pool_open(struct zv_kv_pool **to, const struct zv_kv_pool_options *options,
                               struct zv_error *err);
void zv_kv_pool_close(struct zv_kv_pool *pool); /* NULL is allowed */

/*
 * Hands out count pages from the front of the queue, each used once; false, and nothing changes,
 * when fewer are free. A page that had a key loses it.
 */
bool zv_kv_pool_take(struct zv_kv_pool *pool, uint32_t *pages, size_t count);

/*
 * Ends one use of each page, in this order; those that nobody uses any more join the queue. Zeros
 * are passed over. ZV_E_USAGE at a page that is not in use: those before it are freed.
 */
enum zv_status zv_kv_pool_free(struct zv_kv_pool *pool, const uint32_t *pages, size_t count,
                               struct zv_error *err);
/* The same from the last to the first. */
enum zv_status zv_kv_pool_free_reversed(struct zv_kv_pool *pool, const uint32_t *pages,
                                        size_t count, struct zv_error *err);

/* One more use of a page, which leaves the queue if it was there. ZV_E_USAGE: no such page. */
enum zv_status zv_kv_pool_share(struct zv_kv_pool *pool, uint32_t page, struct zv_error *err);

/*
 * Gives a page in use a key within a group. Several pages may have the same key: the one that had
 * it first is found. ZV_E_USAGE: the page is not in use or has a key, or the pool does not cache.
 */
enum zv_status zv_kv_pool_publish(struct zv_kv_pool *pool, uint32_t page,
                                  const struct zv_kv_key *key, uint32_t group,
                                  struct zv_error *err);

/* The page with this key, 0 when there is none. It is not in use by asking. */
uint32_t zv_kv_pool_find(const struct zv_kv_pool *pool, const struct zv_kv_key *key,
                         uint32_t group);

bool zv_kv_pool_has_key(const struct zv_kv_pool *pool, uint32_t page);

/* How many use the page; 0 also for what is no page. */
uint32_t zv_kv_pool_uses(const struct zv_kv_pool *pool, uint32_t page);

uint32_t zv_kv_pool_free_count(const struct zv_kv_pool *pool);
uint32_t zv_kv_pool_distinct_keys(const struct zv_kv_pool *pool);
void zv_kv_pool_get_stats(const struct zv_kv_pool *pool, struct zv_kv_pool_stats *to);

/* Forgets all keys; false, and nothing changes, while a page is in use. */
bool zv_kv_pool_forget(struct zv_kv_pool *pool);

/* Checks the pool against its own rules; ZV_E_BUG names the first broken one. */
enum zv_status zv_kv_pool_check(const struct zv_kv_pool *pool, struct zv_error *err);

/* ---- cache: sequences over groups of layers ---- */

enum { ZV_KV_MAX_GROUPS = 16 };

enum zv_kv_kind {
    ZV_KV_FULL,    /* every token is kept: full attention, also latent (MLA) */
    ZV_KV_SLIDING, /* the last window_tokens: pages that lie wholly before are given back */
    ZV_KV_CHUNKED, /* the tokens of the current chunk of window_tokens */
    ZV_KV_STATE,   /* a recurrent state: one page whatever the length, none to be found again */
    ZV_KV_STATE_ALIGNED, /* … kept where a step ends on a page's boundary; steps are cut for that */
    ZV_KV_STATE_ALL      /* … kept at every page's boundary */
};

struct zv_kv_group {
    enum zv_kv_kind kind;
    uint64_t window_tokens; /* sliding and chunked */
    uint64_t page_tokens;   /* 0: the cache's. Groups whose rows are smaller have larger ones; with
                               keys a multiple of the cache's */
};

struct zv_kv_cache_options {
    struct zv_kv_pool_options pool;
    uint64_t page_tokens;
    struct zv_kv_group groups[ZV_KV_MAX_GROUPS];
    size_t group_count;       /* 0: one group that keeps everything */
    uint64_t step_tokens;     /* most tokens of a step: what a window holds beside itself */
    uint32_t watermark_pages; /* stay free when a sequence is admitted beside others */
    bool admit_whole;         /* vLLM since March 2026: all known tokens must fit, not one step's */
};

struct zv_kv_cache;

/* *to is NULL on failure. Errors: as zv_kv_pool_open; ZV_E_USAGE for a group or page that makes no
 * sense; ZV_E_UNSUPPORTED: keys, and pages whose length is no multiple of the cache's. */
enum zv_status zv_kv_cache_open(struct zv_kv_cache **to, const struct zv_kv_cache_options *options,
                                struct zv_error *err);
void zv_kv_cache_close(struct zv_kv_cache *cache); /* NULL is allowed */

/*
 * Says that another step of the engine begins. A state that was published in this step is not found
 * in it: the kernels read states of the steps before. Only caches with states need to be told.
 */
void zv_kv_cache_next_step(struct zv_kv_cache *cache);

const struct zv_kv_pool *zv_kv_cache_pool(const struct zv_kv_cache *cache);

/*
 * Pages that a sequence of tokens needs at most, over all groups: at least one step's tokens lie
 * beside a window. Above the pool's pages it can never run. UINT64_MAX when it does not fit.
 */
uint64_t zv_kv_cache_need(const struct zv_kv_cache *cache, uint64_t tokens);

/* A name for a sequence without pages. ZV_E_NOMEM, ZV_E_LIMIT. */
enum zv_status zv_kv_sequence_open(struct zv_kv_cache *cache, uint32_t *name, struct zv_error *err);
/* Gives its pages back and forgets it. ZV_E_USAGE: no such sequence. */
enum zv_status zv_kv_sequence_close(struct zv_kv_cache *cache, uint32_t name, struct zv_error *err);

/* What is to be computed next. */
struct zv_kv_step {
    uint64_t known_tokens;        /* of the sequence: prompt and what was generated */
    uint64_t new_tokens;          /* at most, in this step */
    const struct zv_kv_key *keys; /* of the full pages of known_tokens, in order; NULL: not cached.
                                     Further tokens only ever add to them */
};

/* The content of page from is to be copied to page to before the step (shared by a fork). */
struct zv_kv_copy {
    uint32_t group;
    uint32_t from;
    uint32_t to;
};

struct zv_kv_grant {
    bool granted;                     /* false: not enough pages */
    uint64_t hit_tokens;              /* admit: found in the cache, not to be computed */
    uint64_t new_tokens;              /* to compute now; with aligned states 0, and not granted,
                                         when the step is too short for a page */
    uint32_t new_pages;               /* appended to all tables */
    uint32_t grown[ZV_KV_MAX_GROUPS]; /* … to each, when new_pages is not 0 */
    size_t copy_count;
    struct zv_kv_copy copies[ZV_KV_MAX_GROUPS];
};

/*
 * Starts a sequence without pages: finds the longest prefix that all groups have (the last token is
 * always computed), and takes pages for min(known - hit, new_tokens) tokens. Not granted, and
 * nothing changes, when pages + free pages among the hits + watermark pass what is free. Pages that
 * become full are published at once. Errors: ZV_E_USAGE, ZV_E_NOMEM.
 */
enum zv_status zv_kv_sequence_admit(struct zv_kv_cache *cache, uint32_t name,
                                    const struct zv_kv_step *step, struct zv_kv_grant *grant,
                                    struct zv_error *err);

/*
 * Takes pages for min(known - computed, new_tokens) more tokens. Pages that fell out of a window
 * are given back first, also when it is not granted; a page that the step writes to and others use
 * too is replaced by a copy. Errors: ZV_E_USAGE, ZV_E_NOMEM.
 */
enum zv_status zv_kv_sequence_extend(struct zv_kv_cache *cache, uint32_t name,
                                     const struct zv_kv_step *step, struct zv_kv_grant *grant,
                                     struct zv_error *err);

/* Gives all its pages back: pre-emption. Nothing is computed then; admit starts it again. */
enum zv_status zv_kv_sequence_drop(struct zv_kv_cache *cache, uint32_t name, struct zv_error *err);

/* A new sequence that shares all pages of another (parallel sampling, beams). ZV_E_NOMEM. */
enum zv_status zv_kv_sequence_fork(struct zv_kv_cache *cache, uint32_t name, uint32_t *to,
                                   struct zv_error *err);

/* Tokens that have a place, computed once the step is. 0 also for what is no sequence. */
uint64_t zv_kv_sequence_computed(const struct zv_kv_cache *cache, uint32_t name);

/* The table of a group, for the kernels: page of tokens [i·page_tokens, …), 0 when not kept. Valid
 * until the sequence is changed. */
const uint32_t *zv_kv_sequence_table(const struct zv_kv_cache *cache, uint32_t name, size_t group,
                                     size_t *count);

/* zv_kv_pool_check, and that uses are those of the tables. */
enum zv_status zv_kv_cache_check(const struct zv_kv_cache *cache, struct zv_error *err);

#endif
