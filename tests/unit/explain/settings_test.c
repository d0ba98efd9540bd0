/* Which setting is tried next: one of a kind each, then the best of two kinds together. */
#include "explain/settings.h"

#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

enum { MOST = 32 };

/* Reserved bytes of a setting that has these words: so many fewer for each. */
static uint64_t reserved_by(const char *conf)
{
    static const struct {
        const char *words;
        uint64_t less;
    } gains[] = {{"expandable", 50}, {"mb:128", 10}, {"mb:256", 20}, {"divisions:4", 5}};
    uint64_t reserved = 1000;
    for (size_t i = 0; i < sizeof gains / sizeof gains[0]; i++) {
        reserved -= strstr(conf, gains[i].words) != NULL ? gains[i].less : 0;
    }
    return reserved;
}

static size_t search(const char *first, struct zv_tried *tried, struct zv_arena *arena)
{
    size_t count = 1;
    const char *conf = "";
    tried[0] = (struct zv_tried){.conf = first, .reserved_bytes = reserved_by(first)};
    while (conf != NULL && count < MOST) {
        assert_int_equal(zv_setting_next(&conf, tried, count, arena, NULL), ZV_OK);
        if (conf != NULL) {
            tried[count++] = (struct zv_tried){.conf = conf, .reserved_bytes = reserved_by(conf)};
        }
    }
    return count;
}

static void test_order(void **state)
{
    (void)state;
    static const char *const together[] = {
        "expandable_segments:True,roundup_power2_divisions:4",
        "max_split_size_mb:256,roundup_power2_divisions:4",
        "expandable_segments:True,garbage_collection_threshold:0.8",
        "max_split_size_mb:256,garbage_collection_threshold:0.8"};
    struct zv_arena arena = {0};
    struct zv_tried tried[MOST];
    const size_t count = search("", tried, &arena);
    assert_int_equal(count, 14);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(tried[count - 4 + i].conf, together[i]);
    }
    for (size_t i = 1; i < count; i++) { /* none twice */
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(tried[i].conf, tried[j].conf);
        }
    }
    /* What was run already is not tried again, and counts among its kind. */
    assert_int_equal(search("max_split_size_mb:256", tried, &arena), 13);
    assert_string_equal(tried[12].conf, together[3]);
    zv_arena_free(&arena);
}

static void test_results(void **state)
{
    (void)state;
    const struct zv_tried served = {"a", 0, 100, 9};
    const struct zv_tried failed = {"b", 1, 10, 1};
    const struct zv_tried larger = {"c", 0, 101, 1};
    const struct zv_tried busier = {"d", 0, 100, 10};
    const struct zv_tried same = {"e", 0, 100, 9};
    assert_true(zv_tried_order(&served, &failed) < 0);
    assert_true(zv_tried_order(&larger, &served) > 0);
    assert_true(zv_tried_order(&served, &busier) < 0);
    assert_int_equal(zv_tried_order(&served, &same), 0);
}

static void test_memory(void **state)
{
    (void)state;
    struct zv_tried tried[MOST];
    struct zv_arena arena = {0};
    const char *conf;
    const size_t count = search("", tried, &arena);
    struct zv_arena empty = {0};
    fail_memory_start(1);
    assert_int_equal(zv_setting_next(&conf, tried, count - 1, &empty, NULL), ZV_E_NOMEM);
    fail_memory_stop();
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_results),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
