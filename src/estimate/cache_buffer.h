/*
 * What a buffer of ik_llama.cpp takes beyond the bytes of the cache tensors in it. Sources:
 * docs/FORMULAS.md, "Runtimes".
 *
 * Not here: llama.cpp itself, whose rows of all heads together are as a rule whole multiples of
 * what the kernels read.
 */
#ifndef ZIRVE_ESTIMATE_CACHE_BUFFER_H
#define ZIRVE_ESTIMATE_CACHE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "estimate/cache.h"
#include "zirve/error.h"

enum zv_buffer_kind { ZV_BUFFER_HOST, ZV_BUFFER_CUDA };

/* For all layers in one buffer; cells are whole multiples of 128. ZV_E_UNSUPPORTED: a type without
 * a size. */
enum zv_status zv_cache_buffer_extra(uint64_t *bytes, enum zv_buffer_kind kind,
                                     const struct zv_layer *layers, size_t count,
                                     const struct zv_cache_form *form, struct zv_error *err);

#endif
