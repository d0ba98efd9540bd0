/* Policies beside the caching one: a driver asked each time, and cudaMallocAsync. */
#include "support/allocator_calls.h"
#include "support/test.h"
#include "zirve/allocator.h"

#define MIB (UINT64_C(1) << 20)

static void test_direct(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_DIRECT, ZV_TORCH_2_6, NULL, 10 * MIB);
    const struct zv_allocation a = allocator_take(allocator, 1, 0);
    const struct zv_allocation b = allocator_take(allocator, 5 * MIB, 0);
    assert_int_equal(allocator_reserved(allocator), 8 * MIB); /* 2 and 6 */
    assert_int_equal(zv_allocator_device_free(allocator), 2 * MIB);
    assert_int_equal(allocator_take(allocator, 3 * MIB, 0).address, 0);
    allocator_give(allocator, a);
    assert_int_not_equal(allocator_take(allocator, 3 * MIB, 0).address, 0);
    allocator_give(allocator, b);
    struct zv_driver_calls calls;
    zv_allocator_get_calls(allocator, &calls);
    assert_int_equal(calls.allocate, 3);
    assert_int_equal(calls.allocate_failed, 1);
    assert_int_equal(calls.release, 2);
    assert_int_not_equal(calls.time_ns, 0);
    zv_allocator_close(allocator);
}

/* The pool grows by 32 MiB, keeps all, serves any stream at once unless told otherwise. */
static void test_async(void **state)
{
    (void)state;
    struct zv_allocator *allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, "backend:cudaMallocAsync", 100 * MIB);
    assert_int_equal(zv_allocator_policy(allocator), ZV_POLICY_ASYNC);
    const struct zv_allocation a = allocator_take(allocator, 20 * MIB, 0);
    assert_int_equal(allocator_reserved(allocator), 32 * MIB);
    allocator_give(allocator, a);
    allocator_give(allocator, allocator_take(allocator, 30 * MIB, 1));
    assert_int_equal(allocator_reserved(allocator), 32 * MIB);
    assert_int_not_equal(allocator_take(allocator, 99 * MIB, 1).address,
                         0); /* the last step is smaller */
    assert_int_equal(allocator_reserved(allocator), 100 * MIB);
    assert_int_equal(allocator_take(allocator, 2 * MIB, 1).address, 0);
    zv_allocator_close(allocator);

    const struct zv_allocator_options options = {
        .policy = ZV_POLICY_ASYNC,
        .capacity_bytes = 100 * MIB,
        .async = {.release_threshold_bytes = 10 * MIB, .own_stream_only = true}};
    assert_int_equal(zv_allocator_open(&allocator, &options, NULL), ZV_OK);
    allocator_give(allocator, allocator_take(allocator, 30 * MIB, 0));
    allocator_give(allocator,
                   allocator_take(allocator, 30 * MIB, 1)); /* may not have what stream 0 freed */
    assert_int_equal(allocator_reserved(allocator), 64 * MIB);
    assert_int_equal(zv_allocator_finish(allocator, NULL), ZV_OK);
    assert_int_equal(allocator_reserved(allocator), 10 * MIB);
    assert_int_equal(zv_allocator_empty_cache(allocator, NULL), ZV_OK);
    assert_int_equal(allocator_reserved(allocator), 0);
    zv_allocator_close(allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_async),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
