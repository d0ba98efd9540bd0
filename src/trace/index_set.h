/*
 * A set of indices below a fixed count that knows its neighbours: the next member up or down in a
 * few steps, whatever the count (a word says of 64 words below it which have members).
 */
#ifndef ZIRVE_TRACE_INDEX_SET_H
#define ZIRVE_TRACE_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_SET_NONE SIZE_MAX

enum { INDEX_SET_LEVELS = 6 }; /* 2^36 indices */

/* Zero-initialise before use. */
struct index_set {
    uint64_t *levels[INDEX_SET_LEVELS]; /* level 0: a bit an index; one allocation */
    unsigned level_count;
};

/* An empty set of indices below count; false when host memory is short. Free after a failure too.
 */
bool index_set_open(struct index_set *set, size_t count);
void index_set_free(struct index_set *set);

void index_set_add(struct index_set *set, size_t index);
void index_set_remove(struct index_set *set, size_t index);

/* The least member above index, the greatest at or below it; INDEX_SET_NONE when there is none. */
size_t index_set_above(const struct index_set *set, size_t index);
size_t index_set_at_or_below(const struct index_set *set, size_t index);

#endif
