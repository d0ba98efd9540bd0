#include "selftest/rows.h"

#include <string.h>

#include "support/test.h"

static const char text[] =
    "{\"id\": \"a\", \"kind\": \"k\", \"source\": \"s\", \"model\": \"m\", \"config\": "
    "{\"layers\": \"61\", "
    "\"heads\": 128, \"none\": null}, \"settings\": {\"fa\": true}, \"measured\": {\"kv\": \"1.00 "
    "MiB\", "
    "\"n\": \"476,016\", \"list\": [[\"CUDA0\", \"2.00\"], [\"CPU\", 3]]}, \"citable\": true}\n"
    "\n"
    "{\"id\": \"b\", \"kind\": \"k\"}\r\n";

static void test_rows(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_rows rows;
    assert_int_equal(zv_rows_read(&rows, zv_slice_of(text), &arena, NULL), ZV_OK);
    assert_int_equal(rows.count, 2);
    const struct zv_row *const row = &rows.rows[0];
    uint64_t value = 0;
    assert_true(zv_slice_equal(row->id, "a") && row->citable && row->line == 1);
    assert_true(zv_row_u64(&row->config, "layers", &value) && value == 61);
    assert_true(zv_row_u64(&row->config, "heads", &value) && value == 128);
    assert_false(zv_row_u64(&row->config, "none", &value));
    assert_false(zv_row_u64(&row->config, "absent", &value));
    assert_true(zv_row_u64(&row->measured, "n", &value) && value == 476016);
    assert_false(zv_row_u64(&row->measured, "kv", &value));
    assert_true(zv_slice_equal(zv_row_text(&row->settings, "fa"), "true"));
    const struct zv_row_field *const list = zv_row_find(&row->measured, "list");
    assert_int_equal(list->pair_count, 2);
    assert_true(zv_slice_equal(list->pairs[1].value, "3"));
    assert_int_equal(rows.rows[1].line, 3);
    zv_arena_free(&arena);
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } bad[] = {{"{", 1},
               {"[]", 1},
               {"{\"id\":\"a\",\"kind\":\"k\"}\n{\"id\":1}", 2},
               {"{\"id\":\"a\",\"kind\":\"k\",\"id\":\"b\"}", 1},
               {"nonsense", 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_rows rows;
        assert_int_equal(zv_rows_read(&rows, zv_slice_of(bad[i].text), &arena, &err), ZV_E_SYNTAX);
        assert_int_equal(err.line, bad[i].line);
        zv_arena_free(&arena);
    }
}

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof text; length++) {
        struct zv_arena arena = {0};
        struct zv_rows rows;
        (void)zv_rows_read(&rows, (struct zv_slice){text, length}, &arena, NULL);
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
