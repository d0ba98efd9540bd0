#include "support/allocator_calls.h"

#include "support/test.h"

struct zv_allocator *allocator_open_with(enum zv_policy policy, enum zv_torch_profile profile,
                                         const char *conf, uint64_t capacity)
{
    const struct zv_allocator_options options = {
        .policy = policy, .profile = profile, .conf = conf, .capacity_bytes = capacity};
    struct zv_allocator *allocator;
    struct zv_error err = {0};
    if (zv_allocator_open(&allocator, &options, &err) != ZV_OK) {
        fail_msg("open: %s", err.text);
    }
    return allocator;
}

struct zv_allocation allocator_take(struct zv_allocator *allocator, uint64_t bytes, uint64_t stream)
{
    struct zv_allocation got;
    assert_int_equal(zv_allocator_malloc(allocator, bytes, stream, &got, NULL), ZV_OK);
    return got;
}

void allocator_give(struct zv_allocator *allocator, struct zv_allocation allocation)
{
    assert_int_equal(zv_allocator_free(allocator, allocation, NULL), ZV_OK);
    assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
}

struct zv_memory_stats allocator_stats(const struct zv_allocator *allocator)
{
    struct zv_memory_stats stats;
    zv_allocator_get_stats(allocator, &stats);
    return stats;
}

uint64_t allocator_reserved(const struct zv_allocator *allocator)
{
    return zv_allocator_usage(allocator).reserved_bytes;
}
