/*
 * Units of bytes: 1 GB = 10^9 B, 1 GiB = 2^30 B. Always printed with their unit, always from
 * integers.
 */
#ifndef ZIRVE_BASE_UNITS_H
#define ZIRVE_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define ZV_KIB (UINT64_C(1) << 10)
#define ZV_MIB (UINT64_C(1) << 20)
#define ZV_GIB (UINT64_C(1) << 30)

enum zv_unit {
    ZV_UNIT_B,
    ZV_UNIT_KB,
    ZV_UNIT_MB,
    ZV_UNIT_GB,
    ZV_UNIT_TB,
    ZV_UNIT_KIB,
    ZV_UNIT_MIB,
    ZV_UNIT_GIB,
    ZV_UNIT_TIB,
    ZV_UNIT_COUNT
};

enum { ZV_BYTES_TEXT = 48 }; /* room for any text written by this header */

const char *zv_unit_name(enum zv_unit unit);                /* "GiB" */
uint64_t zv_unit_bytes(enum zv_unit unit);                  /* 1073741824 */
bool zv_unit_parse(struct zv_slice name, enum zv_unit *to); /* any case; "B" and "bytes" too */

/* "13.04 GiB": decimals digits (at most 6) rounded half up; whole bytes for B. */
void zv_bytes_print(char to[ZV_BYTES_TEXT], uint64_t bytes, enum zv_unit unit, unsigned decimals);

/*
 * The largest unit of most's system, most itself at most, of which there is one, so that nothing
 * but 0 is printed as "0.00"; B below one of the smallest. most: a unit above B.
 */
enum zv_unit zv_unit_fit(uint64_t bytes, enum zv_unit most);

/* As zv_bytes_print with two decimals, in the unit of 1024s that fits, GiB at most. */
void zv_bytes_print_fit(char to[ZV_BYTES_TEXT], uint64_t bytes);

/* As zv_bytes_print without the unit's name: "13.04". */
void zv_bytes_print_number(char to[ZV_BYTES_TEXT], uint64_t bytes, enum zv_unit unit,
                           unsigned decimals);

/*
 * "24GB", "22.06 GiB", "450MiB", "1024": a size as people write it; without a unit it is bytes. A
 * fraction of a byte is rounded half up. False when it is no size or does not fit.
 */
bool zv_bytes_parse(struct zv_slice text, uint64_t *bytes);

/* A count as people write it: "8192", "32k" = 32·1024, "7000000000", "7e9". */
bool zv_count_parse(struct zv_slice text, uint64_t *to);

#endif
