#include "support/naive_allocator.h"

#include <string.h>

#define MIB          (UINT64_C(1) << 20)
#define MALLOC_BASE  (UINT64_C(1) << 48)
#define RESERVE_BASE (UINT64_C(1) << 60)

enum { NOWHERE = NAIVE_CHUNKS };

static void emit(struct naive *n, enum zv_allocator_action action, uint64_t address, uint64_t size,
                 unsigned stream)
{
    if (n->event_count == NAIVE_EVENTS) {
        n->full = true;
        return;
    }
    n->events[n->event_count++] = (struct zv_allocator_event){action, address, size, stream};
}

static size_t new_chunk(struct naive *n, struct naive_chunk chunk)
{
    for (size_t i = 0; i < NAIVE_CHUNKS; i++) {
        if (n->chunks[i].state == NAIVE_DEAD) {
            n->chunk_end = i < n->chunk_end ? n->chunk_end : i + 1;
            n->chunks[i] = chunk;
            return i;
        }
    }
    n->full = true;
    return 0;
}

static size_t new_segment(struct naive *n, struct naive_segment segment)
{
    for (size_t i = 0; i < NAIVE_SEGMENTS; i++) {
        if (!n->segments[i].live) {
            n->segment_end = i < n->segment_end ? n->segment_end : i + 1;
            n->segments[i] = segment;
            return i;
        }
    }
    n->full = true;
    return 0;
}

/* The chunk of a segment that starts (or ends) at an address. */
static size_t chunk_at(const struct naive *n, size_t segment, uint64_t address, bool ends)
{
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const chunk = &n->chunks[i];
        if (chunk->state != NAIVE_DEAD && chunk->segment == segment &&
            chunk->address + (ends ? chunk->size : 0) == address) {
            return i;
        }
    }
    return NOWHERE;
}

static size_t before(const struct naive *n, size_t at)
{
    return chunk_at(n, n->chunks[at].segment, n->chunks[at].address, true);
}

static size_t after(const struct naive *n, size_t at)
{
    return chunk_at(n, n->chunks[at].segment, n->chunks[at].address + n->chunks[at].size, false);
}

static bool is_whole(const struct naive *n, size_t at)
{
    return n->chunks[at].size == n->segments[n->chunks[at].segment].size;
}

static bool in_reservation(const struct naive *n, size_t at)
{
    return n->segments[n->chunks[at].segment].reserved;
}

uint64_t naive_sum(const struct naive *n, enum zv_stat stat)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const chunk = &n->chunks[i];
        const bool busy = chunk->state == NAIVE_BUSY;
        const bool active = busy || chunk->state == NAIVE_PENDING;
        const bool split = chunk->state == NAIVE_FREE && !in_reservation(n, i) && !is_whole(n, i);
        const uint64_t parts[ZV_STAT_COUNT] = {
            [ZV_STAT_ALLOCATION] = busy,
            [ZV_STAT_ACTIVE] = active,
            [ZV_STAT_INACTIVE_SPLIT] = split,
            [ZV_STAT_ALLOCATED_BYTES] = busy ? chunk->size : 0,
            [ZV_STAT_RESERVED_BYTES] = active || chunk->state == NAIVE_FREE ? chunk->size : 0,
            [ZV_STAT_ACTIVE_BYTES] = active ? chunk->size : 0,
            [ZV_STAT_INACTIVE_SPLIT_BYTES] = split ? chunk->size : 0,
            [ZV_STAT_REQUESTED_BYTES] = active ? chunk->requested : 0};
        sum += parts[stat];
    }
    for (size_t i = 0; i < n->segment_end && stat == ZV_STAT_SEGMENT; i++) {
        sum += n->segments[i].live && !n->segments[i].reserved;
    }
    return sum;
}

static uint64_t granules(uint64_t size)
{
    return (size + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
}

/* ---- the card ---- */

static uint64_t card_used(const struct naive *n)
{
    uint64_t used = 0;
    for (size_t i = 0; i < n->segment_end; i++) {
        used += n->segments[i].live && !n->segments[i].reserved ? granules(n->segments[i].size) : 0;
    }
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const chunk = &n->chunks[i];
        used += chunk->state != NAIVE_DEAD && chunk->state != NAIVE_UNMAPPED && in_reservation(n, i)
                    ? chunk->size
                    : 0;
    }
    return used;
}

/* The lowest address where size bytes lie beside no segment; 0 when the card is full. */
static uint64_t card_place(const struct naive *n, uint64_t size)
{
    if (granules(size) + card_used(n) > n->options.capacity) {
        return 0;
    }
    uint64_t place = MALLOC_BASE;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < n->segment_end; i++) {
            const struct naive_segment *const segment = &n->segments[i];
            if (segment->live && !segment->reserved && segment->address < place + granules(size) &&
                place < segment->address + granules(segment->size)) {
                place = segment->address + granules(segment->size);
                moved = true;
            }
        }
    }
    return place;
}

static void finish_all(struct naive *n)
{
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        n->finished[stream] = n->ticket;
    }
}

void naive_finish(struct naive *n, unsigned stream)
{
    if (stream == NAIVE_STREAMS) {
        finish_all(n);
    } else {
        n->finished[stream] = n->ticket;
    }
}

/* ---- order ---- */

/* The free chunk of a pool and stream that follows (size, address) in order. */
static size_t next_free(const struct naive *n, unsigned pool, unsigned stream, uint64_t size,
                        uint64_t address)
{
    size_t best = NOWHERE;
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const c = &n->chunks[i];
        if (c->state != NAIVE_FREE || c->pool != pool || c->stream != stream || c->size < size ||
            (c->size == size && c->address <= address)) {
            continue;
        }
        const struct naive_chunk *const b = &n->chunks[best % NAIVE_CHUNKS];
        if (best == NOWHERE || c->size < b->size ||
            (c->size == b->size && c->address < b->address)) {
            best = i;
        }
    }
    return best;
}

static void make_free(struct naive *n, size_t at)
{
    n->chunks[at].state = NAIVE_FREE;
    n->chunks[at].born = n->calls[n->chunks[at].pool];
}

/* Takes neighbours in the same state into a chunk that is in a state of its own for the moment. */
static void merge(struct naive *n, size_t at, enum naive_state state)
{
    const size_t left = before(n, at);
    if (left != NOWHERE && n->chunks[left].state == state) {
        n->chunks[at].address = n->chunks[left].address;
        n->chunks[at].size += n->chunks[left].size;
        n->chunks[left].state = NAIVE_DEAD;
    }
    const size_t right = after(n, at);
    if (right != NOWHERE && n->chunks[right].state == state) {
        n->chunks[at].size += n->chunks[right].size;
        n->chunks[right].state = NAIVE_DEAD;
    }
}

static void complete(struct naive *n, size_t at)
{
    const struct naive_chunk *const chunk = &n->chunks[at];
    emit(n, ZV_ACTION_FREE_COMPLETED, chunk->address, chunk->requested, chunk->stream);
    merge(n, at, NAIVE_FREE);
    make_free(n, at);
}

/* ---- events ---- */

static bool holds_events(const struct naive *n)
{
    return n->capturing || (!n->options.is_new && n->scope_count != 0);
}

static void wait_on_streams(struct naive *n, size_t at)
{
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        if ((n->chunks[at].uses >> stream & 1) != 0) {
            const size_t last = n->wait_first[stream] + n->wait_count[stream]++;
            n->waits[stream][last % NAIVE_CHUNKS] = (struct naive_wait){true, at, ++n->ticket};
            n->chunks[at].waits++;
        }
    }
    n->chunks[at].uses = 0;
}

static void look_at_events(struct naive *n)
{
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        while (n->wait_count[stream] != 0) {
            const struct naive_wait wait = n->waits[stream][n->wait_first[stream] % NAIVE_CHUNKS];
            if (wait.ticket > n->finished[stream]) {
                break;
            }
            n->wait_first[stream]++;
            n->wait_count[stream]--;
            if (--n->chunks[wait.chunk].waits == 0) {
                complete(n, wait.chunk);
            }
        }
    }
}

static void queue_deferred(struct naive *n)
{
    for (size_t i = 0; i < n->deferred_count; i++) {
        wait_on_streams(n, n->deferred[i]);
    }
    n->deferred_count = 0;
}

/* ---- giving back ---- */

static void free_segment(struct naive *n, size_t at)
{
    struct naive_chunk *const chunk = &n->chunks[at];
    emit(n, ZV_ACTION_SEGMENT_FREE, chunk->address, chunk->size, chunk->stream);
    n->segments[chunk->segment].live = false;
    chunk->state = NAIVE_DEAD;
    n->device_frees++;
    finish_all(n);
}

static void unmap(struct naive *n, size_t at)
{
    const struct naive_chunk whole = n->chunks[at];
    struct naive_segment *const segment = &n->segments[whole.segment];
    const uint64_t end = whole.address + whole.size;
    uint64_t first = segment->address;
    while (first < whole.address) {
        first += segment->page;
    }
    uint64_t last = first;
    while (last + segment->page <= end) {
        last += segment->page;
    }
    if (last == first) {
        return;
    }
    struct naive_chunk part = whole;
    part.address = first;
    part.size = last - first;
    part.state = NAIVE_PENDING; /* for the moment */
    n->chunks[at] = part;
    if (first > whole.address) {
        part.address = whole.address;
        part.size = first - whole.address;
        make_free(n, new_chunk(n, part));
    }
    if (end > last) {
        part.address = last;
        part.size = end - last;
        make_free(n, new_chunk(n, part));
    }
    emit(n, ZV_ACTION_SEGMENT_UNMAP, first, last - first, whole.stream);
    n->device_frees++;
    merge(n, at, NAIVE_UNMAPPED);
    n->chunks[at].state = NAIVE_UNMAPPED;
    if (is_whole(n, at)) {
        segment->live = false;
        n->chunks[at].state = NAIVE_DEAD;
    }
}

static void release_pool(struct naive *n, unsigned pool)
{
    static size_t to_unmap[NAIVE_CHUNKS];
    size_t count = 0;
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        size_t at = next_free(n, pool, stream, 0, 0);
        while (at != NOWHERE) {
            const struct naive_chunk chunk = n->chunks[at];
            if (in_reservation(n, at)) {
                to_unmap[count++] = at;
            } else if (is_whole(n, at)) {
                free_segment(n, at);
            }
            at = next_free(n, pool, stream, chunk.size, chunk.address);
        }
    }
    for (size_t i = 0; i < count; i++) {
        unmap(n, to_unmap[i]);
    }
}

static void wait_for_all(struct naive *n)
{
    queue_deferred(n);
    finish_all(n);
    look_at_events(n);
}

/* A pool without uses and without chunks is forgotten. */
static void forget(struct naive *n, unsigned pool)
{
    for (size_t i = 0; i < n->chunk_end; i++) {
        if (n->chunks[i].state != NAIVE_DEAD && n->chunks[i].pool / 2 == pool) {
            return;
        }
    }
    n->pools[pool] = (struct naive_pool){0};
    n->calls[2 * pool] = 0;
    n->calls[2 * pool + 1] = 0;
}

static void release_cached(struct naive *n)
{
    wait_for_all(n);
    release_pool(n, 1);
    release_pool(n, 0);
    for (unsigned pool = 1; pool < NAIVE_POOLS; pool++) {
        if (n->pools[pool].exists && n->pools[pool].uses == 0) {
            release_pool(n, 2 * pool);
            release_pool(n, 2 * pool + 1);
            forget(n, pool);
        }
    }
}

void naive_empty_cache(struct naive *n)
{
    n->event_count = 0;
    release_cached(n);
}

void naive_pool_retain(struct naive *n, unsigned pool, unsigned flags)
{
    if (!n->pools[pool].exists) {
        n->pools[pool] = (struct naive_pool){.exists = true, .flags = flags};
    }
    n->pools[pool].uses++;
}

void naive_pool_empty(struct naive *n, unsigned pool)
{
    n->event_count = 0;
    if (n->pools[pool].uses == 0) {
        wait_for_all(n);
        release_pool(n, 2 * pool);
        release_pool(n, 2 * pool + 1);
        forget(n, pool);
    }
}

/* ---- malloc ---- */

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
    return size <= MIB ? 2 * MIB : size < 10 * MIB ? 20 * MIB : granules(size);
}

static uint64_t reach(const struct naive *n, size_t at)
{
    const size_t next = after(n, at);
    return n->chunks[at].size +
           (next != NOWHERE && n->chunks[next].state == NAIVE_UNMAPPED ? n->chunks[next].size : 0);
}

static size_t find_fit(const struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    size_t at = next_free(n, pool, stream, size - 1, UINT64_MAX);
    while (at != NOWHERE && in_reservation(n, at)) {
        const struct naive_chunk *const chunk = &n->chunks[at];
        const size_t next = next_free(n, pool, stream, chunk->size, chunk->address);
        if (n->options.expandable && (next == NOWHERE || reach(n, next) >= reach(n, at))) {
            break;
        }
        at = next;
    }
    if (at == NOWHERE) {
        return NOWHERE;
    }
    const uint64_t found = n->chunks[at].size;
    if (size < n->options.max_split) {
        return found >= n->options.max_split ? (size_t)NOWHERE : at;
    }
    return found >= size + n->options.non_split ? (size_t)NOWHERE : at;
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
            if (chunk->state == NAIVE_FREE && chunk->pool == 1 && is_whole(n, i)) {
                total += (double)(n->calls[1] - chunk->born);
                count++;
            }
        }
        freed = false;
        for (unsigned stream = 0; stream < NAIVE_STREAMS && count > 0; stream++) {
            size_t at = next_free(n, 1, stream, 0, 0);
            while (at != NOWHERE) {
                const struct naive_chunk chunk = n->chunks[at];
                if (!in_reservation(n, at) && is_whole(n, at) &&
                    (double)(n->calls[1] - chunk.born) >= total / count) {
                    got += chunk.size;
                    free_segment(n, at);
                    freed = true;
                }
                at = next_free(n, 1, stream, chunk.size, chunk.address);
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
    const size_t large = next_free(n, pool, stream, key - 1, UINT64_MAX);
    if (large != NOWHERE && !in_reservation(n, large) && is_whole(n, large)) {
        free_segment(n, large);
        return true;
    }
    uint64_t got = 0;
    uint64_t bound = large != NOWHERE ? n->chunks[large].size : UINT64_MAX;
    uint64_t bound_address = large != NOWHERE ? n->chunks[large].address : UINT64_MAX;
    while (got < key) { /* the largest below the bound */
        size_t best = NOWHERE;
        for (size_t i = 0; i < n->chunk_end; i++) {
            const struct naive_chunk *const c = &n->chunks[i];
            const struct naive_chunk *const b = &n->chunks[best % NAIVE_CHUNKS];
            if (c->state == NAIVE_FREE && c->pool == pool && c->stream == stream &&
                (c->size < bound || (c->size == bound && c->address < bound_address)) &&
                (best == NOWHERE || c->size > b->size ||
                 (c->size == b->size && c->address > b->address))) {
                best = i;
            }
        }
        if (best == NOWHERE || n->chunks[best].size < n->options.max_split) {
            break;
        }
        bound = n->chunks[best].size;
        bound_address = n->chunks[best].address;
        if (!in_reservation(n, best) && is_whole(n, best)) {
            got += bound;
            free_segment(n, best);
        }
    }
    return got >= key;
}

/* Where a request can start in a reservation of the pool and stream, made when there is none. */
static size_t find_space(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    for (uint64_t above = 0;;) { /* unmapped chunks in order of address */
        size_t at = NOWHERE;
        for (size_t i = 0; i < n->chunk_end; i++) {
            const struct naive_chunk *const c = &n->chunks[i];
            if (c->state == NAIVE_UNMAPPED && c->pool == pool && c->stream == stream &&
                c->address > above && (at == NOWHERE || c->address < n->chunks[at].address)) {
                at = i;
            }
        }
        if (at == NOWHERE) {
            break;
        }
        above = n->chunks[at].address;
        const size_t left = before(n, at);
        size_t start = left != NOWHERE && n->chunks[left].state == NAIVE_FREE ? left : at;
        uint64_t bytes = 0;
        for (size_t i = start; i != NOWHERE && (n->chunks[i].state == NAIVE_FREE ||
                                                n->chunks[i].state == NAIVE_UNMAPPED);
             i = after(n, i)) {
            bytes += n->chunks[i].size;
        }
        if (bytes >= size) {
            return start;
        }
    }
    const uint64_t page = pool % 2 == 0 ? 2 * MIB : 20 * MIB;
    const uint64_t wanted = n->options.capacity + n->options.capacity / 8;
    const uint64_t length = (wanted + page - 1) / page * page;
    const size_t segment =
        new_segment(n, (struct naive_segment){true, true, n->next_reservation, length, page});
    n->next_reservation += length;
    return new_chunk(n, (struct naive_chunk){.state = NAIVE_UNMAPPED,
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
    if (size + card_used(n) > n->options.capacity) {
        return false;
    }
    n->chunks[at].size = size;
    n->chunks[at].state = NAIVE_PENDING; /* for the moment */
    if (size < whole.size) {
        struct naive_chunk rest = whole;
        rest.address += size;
        rest.size -= size;
        (void)new_chunk(n, rest);
    }
    merge(n, at, NAIVE_FREE);
    make_free(n, at);
    n->device_allocs++;
    emit(n, ZV_ACTION_SEGMENT_MAP, whole.address, size, whole.stream);
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
        return NOWHERE;
    }
    while (n->chunks[at].size < size) {
        const size_t next = after(n, at);
        if (next == NOWHERE || n->chunks[next].state != NAIVE_UNMAPPED ||
            !map_front(n, next, min_u64(size - n->chunks[at].size, n->chunks[next].size))) {
            return NOWHERE;
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
        return NOWHERE;
    }
    if (n->options.expandable) {
        return expand(n, pool, stream, size);
    }
    const uint64_t place = card_place(n, length);
    if (place == 0) {
        return NOWHERE;
    }
    const size_t segment = new_segment(n, (struct naive_segment){true, false, place, length, 0});
    const size_t at = new_chunk(n, (struct naive_chunk){.state = NAIVE_FREE,
                                                        .address = place,
                                                        .size = length,
                                                        .stream = stream,
                                                        .pool = pool,
                                                        .segment = segment});
    n->device_allocs++;
    emit(n, ZV_ACTION_SEGMENT_ALLOC, place, length, stream);
    return at;
}

static size_t borrow(const struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    for (unsigned i = 1; i < NAIVE_POOLS && n->options.is_new && pool < 2; i++) {
        if (n->pools[i].exists && (n->pools[i].flags & ZV_POOL_USE_ON_OOM) != 0) {
            const size_t at = find_fit(n, 2 * i + pool, stream, size);
            if (at != NOWHERE) {
                return at;
            }
        }
    }
    return NOWHERE;
}

static size_t obtain(struct naive *n, unsigned pool, unsigned stream, uint64_t size)
{
    if (n->options.gc > 0 && limit_of(n) != UINT64_MAX) {
        collect_garbage(n);
    }
    size_t at = acquire(n, pool, stream, size);
    if (at == NOWHERE) {
        at = borrow(n, pool, stream, size);
    }
    if (at == NOWHERE && !(n->options.is_new && n->capturing) &&
        release_available(n, pool, stream, size)) {
        at = acquire(n, pool, stream, size);
    }
    if (at == NOWHERE && !holds_events(n)) {
        release_cached(n);
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
    return 2 * pool + (size > MIB);
}

uint64_t naive_malloc(struct naive *n, uint64_t bytes, unsigned stream)
{
    const uint64_t size = round_size(n, bytes);
    const unsigned pool = pool_for(n, stream, size);
    n->event_count = 0;
    if (!holds_events(n)) {
        queue_deferred(n);
        look_at_events(n);
    }
    n->calls[pool] += n->options.gc > 0 && limit_of(n) != UINT64_MAX;
    size_t at = find_fit(n, pool, stream, size);
    if (at == NOWHERE) {
        at = obtain(n, pool, stream, size);
    }
    if (at == NOWHERE) {
        n->ooms++;
        emit(n, ZV_ACTION_OOM, n->options.capacity - card_used(n), size, stream);
        return 0;
    }
    struct naive_chunk *const chunk = &n->chunks[at];
    const uint64_t rest = chunk->size - size;
    const bool no_split =
        n->options.is_new && (n->pools[chunk->pool / 2].flags & ZV_POOL_NO_SPLIT) != 0;
    const bool splits = chunk->pool % 2 == 0 || n->options.expandable
                            ? rest >= 512
                            : size < n->options.max_split && rest > MIB;
    if (splits && !no_split) {
        struct naive_chunk tail = *chunk;
        tail.address += size;
        tail.size = rest;
        chunk->size = size;
        make_free(n, new_chunk(n, tail));
    }
    chunk->state = NAIVE_BUSY;
    chunk->requested = bytes;
    chunk->uses = 0;
    emit(n, ZV_ACTION_ALLOC, chunk->address, bytes, stream);
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
    emit(n, ZV_ACTION_FREE_REQUESTED, chunk->address, chunk->requested, chunk->stream);
    chunk->state = NAIVE_PENDING;
    if (chunk->uses == 0) {
        complete(n, at);
    } else if (holds_events(n)) {
        n->deferred[n->deferred_count++] = at;
    } else {
        wait_on_streams(n, at);
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
    n->next_reservation = RESERVE_BASE;
}
