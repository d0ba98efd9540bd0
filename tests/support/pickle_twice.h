/* One pickle read twice, without tags for its keys and with them: what is asked, in which order,
 * and how it ends must be the same. */
#ifndef ZIRVE_TESTS_PICKLE_TWICE_H
#define ZIRVE_TESTS_PICKLE_TWICE_H

#include <stdbool.h>

#include "base/slice.h"

/* Sets how many dicts came with the places of their keys. False: the readings differ, or a place is
 * wrong; the first difference is told on stderr. */
bool pickle_twice(struct zv_slice input, size_t *with_places);

#endif
