#include "base/name_set.h"

#include <stdio.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

enum { NAMES = 4000, LENGTH = 64 };

static char names[NAMES][LENGTH];

/* Names of all kinds, many of them twice; the same for the same seed. */
static void make_names(uint32_t seed)
{
    static const char *const forms[][3] = {
        {"layers.", ".experts.", ".up.weight"},
        {"layers.", ".experts.", ".up.weight_scale_inv"},
        {"layers.", ".norm.", ""},
        {"", ".", ""},
        {"layers.", ".experts.0", ".up"},
        {"layers.", ".experts.#.up", ""},
        {"blocks", ".x", ".2y.weight"},
        {"layers.", ".experts.", ".."},
        {".", ".", "."},
        {"layers.", ".experts.", "\xc3\xa9.7.up"},
    };
    enum { FORMS = sizeof forms / sizeof *forms };
    for (size_t i = 0; i < NAMES; i++) {
        seed = seed * 1664525 + 1013904223;
        const char *const *const form = forms[(seed >> 24) % FORMS];
        const unsigned first = seed >> 8 & 3;
        const unsigned second =
            (seed >> 10 & 15) == 0 ? 900 + (seed >> 14 & 255) : seed >> 14 & 127;
        (void)snprintf(names[i], LENGTH, "%s%u%s%u%s", form[0], first, form[1], second, form[2]);
    }
    (void)snprintf(names[0], LENGTH, "layers.0.experts.#.up");
    (void)snprintf(names[1], LENGTH, "layers.0.experts.1023.up");
    (void)snprintf(names[2], LENGTH, "layers.0.experts.1024.up");
    (void)snprintf(names[3], LENGTH, "layers.0.experts.18446744073709551617.up");
    names[4][0] = 0;
}

/* The same answers as a list that is searched from its beginning. */
static void test_as_a_list(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        struct zv_name_set set = {0};
        size_t different = 0;
        make_names(seed);
        for (size_t i = 0; i < NAMES; i++) {
            struct zv_name_place place;
            size_t same = 0;
            while (strcmp(names[same], names[i]) != 0) {
                same++;
            }
            different += same == i;
            assert_int_equal(zv_name_set_add(&set, zv_slice_of(names[i]), &place),
                             same == i ? ZV_NAME_ADDED : ZV_NAME_EXISTS);
            assert_true(zv_name_pattern_has(&set.patterns[place.pattern], place.number));
        }
        assert_int_equal(set.count, different);
        size_t counted = 0;
        for (size_t i = 0; i < set.pattern_count; i++) {
            counted += set.patterns[i].count;
        }
        assert_int_equal(counted, different);
        zv_name_set_free(&set);
    }
}

static void test_places(void **state)
{
    static const struct {
        const char *name;
        uint32_t pattern;
        uint32_t number;
        uint32_t at;
    } rows[] = {
        {"layers.3.experts.0.up", 0, 0, 17},
        {"layers.3.experts.17.up", 0, 17, 17},
        {"layers.3.experts.017.up", 1, 3, 7},
        {"layers.4.experts.5.up", 2, 5, 17},
        {"layers.3.experts.#.up", 3, 3, 7},
        {"norm.weight", 4, 0, 11},
        {"norm.weight_2", 5, 0, 13},
        {"12", 6, 12, 0},
        {"layers.3.experts.1024.up", 7, 3, 7},
        {"layers.7.experts.1024.up", 7, 7, 7},
        {"", 8, 0, 0},
    };
    (void)state;
    struct zv_name_set set = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zv_name_place place;
        assert_int_equal(zv_name_set_add(&set, zv_slice_of(rows[i].name), &place), ZV_NAME_ADDED);
        assert_int_equal(place.pattern, rows[i].pattern);
        assert_int_equal(place.number, rows[i].number);
        assert_int_equal(set.patterns[place.pattern].at, rows[i].at);
    }
    zv_name_set_free(&set);
}

/* Dense: 0 to count - 1, whatever the order. */
static void test_dense(void **state)
{
    static const unsigned counts[] = {1, 2, 63, 64, 65, 128, 200, 1024};
    (void)state;
    make_names(1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct zv_name_set set = {0};
        struct zv_name_place place;
        for (unsigned n = 0; n < counts[i]; n++) {
            (void)snprintf(names[n], LENGTH, "experts.%u.up", counts[i] - 1 - n);
            assert_int_equal(zv_name_set_add(&set, zv_slice_of(names[n]), &place), ZV_NAME_ADDED);
            assert_int_equal(zv_name_pattern_is_dense(&set.patterns[0]), n + 1 == counts[i]);
        }
        assert_int_equal(set.pattern_count, 1);
        zv_name_set_free(&set);
    }
    struct zv_name_set set = {0};
    struct zv_name_place place;
    for (unsigned n = 0; n < 3; n++) {
        (void)zv_name_set_add(&set, zv_slice_of(names[n]), &place); /* 1023, 1022, 1021 */
    }
    (void)zv_name_set_add(&set, zv_slice_of("experts.0.up"), &place);
    zv_name_set_remove(&set, (struct zv_name_place){0, 1023});
    zv_name_set_remove(&set, (struct zv_name_place){0, 1021});
    zv_name_set_remove(&set, (struct zv_name_place){0, 1021});
    assert_false(zv_name_pattern_is_dense(&set.patterns[0]));
    zv_name_set_remove(&set, (struct zv_name_place){0, 1022});
    assert_true(zv_name_pattern_is_dense(&set.patterns[0]));
    assert_int_equal(set.count, 1);
    assert_int_equal(zv_name_set_add(&set, zv_slice_of(names[0]), &place), ZV_NAME_ADDED);
    (void)zv_name_set_add(&set, zv_slice_of("experts.up"), &place);
    assert_false(zv_name_pattern_is_dense(&set.patterns[place.pattern])); /* no numbers at all */
    zv_name_set_free(&set);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    make_names(7);
    size_t failed = 1;
    for (size_t n = 1; failed != 0; n++) {
        struct zv_name_set set = {0};
        struct zv_name_place place;
        enum zv_name_result result = ZV_NAME_ADDED;
        fail_memory_start(n);
        for (size_t i = 0; result != ZV_NAME_NOMEM && i < 500; i++) {
            result = zv_name_set_add(&set, zv_slice_of(names[i]), &place);
        }
        zv_name_set_free(&set);
        fail_memory_stop();
        failed = fail_memory.failed;
        assert_int_equal(result == ZV_NAME_NOMEM, failed != 0);
        assert_int_equal(fail_memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_list),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
