/*
 * Money: billionths of a currency's unit, as integers. Amounts of different currencies are never
 * compared unless the user gives a rate.
 */
#ifndef ZIRVE_DECIDE_MONEY_H
#define ZIRVE_DECIDE_MONEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/error.h"

enum { ZV_MONEY_TEXT = 40, ZV_MONEY_MAX_RATES = 16 };

struct zv_money {
    uint64_t nano;
    char currency[4]; /* "USD" */
};

struct zv_rate { /* 1 from = nano / 10^9 to */
    char from[4];
    char to[4];
    uint64_t nano;
};

struct zv_rates {
    struct zv_rate rates[ZV_MONEY_MAX_RATES];
    size_t count;
};

/* An amount without sign: "47.14"; what is below a billionth is rounded half up. */
bool zv_money_amount(struct zv_slice text, uint64_t *nano);

/* A code of ISO 4217, in capitals. */
bool zv_money_currency(struct zv_slice text, char to[4]);

/* "47.14 USD", rounded half up to two decimals. */
void zv_money_print(char to[ZV_MONEY_TEXT], const struct zv_money *money);

/* "USD:EUR=0.92". Errors: ZV_E_USAGE. */
enum zv_status zv_rates_add(struct zv_rates *rates, const char *text, struct zv_error *err);

/* Into the rate's currency when there is one. False when the amount does not fit. */
bool zv_rates_apply(const struct zv_rates *rates, struct zv_money *money);

#endif
