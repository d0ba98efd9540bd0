#include "base/strmap.h"

#include <stdio.h>

#include "support/fail_memory.h"
#include "support/test.h"

enum { KEYS = 5000 };

static char names[KEYS][12];

static struct zv_slice key(size_t i)
{
    (void)snprintf(names[i], sizeof names[i], "k%zu", i);
    return zv_slice_of(names[i]);
}

static void test_many(void **state)
{
    (void)state;
    struct zv_strmap map = {0};
    struct zv_strmap_entry *entry;
    assert_null(zv_strmap_find(&map, zv_slice_of("k0")));
    for (size_t i = 0; i < KEYS; i++) {
        assert_int_equal(zv_strmap_add(&map, key(i), i, &entry), ZV_STRMAP_ADDED);
        assert_int_equal(entry->value, i);
    }
    for (size_t i = 0; i < KEYS; i++) {
        assert_int_equal(zv_strmap_add(&map, key(i), 0, &entry), ZV_STRMAP_EXISTS);
        assert_int_equal(entry->value, i); /* the first stays */
        assert_ptr_equal(zv_strmap_find(&map, key(i)), entry);
        assert_true(zv_slice_equal(map.entries[i].key, names[i])); /* in order */
    }
    assert_int_equal(map.count, KEYS);
    assert_null(zv_strmap_find(&map, zv_slice_of("k")));
    zv_strmap_free(&map);
    assert_int_equal(map.count, 0);
}

static void test_keys(void **state)
{
    (void)state;
    static const struct zv_slice keys[] = {
        {NULL, 0}, {"\0", 1}, {"\0\0", 2}, {"12345678", 8}, {"12345678\0", 9}, {"123456789", 9},
    };
    struct zv_strmap map = {0};
    struct zv_strmap_entry *entry;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_int_equal(zv_strmap_add(&map, keys[i], i, &entry), ZV_STRMAP_ADDED);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_int_equal(zv_strmap_find(&map, keys[i])->value, i);
        assert_int_equal(zv_strmap_hash(keys[i]), zv_strmap_hash(keys[i]));
    }
    zv_strmap_free(&map);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 4; n++) {
        struct zv_strmap map = {0};
        struct zv_strmap_entry *entry;
        size_t i = 0;
        fail_memory_start(n);
        while (i < 100 && zv_strmap_add(&map, key(i), i, &entry) == ZV_STRMAP_ADDED) {
            i++;
        }
        assert_int_equal(i, n <= 2 ? 0 : 16);
        assert_int_equal(map.count, i);
        assert_int_equal(zv_strmap_add(&map, key(i), i, &entry), ZV_STRMAP_ADDED); /* as before */
        for (size_t k = 0; k <= i; k++) {
            assert_int_equal(zv_strmap_find(&map, key(k))->value, k);
        }
        zv_strmap_free(&map);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("strmap", tests, NULL, NULL);
}
