/* One tensor in a safetensors header, in the layout that writers use; part of format/safetensors.
 */
#ifndef ZIRVE_FORMAT_SAFETENSORS_ENTRY_H
#define ZIRVE_FORMAT_SAFETENSORS_ENTRY_H

#include "format/safetensors.h"

/*
 * Reads ,"name":{"dtype":"X","shape":[…],"data_offsets":[a,b]} at `at`, comma included: no white
 * space, no escapes, ASCII, fields in this order, whole numbers below 10^19, at most
 * ZV_SAFETENSORS_MAX_DIMS of them in the shape. Sets name, dtype, type, bits, dims and shape, the
 * rest to 0. The end of the entry; NULL for whatever else, right or wrong: the reader of JSON has
 * to look at it.
 */
const char *safetensors_entry(const char *at, const char *end, struct zv_safetensors_tensor *tensor,
                              uint64_t offsets[2]);

#endif
