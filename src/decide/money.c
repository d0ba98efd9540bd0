#include "decide/money.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

static const uint64_t one = 1000000000;

bool zv_money_amount(struct zv_slice text, uint64_t *nano)
{
    struct zv_slice fraction = text;
    const struct zv_slice whole = zv_slice_cut(&fraction, '.');
    const bool point = whole.length != text.length;
    uint64_t value = 0;
    if (!zv_slice_u64(whole, &value) || (point && fraction.length == 0)) {
        return false;
    }
    for (size_t i = 0; i < fraction.length; i++) {
        if (fraction.at[i] < '0' || fraction.at[i] > '9') {
            return false;
        }
    }
    for (size_t i = 0; i < 9; i++) {
        const unsigned digit = i < fraction.length ? (unsigned)(fraction.at[i] - '0') : 0;
        if (!zv_mul(value, 10, &value) || !zv_add(value, digit, &value)) {
            return false;
        }
    }
    *nano = value;
    return fraction.length <= 9 || fraction.at[9] < '5' || zv_add(value, 1, nano);
}

bool zv_money_currency(struct zv_slice text, char to[4])
{
    static const char codes[] =
        " AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY "
        "KES KRW KWD KZT MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD SAR SEK SGD THB TRY "
        "TWD UAH USD VND ZAR ";
    char word[6];
    if (text.length != 3) {
        return false;
    }
    (void)snprintf(word, sizeof word, " %.3s ", text.at);
    if (strstr(codes, word) == NULL) {
        return false;
    }
    memcpy(to, text.at, 3);
    to[3] = 0;
    return true;
}

void zv_money_print(char to[ZV_MONEY_TEXT], const struct zv_money *money)
{
    const uint64_t cents = money->nano / 10000000 + (money->nano % 10000000 >= 5000000);
    (void)snprintf(to, ZV_MONEY_TEXT, "%" PRIu64 ".%02" PRIu64 " %s", cents / 100, cents % 100,
                   money->currency);
}

enum zv_status zv_rates_add(struct zv_rates *rates, const char *text, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(text);
    struct zv_rate rate = {0};
    const bool known = zv_money_currency(zv_slice_cut(&rest, ':'), rate.from) &&
                       zv_money_currency(zv_slice_cut(&rest, '='), rate.to);
    if (!known || !zv_money_amount(rest, &rate.nano) || rate.nano == 0 ||
        strcmp(rate.from, rate.to) == 0) {
        return zv_fail(err, ZV_E_USAGE, "--rate %s: expected FROM:TO=RATE such as USD:EUR=0.92",
                       text);
    }
    for (size_t i = 0; i < rates->count; i++) {
        if (strcmp(rates->rates[i].from, rate.from) == 0 ||
            strcmp(rates->rates[i].to, rate.from) == 0) {
            return zv_fail(err, ZV_E_USAGE, "--rate %s: %s has a rate already", text, rate.from);
        }
    }
    if (rates->count == ZV_MONEY_MAX_RATES) {
        return zv_fail(err, ZV_E_USAGE, "more than %d rates", ZV_MONEY_MAX_RATES);
    }
    rates->rates[rates->count++] = rate;
    return ZV_OK;
}

bool zv_rates_apply(const struct zv_rates *rates, struct zv_money *money)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct zv_rate *const rate = &rates->rates[i];
        if (strcmp(rate->from, money->currency) == 0) {
            memcpy(money->currency, rate->to, sizeof rate->to);
            return zv_mul_div(money->nano, rate->nano, one, &money->nano);
        }
    }
    return true;
}
