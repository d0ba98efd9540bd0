#include "simcard/simcard.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum zv_status zv_simcard_open(struct zv_simcard *card, uint64_t capacity_bytes,
                               uint64_t baseline_bytes, struct zv_error *err)
{
    *card = (struct zv_simcard){0};
    if (capacity_bytes == 0 || capacity_bytes > ZV_SIMCARD_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "a card's capacity must be above 0 and at most 2^48 bytes");
    }
    if (baseline_bytes > capacity_bytes) {
        return zv_fail(err, ZV_E_LIMIT, "what others use of a card is more than its capacity");
    }
    card->capacity_bytes = capacity_bytes;
    card->baseline_bytes = baseline_bytes;
    card->reserve_next = ZV_SIMCARD_RESERVE_BASE;
    return range_tree_open(&card->ranges) ? ZV_OK : zv_fail_memory(err, "a simulated card");
}

void zv_simcard_close(struct zv_simcard *card)
{
    range_tree_close(&card->ranges);
    zv_memory_free(card->reservations);
    zv_memory_free(card->streams);
    *card = (struct zv_simcard){0};
}

uint64_t zv_simcard_free_bytes(const struct zv_simcard *card)
{
    const uint64_t taken = card->baseline_bytes + card->used_bytes;
    return taken < card->capacity_bytes ? card->capacity_bytes - taken : 0;
}

static bool fits(const struct zv_simcard *card, uint64_t size_bytes)
{
    return size_bytes <= zv_simcard_free_bytes(card);
}

uint64_t zv_simcard_malloc(struct zv_simcard *card, uint64_t size_bytes)
{
    if (size_bytes == 0 || size_bytes > ZV_SIMCARD_MAX_BYTES) {
        return 0;
    }
    const uint64_t granules = (size_bytes + ZV_SIMCARD_GRANULE - 1) / ZV_SIMCARD_GRANULE;
    uint64_t start;
    if (!fits(card, granules * ZV_SIMCARD_GRANULE)) {
        return 0;
    }
    if (!range_tree_take(&card->ranges, granules, &start)) {
        card->out_of_host_memory = true; /* 2^40 granules always have a hole */
        return 0;
    }
    card->used_bytes += granules * ZV_SIMCARD_GRANULE;
    return ZV_SIMCARD_MALLOC_BASE + start * ZV_SIMCARD_GRANULE;
}

bool zv_simcard_free(struct zv_simcard *card, uint64_t address)
{
    const uint64_t offset = address - ZV_SIMCARD_MALLOC_BASE;
    uint64_t granules;
    if (address < ZV_SIMCARD_MALLOC_BASE || offset % ZV_SIMCARD_GRANULE != 0 ||
        !range_tree_give(&card->ranges, offset / ZV_SIMCARD_GRANULE, &granules)) {
        return false;
    }
    card->used_bytes -= granules * ZV_SIMCARD_GRANULE;
    zv_simcard_finish_device(card);
    return true;
}

uint64_t zv_simcard_reserve(struct zv_simcard *card, uint64_t size_bytes)
{
    uint64_t end;
    if (size_bytes == 0 || size_bytes % ZV_SIMCARD_GRANULE != 0 ||
        __builtin_add_overflow(card->reserve_next, size_bytes, &end)) {
        return 0;
    }
    if (card->reservation_count == card->reservation_capacity) {
        const uint32_t capacity =
            card->reservation_capacity == 0 ? 16 : card->reservation_count * 2;
        void *const grown =
            capacity > UINT32_MAX / 4
                ? NULL
                : zv_memory_resize(card->reservations, capacity * sizeof *card->reservations);
        if (grown == NULL) {
            card->out_of_host_memory = true;
            return 0;
        }
        card->reservations = grown;
        card->reservation_capacity = capacity;
    }
    card->reservations[card->reservation_count++] =
        (struct zv_simcard_reservation){.address = card->reserve_next, .size_bytes = size_bytes};
    const uint64_t address = card->reserve_next;
    card->reserve_next = end;
    return address;
}

/* The last reservation that starts at or before address, or NULL. */
static struct zv_simcard_reservation *reservation_at(const struct zv_simcard *card,
                                                     uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = card->reservation_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (card->reservations[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : &card->reservations[low - 1];
}

static struct zv_simcard_reservation *reservation_of(const struct zv_simcard *card,
                                                     uint64_t address, uint64_t size_bytes)
{
    struct zv_simcard_reservation *const found = reservation_at(card, address);
    if (found == NULL || size_bytes == 0 || size_bytes % ZV_SIMCARD_GRANULE != 0 ||
        address % ZV_SIMCARD_GRANULE != 0 || size_bytes > found->size_bytes ||
        address - found->address > found->size_bytes - size_bytes) {
        return NULL;
    }
    return found;
}

bool zv_simcard_release(struct zv_simcard *card, uint64_t address)
{
    struct zv_simcard_reservation *const found = reservation_at(card, address);
    if (found == NULL || found->address != address || found->mapped_bytes != 0) {
        return false;
    }
    card->reservation_count--;
    const size_t after = card->reservation_count - (size_t)(found - card->reservations);
    memmove(found, found + 1, after * sizeof *found);
    return true;
}

bool zv_simcard_map(struct zv_simcard *card, uint64_t address, uint64_t size_bytes)
{
    struct zv_simcard_reservation *const found = reservation_of(card, address, size_bytes);
    if (found == NULL || !fits(card, size_bytes) ||
        size_bytes > found->size_bytes - found->mapped_bytes) {
        return false;
    }
    found->mapped_bytes += size_bytes;
    card->used_bytes += size_bytes;
    return true;
}

bool zv_simcard_unmap(struct zv_simcard *card, uint64_t address, uint64_t size_bytes)
{
    struct zv_simcard_reservation *const found = reservation_of(card, address, size_bytes);
    if (found == NULL || size_bytes > found->mapped_bytes) {
        return false;
    }
    found->mapped_bytes -= size_bytes;
    card->used_bytes -= size_bytes;
    return true;
}

bool zv_simcard_is_reserved(const struct zv_simcard *card, uint64_t address, uint64_t size_bytes)
{
    return reservation_of(card, address, size_bytes) != NULL;
}

bool zv_simcard_take(struct zv_simcard *card, uint64_t size_bytes)
{
    if (size_bytes == 0 || size_bytes % ZV_SIMCARD_GRANULE != 0 || !fits(card, size_bytes)) {
        return false;
    }
    card->used_bytes += size_bytes;
    return true;
}

void zv_simcard_give(struct zv_simcard *card, uint64_t size_bytes)
{
    card->used_bytes -= size_bytes;
}

uint64_t zv_simcard_queue(struct zv_simcard *card)
{
    return ++card->ticket;
}

/* The first of the streams known on their own whose number is not below stream. */
static uint32_t stream_slot(const struct zv_simcard *card, uint64_t stream)
{
    uint32_t low = 0;
    uint32_t high = card->stream_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (card->streams[middle].stream < stream) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool zv_simcard_is_done(const struct zv_simcard *card, uint64_t stream, uint64_t ticket)
{
    if (ticket <= card->finished) {
        return true;
    }
    const uint32_t slot = stream_slot(card, stream);
    return slot < card->stream_count && card->streams[slot].stream == stream &&
           ticket <= card->streams[slot].finished;
}

void zv_simcard_finish_device(struct zv_simcard *card)
{
    card->finished = card->ticket;
    card->stream_count = 0; /* what they knew is now true of all */
}

void zv_simcard_finish_until(struct zv_simcard *card, uint64_t ticket)
{
    const uint64_t known = ticket < card->ticket ? ticket : card->ticket;
    card->finished = known > card->finished ? known : card->finished;
}

bool zv_simcard_finish_stream(struct zv_simcard *card, uint64_t stream)
{
    const uint32_t slot = stream_slot(card, stream);
    if (slot < card->stream_count && card->streams[slot].stream == stream) {
        card->streams[slot].finished = card->ticket;
        return true;
    }
    if (card->stream_count == card->stream_capacity) {
        const uint32_t capacity = card->stream_capacity == 0 ? 8 : card->stream_capacity * 2;
        void *const grown = capacity > UINT32_MAX / 4
                                ? NULL
                                : zv_memory_resize(card->streams, capacity * sizeof *card->streams);
        if (grown == NULL) {
            return false;
        }
        card->streams = grown;
        card->stream_capacity = capacity;
    }
    memmove(&card->streams[slot + 1], &card->streams[slot],
            (card->stream_count - slot) * sizeof *card->streams);
    card->streams[slot] = (struct zv_simcard_stream){.stream = stream, .finished = card->ticket};
    card->stream_count++;
    return true;
}
