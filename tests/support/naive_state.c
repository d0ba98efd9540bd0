#include "support/naive_inner.h"

void naive_emit(struct naive *n, enum zv_allocator_action action, uint64_t address, uint64_t size,
                unsigned stream)
{
    if (n->event_count == NAIVE_EVENTS) {
        n->full = true;
        return;
    }
    n->events[n->event_count++] = (struct zv_allocator_event){action, address, size, stream};
}

size_t naive_new_chunk(struct naive *n, struct naive_chunk chunk)
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

size_t naive_new_segment(struct naive *n, struct naive_segment segment)
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
    return NAIVE_NOWHERE;
}

size_t naive_before(const struct naive *n, size_t at)
{
    return chunk_at(n, n->chunks[at].segment, n->chunks[at].address, true);
}

size_t naive_after(const struct naive *n, size_t at)
{
    return chunk_at(n, n->chunks[at].segment, n->chunks[at].address + n->chunks[at].size, false);
}

bool naive_is_whole(const struct naive *n, size_t at)
{
    return n->chunks[at].size == n->segments[n->chunks[at].segment].size;
}

bool naive_in_reservation(const struct naive *n, size_t at)
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
        const bool split =
            chunk->state == NAIVE_FREE && !naive_in_reservation(n, i) && !naive_is_whole(n, i);
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

uint64_t naive_granules(uint64_t size)
{
    return (size + 2 * NAIVE_MIB - 1) / (2 * NAIVE_MIB) * (2 * NAIVE_MIB);
}

/* ---- the card ---- */

uint64_t naive_card_used(const struct naive *n)
{
    uint64_t used = 0;
    for (size_t i = 0; i < n->segment_end; i++) {
        used += n->segments[i].live && !n->segments[i].reserved
                    ? naive_granules(n->segments[i].size)
                    : 0;
    }
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const chunk = &n->chunks[i];
        used += chunk->state != NAIVE_DEAD && chunk->state != NAIVE_UNMAPPED &&
                        naive_in_reservation(n, i)
                    ? chunk->size
                    : 0;
    }
    return used;
}

/* The lowest address where size bytes lie beside no segment; 0 when the card is full. */
uint64_t naive_card_place(const struct naive *n, uint64_t size)
{
    if (naive_granules(size) + naive_card_used(n) > n->options.capacity) {
        return 0;
    }
    uint64_t place = NAIVE_MALLOC_BASE;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < n->segment_end; i++) {
            const struct naive_segment *const segment = &n->segments[i];
            if (segment->live && !segment->reserved &&
                segment->address < place + naive_granules(size) &&
                place < segment->address + naive_granules(segment->size)) {
                place = segment->address + naive_granules(segment->size);
                moved = true;
            }
        }
    }
    return place;
}

void naive_finish_all(struct naive *n)
{
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        n->finished[stream] = n->ticket;
    }
}

void naive_finish(struct naive *n, unsigned stream)
{
    if (stream == NAIVE_STREAMS) {
        naive_finish_all(n);
    } else {
        n->finished[stream] = n->ticket;
    }
}

/* ---- order ---- */

/* The free chunk of a pool and stream that follows (size, address) in order. */
size_t naive_next_free(const struct naive *n, unsigned pool, unsigned stream, uint64_t size,
                       uint64_t address)
{
    size_t best = NAIVE_NOWHERE;
    for (size_t i = 0; i < n->chunk_end; i++) {
        const struct naive_chunk *const c = &n->chunks[i];
        if (c->state != NAIVE_FREE || c->pool != pool || c->stream != stream || c->size < size ||
            (c->size == size && c->address <= address)) {
            continue;
        }
        const struct naive_chunk *const b = &n->chunks[best % NAIVE_CHUNKS];
        if (best == NAIVE_NOWHERE || c->size < b->size ||
            (c->size == b->size && c->address < b->address)) {
            best = i;
        }
    }
    return best;
}

void naive_make_free(struct naive *n, size_t at)
{
    n->chunks[at].state = NAIVE_FREE;
    n->chunks[at].born = n->calls[n->chunks[at].pool];
}

/* Takes neighbours in the same state into a chunk that is in a state of its own for the moment. */
void naive_merge(struct naive *n, size_t at, enum naive_state state)
{
    const size_t left = naive_before(n, at);
    if (left != NAIVE_NOWHERE && n->chunks[left].state == state) {
        n->chunks[at].address = n->chunks[left].address;
        n->chunks[at].size += n->chunks[left].size;
        n->chunks[left].state = NAIVE_DEAD;
    }
    const size_t right = naive_after(n, at);
    if (right != NAIVE_NOWHERE && n->chunks[right].state == state) {
        n->chunks[at].size += n->chunks[right].size;
        n->chunks[right].state = NAIVE_DEAD;
    }
}

void naive_complete(struct naive *n, size_t at)
{
    const struct naive_chunk *const chunk = &n->chunks[at];
    naive_emit(n, ZV_ACTION_FREE_COMPLETED, chunk->address, chunk->requested, chunk->stream);
    naive_merge(n, at, NAIVE_FREE);
    naive_make_free(n, at);
}

/* ---- events ---- */

bool naive_holds_events(const struct naive *n)
{
    return n->capturing || (!n->options.is_new && n->scope_count != 0);
}

void naive_wait_on_streams(struct naive *n, size_t at)
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

void naive_look_at_events(struct naive *n)
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
                naive_complete(n, wait.chunk);
            }
        }
    }
}

void naive_queue_deferred(struct naive *n)
{
    for (size_t i = 0; i < n->deferred_count; i++) {
        naive_wait_on_streams(n, n->deferred[i]);
    }
    n->deferred_count = 0;
}
