#include "base/checked.h"

#include "support/test.h"

static void test_add_mul(void **state)
{
    (void)state;
    static const struct {
        uint64_t a;
        uint64_t b;
        int adds;
        int multiplies;
    } rows[] = {
        {0, 0, 1, 1},
        {UINT64_MAX, 0, 1, 1},
        {UINT64_MAX, 1, 0, 1},
        {UINT64_MAX, 2, 0, 0},
        {UINT64_C(1) << 63, UINT64_C(1) << 63, 0, 0},
        {UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 0},
        {UINT32_MAX, UINT32_MAX, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t to = 77;
        assert_int_equal(zv_add(rows[i].a, rows[i].b, &to), rows[i].adds);
        assert_int_equal(to, rows[i].adds ? rows[i].a + rows[i].b : 77);
        to = 77;
        assert_int_equal(zv_mul(rows[i].a, rows[i].b, &to), rows[i].multiplies);
        assert_int_equal(to, rows[i].multiplies ? rows[i].a * rows[i].b : 77);
    }
}

static void test_round(void **state)
{
    (void)state;
    uint64_t to = 77;
    assert_int_equal(zv_ceil_div(0, 512), 0);
    assert_int_equal(zv_ceil_div(1, 512), 1);
    assert_int_equal(zv_ceil_div(513, 512), 2);
    assert_int_equal(zv_ceil_div(UINT64_MAX, 1), UINT64_MAX);
    assert_true(zv_round_up(513, 512, &to) && to == 1024);
    assert_true(zv_round_up(0, 512, &to) && to == 0);
    assert_true(zv_round_up(UINT64_MAX, 1, &to) && to == UINT64_MAX);
    assert_true(zv_round_up(UINT64_MAX - 511, 512, &to) && to == UINT64_MAX - 511);
    to = 77;
    assert_false(zv_round_up(UINT64_MAX - 510, 512, &to));
    assert_int_equal(to, 77);
}

static void test_mul_div(void **state)
{
    (void)state;
    uint64_t to = 77;
    assert_true(zv_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX, &to) && to == UINT64_MAX);
    assert_true(zv_mul_div(UINT64_C(24000000000), 95, 100, &to) && to == UINT64_C(22800000000));
    assert_true(zv_mul_div(1, 1, 2, &to) && to == 0);
    to = 77;
    assert_false(zv_mul_div(UINT64_MAX, 2, 1, &to));
    assert_int_equal(to, 77);
}

static void test_product_below(void **state)
{
    (void)state;
    assert_true(zv_product_below(2, 3, 1, 7));
    assert_false(zv_product_below(2, 3, 1, 6));
    assert_false(zv_product_below(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX));
    assert_true(zv_product_below(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX));
    assert_true(zv_product_below(0, UINT64_MAX, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_mul),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_mul_div),
        cmocka_unit_test(test_product_below),
    };
    return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}
