#include "base/date.h"

#include "support/test.h"

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t days;
    } rows[] = {
        {"1970-01-01", 0},     {"1970-12-31", 364},   {"2000-02-29", 11016},
        {"2000-03-01", 11017}, {"2026-11-29", 20786}, {"9999-12-31", 2932896},
    };
    static const char *const refused[] = {"",           "2026-11-31", "2026-13-01", "2026-00-01",
                                          "2026-01-00", "1969-12-31", "2100-02-29", "2026/01/01",
                                          "26-01-01",   "2026-1-1",   "2026-01-011"};
    char text[ZV_DATE_TEXT];
    int32_t days;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(zv_date_parse(zv_slice_of(rows[i].text), &days));
        assert_int_equal(days, rows[i].days);
        zv_date_print(text, days);
        assert_string_equal(text, rows[i].text);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(zv_date_parse(zv_slice_of(refused[i]), &days));
    }
    for (int32_t day = 0; day < 100000; day += 13) {
        zv_date_print(text, day);
        assert_true(zv_date_parse(zv_slice_of(text), &days) && days == day);
    }
    zv_date_print(text, ZV_DATE_NONE);
    assert_string_equal(text, "unknown");
    assert_true(zv_date_today() > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
