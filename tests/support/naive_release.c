#include "support/naive_inner.h"

void naive_free_segment(struct naive *n, size_t at)
{
    struct naive_chunk *const chunk = &n->chunks[at];
    naive_emit(n, ZV_ACTION_SEGMENT_FREE, chunk->address, chunk->size, chunk->stream);
    n->segments[chunk->segment].live = false;
    chunk->state = NAIVE_DEAD;
    n->device_frees++;
    naive_finish_all(n);
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
        naive_make_free(n, naive_new_chunk(n, part));
    }
    if (end > last) {
        part.address = last;
        part.size = end - last;
        naive_make_free(n, naive_new_chunk(n, part));
    }
    naive_emit(n, ZV_ACTION_SEGMENT_UNMAP, first, last - first, whole.stream);
    n->device_frees++;
    naive_merge(n, at, NAIVE_UNMAPPED);
    n->chunks[at].state = NAIVE_UNMAPPED;
    if (naive_is_whole(n, at)) {
        segment->live = false;
        n->chunks[at].state = NAIVE_DEAD;
    }
}

static void release_pool(struct naive *n, unsigned pool)
{
    static size_t to_unmap[NAIVE_CHUNKS];
    size_t count = 0;
    for (unsigned stream = 0; stream < NAIVE_STREAMS; stream++) {
        size_t at = naive_next_free(n, pool, stream, 0, 0);
        while (at != NAIVE_NOWHERE) {
            const struct naive_chunk chunk = n->chunks[at];
            if (naive_in_reservation(n, at)) {
                to_unmap[count++] = at;
            } else if (naive_is_whole(n, at)) {
                naive_free_segment(n, at);
            }
            at = naive_next_free(n, pool, stream, chunk.size, chunk.address);
        }
    }
    for (size_t i = 0; i < count; i++) {
        unmap(n, to_unmap[i]);
    }
}

static void wait_for_all(struct naive *n)
{
    naive_queue_deferred(n);
    naive_finish_all(n);
    naive_look_at_events(n);
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

void naive_release_cached(struct naive *n)
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
    naive_release_cached(n);
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
