/*
 * Sieve: coarse blocks first, fine ones into the gaps that these leave.
 *
 * A skyline fills every valley with what fits, so that nine tenths of a million blocks, the small
 * and short ones, are used up in its lowest tenth, and nothing is left to fill the valleys between
 * the large and long ones above. Here blocks are parted by area, bytes x life: the largest, which
 * make up most of the area, are placed by a skyline of their own; the next fill the gaps below
 * them, the smallest gap first, the largest block first; what fits into none goes on top, by
 * a skyline again, and so does the dust. On top T is what lies there already and all that is still
 * to come, so that what decides the height is placed first.
 */
#ifndef ZIRVE_PLACE_SIEVE_H
#define ZIRVE_PLACE_SIEVE_H

#include "place/skyline.h"

/*
 * Sets the offset of every block; returns the height in *height_bytes. No block is fixed. Uses keys
 * and spare of the problem. Errors: ZV_E_NOMEM. Room that lives only during the call comes from its
 * own arenas.
 */
enum zv_status sieve_run(const struct place_problem *problem, uint64_t *offsets,
                         uint64_t *height_bytes, struct zv_error *err);

#endif
