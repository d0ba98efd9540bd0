#include "format/csv.h"

#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

static const char sample[] =
    "\xEF\xBB\xBFname, price ,note\r\nA,1.5,\"x, \"\"y\"\"\nz\"\r\n\r\nB,,\nC,2,last";

static void test_rows(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_csv csv;
    assert_int_equal(zv_csv_open(&csv, zv_slice_of(sample), &arena, NULL), ZV_OK);
    assert_int_equal(csv.column_count, 3);
    const int price = zv_csv_column(&csv, "PRICE");
    const int note = zv_csv_column(&csv, "note");
    assert_int_equal(price, 1);
    assert_int_equal(zv_csv_column(&csv, "nosuch"), -1);
    assert_int_equal(zv_csv_next(&csv, NULL), ZV_OK);
    assert_int_equal(csv.line, 2);
    assert_true(zv_slice_equal(zv_csv_cell(&csv, price), "1.5"));
    assert_true(zv_slice_equal(zv_csv_cell(&csv, note), "x, \"y\"\nz"));
    assert_int_equal(zv_csv_next(&csv, NULL), ZV_OK);
    assert_int_equal(csv.line, 5);
    assert_int_equal(zv_csv_cell(&csv, price).length, 0);
    assert_int_equal(zv_csv_cell(&csv, -1).length, 0);
    assert_int_equal(zv_csv_next(&csv, NULL), ZV_OK);
    assert_true(zv_slice_equal(zv_csv_cell(&csv, note), "last"));
    assert_int_equal(zv_csv_next(&csv, NULL), ZV_OK);
    assert_true(csv.at_end);
    zv_arena_free(&arena);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *says;
    } rows[] = {
        {"", 0, "empty"},
        {"\n\r\n", 0, "empty"},
        {"a,b,a\n1,2,3\n", 1, "twice"},
        {"a,b\n1\n", 2, "1 cells"},
        {"a,b\n1,2\n1,2,3\n", 3, "3 cells"},
        {"a,b\n1,\"x\n\n", 2, "does not close"},
        {"a,b\n\"x\"y,2\n", 2, "behind a quote"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_csv csv;
        enum zv_status status = zv_csv_open(&csv, zv_slice_of(rows[i].text), &arena, &err);
        while (status == ZV_OK && !csv.at_end) {
            status = zv_csv_next(&csv, &err);
        }
        assert_int_equal(status, ZV_E_SYNTAX);
        assert_int_equal(err.line, rows[i].line);
        assert_non_null(strstr(err.text, rows[i].says));
        zv_arena_free(&arena);
    }
}

static enum zv_status read_all(struct zv_slice text)
{
    struct zv_arena arena = {0};
    struct zv_csv csv;
    enum zv_status status = zv_csv_open(&csv, text, &arena, NULL);
    while (status == ZV_OK && !csv.at_end) {
        status = zv_csv_next(&csv, NULL);
    }
    zv_arena_free(&arena);
    return status;
}

static void test_prefixes_and_memory(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof sample; length++) {
        const enum zv_status status = read_all((struct zv_slice){sample, length});
        assert_true(status == ZV_OK || status == ZV_E_SYNTAX);
    }
    fail_memory_start(1);
    assert_int_equal(read_all(zv_slice_of(sample)), ZV_E_NOMEM);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_prefixes_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
