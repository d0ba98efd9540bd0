/*
 * The emulated driver under any bytes. As the text of its cards: what is read keeps its limits. As
 * calls on a card of 64 granules: what a count of our own says is free, is free, no range is handed
 * out twice, and when all is given back the card is empty.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/cuda_names.h"
#include "emulate/emulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define G ZV_SIMCARD_GRANULE

enum { GRANULES = 64, SLOTS = 8, TEXT = 4096 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void read_cards(const uint8_t *data, size_t size)
{
    static struct emulated_card cards[EMULATED_DEVICES];
    static char text[TEXT];
    uint32_t count;
    const size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = 0;
    const enum zv_status status = emulated_config_read(cards, &count, text, NULL);
    must(count <= EMULATED_DEVICES && (status == ZV_OK) == (count != 0));
    for (uint32_t i = 0; i < count; i++) {
        must(memchr(cards[i].name, 0, sizeof cards[i].name) != NULL);
        must(cards[i].total_bytes != 0 && cards[i].used_bytes <= cards[i].total_bytes);
        must(cards[i].fault_count <= EMULATED_FAULTS);
    }
}

/* Ranges of cuMemAlloc, and mapped memory at fixed places of one reservation. */
struct model {
    uint64_t address[SLOTS];
    uint64_t granules[SLOTS];
    uint64_t range;
    uint64_t handle[SLOTS]; /* of memory without an address */
    uint64_t held[SLOTS];   /* granules of it */
    bool mapped[SLOTS];
    uint64_t free;
};

static void toggle_range(struct model *model, size_t slot, uint64_t granules)
{
    if (model->address[slot] != 0) {
        must(cuMemFree_v2(model->address[slot]) == EMULATED_OK);
        model->free += model->granules[slot];
        model->address[slot] = 0;
        return;
    }
    const int result = cuMemAlloc_v2(&model->address[slot], granules * G - 1);
    must(result == (granules <= model->free ? EMULATED_OK : EMULATED_OUT_OF_MEMORY));
    if (result != EMULATED_OK) {
        model->address[slot] = 0;
        return;
    }
    model->granules[slot] = granules;
    model->free -= granules;
    for (size_t i = 0; i < SLOTS; i++) {
        must(i == slot || model->address[i] == 0 ||
             model->address[i] + model->granules[i] * G <= model->address[slot] ||
             model->address[slot] + granules * G <= model->address[i]);
    }
}

/* Made, mapped, unmapped and released, in turn. */
static void toggle_memory(struct model *model, size_t slot, uint64_t granules)
{
    const struct emulated_allocation_properties properties = {.type = 1, .location = {1, 0}};
    const uint64_t place = model->range + slot * GRANULES * G;
    if (model->handle[slot] == 0) {
        const int result = cuMemCreate(&model->handle[slot], granules * G, &properties, 0);
        must(result == (granules <= model->free ? EMULATED_OK : EMULATED_OUT_OF_MEMORY));
        model->handle[slot] = result == EMULATED_OK ? model->handle[slot] : 0;
        model->held[slot] = granules;
        model->free -= result == EMULATED_OK ? granules : 0;
    } else if (!model->mapped[slot]) {
        must(cuMemMap(place, model->held[slot] * G, 0, model->handle[slot], 0) == EMULATED_OK);
        must(cuMemMap(place, model->held[slot] * G, 0, model->handle[slot], 0) != EMULATED_OK);
        model->mapped[slot] = true;
    } else {
        must(cuMemRelease(model->handle[slot]) == EMULATED_OK);
        must(cuMemUnmap(place, model->held[slot] * G) == EMULATED_OK);
        model->mapped[slot] = false;
        model->handle[slot] = 0;
        model->free += model->held[slot];
    }
}

static void give_all_back(struct model *model)
{
    for (size_t slot = 0; slot < SLOTS; slot++) {
        if (model->address[slot] != 0) {
            toggle_range(model, slot, 1);
        }
        while (model->handle[slot] != 0) {
            toggle_memory(model, slot, 1);
        }
    }
}

static void call(const uint8_t *data, size_t size)
{
    static struct model model;
    static void *context;
    size_t bytes;
    size_t total;
    if (context == NULL) {
        char cards[64];
        (void)snprintf(cards, sizeof cards, "total=%llu", (unsigned long long)(GRANULES * G));
        must(setenv("ZIRVE_EMULATED_CARDS", cards, 1) == 0 && cuInit(0) == EMULATED_OK);
        must(cuDevicePrimaryCtxRetain(&context, 0) == EMULATED_OK);
        must(cuCtxSetCurrent(context) == EMULATED_OK);
        must(cuMemAddressReserve(&model.range, SLOTS * GRANULES * G, 0, 0, 0) == EMULATED_OK);
        model.free = GRANULES;
    }
    for (size_t i = 0; i + 1 < size; i += 2) {
        const size_t slot = data[i] % SLOTS;
        const uint64_t granules = 1 + data[i + 1] % (GRANULES / 2);
        if (data[i] < 128) {
            toggle_range(&model, slot, granules);
        } else {
            toggle_memory(&model, slot, granules);
        }
        must(cuMemGetInfo_v2(&bytes, &total) == EMULATED_OK && bytes == model.free * G);
    }
    give_all_back(&model);
    must(cuMemGetInfo_v2(&bytes, &total) == EMULATED_OK && bytes == total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_cards(data, size);
    call(data, size);
    return 0;
}
