/* Ranges, reservations, memory without addresses, mappings. */
#include <string.h>

#include "base/memory.h"
#include "emulate/emulate.h"

/* A range with memory behind it. Sorted by address, never overlapping. */
struct range {
    uint64_t address;
    uint64_t bytes;
    uint64_t handle; /* 0: of cuMemAlloc */
    bool accessible;
};

/* Memory of cuMemCreate. */
struct chunk {
    uint64_t bytes; /* 0: entry without use */
    uint32_t index;
    uint32_t mapped; /* mappings of it */
    bool is_held;    /* not released yet */
};

static struct {
    struct range *ranges;
    size_t range_count;
    size_t range_capacity;
    struct chunk *chunks; /* handle - 1 */
    size_t chunk_count;
    size_t chunk_capacity;
    size_t chunk_unused; /* no entry before it is without use */
} tables;

enum { FIRST_ENTRIES = 64 };

void emulated_memory_close(void)
{
    zv_memory_free(tables.ranges);
    zv_memory_free(tables.chunks);
}

static bool reserve(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t grown = *capacity == 0 ? FIRST_ENTRIES : *capacity * 2;
    void *const to = grown > SIZE_MAX / 2 / size ? NULL : zv_memory_resize(*array, grown * size);
    if (to == NULL) {
        return false;
    }
    *array = to;
    *capacity = grown;
    return true;
}

static bool reserve_range(void)
{
    void *array = tables.ranges;
    const bool done =
        reserve(&array, &tables.range_capacity, tables.range_count, sizeof *tables.ranges);
    tables.ranges = array;
    return done;
}

static bool reserve_chunk(void)
{
    void *array = tables.chunks;
    const bool done =
        reserve(&array, &tables.chunk_capacity, tables.chunk_count, sizeof *tables.chunks);
    tables.chunks = array;
    return done;
}

/* The first range that ends behind address, or range_count. */
static size_t range_place(uint64_t address)
{
    size_t low = 0;
    size_t high = tables.range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tables.ranges[middle].address + tables.ranges[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct range *range_at(uint64_t address)
{
    const size_t place = range_place(address);
    return place < tables.range_count && tables.ranges[place].address <= address
               ? &tables.ranges[place]
               : NULL;
}

static void add_range(struct range range)
{
    const size_t place = range_place(range.address);
    memmove(&tables.ranges[place + 1], &tables.ranges[place],
            (tables.range_count - place) * sizeof range);
    tables.ranges[place] = range;
    tables.range_count++;
}

static void drop_ranges(size_t first, size_t count)
{
    tables.range_count -= count;
    memmove(&tables.ranges[first], &tables.ranges[first + count],
            (tables.range_count - first) * sizeof *tables.ranges);
}

static uint64_t on_device(uint64_t address, uint32_t index)
{
    return address | (uint64_t)index << EMULATED_DEVICE_SHIFT;
}

static uint32_t index_of(uint64_t address)
{
    return (uint32_t)(address >> EMULATED_DEVICE_SHIFT) & (EMULATED_DEVICES - 1);
}

static uint64_t on_card(uint64_t address)
{
    return address & ~((uint64_t)(EMULATED_DEVICES - 1) << EMULATED_DEVICE_SHIFT);
}

static int unlock(int result)
{
    emulated_unlock();
    return result;
}

int emulated_allocate(uint32_t index, uint64_t bytes, uint64_t *address)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL || address == NULL || bytes == 0) {
        return EMULATED_INVALID_VALUE;
    }
    emulated_lock();
    const int result = emulated_enter(device, EMULATED_FAULT_OOM);
    if (result != EMULATED_OK) {
        return unlock(result);
    }
    const uint64_t at = reserve_range() ? zv_simcard_malloc(&device->memory, bytes) : 0;
    if (at == 0) {
        return unlock(EMULATED_OUT_OF_MEMORY);
    }
    *address = on_device(at, index);
    add_range((struct range){.address = *address, .bytes = bytes, .accessible = true});
    return unlock(EMULATED_OK);
}

int emulated_free(uint64_t address)
{
    if (address == 0) {
        return EMULATED_OK;
    }
    emulated_lock();
    const struct range *const range = range_at(address);
    if (range == NULL || range->address != address || range->handle != 0) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    struct emulated_device *const device = emulated_device(index_of(address));
    const int result =
        device != NULL ? emulated_enter(device, EMULATED_FAULT_LOST) : EMULATED_INVALID_VALUE;
    if (result == EMULATED_OK) {
        (void)zv_simcard_free(&device->memory, on_card(address));
        drop_ranges((size_t)(range - tables.ranges), 1);
    }
    return unlock(result);
}

int emulated_memory_info(uint32_t index, uint64_t *free_bytes, uint64_t *total)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL || free_bytes == NULL || total == NULL) {
        return EMULATED_INVALID_VALUE;
    }
    emulated_lock();
    const int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK) {
        *free_bytes = zv_simcard_free_bytes(&device->memory);
        *total = device->card.total_bytes;
    }
    return unlock(result);
}

int emulated_reserve(uint32_t index, uint64_t bytes, uint64_t *address)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL || address == NULL || bytes == 0 || bytes % ZV_SIMCARD_GRANULE != 0) {
        return EMULATED_INVALID_VALUE;
    }
    if (!device->card.has_vmm) {
        return EMULATED_NOT_SUPPORTED;
    }
    emulated_lock();
    const uint64_t at = zv_simcard_reserve(&device->memory, bytes);
    if (at == 0 || on_card(at + bytes) != at + bytes) { /* into the bits of the device */
        return unlock(EMULATED_OUT_OF_MEMORY);
    }
    *address = on_device(at, index);
    return unlock(EMULATED_OK);
}

int emulated_unreserve(uint64_t address, uint64_t bytes)
{
    struct emulated_device *const device = emulated_device(index_of(address));
    if (device == NULL) {
        return EMULATED_INVALID_VALUE;
    }
    emulated_lock();
    const size_t place = range_place(address);
    const bool is_mapped =
        place < tables.range_count && tables.ranges[place].address - address < bytes;
    const bool is_released = !is_mapped && zv_simcard_release(&device->memory, on_card(address));
    return unlock(is_released ? EMULATED_OK : EMULATED_INVALID_VALUE);
}

int emulated_create(uint32_t index, uint64_t bytes, uint64_t *handle)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL || handle == NULL || bytes == 0 || bytes % ZV_SIMCARD_GRANULE != 0) {
        return EMULATED_INVALID_VALUE;
    }
    if (!device->card.has_vmm) {
        return EMULATED_NOT_SUPPORTED;
    }
    emulated_lock();
    const int result = emulated_enter(device, EMULATED_FAULT_OOM);
    if (result != EMULATED_OK) {
        return unlock(result);
    }
    size_t place = tables.chunk_unused;
    while (place < tables.chunk_count && tables.chunks[place].bytes != 0) {
        place++;
    }
    if ((place == tables.chunk_count && !reserve_chunk()) ||
        !zv_simcard_take(&device->memory, bytes)) {
        return unlock(EMULATED_OUT_OF_MEMORY);
    }
    tables.chunk_count += place == tables.chunk_count;
    tables.chunks[place] = (struct chunk){.bytes = bytes, .index = index, .is_held = true};
    tables.chunk_unused = place + 1;
    *handle = place + 1;
    return unlock(EMULATED_OK);
}

static struct chunk *chunk_of(uint64_t handle)
{
    return handle != 0 && handle <= tables.chunk_count && tables.chunks[handle - 1].bytes != 0
               ? &tables.chunks[handle - 1]
               : NULL;
}

static void give_back(struct chunk *chunk)
{
    struct emulated_device *const device = emulated_device(chunk->index);
    if (!chunk->is_held && chunk->mapped == 0 && device != NULL) {
        zv_simcard_give(&device->memory, chunk->bytes);
        const size_t place = (size_t)(chunk - tables.chunks);
        tables.chunk_unused = place < tables.chunk_unused ? place : tables.chunk_unused;
        *chunk = (struct chunk){0};
    }
}

int emulated_release(uint64_t handle)
{
    emulated_lock();
    struct chunk *const chunk = chunk_of(handle);
    if (chunk == NULL || !chunk->is_held) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    chunk->is_held = false;
    give_back(chunk);
    return unlock(EMULATED_OK);
}

int emulated_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle)
{
    emulated_lock();
    struct emulated_device *const home = emulated_device(index_of(address));
    struct chunk *const chunk = chunk_of(handle);
    struct emulated_device *const device = chunk != NULL ? emulated_device(chunk->index) : NULL;
    const size_t place = range_place(address);
    if (home == NULL || device == NULL || !chunk->is_held || offset != 0 || bytes != chunk->bytes ||
        !zv_simcard_is_reserved(&home->memory, on_card(address), bytes) ||
        (place < tables.range_count && tables.ranges[place].address < address + bytes)) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    const int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result != EMULATED_OK || !reserve_range()) {
        return unlock(result != EMULATED_OK ? result : EMULATED_OUT_OF_MEMORY);
    }
    chunk->mapped++;
    add_range((struct range){.address = address, .bytes = bytes, .handle = handle});
    return unlock(EMULATED_OK);
}

/* The mappings that tile the bytes: how many, from *place on; 0 when they do not. */
static size_t tiles(uint64_t address, uint64_t bytes, size_t *place)
{
    const uint64_t end = address + bytes;
    *place = range_place(address);
    size_t at = *place;
    while (address < end && at < tables.range_count && tables.ranges[at].address == address &&
           tables.ranges[at].handle != 0) {
        address += tables.ranges[at++].bytes;
    }
    return address == end ? at - *place : 0;
}

int emulated_unmap(uint64_t address, uint64_t bytes)
{
    size_t first;
    emulated_lock();
    const size_t count = tiles(address, bytes, &first);
    if (count == 0) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    for (size_t i = first; i < first + count; i++) {
        struct chunk *const chunk = &tables.chunks[tables.ranges[i].handle - 1];
        chunk->mapped--;
        give_back(chunk);
    }
    drop_ranges(first, count);
    return unlock(EMULATED_OK);
}

int emulated_set_access(uint64_t address, uint64_t bytes)
{
    size_t first;
    emulated_lock();
    const size_t count = tiles(address, bytes, &first);
    for (size_t i = first; i < first + count; i++) {
        tables.ranges[i].accessible = true;
    }
    return unlock(count != 0 ? EMULATED_OK : EMULATED_INVALID_VALUE);
}

/* The device whose memory a range is. */
static uint32_t device_of(const struct range *range)
{
    return range->handle != 0 ? tables.chunks[range->handle - 1].index : index_of(range->address);
}

int emulated_find(uint64_t address, uint32_t *index, uint64_t *start, uint64_t *bytes)
{
    emulated_lock();
    const struct range *const range = range_at(address);
    if (range == NULL) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    *index = device_of(range);
    *start = range->address;
    *bytes = range->bytes;
    return unlock(EMULATED_OK);
}

int emulated_touch(uint64_t address, uint64_t bytes)
{
    if (bytes == 0) {
        return EMULATED_OK;
    }
    emulated_lock();
    const struct range *const first = range_at(address);
    if (first == NULL) {
        return unlock(EMULATED_INVALID_VALUE);
    }
    uint64_t at = address; /* mappings follow each other without a seam */
    for (const struct range *range = first;
         range != NULL && range->accessible && at - address < bytes; range = range_at(at)) {
        at = range->address + range->bytes;
    }
    struct emulated_device *const device = emulated_device(device_of(first));
    return unlock(device != NULL && at - address >= bytes
                      ? emulated_enter(device, EMULATED_FAULT_COPY)
                      : EMULATED_INVALID_VALUE);
}
