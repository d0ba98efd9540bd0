#include "base/units.h"

#include "support/test.h"

static void test_print(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        enum zv_unit unit;
        unsigned decimals;
        const char *want;
    } rows[] = {
        {UINT64_C(24000000000), ZV_UNIT_GIB, 2, "22.35 GiB"},
        {UINT64_C(14000000000), ZV_UNIT_GIB, 2, "13.04 GiB"},
        {UINT64_C(14000000000), ZV_UNIT_GB, 2, "14.00 GB"},
        {0, ZV_UNIT_GIB, 2, "0.00 GiB"},
        {1, ZV_UNIT_GIB, 2, "0.00 GiB"},
        {1234, ZV_UNIT_B, 2, "1234 B"},
        {5, ZV_UNIT_KB, 2, "0.01 kB"}, /* half up */
        {4, ZV_UNIT_KB, 2, "0.00 kB"},
        {995000, ZV_UNIT_MB, 2, "1.00 MB"},
        {994999, ZV_UNIT_MB, 2, "0.99 MB"},
        {512, ZV_UNIT_KIB, 0, "1 KiB"},
        {511, ZV_UNIT_KIB, 0, "0 KiB"},
        {1536, ZV_UNIT_KIB, 1, "1.5 KiB"},
        {UINT64_MAX, ZV_UNIT_B, 0, "18446744073709551615 B"},
        {UINT64_MAX, ZV_UNIT_KB, 6, "18446744073709551.615000 kB"},
        {UINT64_MAX, ZV_UNIT_TIB, 3, "16777216.000 TiB"},
        {1, ZV_UNIT_MB, 9, "0.000001 MB"}, /* at most six decimals */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[ZV_BYTES_TEXT];
        zv_bytes_print(text, rows[i].bytes, rows[i].unit, rows[i].decimals);
        assert_string_equal(text, rows[i].want);
    }
    char number[ZV_BYTES_TEXT];
    zv_bytes_print_number(number, UINT64_C(24000000000), ZV_UNIT_GIB, 2);
    assert_string_equal(number, "22.35");
}

/* No size that is not 0 is printed as "0.00". */
static void test_fit(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *want;
        enum zv_unit decimal; /* of 1000s */
    } rows[] = {
        {0, "0 B", ZV_UNIT_B},
        {999, "999 B", ZV_UNIT_B},
        {1000, "1000 B", ZV_UNIT_KB},
        {1023, "1023 B", ZV_UNIT_KB},
        {1024, "1.00 KiB", ZV_UNIT_KB},
        {ZV_MIB - 1, "1024.00 KiB", ZV_UNIT_MB},
        {ZV_MIB, "1.00 MiB", ZV_UNIT_MB},
        {1000000000, "953.67 MiB", ZV_UNIT_GB},
        {ZV_GIB, "1.00 GiB", ZV_UNIT_GB},
        {UINT64_MAX, "17179869184.00 GiB", ZV_UNIT_GB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[ZV_BYTES_TEXT];
        zv_bytes_print_fit(text, rows[i].bytes);
        assert_string_equal(text, rows[i].want);
        assert_int_equal(zv_unit_fit(rows[i].bytes, ZV_UNIT_GB), rows[i].decimal);
    }
}

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int good;
        uint64_t bytes;
    } rows[] = {
        {"24GB", 1, UINT64_C(24000000000)},
        {"22.06 GiB", 1, UINT64_C(23686744637)},
        {"450MiB", 1, UINT64_C(471859200)},
        {"1024", 1, 1024},
        {" 7 kb ", 1, 7000},
        {"3 bytes", 1, 3},
        {"0.5 B", 1, 1},
        {"0.4 B", 1, 0},
        {"1.000000001GB", 1, 1000000001},
        {"18446744073709551615", 1, UINT64_MAX},
        {"18446744073709551615 B", 1, UINT64_MAX},
        {"16777215 TiB", 1, UINT64_C(18446742974197923840)},
        {"18446744073709551616", 0, 0},
        {"16777216 TiB", 0, 0},
        {"18446745 TB", 0, 0},
        {"", 0, 0},
        {"GB", 0, 0},
        {"-1 GB", 0, 0},
        {"1,5 GB", 0, 0},
        {"1.5.5 GB", 0, 0},
        {"1. GB", 0, 0},
        {".5 GB", 0, 0},
        {"1e9", 0, 0},
        {"24 G", 0, 0},
        {"24 GBit", 0, 0},
        {"0x10", 0, 0},
        {"inf", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes = 0;
        const bool good = zv_bytes_parse(zv_slice_of(rows[i].text), &bytes);
        if (good != rows[i].good || (good && bytes != rows[i].bytes)) {
            fail_msg("\"%s\": %d, %llu", rows[i].text, good, (unsigned long long)bytes);
        }
    }
}

static void test_units(void **state)
{
    (void)state;
    for (int i = 0; i < ZV_UNIT_COUNT; i++) {
        enum zv_unit unit = ZV_UNIT_COUNT;
        assert_true(zv_unit_parse(zv_slice_of(zv_unit_name((enum zv_unit)i)), &unit));
        assert_int_equal(unit, i);
    }
    assert_int_equal(zv_unit_bytes(ZV_UNIT_GIB), ZV_GIB);
    assert_int_equal(zv_unit_bytes(ZV_UNIT_TB), UINT64_C(1000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
