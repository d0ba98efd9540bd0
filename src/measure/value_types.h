/*
 * Values of float32, float16 and bfloat16 on the host, by arithmetic on doubles: what the kernels
 * do by integers is held against this. Room-internal.
 */
#ifndef ZIRVE_MEASURE_VALUE_TYPES_H
#define ZIRVE_MEASURE_VALUE_TYPES_H

#include "measure/measure.h"

/* Writes value number at of an array of the type, rounded to nearest even. */
void value_put(void *to, uint64_t at, double value, enum measure_dtype dtype);
double value_get(const void *from, uint64_t at, enum measure_dtype dtype);

/* Value number at of a seed, as the fill kernel makes it before rounding: scale times -1 to 1. */
double value_random(uint64_t seed, uint64_t at, double scale);

#endif
