#include "simcard/simcard.h"

#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

#define G ZV_SIMCARD_GRANULE

static void test_ranges_lowest_first(void **state)
{
    (void)state;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, 10 * G, G, NULL), ZV_OK);
    assert_int_equal(zv_simcard_free_bytes(&card), 9 * G);
    const uint64_t a = zv_simcard_malloc(&card, 1);
    const uint64_t b = zv_simcard_malloc(&card, 2 * G);
    const uint64_t c = zv_simcard_malloc(&card, G);
    assert_int_equal(a, ZV_SIMCARD_MALLOC_BASE);
    assert_int_equal(b, a + G);
    assert_int_equal(c, b + 2 * G);
    assert_true(zv_simcard_free(&card, b));
    assert_false(zv_simcard_free(&card, b));
    assert_false(zv_simcard_free(&card, a + 1));
    assert_int_equal(zv_simcard_malloc(&card, 3 * G), c + G); /* the hole is too small */
    assert_int_equal(zv_simcard_malloc(&card, G + 1), b);
    assert_int_equal(zv_simcard_free_bytes(&card), 2 * G);
    assert_int_equal(zv_simcard_malloc(&card, 2 * G + 1), 0);
    assert_int_equal(zv_simcard_malloc(&card, 0), 0);
    zv_simcard_close(&card);
}

static void test_reservations(void **state)
{
    (void)state;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, 10 * G, 0, NULL), ZV_OK);
    const uint64_t a = zv_simcard_reserve(&card, 12 * G);
    const uint64_t b = zv_simcard_reserve(&card, 12 * G);
    assert_int_equal(a, ZV_SIMCARD_RESERVE_BASE);
    assert_int_equal(b, a + 12 * G);
    assert_int_equal(zv_simcard_reserve(&card, G + 1), 0);
    assert_true(zv_simcard_map(&card, a, 4 * G));
    assert_false(zv_simcard_map(&card, a + 4 * G, 9 * G)); /* past its end */
    assert_false(zv_simcard_map(&card, a + 1, G));
    assert_false(zv_simcard_map(&card, b, 7 * G)); /* more than the card has */
    assert_true(zv_simcard_map(&card, b, 6 * G));
    assert_false(zv_simcard_release(&card, a));
    assert_true(zv_simcard_unmap(&card, a, 4 * G));
    assert_false(zv_simcard_unmap(&card, a, G));
    assert_true(zv_simcard_release(&card, a));
    assert_false(zv_simcard_release(&card, a));
    assert_int_equal(zv_simcard_reserve(&card, G), b + 12 * G); /* never the old addresses */
    zv_simcard_close(&card);
}

static void test_memory_without_addresses(void **state)
{
    (void)state;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, 10 * G, 0, NULL), ZV_OK);
    assert_false(zv_simcard_take(&card, G + 1));
    assert_false(zv_simcard_take(&card, 11 * G));
    assert_true(zv_simcard_take(&card, 8 * G));
    assert_int_equal(zv_simcard_malloc(&card, 3 * G), 0);
    zv_simcard_give(&card, 8 * G);
    assert_int_equal(zv_simcard_free_bytes(&card), 10 * G);
    const uint64_t at = zv_simcard_reserve(&card, 4 * G);
    assert_true(zv_simcard_is_reserved(&card, at + G, 3 * G));
    assert_false(zv_simcard_is_reserved(&card, at + G, 4 * G));
    assert_false(zv_simcard_is_reserved(&card, at - G, G));
    zv_simcard_close(&card);
}

static void test_work_of_streams(void **state)
{
    (void)state;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, 10 * G, 0, NULL), ZV_OK);
    const uint64_t first = zv_simcard_queue(&card);
    assert_false(zv_simcard_is_done(&card, 1, first));
    assert_true(zv_simcard_finish_stream(&card, 2));
    assert_false(zv_simcard_is_done(&card, 1, first));
    assert_true(zv_simcard_finish_stream(&card, 1));
    const uint64_t second = zv_simcard_queue(&card);
    assert_true(zv_simcard_is_done(&card, 1, first));
    assert_false(zv_simcard_is_done(&card, 1, second));
    const uint64_t third = zv_simcard_queue(&card);
    zv_simcard_finish_until(&card, second);
    assert_true(zv_simcard_is_done(&card, 7, second));
    assert_false(zv_simcard_is_done(&card, 1, third));
    zv_simcard_finish_until(&card, first); /* nothing is undone */
    assert_true(zv_simcard_is_done(&card, 7, second));
    const uint64_t range = zv_simcard_malloc(&card, G);
    assert_true(zv_simcard_free(&card, range)); /* waits for the device */
    assert_true(zv_simcard_is_done(&card, 7, third));
    zv_simcard_close(&card);
}

/* Random ranges against a map of granules, searched from the start each time. */
static void test_against_a_map(void **state)
{
    (void)state;
    enum { GRANULES = 512, LIVE = 64 };
    static uint8_t used[2 * GRANULES];
    uint64_t live[LIVE] = {0};
    uint64_t length[LIVE] = {0};
    uint64_t taken = 0;
    uint64_t random = 1;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, GRANULES * G, 0, NULL), ZV_OK);
    for (int step = 0; step < 20000; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        const size_t at = random >> 58;
        if (live[at] != 0) {
            assert_true(zv_simcard_free(&card, live[at]));
            memset(used + (live[at] - ZV_SIMCARD_MALLOC_BASE) / G, 0, length[at]);
            taken -= length[at];
            live[at] = 0;
            continue;
        }
        length[at] = 1 + (random >> 40) % 17;
        size_t place = 0;
        while (memchr(used + place, 1, length[at]) != NULL) {
            place++;
        }
        live[at] = zv_simcard_malloc(&card, length[at] * G);
        if (taken + length[at] > GRANULES) {
            assert_int_equal(live[at], 0);
            continue;
        }
        assert_int_equal(live[at], ZV_SIMCARD_MALLOC_BASE + place * G);
        memset(used + place, 1, length[at]);
        taken += length[at];
    }
    zv_simcard_close(&card);
}

static void test_limits(void **state)
{
    (void)state;
    struct zv_simcard card;
    assert_int_equal(zv_simcard_open(&card, 0, 0, NULL), ZV_E_LIMIT);
    assert_int_equal(zv_simcard_open(&card, (UINT64_C(1) << 48) + 1, 0, NULL), ZV_E_LIMIT);
    assert_int_equal(zv_simcard_open(&card, G, G + 1, NULL), ZV_E_LIMIT);
    fail_memory_start(1);
    assert_int_equal(zv_simcard_open(&card, G, 0, NULL), ZV_E_NOMEM);
    fail_memory_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges_lowest_first),
                                       cmocka_unit_test(test_reservations),
                                       cmocka_unit_test(test_memory_without_addresses),
                                       cmocka_unit_test(test_work_of_streams),
                                       cmocka_unit_test(test_against_a_map),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests_name("simcard", tests, NULL, NULL);
}
