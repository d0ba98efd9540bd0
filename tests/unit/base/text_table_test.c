#include "base/text_table.h"

#include <stdio.h>
#include <string.h>

#include "base/data.h"
#include "support/fail_memory.h"
#include "support/test.h"

static void test_cells(void **state)
{
    (void)state;
    static const char text[] = "# a comment\n"
                               "\n"
                               "name\t size \tnote\r\n"
                               "one\t1\tx y\n"
                               "# two is gone\n"
                               "three\t-\n"
                               " four \t4\t\n";
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_table table;
    assert_int_equal(zv_table_read(&table, zv_slice_of(text), &arena, &err), ZV_OK);
    assert_int_equal(table.column_count, 3);
    assert_int_equal(table.row_count, 3);
    const int size = zv_table_column(&table, "size");
    const int note = zv_table_column(&table, "note");
    assert_int_equal(size, 1);
    assert_int_equal(zv_table_column(&table, "nothing"), -1);
    assert_true(zv_slice_equal(zv_table_cell(&table, 0, note), "x y"));
    assert_int_equal(zv_table_cell(&table, 1, size).length, 0); /* "-": not known */
    assert_int_equal(zv_table_cell(&table, 1, note).length, 0); /* not there */
    assert_true(zv_slice_equal(zv_table_cell(&table, 2, 0), "four"));
    assert_int_equal(zv_table_cell(&table, 0, -1).length, 0);
    assert_int_equal(table.lines[0], 4);
    assert_int_equal(table.lines[1], 6);
    assert_int_equal(table.lines[2], 7);
    zv_arena_free(&arena);
}

static void test_errors(void **state)
{
    (void)state;
    char many[2 * 33 + 1];
    for (size_t i = 0; i < 33; i++) {
        memcpy(many + 2 * i, "c\t", 2);
    }
    memcpy(many + 65, "\n", 2);
    const struct {
        const char *text;
        enum zv_status status;
        uint64_t line;
    } rows[] = {
        {"", ZV_E_SYNTAX, 0},
        {"# nothing\n\n", ZV_E_SYNTAX, 0},
        {"a\tb\n1\t2\n1\t2\t3\n", ZV_E_SYNTAX, 3},
        {many, ZV_E_LIMIT, 1},
        {"a", ZV_OK, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_table table;
        assert_int_equal(zv_table_read(&table, zv_slice_of(rows[i].text), &arena, &err),
                         rows[i].status);
        assert_int_equal(err.line, rows[i].line);
        zv_arena_free(&arena);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_table table;
    fail_memory_start(1);
    assert_int_equal(zv_table_read(&table, zv_slice_of("a\n1\n"), &arena, &err), ZV_E_NOMEM);
    zv_arena_free(&arena);
    fail_memory_stop();
}

static void test_built_in(void **state)
{
    (void)state;
    assert_int_equal(zv_data_find("no such file").length, 0);
    for (size_t i = 0; i < zv_data_file_count; i++) {
        const struct zv_slice text = zv_data_find(zv_data_files[i].name);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_table table;
        assert_int_not_equal(text.length, 0);
        if (zv_slice_ends(zv_slice_of(zv_data_files[i].name), ".tsv") &&
            zv_table_read(&table, text, &arena, &err) != ZV_OK) {
            fail_msg("%s:%d: %s", zv_data_files[i].name, (int)err.line, err.text);
        }
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_built_in),
    };
    return cmocka_run_group_tests_name("text_table", tests, NULL, NULL);
}
