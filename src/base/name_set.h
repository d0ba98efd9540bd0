/*
 * A set of names of which many differ in one number: "layers.3.experts.0.up" …
 * "layers.3.experts.255.up".
 *
 *   pattern  "layers.3.experts.#.up"  ──►  one entry, a bit for each number that was added
 *
 * A name's number is its last segment between points that is a plain number below ZV_NAME_NUMBERS;
 * a name without one is a pattern of its own. 90,000 names of a mixture of experts are some 2,000
 * patterns, which stay in the processor's cache while they are read. Names are slices that must
 * outlive the set. Seeded per process against hostile names (base/strmap.h).
 */
#ifndef ZIRVE_BASE_NAME_SET_H
#define ZIRVE_BASE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum { ZV_NAME_NUMBERS = 1024 }; /* numbers of a pattern: 0 … this - 1 */

struct zv_name_pattern {
    struct zv_slice first; /* the first name of it that was added */
    uint64_t hash;
    uint32_t at;     /* where the number stands; the name's length when there is none */
    uint32_t digits; /* of the first name's number, 0 when there is none */
    uint32_t count;  /* of its names that were added */
    uint32_t next;   /* index + 1 of the pattern of the name that came after one of its names */
    uint32_t words;  /* 64 numbers each, in more */
    uint64_t few;    /* numbers below 64 as long as more is not needed */
    uint64_t *more;
};

/* Zero-initialise before use. */
struct zv_name_set {
    struct zv_name_pattern *patterns; /* in the order of their first names */
    size_t pattern_count;
    size_t capacity;
    uint32_t *slots; /* index + 1 into patterns, 0 = free */
    size_t slot_count;
    size_t count;  /* names */
    uint32_t last; /* index + 1 of the pattern of the name that came last */
};

/* Where a name is: the patterns' index, and its number (0 for a name without one). */
struct zv_name_place {
    uint32_t pattern;
    uint32_t number;
};

enum zv_name_result { ZV_NAME_ADDED, ZV_NAME_EXISTS, ZV_NAME_NOMEM };

/* Adds name if it is not there; *place is where it is in both cases. */
enum zv_name_result zv_name_set_add(struct zv_name_set *set, struct zv_slice name,
                                    struct zv_name_place *place);

/* Whether the pattern's name with this number was added. */
bool zv_name_pattern_has(const struct zv_name_pattern *pattern, uint32_t number);

/* Takes the name with this number out: it could be added once more. */
void zv_name_set_remove(struct zv_name_set *set, struct zv_name_place place);

/* Whether the pattern's numbers are 0 to count - 1. */
bool zv_name_pattern_is_dense(const struct zv_name_pattern *pattern);

void zv_name_set_free(struct zv_name_set *set);

#endif
