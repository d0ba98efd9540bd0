#include "base/slice.h"

#include <string.h>

#include "support/test.h"

static void test_compare(void **state)
{
    (void)state;
    const struct zv_slice none = {0};
    assert_int_equal(zv_slice_of(NULL).length, 0);
    assert_true(zv_slice_equal(none, ""));
    assert_false(zv_slice_equal(none, "a"));
    assert_true(zv_slice_equal(zv_slice_of("ab"), "ab"));
    assert_false(zv_slice_equal((struct zv_slice){"ab\0c", 4}, "ab"));
    assert_true(zv_slice_equal_nocase(zv_slice_of("GiB"), "gib"));
    assert_false(zv_slice_equal_nocase(zv_slice_of("\xc3\x89"), "\xc3\xa9"));
    assert_false(zv_slice_equal_nocase(zv_slice_of("["), "{"));
    assert_true(zv_slice_starts(none, ""));
    assert_true(zv_slice_starts(zv_slice_of("abc"), "ab"));
    assert_false(zv_slice_starts(zv_slice_of("a"), "ab"));
    assert_true(zv_slice_ends(zv_slice_of("abc"), "bc"));
    assert_false(zv_slice_ends(zv_slice_of("c"), "bc"));
    assert_true(zv_slice_contains(zv_slice_of("abc"), "b"));
    assert_true(zv_slice_contains(none, ""));
    assert_false(zv_slice_contains(zv_slice_of("abc"), "ac"));
}

static void test_cut(void **state)
{
    (void)state;
    struct zv_slice rest = zv_slice_of("a,,b");
    assert_true(zv_slice_equal(zv_slice_cut(&rest, ','), "a"));
    assert_true(zv_slice_equal(zv_slice_cut(&rest, ','), ""));
    assert_true(zv_slice_equal(zv_slice_cut(&rest, ','), "b"));
    assert_true(zv_slice_equal(zv_slice_cut(&rest, ','), ""));
    assert_int_equal(rest.length, 0);
    rest = (struct zv_slice){0};
    assert_int_equal(zv_slice_cut(&rest, ',').length, 0);
}

static void test_lines_and_words(void **state)
{
    (void)state;
    struct zv_slice rest = zv_slice_of("one\r\n\n three\tfour ");
    struct zv_slice part;
    assert_true(zv_slice_line(&rest, &part) && zv_slice_equal(part, "one"));
    assert_true(zv_slice_line(&rest, &part) && zv_slice_equal(part, ""));
    assert_true(zv_slice_equal(zv_slice_trim(rest), "three\tfour"));
    assert_true(zv_slice_word(&rest, &part) && zv_slice_equal(part, "three"));
    assert_true(zv_slice_word(&rest, &part) && zv_slice_equal(part, "four"));
    assert_false(zv_slice_word(&rest, &part));
    assert_false(zv_slice_line(&rest, &part));
    assert_int_equal(zv_slice_trim(zv_slice_of(" \t\r\n\v\f")).length, 0);
}

static void test_u64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int good;
        uint64_t value;
    } rows[] = {
        {"0", 1, 0},
        {"007", 1, 7},
        {"9999999999999999999", 1, UINT64_C(9999999999999999999)},
        {"18446744073709551615", 1, UINT64_MAX},
        {"00000000000000000000000018446744073709551615", 1, UINT64_MAX},
        {"18446744073709551616", 0, 0},
        {"99999999999999999999", 0, 0},
        {"", 0, 0},
        {"-1", 0, 0},
        {"+1", 0, 0},
        {" 1", 0, 0},
        {"1 ", 0, 0},
        {"1.0", 0, 0},
        {"0x1", 0, 0},
        {"18446744073709551615x", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 0;
        assert_int_equal(zv_slice_u64(zv_slice_of(rows[i].text), &value), rows[i].good);
        assert_int_equal(value, rows[i].value);
    }
}

static void test_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int good;
        double value;
    } rows[] = {
        {"0", 1, 0},  {"-1.5e3", 1, -1500}, {"1e308", 1, 1e308}, {"1e309", 0, 0}, {"1e-400", 0, 0},
        {"", 0, 0},   {"inf", 0, 0},        {"nan", 0, 0},       {"0x10", 0, 0},  {"1,5", 0, 0},
        {" 1", 0, 0}, {"1 ", 0, 0},         {"1e", 0, 0},        {".", 0, 0},     {"--1", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = 0;
        assert_int_equal(zv_slice_double(zv_slice_of(rows[i].text), &value), rows[i].good);
        assert_true(value >= rows[i].value && value <= rows[i].value);
    }
    double value;
    char digits[80];
    memset(digits, '1', sizeof digits); /* longer than any number a person means */
    assert_false(zv_slice_double((struct zv_slice){digits, sizeof digits}, &value));
}

static void test_fixed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned digits;
        int good;
        uint64_t value;
    } rows[] = {
        {"1.5", 1, 1, 15},
        {"1.5", 3, 1, 1500},
        {"12", 2, 1, 1200},
        {"0.95", 2, 1, 95},
        {"0.950000", 2, 1, 95},
        {"0.955", 2, 0, 0},
        {"1.", 1, 0, 0},
        {".5", 1, 0, 0},
        {"", 1, 0, 0},
        {"1.2.3", 3, 0, 0},
        {"1.0.0", 1, 0, 0},
        {"-1.5", 1, 0, 0},
        {"1e3", 1, 0, 0},
        {"18446744073709551615", 0, 1, UINT64_MAX},
        {"1844674407370955161.5", 1, 1, UINT64_MAX},
        {"1844674407370955161.6", 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 0;
        assert_int_equal(zv_slice_fixed(zv_slice_of(rows[i].text), rows[i].digits, &value),
                         rows[i].good);
        assert_int_equal(value, rows[i].value);
    }
}

/* Names of options: two spellings of a line between words, and nothing else. */
static void options_by_name(void **state)
{
    (void)state;
    assert_true(zv_slice_same_option(zv_slice_of("max_model-len"), zv_slice_of("max-model_len")));
    assert_true(zv_slice_same_option(zv_slice_of(NULL), zv_slice_of("")));
    assert_false(zv_slice_same_option(zv_slice_of("Context"), zv_slice_of("context")));
    assert_false(zv_slice_same_option(zv_slice_of("context"), zv_slice_of("context-")));
    assert_false(zv_slice_same_option(zv_slice_of("a b"), zv_slice_of("a-b")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_by_name), cmocka_unit_test(test_compare),
        cmocka_unit_test(test_cut),        cmocka_unit_test(test_lines_and_words),
        cmocka_unit_test(test_u64),        cmocka_unit_test(test_double),
        cmocka_unit_test(test_fixed),
    };
    return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
