#include "base/fail.h"

#include <string.h>

#include "support/test.h"

static void test_first_cause(void **state)
{
    (void)state;
    struct zv_error err = {0};
    assert_int_equal(zv_fail_at(&err, ZV_E_SYNTAX, 42, "bad %s", "thing"), ZV_E_SYNTAX);
    assert_int_equal(zv_fail(&err, ZV_E_IO, "later"), ZV_E_IO); /* returned, not recorded */
    assert_int_equal(zv_fail_line(&err, ZV_E_IO, 7, "later"), ZV_E_IO);
    assert_int_equal(zv_fail_memory(&err, "later"), ZV_E_NOMEM);
    assert_int_equal(err.status, ZV_E_SYNTAX);
    assert_string_equal(err.text, "bad thing");
    assert_true(err.has_offset);
    assert_int_equal(err.offset, 42);
    assert_int_equal(err.line, 0);
    assert_int_equal(zv_fail_where(&err, "file.json"), ZV_E_SYNTAX);
    assert_int_equal(zv_fail_where(&err, "other"), ZV_E_SYNTAX);
    assert_string_equal(err.where, "file.json");
}

static void test_without_error(void **state)
{
    (void)state;
    assert_int_equal(zv_fail(NULL, ZV_E_LIMIT, "x"), ZV_E_LIMIT);
    assert_int_equal(zv_fail_at(NULL, ZV_E_LIMIT, 1, "x"), ZV_E_LIMIT);
    assert_int_equal(zv_fail_line(NULL, ZV_E_LIMIT, 1, "x"), ZV_E_LIMIT);
    assert_int_equal(zv_fail_memory(NULL, "x"), ZV_E_NOMEM);
}

static void test_hostile_text(void **state)
{
    (void)state;
    struct zv_error err = {0};
    char name[1000];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    memcpy(name, "\x1b[2J\n\x7f", 6);
    (void)zv_fail(&err, ZV_E_SYNTAX, "%s", name);
    (void)zv_fail_where(&err, name);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.where), sizeof err.where - 1);
    assert_memory_equal(err.text, "?[2J??aaa", 9);
    assert_memory_equal(err.where, "?[2J??aaa", 9);
}

static void test_statuses(void **state)
{
    (void)state;
    static const struct {
        enum zv_status status;
        int value;
        int exit_code;
    } rows[] = {
        {ZV_OK, 0, 0},
        {ZV_E_USAGE, 1, 64},
        {ZV_E_NOMEM, 2, 70},
        {ZV_E_IO, 3, 3},
        {ZV_E_SYNTAX, 4, 3},
        {ZV_E_LIMIT, 5, 3},
        {ZV_E_UNSUPPORTED, 6, 4},
        {ZV_E_NOT_FOUND, 7, 3},
        {ZV_E_EXISTS, 8, 3},
        {ZV_E_OVERFLOW, 9, 3},
        {ZV_E_DEVICE, 10, 2},
        {ZV_E_BUG, 11, 70},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(rows[i].status, rows[i].value); /* pinned */
        assert_int_equal(zv_status_exit_code(rows[i].status), rows[i].exit_code);
        assert_non_null(zv_status_sentence(rows[i].status));
    }
    assert_string_equal(zv_status_sentence((enum zv_status)99), "unknown status");
    assert_int_equal(zv_status_exit_code((enum zv_status)99), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_cause),
        cmocka_unit_test(test_without_error),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_statuses),
    };
    return cmocka_run_group_tests_name("fail", tests, NULL, NULL);
}
