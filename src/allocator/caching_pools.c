/* Private pools: pairs of pools with a life of their own, and the scopes that send requests there.
 */
#include "allocator/caching.h"
#include "base/fail.h"
#include "base/memory.h"

static uint32_t find_private(const struct caching *c, uint64_t id)
{
    for (uint32_t i = 1; i < c->private_count && id != 0; i++) {
        if (c->privates[i].id == id) {
            return i;
        }
    }
    return 0;
}

uint32_t caching_next_private(const struct caching *c, uint32_t after)
{
    const uint64_t above = c->privates[after].id; /* entry 0 has id 0 */
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->private_count; i++) {
        const uint64_t id = c->privates[i].id;
        if (id > above && (best == 0 || id < c->privates[best].id)) {
            best = i;
        }
    }
    return best;
}

static enum zv_status grow(struct caching *c, struct zv_error *err)
{
    if (c->private_count < c->private_capacity) {
        return ZV_OK;
    }
    if (c->private_count > CACHING_MAX_POOLS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d private pools", (int)CACHING_MAX_POOLS);
    }
    const uint32_t capacity = c->private_capacity * 2;
    void *const pools = zv_memory_resize(c->pools, 2 * capacity * sizeof *c->pools);
    if (pools == NULL) {
        return zv_fail_memory(err, "a private pool");
    }
    c->pools = pools;
    void *const privates = zv_memory_resize(c->privates, capacity * sizeof *c->privates);
    if (privates == NULL) {
        return zv_fail_memory(err, "a private pool");
    }
    c->privates = privates;
    c->private_capacity = capacity;
    return ZV_OK;
}

enum zv_status caching_pool_retain(struct caching *c, uint64_t id, unsigned flags,
                                   struct zv_error *err)
{
    if (id == 0) {
        return zv_fail(err, ZV_E_USAGE, "pool 0 is the default pool");
    }
    uint32_t at = find_private(c, id);
    if (at == 0) {
        at = 1;
        while (at < c->private_count && c->privates[at].id != 0) {
            at++;
        }
        if (at == c->private_count) {
            const enum zv_status status = grow(c, err);
            if (status != ZV_OK) {
                return status;
            }
            c->private_count++;
        }
        c->privates[at] = (struct private_pool){.id = id, .flags = flags};
        c->pools[2 * at] = (struct pool){.is_small = true};
        c->pools[2 * at + 1] = (struct pool){0};
    }
    c->privates[at].uses++;
    return ZV_OK;
}

/* Whether the allocator may forget the pool: no segment, no addresses. */
void caching_drop_private(struct caching *c, uint32_t private_index)
{
    struct private_pool *const private = &c->privates[private_index];
    if (private->uses == 0 && private->segments == 0 && private->reservations == 0) {
        caching_drop_lists(c, 2 * private_index);
        caching_drop_lists(c, 2 * private_index + 1);
        *private = (struct private_pool){0};
    }
}

enum zv_status caching_pool_release(struct caching *c, uint64_t id, struct zv_error *err)
{
    const uint32_t at = find_private(c, id);
    if (at == 0 || c->privates[at].uses == 0) {
        return zv_fail(err, ZV_E_USAGE, "no such pool in use");
    }
    for (uint32_t i = 0; i < c->scope_count; i++) {
        if (c->scopes[i].private_index == at && c->privates[at].uses == 1) {
            return zv_fail(err, ZV_E_USAGE, "the pool's last use ends inside its scope");
        }
    }
    c->privates[at].uses--;
    return ZV_OK;
}

enum zv_status caching_pool_begin(struct caching *c, uint64_t id, uint64_t stream,
                                  struct zv_error *err)
{
    const uint32_t at = find_private(c, id);
    if (at == 0 || c->privates[at].uses == 0) {
        return zv_fail(err, ZV_E_USAGE, "no such pool in use");
    }
    if (c->scope_count == CACHING_MAX_SCOPES) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d open scopes", (int)CACHING_MAX_SCOPES);
    }
    for (uint32_t i = 0; i < c->scope_count; i++) {
        if (c->scopes[i].private_index == at) {
            return zv_fail(err, ZV_E_USAGE, "the pool has an open scope already");
        }
    }
    c->scopes[c->scope_count++] = (struct scope){at, stream};
    caching_leave_usual(c);
    return ZV_OK;
}

enum zv_status caching_pool_end(struct caching *c, uint64_t id, struct zv_error *err)
{
    const uint32_t at = find_private(c, id);
    for (uint32_t i = 0; at != 0 && i < c->scope_count; i++) {
        if (c->scopes[i].private_index == at) {
            c->scope_count--;
            for (; i < c->scope_count; i++) {
                c->scopes[i] = c->scopes[i + 1];
            }
            return ZV_OK;
        }
    }
    return zv_fail(err, ZV_E_USAGE, "the pool has no open scope");
}

enum zv_status caching_pool_empty(struct caching *c, uint64_t id, struct zv_error *err)
{
    const uint32_t at = find_private(c, id);
    if (at == 0) {
        return zv_fail(err, ZV_E_USAGE, "no such pool");
    }
    if (c->privates[at].uses != 0) {
        return ZV_OK; /* a live pool keeps its cache */
    }
    if (!caching_queue_deferred(c)) {
        return zv_fail_memory(err, "events");
    }
    caching_wait_for_events(c);
    const enum zv_status status = caching_release_pair(c, at, true, err);
    caching_drop_private(c, at);
    return status;
}

void caching_count_reserved(struct caching *c, uint32_t pool, int64_t bytes)
{
    const enum zv_stat_pool kind = caching_stat_pool(pool);
    struct zv_counter *const own = c->privates[pool / 2].reserved;
    stat_change(&c->stats, kind, ZV_STAT_RESERVED_BYTES, bytes);
    if (pool >= 2 && bytes > 0) {
        counter_add(&own[ZV_STAT_ALL], bytes);
        counter_add(&own[kind], bytes);
    } else if (pool >= 2) {
        counter_take(&own[ZV_STAT_ALL], -bytes);
        counter_take(&own[kind], -bytes);
    }
}

bool caching_pool_stats(const struct caching *c, unsigned index, struct zv_pool_stats *to)
{
    uint32_t at = caching_next_private(c, 0);
    for (; at != 0 && index != 0; index--) {
        at = caching_next_private(c, at);
    }
    if (at == 0) {
        return false;
    }
    to->id = c->privates[at].id;
    for (int kind = 0; kind < ZV_STAT_POOL_COUNT; kind++) {
        to->reserved_bytes[kind] = c->privates[at].reserved[kind];
    }
    return true;
}

void caching_reset_pool_peaks(struct caching *c)
{
    for (uint32_t i = 1; i < c->private_count; i++) {
        for (int kind = 0; kind < ZV_STAT_POOL_COUNT; kind++) {
            c->privates[i].reserved[kind].peak = c->privates[i].reserved[kind].current;
        }
    }
}

void caching_reset_pool_sums(struct caching *c)
{
    for (uint32_t i = 1; i < c->private_count; i++) {
        for (int kind = 0; kind < ZV_STAT_POOL_COUNT; kind++) {
            c->privates[i].reserved[kind].allocated = 0;
            c->privates[i].reserved[kind].freed = 0;
        }
    }
}
