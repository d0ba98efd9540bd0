/* How much does a program's pattern of allocations reserve? cc allocator.c -lzirve -lm */
#include <stdio.h>
#include <zirve/allocator.h>

int main(void)
{
    const struct zv_allocator_options options = {.capacity_bytes = 24000000000,
                                                 .conf = "expandable_segments:True"};
    struct zv_error err = {0};
    struct zv_allocator *allocator;
    struct zv_allocation weights;
    struct zv_allocation cache;
    if (zv_allocator_open(&allocator, &options, &err) != ZV_OK ||
        zv_allocator_malloc(allocator, 15000000000, 0, &weights, &err) != ZV_OK ||
        zv_allocator_malloc(allocator, 10000000000, 0, &cache, &err) != ZV_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    (void)printf("%llu bytes reserved, the cache %s\n",
                 (unsigned long long)zv_allocator_usage(allocator).reserved_bytes,
                 cache.address != 0 ? "fits" : "does not fit");
    zv_allocator_close(allocator);
    return 0;
}
