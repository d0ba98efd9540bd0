/* Neighbours in a set of indices are those that looking at every one finds. */
#include "trace/index_set.h"

#include <string.h>

#include "support/test.h"

enum { COUNT = 70000 };

static bool members[COUNT];

static size_t above(size_t index, size_t count)
{
    for (size_t i = index + 1; i < count; i++) {
        if (members[i]) {
            return i;
        }
    }
    return INDEX_SET_NONE;
}

static size_t at_or_below(size_t index)
{
    for (size_t i = index + 1; i != 0; i--) {
        if (members[i - 1]) {
            return i - 1;
        }
    }
    return INDEX_SET_NONE;
}

static void check(size_t count, unsigned steps)
{
    struct index_set set;
    uint32_t state = (uint32_t)count;
    memset(members, 0, sizeof members);
    assert_true(index_set_open(&set, count));
    for (unsigned i = 0; i < steps; i++) {
        state = state * 1664525 + 1013904223;
        const size_t at = (size_t)(state >> 8) % count;
        members[at] = (state >> 4) % 3 != 0;
        if (members[at]) {
            index_set_add(&set, at);
        } else {
            index_set_remove(&set, at);
        }
        const size_t from = (size_t)(state >> 3) % count;
        assert_int_equal(index_set_above(&set, from), above(from, count));
        assert_int_equal(index_set_at_or_below(&set, from), at_or_below(from));
    }
    for (size_t i = 0; i < count; i++) {
        index_set_remove(&set, i);
    }
    assert_int_equal(index_set_above(&set, 0), INDEX_SET_NONE);
    assert_int_equal(index_set_at_or_below(&set, count - 1), INDEX_SET_NONE);
    index_set_free(&set);
}

static void test_neighbours(void **state)
{
    (void)state;
    check(1, 20);
    check(64, 500);
    check(65, 500);
    check(4096, 2000);
    check(4097, 2000);
    check(COUNT, 3000);
}

static void test_none(void **state)
{
    (void)state;
    struct index_set set;
    assert_true(index_set_open(&set, 0));
    assert_int_equal(index_set_above(&set, 0), INDEX_SET_NONE);
    assert_int_equal(index_set_at_or_below(&set, 0), INDEX_SET_NONE);
    index_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
