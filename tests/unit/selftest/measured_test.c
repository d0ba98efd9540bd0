#include "selftest/measured.h"

#include "support/test.h"

static const struct {
    const char *text;
    bool good;
    const char *number;
    uint64_t bytes;
    uint64_t low;
    uint64_t high;
} sizes[] = {
    {"2440.00 MiB", true, "2440.00", 2558525440, 2558520198, 2558530682},
    {"KV self size  =  180.00 MiB, K (f16): 90.00 MiB", true, "180.00", 188743680, 188738438,
     188748922},
    {"CUDA0 KV buffer size = 2048.00 MiB", true, "2048.00", 2147483648, 2147478406, 2147488890},
    {"2713,50 MiB, c^KV", true, "2713,50", 2845310976, 2845305734, 2845316218},
    {"14.99 GB", true, "14.99", 16095389942, 16090021233, 16100758650},
    {"12 MiB", true, "12", 12582912, 12058624, 13107200},
    {"no size", false, "", 0, 0, 0},
    {"K (q8_0):", false, "", 0, 0, 0},
    {"99999999999999999999 GiB", false, "", 0, 0, 0},
};

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct measured got;
        const bool good = measured_read(zv_slice_of(sizes[i].text), ZV_UNIT_COUNT, true, &got);
        assert_int_equal(good, sizes[i].good);
        if (!good) {
            continue;
        }
        if (!zv_slice_equal(got.number, sizes[i].number) || got.bytes != sizes[i].bytes ||
            got.low != sizes[i].low || got.high != sizes[i].high) {
            fail_msg("%s: %llu in %llu..%llu", sizes[i].text, (unsigned long long)got.bytes,
                     (unsigned long long)got.low, (unsigned long long)got.high);
        }
    }
}

/* What prints the same is equal: the range and the printing agree at its ends. */
static void test_print(void **state)
{
    (void)state;
    static const uint64_t bytes[] = {0,          1,          5242,       5243,      1223294976,
                                     1223294977, 4893180928, 2293686272, 470679552, 17694720};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        char text[ZV_BYTES_TEXT];
        struct measured like = {.unit = ZV_UNIT_MIB, .decimals = 2};
        struct measured back;
        measured_print(&like, bytes[i], text);
        assert_true(measured_read(zv_slice_of(text), ZV_UNIT_MIB, true, &back));
        assert_true(measured_equal(&back, bytes[i]));
        measured_print(&like, back.low, text);
        assert_true(zv_slice_equal(back.number, text) || back.low == 0);
        measured_print(&like, back.high, text);
        assert_true(measured_equal(&back, back.high));
        assert_false(measured_equal(&back, back.high + 1));
    }
}

/* A half is rounded to the even neighbour, as printf does: 1166.625 prints as 1166.62. */
static void test_halves(void **state)
{
    (void)state;
    char text[ZV_BYTES_TEXT];
    const struct measured like = {.unit = ZV_UNIT_MIB, .decimals = 2};
    measured_print(&like, 1223294976, text);
    assert_string_equal(text, "1166.62");
    measured_print(&like, 470679552, text); /* 448.875 */
    assert_string_equal(text, "448.88");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
