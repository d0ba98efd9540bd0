/* Calls of zirve/allocator.h that must work: a test fails where one does not. */
#ifndef ZIRVE_TESTS_ALLOCATOR_CALLS_H
#define ZIRVE_TESTS_ALLOCATOR_CALLS_H

#include "zirve/allocator.h"

struct zv_allocator *allocator_open_with(enum zv_policy policy, enum zv_torch_profile profile,
                                         const char *conf, uint64_t capacity);
struct zv_allocation allocator_take(struct zv_allocator *allocator, uint64_t bytes,
                                    uint64_t stream);
void allocator_give(struct zv_allocator *allocator, struct zv_allocation allocation);
struct zv_memory_stats allocator_stats(const struct zv_allocator *allocator);
uint64_t allocator_reserved(const struct zv_allocator *allocator);

#endif
