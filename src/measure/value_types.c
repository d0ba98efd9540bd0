#include "measure/value_types.h"

#include <math.h>
#include <string.h>

/* A type of 16 bits: one for the sign, fraction bits, the rest is the exponent. IEEE 754-2019, and
 * for bfloat16 the upper half of a float32. */
struct half_type {
    int fraction_bits;
    int least_exponent; /* of normal numbers */
};

static const struct half_type half_types[MEASURE_DTYPES] = {
    [MEASURE_F16] = {10, -14},
    [MEASURE_BF16] = {7, -126},
};

static uint16_t encode(double value, const struct half_type *type)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const uint32_t infinite = 0x7fff & ~((UINT32_C(1) << type->fraction_bits) - 1);
    const uint32_t one = UINT32_C(1) << type->fraction_bits; /* in units of the last place */
    const double size = fabs(value);
    if (isnan(value)) {
        return (uint16_t)(sign | infinite | one >> 1);
    }
    if (size == 0 || isinf(value)) {
        return (uint16_t)(sign | (size == 0 ? 0 : infinite));
    }
    int exponent = ilogb(size);
    exponent = exponent < type->least_exponent ? type->least_exponent : exponent;
    const double units = nearbyint(ldexp(size, type->fraction_bits - exponent));
    /* a carry into the next exponent adds up to the same bits; so does a subnormal that rounds up
     */
    const uint32_t step = (uint32_t)(exponent - type->least_exponent);
    const uint64_t bits = (uint64_t)step * one + (uint64_t)units;
    return (uint16_t)(sign | (bits < infinite ? (uint32_t)bits : infinite));
}

static double decode(uint32_t bits, const struct half_type *type)
{
    const uint32_t fraction = bits & ((UINT32_C(1) << type->fraction_bits) - 1);
    const uint32_t exponent = (bits & 0x7fff) >> type->fraction_bits;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == UINT32_C(0x7fff) >> type->fraction_bits) {
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    const uint32_t units = exponent == 0 ? fraction : fraction | UINT32_C(1) << type->fraction_bits;
    const int power = (int)(exponent == 0 ? 0 : exponent - 1) + type->least_exponent;
    return sign * ldexp(units, power - type->fraction_bits);
}

void value_put(void *to, uint64_t at, double value, enum measure_dtype dtype)
{
    if (dtype == MEASURE_F32) {
        ((float *)to)[at] = (float)value;
    } else {
        ((uint16_t *)to)[at] = encode(value, &half_types[dtype]);
    }
}

double value_get(const void *from, uint64_t at, enum measure_dtype dtype)
{
    return dtype == MEASURE_F32 ? (double)((const float *)from)[at]
                                : decode(((const uint16_t *)from)[at], &half_types[dtype]);
}

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators), upper 24 bits.
 */
double value_random(uint64_t seed, uint64_t at, double scale)
{
    uint64_t z = seed + (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return scale * (ldexp((double)(z >> 40), -23) - 1);
}

uint64_t measure_dtype_bytes(enum measure_dtype dtype)
{
    return dtype == MEASURE_F32 ? 4 : 2;
}
