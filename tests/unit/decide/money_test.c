#include "decide/money.h"

#include "support/test.h"

static void test_amounts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t nano;
    } rows[] = {
        {"0", 0},
        {"47.14", 47140000000},
        {"0.000000001", 1},
        {"0.0000000005", 1},
        {"0.00000000049", 0},
        {"0.29999999999999998", 300000000},
        {"18446744073", 18446744073000000000U},
    };
    static const char *const refused[] = {"",      "-1",  "1.", "1e3",         "x",
                                          "1.2.3", "1,5", "+1", "18446744074", "nan"};
    uint64_t nano;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(zv_money_amount(zv_slice_of(rows[i].text), &nano));
        assert_true(nano == rows[i].nano);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(zv_money_amount(zv_slice_of(refused[i]), &nano));
    }
}

static void test_print_and_rates(void **state)
{
    (void)state;
    struct zv_money money = {47145000000, "USD"};
    char text[ZV_MONEY_TEXT];
    zv_money_print(text, &money);
    assert_string_equal(text, "47.15 USD");
    struct zv_rates rates = {0};
    assert_int_equal(zv_rates_add(&rates, "USD:EUR=0.5", NULL), ZV_OK);
    assert_int_equal(zv_rates_add(&rates, "USD:GBP=0.5", NULL), ZV_E_USAGE);
    assert_int_equal(zv_rates_add(&rates, "EUR:GBP=0.5", NULL), ZV_E_USAGE);
    assert_int_equal(zv_rates_add(&rates, "GBP:GBP=1", NULL), ZV_E_USAGE);
    assert_int_equal(zv_rates_add(&rates, "GBP:TRY=0", NULL), ZV_E_USAGE);
    assert_true(zv_rates_apply(&rates, &money));
    assert_string_equal(money.currency, "EUR");
    assert_true(money.nano == 23572500000);
    char code[4];
    assert_false(zv_money_currency(zv_slice_of("usd"), code));
    assert_false(zv_money_currency(zv_slice_of("D E"), code));
    assert_false(zv_money_currency(zv_slice_of("US"), code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_amounts),
                                       cmocka_unit_test(test_print_and_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
