/*
 * What an emulated device answers to cuDeviceGetAttribute. Numbers and meanings: CUDA Driver API
 * reference, CUdevice_attribute. Values that follow from the compute capability: card/capability.h.
 * Attributes that are not here (caches, copy engines, textures ...) differ from card to card and
 * are refused as a driver refuses one that it does not know, rather than answered with a value that
 * nobody gave.
 */
#include "card/capability.h"
#include "emulate/cuda_names.h"
#include "emulate/emulate.h"

enum { REFUSED = -1, KIB = 1024, CLOCK = 0 /* kHz: an emulated card has no clock */ };

/* The device's value, or REFUSED. */
typedef int attribute_of(const struct emulated_card *card, uint32_t index);

static const struct zv_capability *capability_of(const struct emulated_card *card)
{
    return zv_capability_find(card->compute_major, card->compute_minor);
}

static int bus_of(const struct emulated_card *card, uint32_t index)
{
    (void)card;
    return (int)index + 1;
}

static int major_of(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return (int)card->compute_major;
}

static int minor_of(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return (int)card->compute_minor;
}

static int processors_of(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return (int)card->processors;
}

static int is_integrated(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return card->is_integrated;
}

static int has_vmm(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return card->has_vmm;
}

/* Pascal and later. */
static int is_pascal(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return card->compute_major >= 6;
}

/* Pascal and later on Linux; integrated ones differ. */
static int is_managed_concurrently(const struct emulated_card *card, uint32_t index)
{
    return card->is_integrated ? REFUSED : is_pascal(card, index);
}

/* Bytes of a block's shared memory that the driver takes, from Ampere on. */
static int driver_shared_of(const struct emulated_card *card, uint32_t index)
{
    (void)index;
    return card->compute_major >= 8 ? KIB : 0;
}

static int threads_of(const struct emulated_card *card, uint32_t index)
{
    const struct zv_capability *const capability = capability_of(card);
    (void)index;
    return capability != NULL ? (int)capability->threads : REFUSED;
}

static int blocks_of(const struct emulated_card *card, uint32_t index)
{
    const struct zv_capability *const capability = capability_of(card);
    (void)index;
    return capability != NULL ? (int)capability->blocks : REFUSED;
}

static int registers_of(const struct emulated_card *card, uint32_t index)
{
    const struct zv_capability *const capability = capability_of(card);
    (void)index;
    return capability != NULL ? (int)capability->registers : REFUSED;
}

static int shared_of(const struct emulated_card *card, uint32_t index)
{
    const struct zv_capability *const capability = capability_of(card);
    (void)index;
    return capability != NULL ? (int)capability->shared_kib * KIB : REFUSED;
}

static int block_shared_of(const struct emulated_card *card, uint32_t index)
{
    const struct zv_capability *const capability = capability_of(card);
    (void)index;
    return capability != NULL ? (int)capability->block_shared_kib * KIB : REFUSED;
}

enum { MULTIPROCESSORS = 16, COMPUTE_MAJOR = 75, COMPUTE_MINOR = 76 };

/* attribute, what it is of the device, or the value that all have */
static const struct {
    int attribute;
    attribute_of *of;
    int value;
} rows[] = {
    {1, NULL, ZV_CAPABILITY_BLOCK}, /* threads of a block, then along x, y, z */
    {2, NULL, ZV_CAPABILITY_BLOCK},
    {3, NULL, ZV_CAPABILITY_BLOCK},
    {4, NULL, ZV_CAPABILITY_BLOCK_DEPTH},
    {5, NULL, INT32_MAX}, /* blocks of a grid along x, y, z */
    {6, NULL, ZV_CAPABILITY_GRID_SIDE},
    {7, NULL, ZV_CAPABILITY_GRID_SIDE},
    {8, NULL, ZV_CAPABILITY_SHARED_KIB *KIB},
    {9, NULL, ZV_CAPABILITY_CONSTANT_KIB *KIB},
    {10, NULL, ZV_CAPABILITY_WARP},
    {11, NULL, INT32_MAX}, /* pitch of copies */
    {12, NULL, ZV_CAPABILITY_REGISTERS},
    {13, NULL, CLOCK},
    {15, NULL, 1}, /* copies beside kernels */
    {MULTIPROCESSORS, processors_of, 0},
    {17, NULL, 0}, /* no limit on a kernel's time */
    {18, is_integrated, 0},
    {19, NULL, 1}, /* maps host memory */
    {20, NULL, 0}, /* compute mode: default */
    {31, NULL, 1}, /* concurrent kernels */
    {33, bus_of, 0},
    {34, NULL, 0},     /* PCI device */
    {35, NULL, 0},     /* TCC, of Windows */
    {36, NULL, CLOCK}, /* of the memory */
    {39, threads_of, 0},
    {41, NULL, 1}, /* unified addressing */
    {50, NULL, 0}, /* PCI domain */
    {COMPUTE_MAJOR, major_of, 0},
    {COMPUTE_MINOR, minor_of, 0},
    {78, NULL, 1}, /* priorities of streams */
    {81, shared_of, 0},
    {82, registers_of, 0},
    {83, NULL, 1}, /* managed memory */
    {89, is_managed_concurrently, 0},
    {90, is_pascal, 0}, /* compute preemption */
    {95, is_pascal, 0}, /* cooperative launch */
    {97, block_shared_of, 0},
    {102, has_vmm, 0},
    {106, blocks_of, 0},
    {111, driver_shared_of, 0},
    {115, NULL, 0}, /* stream-ordered pools: their calls are not emulated */
};

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const struct emulated_device *const found =
        device < 0 ? NULL : emulated_device((uint32_t)device);
    if (found == NULL) {
        return EMULATED_INVALID_DEVICE;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].attribute == attribute) {
            const int its =
                rows[i].of != NULL ? rows[i].of(&found->card, (uint32_t)device) : rows[i].value;
            *value = its != REFUSED ? its : *value;
            return its != REFUSED ? EMULATED_OK : EMULATED_INVALID_VALUE;
        }
    }
    return EMULATED_INVALID_VALUE;
}

/* A driver has to answer these, so they are assumed when nobody said them. */
int zirve_emulated_assumes(int attribute, int device)
{
    const struct emulated_device *const found =
        device < 0 ? NULL : emulated_device((uint32_t)device);
    if (found == NULL) {
        return 0;
    }
    return attribute == MULTIPROCESSORS ? found->card.assumes_processors
           : attribute == COMPUTE_MAJOR || attribute == COMPUTE_MINOR ? found->card.assumes_compute
                                                                      : 0;
}
