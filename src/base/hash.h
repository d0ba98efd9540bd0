/* Hashing: what our tables of names and of pages share. */
#ifndef ZIRVE_BASE_HASH_H
#define ZIRVE_BASE_HASH_H

#include <stdint.h>

/* Both halves of the 128-bit product, so that every input bit reaches every output bit. */
static inline uint64_t zv_hash_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    const u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
