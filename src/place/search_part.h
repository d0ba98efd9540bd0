/*
 * What a search works on: a part, blocks that are solved together, and what can still be reached in
 * its sections. Parts and choices are taken from one stack of the search.
 */
#ifndef ZIRVE_PLACE_SEARCH_PART_H
#define ZIRVE_PLACE_SEARCH_PART_H

#include "place/search.h"

#define SEARCH_NEVER (INT32_MAX / 2) /* the lowest offset of what is placed */

/* Blocks that are solved together, in the order of their rank, side by side for fast loops. */
struct search_part {
    int32_t count;
    int32_t first; /* section */
    int32_t end;
    int32_t *low; /* lowest offset, SEARCH_NEVER when placed */
    int32_t *units;
    int32_t *block;
    int32_t *begins; /* section */
    int32_t *ends;
};

/* What so many bytes take of the stack. */
size_t search_padded(size_t bytes);

/* Whether so many bytes are left, else cut is set; whoever takes them has asked before. */
bool search_has_room(struct search *search, size_t bytes);
void *search_take(struct search *search, int32_t count, size_t size);

/* The most units that are still to be placed in any section of the block. */
uint32_t search_crossed(const struct search *search, const struct search_block *block);

/*
 * The unplaced blocks of above (NULL: all blocks) that live in sections [first, end), with the
 * lowest offsets they have there. NULL when the room is used up.
 */
struct search_part *search_part_make(struct search *search, const struct search_part *above,
                                     int32_t first, int32_t end);

/* With everything that is still to come at or above offset: does any section overflow? */
bool search_is_above(const struct search *search, int32_t from, int32_t to, int32_t offset);

/* Raises the levels of sections to the lowest offset that any unplaced block there has; false when
 * a section overflows. */
bool search_raise_levels(struct search *search, const struct search_part *part, int32_t from,
                         int32_t to);

#endif
