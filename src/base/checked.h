/* Checked arithmetic for bytes and counts: true when the result fits; *to is untouched otherwise.
 */
#ifndef ZIRVE_BASE_CHECKED_H
#define ZIRVE_BASE_CHECKED_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool zv_add(uint64_t a, uint64_t b, uint64_t *to)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *to = sum;
    return true;
}

static inline bool zv_mul(uint64_t a, uint64_t b, uint64_t *to)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *to = product;
    return true;
}

static inline uint64_t zv_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t zv_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ceil(a / b); b > 0. */
static inline uint64_t zv_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* a rounded up to a multiple of step; step > 0. */
static inline bool zv_round_up(uint64_t a, uint64_t step, uint64_t *to)
{
    return zv_mul(zv_ceil_div(a, step), step, to);
}

/* floor(a * b / c) with a 128-bit product; c > 0. */
static inline bool zv_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *to)
{
    __extension__ typedef unsigned __int128 u128;
    const u128 quotient = (u128)a * b / c;
    if (quotient > UINT64_MAX) {
        return false;
    }
    *to = (uint64_t)quotient;
    return true;
}

/* a * b < c * d, exactly. */
static inline bool zv_product_below(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    __extension__ typedef unsigned __int128 u128;
    return (u128)a * b < (u128)c * d;
}

#endif
