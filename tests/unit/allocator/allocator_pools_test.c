/* Private pools: whose memory they take, when they lend it, which of several serves. */
#include "support/allocator_calls.h"
#include "support/test.h"
#include "zirve/allocator.h"

#define MIB (UINT64_C(1) << 20)

static void test_private_pools(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_14, NULL, 100 * MIB);
    assert_int_equal(zv_allocator_pool_begin(allocator, 5, 0, NULL), ZV_E_USAGE);
    assert_int_equal(zv_allocator_pool_retain(allocator, 0, 0, NULL), ZV_E_USAGE);
    assert_int_equal(zv_allocator_pool_retain(allocator, 5, ZV_POOL_NO_SPLIT, NULL), ZV_OK);
    assert_int_equal(zv_allocator_pool_begin(allocator, 5, 0, NULL), ZV_OK);
    const struct zv_allocation ours = allocator_take(allocator, 3 * MIB, 0);
    struct zv_pool_stats pool;
    struct zv_stat_entry entry;
    assert_true(zv_allocator_pool_stats(allocator, 0, &pool));
    assert_false(zv_allocator_pool_stats(allocator, 1, &pool));
    assert_true(zv_pool_stats_entry(&pool, 5, &entry));
    assert_string_equal(entry.name, "reserved_bytes_by_private_pools.0_5.large_pool.current");
    assert_int_equal(entry.value, 20 * MIB);
    assert_int_equal(zv_allocator_usage(allocator).allocated_bytes, 20 * MIB); /* not split */
    const struct zv_allocation other = allocator_take(allocator, 3 * MIB, 1);  /* not its stream */
    assert_int_equal(zv_allocator_usage(allocator).allocated_bytes, 23 * MIB);
    assert_int_equal(zv_allocator_pool_end(allocator, 5, NULL), ZV_OK);
    assert_int_equal(zv_allocator_pool_end(allocator, 5, NULL), ZV_E_USAGE);
    allocator_give(allocator, ours);
    allocator_give(allocator, other);
    assert_int_equal(zv_allocator_empty_cache(allocator, NULL), ZV_OK);
    assert_int_equal(allocator_reserved(allocator), 20 * MIB); /* a live pool keeps its cache */
    assert_int_equal(zv_allocator_pool_empty(allocator, 5, NULL), ZV_OK);
    assert_int_equal(allocator_reserved(allocator), 20 * MIB);
    assert_int_equal(zv_allocator_pool_release(allocator, 5, NULL), ZV_OK);
    assert_int_equal(zv_allocator_pool_empty(allocator, 5, NULL), ZV_OK);
    assert_int_equal(allocator_reserved(allocator), 0);
    assert_int_equal(zv_allocator_pool_release(allocator, 5, NULL), ZV_E_USAGE);
    zv_allocator_close(allocator);
}

static void test_a_pool_lends_when_the_card_is_full(void **state)
{
    (void)state;
    for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, (enum zv_torch_profile)profile, NULL, 100 * MIB);
        (void)zv_allocator_pool_retain(allocator, 9, ZV_POOL_USE_ON_OOM, NULL);
        (void)zv_allocator_pool_begin(allocator, 9, ZV_ANY_STREAM, NULL);
        const struct zv_allocation lent = allocator_take(allocator, 80 * MIB, 0);
        (void)zv_allocator_pool_end(allocator, 9, NULL);
        allocator_give(allocator, lent);
        const struct zv_allocation got = allocator_take(allocator, 80 * MIB, 0);
        assert_int_equal(got.address, profile == ZV_TORCH_2_6 ? 0 : lent.address);
        zv_allocator_close(allocator);
    }
}

/* The oldest scope wins in 2.6, the newest later. */
static void test_order_of_scopes(void **state)
{
    (void)state;
    for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, (enum zv_torch_profile)profile, NULL, 100 * MIB);
        for (uint64_t id = 1; id <= 2; id++) {
            (void)zv_allocator_pool_retain(allocator, id, 0, NULL);
            (void)zv_allocator_pool_begin(allocator, id, ZV_ANY_STREAM, NULL);
        }
        allocator_give(allocator, allocator_take(allocator, 3 * MIB, 0));
        const uint64_t served = profile == ZV_TORCH_2_6 ? 1 : 2;
        for (uint64_t id = 1; id <= 2; id++) {
            (void)zv_allocator_pool_end(allocator, id, NULL);
            (void)zv_allocator_pool_release(allocator, id, NULL);
            (void)zv_allocator_pool_empty(allocator, id, NULL);
            assert_int_equal(allocator_reserved(allocator), id < served ? 20 * MIB : 0);
        }
        zv_allocator_close(allocator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_pools),
        cmocka_unit_test(test_a_pool_lends_when_the_card_is_full),
        cmocka_unit_test(test_order_of_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
