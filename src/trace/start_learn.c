/* What a record tells, later, of blocks whose size before it is not known. */
#include "base/memory.h"
#include "trace/start.h"

#define LARGEST_REST (UINT64_C(1) << 20) /* of a large block that is not split off */

/* The last of the sorted blocks that begins at or before address; NULL: none does. */
static struct zv_trace_block *block_at(const struct zv_trace_start *start, uint64_t address)
{
    size_t low = 0;
    size_t high = start->block_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (start->blocks[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 ? &start->blocks[low - 1] : NULL;
}

/* What is split off to the byte has the size of its request rounded. */
static void settle_sizes(struct zv_trace_start *start)
{
    for (size_t i = 0; i < start->segment_count; i++) {
        const struct zv_trace_segment *const segment = &start->segments[i];
        const bool is_exact = segment->is_small || segment->is_expandable;
        for (uint32_t j = 0; j < segment->block_count && is_exact; j++) {
            start->blocks[segment->first_block + j].is_guess = false;
        }
    }
}

/*
 * A free block begins where the block before it ends, and is taken from its beginning: the first
 * block that is put behind one of unknown size, while that is live, shows its end. Nearer than a
 * rest that would have been split off, that is.
 */
static bool learn_end(struct zv_trace_start *start, uint64_t address)
{
    struct zv_trace_block *const block = block_at(start, address);
    if (block == NULL || !block->is_guess || address - block->address < block->bytes) {
        return false;
    }
    const uint64_t rest = address - block->address - block->bytes;
    if (rest > LARGEST_REST) {
        return false;
    }
    start->live_bytes += rest;
    block->bytes += rest;
    block->is_guess = false;
    return rest != 0;
}

size_t zv_trace_start_learn(struct zv_trace_start *start, const struct zv_trace *trace,
                            size_t device)
{
    const struct zv_trace_device *const of = &trace->devices[device];
    size_t learned = 0;
    settle_sizes(start);
    for (size_t i = 0; i < of->event_count; i++) {
        const struct zv_trace_event *const event = &of->events[i];
        if (event->action == ZV_TRACE_ALLOC) {
            learned += learn_end(start, event->address);
        } else if (event->action == ZV_TRACE_FREE_COMPLETED) {
            struct zv_trace_block *const block = block_at(start, event->address);
            if (block != NULL && block->address == event->address) {
                block->is_guess = false; /* what comes there now says nothing of it */
            }
        }
    }
    return learned;
}
