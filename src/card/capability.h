/*
 * What follows from a compute capability alone, whatever the card: limits of one multiprocessor and
 * of one block. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"; the same figures stand in CCCL's cuda/__device/arch_traits.h from 6.0 on.
 */
#ifndef ZIRVE_CARD_CAPABILITY_H
#define ZIRVE_CARD_CAPABILITY_H

#include <stdint.h>

/* Limits that no capability from 3.7 on changes. */
enum {
    ZV_CAPABILITY_WARP = 32,         /* threads */
    ZV_CAPABILITY_BLOCK = 1024,      /* threads */
    ZV_CAPABILITY_BLOCK_DEPTH = 64,  /* threads along z */
    ZV_CAPABILITY_GRID_SIDE = 65535, /* blocks along y and z; along x INT32_MAX */
    ZV_CAPABILITY_REGISTERS = 65536, /* of a block, 32 bits each */
    ZV_CAPABILITY_SHARED_KIB = 48,   /* of a block that asks for no more than usual */
    ZV_CAPABILITY_CONSTANT_KIB = 64  /* __constant__ memory */
};

struct zv_capability {
    uint32_t major;
    uint32_t minor;
    uint32_t threads;          /* of a multiprocessor */
    uint32_t blocks;           /* of a multiprocessor */
    uint32_t registers;        /* of a multiprocessor, 32 bits each */
    uint32_t shared_kib;       /* of a multiprocessor */
    uint32_t block_shared_kib; /* of a block that opts in */
};

/* NULL for a capability that is not in the table. */
const struct zv_capability *zv_capability_find(uint32_t major, uint32_t minor);

#endif
