#include <string.h>

#include "support/fail_memory.h"
#include "support/kv_duel.h"
#include "support/test.h"
#include "zirve/kv.h"

static struct zv_kv_pool *open_pool(uint32_t pages, bool caching, bool unkeyed_first)
{
    const struct zv_kv_pool_options options = {
        .pages = pages, .caching = caching, .unkeyed_first = unkeyed_first};
    struct zv_kv_pool *pool;
    assert_int_equal(zv_kv_pool_open(&pool, &options, NULL), ZV_OK);
    return pool;
}

/* The order in which all free pages would be handed out; they are in use afterwards. */
static void expect_order(struct zv_kv_pool *pool, const uint32_t *pages, size_t count)
{
    uint32_t got[16];
    assert_int_equal(zv_kv_pool_free_count(pool), count);
    assert_true(zv_kv_pool_take(pool, got, count));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i], pages[i]);
    }
    assert_int_equal(zv_kv_pool_check(pool, NULL), ZV_OK);
}

static void hands_out_in_order_and_reuses_the_oldest(void **state)
{
    struct zv_kv_pool *const pool = open_pool(5, false, false);
    uint32_t pages[5];
    (void)state;
    assert_false(zv_kv_pool_take(pool, pages, 6));
    assert_true(zv_kv_pool_take(pool, pages, 3)); /* 1 2 3 */
    assert_int_equal(zv_kv_pool_free_reversed(pool, pages, 3, NULL), ZV_OK);
    expect_order(pool, (const uint32_t[]){4, 5, 3, 2, 1}, 5);
    zv_kv_pool_close(pool);
}

static void keeps_a_key_until_the_page_is_handed_out(void **state)
{
    struct zv_kv_pool *const pool = open_pool(2, true, false);
    const struct zv_kv_key key = {1, 2};
    struct zv_kv_pool_stats stats;
    uint32_t pages[2];
    (void)state;
    assert_true(zv_kv_pool_take(pool, pages, 1));
    assert_int_equal(zv_kv_pool_publish(pool, 1, &key, 0, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_free(pool, pages, 1, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_find(pool, &key, 0), 1);
    assert_int_equal(zv_kv_pool_find(pool, &key, 1), 0);
    assert_int_equal(zv_kv_pool_share(pool, 1, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_uses(pool, 1), 1);
    assert_false(zv_kv_pool_take(pool, pages, 2));
    assert_int_equal(zv_kv_pool_free(pool, pages, 1, NULL), ZV_OK);
    assert_true(zv_kv_pool_take(pool, pages, 2));
    assert_int_equal(zv_kv_pool_find(pool, &key, 0), 0);
    zv_kv_pool_get_stats(pool, &stats);
    assert_int_equal(stats.evictions, 1);
    assert_int_equal(stats.handed_out, 3);
    zv_kv_pool_close(pool);
}

static void finds_the_first_of_several_with_a_key(void **state)
{
    struct zv_kv_pool *const pool = open_pool(3, true, false);
    const struct zv_kv_key key = {9, 9};
    const uint32_t second[] = {2, 1, 3};
    uint32_t pages[3];
    (void)state;
    assert_true(zv_kv_pool_take(pool, pages, 3));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(zv_kv_pool_publish(pool, second[i], &key, 0, NULL), ZV_OK);
    }
    assert_int_equal(zv_kv_pool_find(pool, &key, 0), 2);
    assert_int_equal(zv_kv_pool_distinct_keys(pool), 1);
    assert_int_equal(zv_kv_pool_free(pool, (const uint32_t[]){2}, 1, NULL), ZV_OK);
    assert_true(zv_kv_pool_take(pool, pages, 1));
    assert_int_equal(zv_kv_pool_find(pool, &key, 0), 1);
    zv_kv_pool_close(pool);
}

static void pages_without_a_key_can_go_first(void **state)
{
    struct zv_kv_pool *const pool = open_pool(6, true, true);
    const struct zv_kv_key key = {5, 5};
    uint32_t pages[4];
    (void)state;
    assert_true(zv_kv_pool_take(pool, pages, 4));
    assert_int_equal(zv_kv_pool_publish(pool, 1, &key, 0, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_free_reversed(pool, pages, 4, NULL), ZV_OK);
    expect_order(pool, (const uint32_t[]){4, 3, 2, 5, 6, 1}, 6);
    zv_kv_pool_close(pool);
}

/* Three pages get keys 1, 2, 3 in order; 1 is hit twice, 2 once; all are freed, 3 first. */
static struct zv_kv_pool *used_pool(enum zv_kv_eviction eviction, uint32_t kept)
{
    const struct zv_kv_pool_options options = {
        .pages = 4, .caching = true, .eviction = eviction, .kept_pages = kept};
    struct zv_kv_pool *pool;
    uint32_t pages[3];
    assert_int_equal(zv_kv_pool_open(&pool, &options, NULL), ZV_OK);
    assert_true(zv_kv_pool_take(pool, pages, 3));
    for (uint32_t i = 0; i < 3; i++) {
        const struct zv_kv_key key = {i + 1, 0};
        assert_int_equal(zv_kv_pool_publish(pool, pages[i], &key, 0, NULL), ZV_OK);
    }
    const uint32_t hits[] = {1, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(zv_kv_pool_share(pool, hits[i], NULL), ZV_OK);
    }
    assert_int_equal(zv_kv_pool_free(pool, hits, 3, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_free(pool, (const uint32_t[]){3, 1, 2}, 3, NULL), ZV_OK);
    return pool;
}

/* Page 4 has no key and goes first; then each policy's order. */
static void loses_keys_in_the_order_asked_for(void **state)
{
    static const struct {
        enum zv_kv_eviction eviction;
        uint32_t order[4];
    } rows[] = {{ZV_KV_EVICT_QUEUE, {4, 3, 1, 2}},
                {ZV_KV_EVICT_LRU, {4, 3, 1, 2}},
                {ZV_KV_EVICT_LFU, {4, 3, 2, 1}},
                {ZV_KV_EVICT_FIFO, {4, 1, 2, 3}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_kv_pool *const pool = used_pool(rows[i].eviction, 0);
        expect_order(pool, rows[i].order, 4);
        zv_kv_pool_close(pool);
    }
}

static void keeps_no_more_keys_than_asked_for(void **state)
{
    struct zv_kv_pool *const pool = used_pool(ZV_KV_EVICT_LFU, 2);
    struct zv_kv_pool_stats stats;
    (void)state;
    zv_kv_pool_get_stats(pool, &stats);
    assert_int_equal(stats.free, 4);
    assert_int_equal(stats.keyed, 2);
    assert_int_equal(stats.evictions, 1);
    assert_int_equal(zv_kv_pool_find(pool, &(const struct zv_kv_key){3, 0}, 0), 0);
    assert_int_equal(zv_kv_pool_find(pool, &(const struct zv_kv_key){2, 0}, 0), 2);
    assert_int_equal(zv_kv_pool_check(pool, NULL), ZV_OK);
    expect_order(pool, (const uint32_t[]){4, 3, 2, 1}, 4);
    zv_kv_pool_close(pool);
}

static void refuses_what_makes_no_sense(void **state)
{
    struct zv_kv_pool *const pool = open_pool(2, true, false);
    struct zv_kv_pool *const plain = open_pool(2, false, false);
    const struct zv_kv_key key = {1, 1};
    struct zv_kv_pool *none;
    struct zv_error err = {0};
    (void)state;
    assert_int_equal(zv_kv_pool_open(&none, &(struct zv_kv_pool_options){0}, NULL), ZV_E_USAGE);
    assert_null(none);
    assert_int_equal(
        zv_kv_pool_open(&none, &(struct zv_kv_pool_options){.pages = UINT32_MAX}, NULL),
        ZV_E_LIMIT);
    assert_int_equal(zv_kv_pool_free(pool, (const uint32_t[]){0, 1}, 2, &err), ZV_E_USAGE);
    assert_string_equal(err.text, "page 1 is not in use");
    assert_int_equal(zv_kv_pool_free(pool, (const uint32_t[]){3}, 1, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_pool_share(pool, 0, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_pool_share(pool, 3, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_pool_publish(pool, 1, &key, 0, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_pool_share(pool, 1, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_publish(pool, 1, &key, 0, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_publish(pool, 1, &key, 0, NULL), ZV_E_USAGE);
    assert_false(zv_kv_pool_forget(pool));
    assert_int_equal(zv_kv_pool_share(plain, 1, NULL), ZV_OK);
    assert_int_equal(zv_kv_pool_publish(plain, 1, &key, 0, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_pool_uses(pool, 7), 0);
    zv_kv_pool_close(pool);
    zv_kv_pool_close(plain);
    zv_kv_pool_close(NULL);
}

static void survives_a_failure_of_each_allocation(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        const struct zv_kv_pool_options options = {
            .pages = 100, .caching = true, .eviction = ZV_KV_EVICT_LFU};
        struct zv_kv_pool *pool;
        fail_memory_start(n);
        const enum zv_status status = zv_kv_pool_open(&pool, &options, NULL);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        zv_kv_pool_close(pool);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

static void agrees_with_a_naive_pool(void **state)
{
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    uint8_t data[4096];
    (void)state;
    memset(&kv_duel_count, 0, sizeof kv_duel_count);
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof data; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            data[i] = (uint8_t)(random >> 32);
        }
        const char *const wrong = kv_pool_duel(data, sizeof data);
        assert_string_equal(wrong != NULL ? wrong : "", "");
    }
    assert_true(kv_duel_count.taken > 10000);
    assert_true(kv_duel_count.evictions > 1000);
    assert_true(kv_duel_count.hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_out_in_order_and_reuses_the_oldest),
        cmocka_unit_test(keeps_a_key_until_the_page_is_handed_out),
        cmocka_unit_test(finds_the_first_of_several_with_a_key),
        cmocka_unit_test(pages_without_a_key_can_go_first),
        cmocka_unit_test(loses_keys_in_the_order_asked_for),
        cmocka_unit_test(keeps_no_more_keys_than_asked_for),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
        cmocka_unit_test(agrees_with_a_naive_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
