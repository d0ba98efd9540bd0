#include <string.h>

#include "support/naive_inner.h"

static uint64_t limit_of(const struct naive *n)
{
    const double product = n->options.fraction * (double)n->options.capacity;
    if (n->options.fraction < 0 || (n->options.is_new && n->options.fraction >= 1)) {
        return UINT64_MAX;
    }
    return (uint64_t)(n->options.is_new ? product + 0.5 : product);
}

static uint64_t round_size(const struct naive *n, uint64_t bytes)
{
    const uint64_t divisions = n->options.divisions;
    if (divisions > 1 && bytes > 512 * divisions) {
        uint64_t power = 512;
        while (power * 2 < bytes) {
            power *= 2;
        }
        if (power * 2 == bytes) {
            return bytes;
        }
        uint64_t size = power;
        while (size < bytes) {
            size += power / divisions;
        }
        return size;
    }
    return (bytes + 511) / 512 * 512;
}

static uint64_t segment_size(uint64_t size)
{
    return size <= NAIVE_MIB       ? 2 * NAIVE_MIB
           : size < 10 * NAIVE_MIB ? 20 * NAIVE_MIB
                                   : naive_granules(size);
}

static uint64_t reach(const struct naive *n, size_t at)
{
    const size_t next = naive_after(n, at);
    return n->chunks[at].size + (next != NAIVE_NOWHERE && n->chunks[next].state == NAIVE_UNMAPPED
                                     ? n->chunks[next].size
                                     : 0);
}

static size_t find_fit(const struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    size_t at = naive_next_free(n, pool, stream, size - 1, UINT64_MAX);
    while (at != NAIVE_NOWHERE && naive_in_reservation(n, at)) {
        const struct naive_chunk *const chunk = &n->chunks[at];
        const size_t next = naive_next_free(n, pool, stream, chunk->size, chunk->address);
        if (n->options.expandable && (next == NAIVE_NOWHERE || reach(n, next) >= reach(n, at))) {
            break;
        }
        at = next;
    }
    if (at == NAIVE_NOWHERE) {
        return NAIVE_NOWHERE;
    }
    const uint64_t found = n->chunks[at].size;
    if (size < n->options.max_split) {
        return found >= n->options.max_split ? (size_t)NAIVE_NOWHERE : at;
    }
    return found >= size + n->options.non_split ? (size_t)NAIVE_NOWHERE : at;
}

static void collect_garbage(struct naive *n)
{
    const uint64_t allowed = (uint64_t)(n->options.gc * (double)limit_of(n));
    const uint64_t reserved = naive_sum(n, ZV_STAT_RESERVED_BYTES);
    uint64_t got = 0;
    for (bool freed = reserved > allowed; freed && got < reserved - allowed;) {
        double total = 0;
        double count = 0;
        for (size_t i = 0; i < n->chunk_end; i++) {
            const struct naive_chunk *const chunk = &n->chunks[i];
            if (chunk->state == NAIVE_FREE && chunk->pool == 1 && naive_is_whole(n, i)) {
                total += (double)(n->calls[1] - chunk->born);
                count++;
            }
        }
        freed = false;
        for (unsigned stream = 0; stream < NAIVE_STREAMS && count > 0; stream++) {
            size_t at = naive_next_free(n, 1, stream, 0, 0);
            while (at != NAIVE_NOWHERE) {
                const struct naive_chunk chunk = n->chunks[at];
                if (!naive_in_reservation(n, at) && naive_is_whole(n, at) &&
                    (double)(n->calls[1] - chunk.born) >= total / count) {
                    got += chunk.size;
                    naive_free_segment(n, at);
                    freed = true;
                }
                at = naive_next_free(n, 1, stream, chunk.size, chunk.address);
            }
        }
    }
}

static bool release_available(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    const uint64_t key = size < n->options.max_split ? n->options.max_split : size;
    if (n->options.max_split == UINT64_MAX) {
        return false;
    }
    const size_t large = naive_next_free(n, pool, stream, key - 1, UINT64_MAX);
    if (large != NAIVE_NOWHERE && !naive_in_reservation(n, large) && naive_is_whole(n, large)) {
        naive_free_segment(n, large);
        return true;
    }
    uint64_t got = 0;
    uint64_t bound = large != NAIVE_NOWHERE ? n->chunks[large].size : UINT64_MAX;
    uint64_t bound_address = large != NAIVE_NOWHERE ? n->chunks[large].address : UINT64_MAX;
    while (got < key) { /* the largest below the bound */
        size_t best = NAIVE_NOWHERE;
        for (size_t i = 0; i < n->chunk_end; i++) {
            const struct naive_chunk *const c = &n->chunks[i];
            const struct naive_chunk *const b = &n->chunks[best % NAIVE_CHUNKS];
            if (c->state == NAIVE_FREE && c->pool == pool && c->stream == stream &&
                (c->size < bound || (c->size == bound && c->address < bound_address)) &&
                (best == NAIVE_NOWHERE || c->size > b->size ||
                 (c->size == b->size && c->address > b->address))) {
                best = i;
            }
        }
        if (best == NAIVE_NOWHERE || n->chunks[best].size < n->options.max_split) {
            break;
        }
        bound = n->chunks[best].size;
        bound_address = n->chunks[best].address;
        if (!naive_in_reservation(n, best) && naive_is_whole(n, best)) {
            got += bound;
            naive_free_segment(n, best);
        }
    }
    return got >= key;
}

/* Where a request can start in a reservation of the pool and stream, made when there is none. */
static size_t find_space(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    for (uint64_t above = 0;;) { /* unmapped chunks in order of address */
        size_t at = NAIVE_NOWHERE;
        for (size_t i = 0; i < n->chunk_end; i++) {
            const struct naive_chunk *const c = &n->chunks[i];
            if (c->state == NAIVE_UNMAPPED && c->pool == pool && c->stream == stream &&
                c->address > above && (at == NAIVE_NOWHERE || c->address < n->chunks[at].address)) {
                at = i;
            }
        }
        if (at == NAIVE_NOWHERE) {
            break;
        }
        above = n->chunks[at].address;
        const size_t left = naive_before(n, at);
        size_t start = left != NAIVE_NOWHERE && n->chunks[left].state == NAIVE_FREE ? left : at;
        uint64_t bytes = 0;
        for (size_t i = start; i != NAIVE_NOWHERE && (n->chunks[i].state == NAIVE_FREE ||
                                                      n->chunks[i].state == NAIVE_UNMAPPED);
             i = naive_after(n, i)) {
            bytes += n->chunks[i].size;
        }
        if (bytes >= size) {
            return start;
        }
    }
    const uint64_t page = pool % 2 == 0 ? 2 * NAIVE_MIB : 20 * NAIVE_MIB;
    const uint64_t wanted = n->options.capacity + n->options.capacity / 8;
    const uint64_t length = (wanted + page - 1) / page * page;
    const size_t segment =
        naive_new_segment(n, (struct naive_segment){true, true, n->next_reservation, length, page});
    n->next_reservation += length;
    return naive_new_chunk(n, (struct naive_chunk){.state = NAIVE_UNMAPPED,
                                                   .address = n->segments[segment].address,
                                                   .size = length,
                                                   .stream = stream,
                                                   .pool = pool,
                                                   .segment = segment});
}

static bool map_front(struct naive *n, size_t at, uint64_t wanted)
{
    const struct naive_chunk whole = n->chunks[at];
    const uint64_t page = n->segments[whole.segment].page;
    const uint64_t size = (wanted + page - 1) / page * page;
    if (size + naive_card_used(n) > n->options.capacity) {
        return false;
    }
    n->chunks[at].size = size;
    n->chunks[at].state = NAIVE_PENDING; /* for the moment */
    if (size < whole.size) {
        struct naive_chunk rest = whole;
        rest.address += size;
        rest.size -= size;
        (void)naive_new_chunk(n, rest);
    }
    naive_merge(n, at, NAIVE_FREE);
    naive_make_free(n, at);
    n->device_allocs++;
    naive_emit(n, ZV_ACTION_SEGMENT_MAP, whole.address, size, whole.stream);
    return true;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static size_t expand(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    size_t at = find_space(n, pool, stream, size);
    if (n->chunks[at].state == NAIVE_UNMAPPED &&
        !map_front(n, at, min_u64(size, n->chunks[at].size))) {
        return NAIVE_NOWHERE;
    }
    while (n->chunks[at].size < size) {
        const size_t next = naive_after(n, at);
        if (next == NAIVE_NOWHERE || n->chunks[next].state != NAIVE_UNMAPPED ||
            !map_front(n, next, min_u64(size - n->chunks[at].size, n->chunks[next].size))) {
            return NAIVE_NOWHERE;
        }
        at = next;
    }
    return at;
}

static size_t acquire(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    const uint64_t length = segment_size(size);
    const uint64_t reserved = naive_sum(n, ZV_STAT_RESERVED_BYTES);
    if (limit_of(n) != UINT64_MAX && reserved + length > limit_of(n)) {
        return NAIVE_NOWHERE;
    }
    if (n->options.expandable) {
        return expand(n, pool, stream, size);
    }
    const uint64_t place = naive_card_place(n, length);
    if (place == 0) {
        return NAIVE_NOWHERE;
    }
    const size_t segment =
        naive_new_segment(n, (struct naive_segment){true, false, place, length, 0});
    const size_t at = naive_new_chunk(n, (struct naive_chunk){.state = NAIVE_FREE,
                                                              .address = place,
                                                              .size = length,
                                                              .stream = stream,
                                                              .pool = pool,
                                                              .segment = segment});
    n->device_allocs++;
    naive_emit(n, ZV_ACTION_SEGMENT_ALLOC, place, length, stream);
    return at;
}

static size_t borrow(const struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    for (unsigned i = 1; i < NAIVE_POOLS && n->options.is_new && pool < 2; i++) {
        if (n->pools[i].exists && (n->pools[i].flags & ZV_POOL_USE_ON_OOM) != 0) {
            const size_t at = find_fit(n, 2 * i + pool, stream, size);
            if (at != NAIVE_NOWHERE) {
                return at;
            }
        }
    }
    return NAIVE_NOWHERE;
}

static size_t obtain(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    if (n->options.gc > 0 && limit_of(n) != UINT64_MAX) {
        collect_garbage(n);
    }
    size_t at = acquire(n, pool, stream, size);
    if (at == NAIVE_NOWHERE) {
        at = borrow(n, pool, stream, size);
    }
    if (at == NAIVE_NOWHERE && !(n->options.is_new && n->capturing) &&
        release_available(n, pool, stream, size)) {
        at = acquire(n, pool, stream, size);
    }
    if (at == NAIVE_NOWHERE && !naive_holds_events(n)) {
        naive_release_cached(n);
        n->retries++;
        at = acquire(n, pool, stream, size);
    }
    return at;
}

static unsigned pool_for(const struct naive *n, unsigned stream, uint64_t size)
{
    unsigned pool = 0;
    for (size_t i = 0; i < n->scope_count; i++) {
        const bool matches = n->scopes[i].any || n->scopes[i].stream == stream;
        if (matches && (pool == 0 || n->options.is_new)) {
            pool = n->scopes[i].pool; /* 2.6 keeps the oldest */
        }
    }
    return 2 * pool + (size > NAIVE_MIB);
}

uint64_t naive_malloc(struct naive *n, uint64_t bytes, unsigned stream)
{
    const uint64_t size = round_size(n, bytes);
    const unsigned pool = pool_for(n, stream, size);
    n->event_count = 0;
    if (!naive_holds_events(n)) {
        naive_queue_deferred(n);
        naive_look_at_events(n);
    }
    n->calls[pool] += n->options.gc > 0 && limit_of(n) != UINT64_MAX;
    size_t at = find_fit(n, pool, stream, size);
    if (at == NAIVE_NOWHERE) {
        at = obtain(n, pool, stream, size);
    }
    if (at == NAIVE_NOWHERE) {
        n->ooms++;
        naive_emit(n, ZV_ACTION_OOM, n->options.capacity - naive_card_used(n), size, stream);
        return 0;
    }
    struct naive_chunk *const chunk = &n->chunks[at];
    const uint64_t rest = chunk->size - size;
    const bool no_split =
        n->options.is_new && (n->pools[chunk->pool / 2].flags & ZV_POOL_NO_SPLIT) != 0;
    const bool splits = chunk->pool % 2 == 0 || n->options.expandable
                            ? rest >= 512
                            : size < n->options.max_split && rest > NAIVE_MIB;
    if (splits && !no_split) {
        struct naive_chunk tail = *chunk;
        tail.address += size;
        tail.size = rest;
        chunk->size = size;
        naive_make_free(n, naive_new_chunk(n, tail));
    }
    chunk->state = NAIVE_BUSY;
    chunk->requested = bytes;
    chunk->uses = 0;
    naive_emit(n, ZV_ACTION_ALLOC, chunk->address, bytes, stream);
    return chunk->address;
}

static size_t busy_at(const struct naive *n, uint64_t address)
{
    size_t at = 0;
    while (at < n->chunk_end &&
           (n->chunks[at].state != NAIVE_BUSY || n->chunks[at].address != address)) {
        at++;
    }
    return at;
}

void naive_free(struct naive *n, uint64_t address)
{
    const size_t at = busy_at(n, address);
    struct naive_chunk *const chunk = &n->chunks[at];
    n->event_count = 0;
    naive_emit(n, ZV_ACTION_FREE_REQUESTED, chunk->address, chunk->requested, chunk->stream);
    chunk->state = NAIVE_PENDING;
    if (chunk->uses == 0) {
        naive_complete(n, at);
    } else if (naive_holds_events(n)) {
        n->deferred[n->deferred_count++] = at;
    } else {
        naive_wait_on_streams(n, at);
    }
}

void naive_record(struct naive *n, uint64_t address, unsigned stream)
{
    struct naive_chunk *const chunk = &n->chunks[busy_at(n, address)];
    if (stream != chunk->stream) {
        chunk->uses |= 1U << stream;
    }
}

void naive_open(struct naive *n, const struct naive_options *options)
{
    memset(n, 0, offsetof(struct naive, waits));
    memset(n->wait_first, 0, sizeof *n - offsetof(struct naive, wait_first));
    n->options = *options;
    n->next_reservation = NAIVE_RESERVE_BASE;
}
