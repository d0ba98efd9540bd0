/*
 * The caching policy: PyTorch's CUDA caching allocator over a driver.
 *
 *     pool (small | large, default or private)
 *       list per stream: free blocks by size and address, unmapped blocks by address
 *         block - block - block        a segment from the driver, or part of a reservation
 *
 * A request is rounded, looks for the best free block of its pool and stream, and only then asks
 * the driver. Blocks never change pool or stream. Pools come in pairs: index 2k is the small pool
 * of private pool k, 2k + 1 the large one; k = 0 is the default pair.
 *
 * Whatever an operation may need is reserved before it changes anything (caching_reserve_*), so it
 * cannot fail half-way for want of host memory, and `blocks` never moves while it runs.
 *
 * Files: caching_core (tables), caching_malloc, caching_expandable, caching_free, caching_release
 * (giving back), caching_pools, caching_check (the rules). Source of all rules: docs/ALLOCATOR.md.
 */
#ifndef ZIRVE_ALLOCATOR_CACHING_H
#define ZIRVE_ALLOCATOR_CACHING_H

#include <stdbool.h>
#include <stdint.h>

#include "allocator/block.h"
#include "allocator/config.h"
#include "allocator/free_list.h"
#include "allocator/statistics.h"

#define CACHING_UNIT          UINT64_C(512)        /* smallest block, and granule of sizes */
#define CACHING_SMALL_REQUEST (UINT64_C(1) << 20)  /* largest request of the small pool */
#define CACHING_SMALL_SEGMENT (UINT64_C(2) << 20)  /* also its page */
#define CACHING_LARGE_REQUEST (UINT64_C(10) << 20) /* from here on a segment of its own size */
#define CACHING_SEGMENT_STEP  (UINT64_C(2) << 20)

enum {
    CACHING_MAX_STREAMS = 1024,
    CACHING_MAX_POOLS = 1024,
    CACHING_MAX_LISTS = 8192, /* pairs of a pool and a stream */
    CACHING_MAX_SCOPES = 256
};

/* A pending event of a block that another stream uses. */
struct pending_event {
    uint64_t event; /* the driver's */
    uint32_t block;
};

struct stream_queue {
    uint64_t stream;
    struct pending_event *events; /* ring of capacity entries, a power of two */
    uint32_t head;
    uint32_t count;
    uint32_t capacity;
};

/* One stream that uses a block besides its own; a linked list per block. */
struct stream_use {
    uint32_t stream_index;
    uint32_t next;
};

struct pool {
    bool is_small;
    uint32_t *by_stream; /* list of a stream index, 0 = none yet */
    uint32_t by_stream_count;
    uint32_t *lists; /* in order of the stream's handle */
    uint32_t list_count;
};

/* The pair of pools 2k and 2k + 1. */
struct private_pool {
    uint64_t id; /* 0: the default pair, or an entry without use */
    unsigned flags;
    uint32_t uses;
    uint64_t segments;                              /* from the driver */
    uint64_t reservations;                          /* address ranges */
    struct zv_counter reserved[ZV_STAT_POOL_COUNT]; /* its bytes; not kept of the default pair */
};

struct scope {
    uint32_t private_index;
    uint64_t stream; /* or ZV_ANY_STREAM */
};

struct reservation {
    uint64_t address;
    uint64_t size;
    uint64_t page_bytes; /* 0: entry without use */
};

struct caching {
    struct zv_driver driver;
    struct allocator_config config;
    struct statistics stats;
    zv_allocator_event_fn *on_event; /* may be NULL */
    void *event_context;
    void (*on_wait)(void *context); /* before it waits for all streams; with event_context */
    uint64_t total_bytes;           /* of the card */

    uint64_t reserved_bytes; /* from the driver: segments and mapped pages */
    uint64_t limit_bytes;    /* of reserved_bytes */
    bool has_limit;
    bool collects;  /* garbage collection is configured and there is a limit */
    uint64_t calls; /* searches of the default large pool, the one it is done in */
    uint64_t least_rest[ZV_STAT_POOL_COUNT]; /* what a split must leave, per kind of pool */
    uint64_t split_below;                    /* size from which large blocks are not split */
    bool capturing;

    struct block *blocks; /* aligned to cache lines, inside block_memory */
    void *block_memory;
    uint32_t block_count; /* entries ever used, and 0 */
    uint32_t block_capacity;
    uint32_t unused_blocks; /* linked by next */

    struct free_list **lists; /* from 1 on */
    uint32_t list_count;
    uint32_t list_capacity;

    struct pool *pools;
    struct private_pool *privates;
    uint32_t private_count;
    uint32_t private_capacity;
    struct scope scopes[CACHING_MAX_SCOPES]; /* oldest first */
    uint32_t scope_count;

    struct stream_queue *streams; /* by index, in order of appearance */
    uint32_t *stream_order;       /* indices by handle */
    uint32_t stream_count;
    uint32_t stream_capacity;
    uint32_t last_stream; /* looked up last */
    /* Last used of the default small and large pool; NULL while any request may need more than a
     * look there: scopes, pending or deferred frees, garbage collection, rounding to divisions. */
    struct free_list *fast_lists[2];
    uint64_t pending; /* events in all queues */

    struct stream_use *uses; /* from 1 on */
    uint32_t use_count;
    uint32_t use_capacity;
    uint32_t unused_uses;

    uint32_t *deferred; /* freed blocks that wait for the end of a capture */
    uint32_t deferred_count;
    uint32_t deferred_capacity;

    struct reservation *reservations; /* from 1 on */
    uint32_t reservation_count;
    uint32_t reservation_capacity;
    uint32_t live_reservations;

    uint32_t *scratch; /* blocks collected for unmapping */
    uint32_t scratch_capacity;
};

/* A request that no free block could serve at once. */
struct request {
    uint64_t bytes; /* as asked for */
    uint64_t size;  /* rounded */
    uint64_t segment_bytes;
    uint32_t pool;
    uint32_t list;
};

/* ---- policy (called by allocator.c) ---- */

/* driver and config must be set; the rest zero. Close after a failure too. */
enum zv_status caching_open(struct caching *c, struct zv_error *err);
void caching_close(struct caching *c);
enum zv_status caching_malloc(struct caching *c, uint64_t bytes, uint64_t stream,
                              struct zv_allocation *to, struct zv_error *err);
enum zv_status caching_free(struct caching *c, struct zv_allocation allocation,
                            struct zv_error *err);
enum zv_status caching_record_stream(struct caching *c, struct zv_allocation allocation,
                                     uint64_t stream, struct zv_error *err);
enum zv_status caching_empty_cache(struct caching *c, struct zv_error *err);
void caching_set_fraction(struct caching *c, double fraction);
/* After a change of config or of the limit. */
void caching_apply_config(struct caching *c);
uint64_t caching_largest_free(const struct caching *c);
enum zv_status caching_check(const struct caching *c, struct zv_error *err);

enum zv_status caching_pool_retain(struct caching *c, uint64_t id, unsigned flags,
                                   struct zv_error *err);
enum zv_status caching_pool_release(struct caching *c, uint64_t id, struct zv_error *err);
enum zv_status caching_pool_begin(struct caching *c, uint64_t id, uint64_t stream,
                                  struct zv_error *err);
enum zv_status caching_pool_end(struct caching *c, uint64_t id, struct zv_error *err);
enum zv_status caching_pool_empty(struct caching *c, uint64_t id, struct zv_error *err);

bool caching_pool_stats(const struct caching *c, unsigned index, struct zv_pool_stats *to);
void caching_reset_pool_peaks(struct caching *c);
void caching_reset_pool_sums(struct caching *c);

/* ---- continuing a record (caching_seed.c) ---- */

/* A piece of a segment that exists already. requested_bytes counts when it is in use. */
struct caching_seed {
    uint64_t address;
    uint64_t bytes;
    uint64_t requested_bytes;
    enum block_state state; /* free, allocated or pending */
};

/* The pieces of a segment or reservation, in order of address, of one pool and stream. */
struct caching_seeds {
    struct caching_seed *at;
    size_t count; /* at least 1 */
    uint32_t pool;
    uint64_t stream;
};

/*
 * Takes in a segment of an allocator that ran before, which its pieces tile; or a reservation,
 * where the holes between them are not mapped. *first is the block of the first piece, the others
 * follow by next. Errors: ZV_E_NOMEM, ZV_E_LIMIT.
 */
enum zv_status caching_seed_segment(struct caching *c, const struct caching_seeds *seeds,
                                    uint32_t *first, struct zv_error *err);
enum zv_status caching_seed_reservation(struct caching *c, const struct caching_seeds *seeds,
                                        uint32_t *first, struct zv_error *err);

/* A free whose completion the caller says later (caching_complete_free). */
void caching_free_later(struct caching *c, uint32_t at);

/* Whether a request would find a free block without asking the driver. */
bool caching_has_fit(const struct caching *c, uint32_t pool, uint64_t stream, uint64_t bytes);

/* The bytes that a request gets. */
uint64_t caching_round_size(const struct allocator_config *config, uint64_t bytes);

/* ---- tables (caching_core.c) ---- */

bool caching_grow_blocks(struct caching *c, uint64_t count);
bool caching_reserve_reservation(struct caching *c);
/* Room for count more entries of an array of u32. */
bool caching_grow_indices(uint32_t **array, uint32_t *capacity, uint64_t count);
/* The index of a stream, made when it is new. */
enum zv_status caching_stream_index(struct caching *c, uint64_t stream, uint32_t *to,
                                    struct zv_error *err);
/* The list of a pool and stream, made when it is new. */
enum zv_status caching_list_of(struct caching *c, uint32_t pool, uint32_t stream_index,
                               uint32_t *to, struct zv_error *err);
/* Drops the lists of a pool without blocks. */
void caching_drop_lists(struct caching *c, uint32_t pool);
/* ---- steps ---- */

/* Bytes from the driver (above 0) or back to it, for a pool. */
void caching_count_reserved(struct caching *c, uint32_t pool, int64_t bytes);

/* Memory from the driver as a free block outside the lists, 0 when there is none. */
uint32_t caching_expand(struct caching *c, const struct request *request);
/* Unmaps the whole pages inside a free block of a reservation. Needs room for 2 blocks. */
void caching_unmap(struct caching *c, uint32_t at);

/* A finished free: merges and puts the block into its list. */
void caching_complete_free(struct caching *c, uint32_t at);
void caching_process_events(struct caching *c);
void caching_wait_for_events(struct caching *c);
/* Queues the events of blocks freed during a capture. */
bool caching_queue_deferred(struct caching *c);

/* Oversize blocks of the request's stream; true when that freed enough to try again. */
bool caching_release_available(struct caching *c, const struct request *request);
/* Everything that is cached and not split. */
enum zv_status caching_release_cached(struct caching *c, struct zv_error *err);
/* The same for one pair of pools. */
enum zv_status caching_release_pair(struct caching *c, uint32_t private_index, bool small_first,
                                    struct zv_error *err);
void caching_collect_garbage(struct caching *c);
/* Forgets a private pool that has neither uses nor memory. */
void caching_drop_private(struct caching *c, uint32_t private_index);
/* The used entries of privates above 0 in ascending order of id: the next one after `after`. */
uint32_t caching_next_private(const struct caching *c, uint32_t after);

/* ---- small things ---- */

/* On the path of every event: a call's bookkeeping would cost a tenth of the event. */
#define CACHING_INLINE static inline __attribute__((always_inline))
/* Beside it: inlined there, it would cost registers. */
#define CACHING_ASIDE static __attribute__((noinline, cold))

/* Room for count more blocks; may move c->blocks. */
static inline bool caching_reserve_blocks(struct caching *c, uint64_t count)
{
    return c->block_capacity >= c->block_count + count || caching_grow_blocks(c, count);
}

/* The live block of an allocation, 0 if it is none. */
static inline uint32_t caching_find(const struct caching *c, struct zv_allocation allocation)
{
    const uint32_t at = allocation.block < c->block_count ? allocation.block : 0;
    const struct block *const block = &c->blocks[at];
    return block->state == BLOCK_ALLOCATED && block->generation == allocation.generation &&
                   block->address == allocation.address
               ? at
               : 0;
}

static inline struct free_list *caching_list(const struct caching *c, uint32_t at)
{
    return c->lists[c->blocks[at].list];
}

static inline enum zv_stat_pool caching_stat_pool(uint32_t pool)
{
    return (pool & 1) == 0 ? ZV_STAT_SMALL_POOL : ZV_STAT_LARGE_POOL;
}

static inline void caching_emit(const struct caching *c, enum zv_allocator_action action,
                                uint64_t address, uint64_t size_bytes, uint64_t stream)
{
    if (c->on_event != NULL) {
        const struct zv_allocator_event event = {action, address, size_bytes, stream};
        c->on_event(c->event_context, &event);
    }
}

/* Whatever makes requests unusual calls this; the first usual request after it notices by itself.
 */
static inline void caching_leave_usual(struct caching *c)
{
    c->fast_lists[0] = NULL;
    c->fast_lists[1] = NULL;
}

static inline bool caching_is_new(const struct caching *c)
{
    return c->config.profile != ZV_TORCH_2_6;
}

/* Whether events wait: 2.6 takes any open scope for a capture. */
static inline bool caching_holds_events(const struct caching *c)
{
    return c->capturing || (!caching_is_new(c) && c->scope_count != 0);
}

/* An entry for a block; room must have been reserved. */
static inline uint32_t caching_take_block(struct caching *c)
{
    const uint32_t at = c->unused_blocks;
    if (at == 0) {
        return c->block_count++;
    }
    c->unused_blocks = c->blocks[at].next;
    return at;
}

static inline void caching_drop_block(struct caching *c, uint32_t at)
{
    c->blocks[at].state = BLOCK_UNUSED;
    c->blocks[at].next = c->unused_blocks;
    c->unused_blocks = at;
}

/* Makes a block free for use. */
CACHING_INLINE void caching_insert(struct caching *c, struct free_list *list, uint32_t at)
{
    c->blocks[at].state = BLOCK_FREE;
    c->blocks[at].calls_at_insertion = c->calls;
    free_list_insert(c->blocks, list, at);
}

/*
 * Takes the neighbour on a side (0 = before) into block `to`, which is in no list, if it is
 * available in the same way (free, or unmapped). Returns the bytes it had, 0 when it stays.
 */
CACHING_INLINE uint64_t caching_merge(struct caching *c, struct free_list *list, uint32_t to,
                                      int side, enum block_state state)
{
    struct block *const blocks = c->blocks;
    const uint32_t neighbour = side == 0 ? blocks[to].prev : blocks[to].next;
    if (blocks[neighbour].state != (uint8_t)state) { /* block 0 is in no state */
        return 0;
    }
    if (state == BLOCK_FREE) {
        free_list_remove(blocks, list, neighbour);
    } else {
        block_tree_remove(blocks, &list->unmapped, neighbour);
    }
    const uint64_t size = blocks[neighbour].size;
    if (side == 0) {
        blocks[to].address = blocks[neighbour].address;
        blocks[to].prev = blocks[neighbour].prev;
        blocks[blocks[to].prev].next = to; /* block 0 takes this at the start of a segment */
    } else {
        blocks[to].next = blocks[neighbour].next;
        blocks[blocks[to].next].prev = to;
    }
    blocks[to].size += size;
    caching_drop_block(c, neighbour);
    return size;
}

#endif
