/* Values of 16 bits: the host's arithmetic against tables, itself, and the kernels' integers. */
#include "measure/value_types.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

/* The kernels' own conversions. */
#define LAB_HOST
#define LAB_KERNEL  __attribute__((unused)) static void
#define LAB_INLINE  static inline
#define LAB_THREAD  UINT64_C(0)
#define LAB_THREADS UINT64_C(1)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#include "../../../data/measure/lab_kernels.c"
#pragma GCC diagnostic pop

static const struct {
    double value;
    uint16_t half;
    uint16_t bfloat;
} table[] = {
    {0, 0x0000, 0x0000},
    {-0.0, 0x8000, 0x8000},
    {1, 0x3c00, 0x3f80},
    {-2, 0xc000, 0xc000},
    {0.333251953125, 0x3555, 0x3eab},
    {65504, 0x7bff, 0x4780},
    {65519, 0x7bff, 0x4780},
    {65520, 0x7c00, 0x4780},
    {0x1p-14, 0x0400, 0x3880},
    {0x1p-24, 0x0001, 0x3380},
    {0x1p-25, 0x0000, 0x3300},
    {0x1.8p-25, 0x0001, 0x3340},
    {1e300, 0x7c00, 0x7f80},
    {-1e300, 0xfc00, 0xff80},
    {1 + 0x1p-11, 0x3c00, 0x3f80},
    {1 + 0x1.8p-10, 0x3c02, 0x3f80},
    {1 + 0x1p-8, 0x3c04, 0x3f80},
    {1 + 0x1.8p-7, 0x3c0c, 0x3f82},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint16_t half;
        uint16_t bfloat;
        value_put(&half, 0, table[i].value, MEASURE_F16);
        value_put(&bfloat, 0, table[i].value, MEASURE_BF16);
        if (half != table[i].half || bfloat != table[i].bfloat) {
            fail_msg("%a: %04x %04x", table[i].value, half, bfloat);
        }
    }
}

/* All 65,536: the kernels read what the host reads, and both write it back. */
static void test_every_pattern(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const uint16_t from = (uint16_t)bits;
        for (int dtype = MEASURE_F16; dtype < MEASURE_DTYPES; dtype++) {
            const double value = value_get(&from, 0, (enum measure_dtype)dtype);
            const double loaded = (double)load(&from, 0, dtype);
            uint16_t host = 0;
            uint16_t kernel = 0;
            if (isnan(value)) {
                store(&kernel, 0, (float)value, dtype);
                assert_true(isnan(loaded));
                assert_true(isnan(value_get(&kernel, 0, (enum measure_dtype)dtype)));
                continue;
            }
            value_put(&host, 0, value, (enum measure_dtype)dtype);
            store(&kernel, 0, (float)value, dtype);
            if (memcmp(&value, &loaded, sizeof value) != 0 || host != from || kernel != from) {
                fail_msg("type %d, %04x: %a %a, %04x %04x", dtype, bits, value, loaded, host,
                         kernel);
            }
        }
    }
}

/* Rounding of float32 values, ties and subnormals among them: twice written, once by integers. */
static void test_rounding(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 2000000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t bits = (uint32_t)(seed >> 32);
        bits = i % 4 == 0 ? bits & 0xfffff000U : bits; /* ties */
        const float value = float_of(bits);
        for (int dtype = MEASURE_F16; dtype < MEASURE_DTYPES && !isnan(value); dtype++) {
            uint16_t host = 0;
            uint16_t kernel = 0;
            value_put(&host, 0, (double)value, (enum measure_dtype)dtype);
            store(&kernel, 0, value, dtype);
            if (host != kernel) {
                fail_msg("type %d, %08x: %04x %04x", dtype, bits, host, kernel);
            }
        }
    }
}

static void test_random_values(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        const double value = value_random(7, i, 3);
        assert_true(value >= -3 && value < 3);
        assert_true((float)value == random_value(7, i, 3));
        sum += value;
    }
    assert_true(fabs(sum) < 3000);
    assert_true(value_random(7, 0, 1) != value_random(8, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_every_pattern),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_random_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
