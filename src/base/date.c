#include "base/date.h"

#include <stdio.h>
#include <time.h>

enum { FIRST_YEAR = 1970, LAST_YEAR = 9999 };

static bool is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days of all years before this one, counted from year 1. */
static unsigned days_before(unsigned year)
{
    const unsigned past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

static bool number(struct zv_slice text, size_t at, size_t count, unsigned *to)
{
    uint64_t value;
    if (!zv_slice_u64((struct zv_slice){text.at + at, count}, &value)) {
        return false;
    }
    *to = (unsigned)value;
    return true;
}

bool zv_date_parse(struct zv_slice text, int32_t *days)
{
    unsigned year;
    unsigned month;
    unsigned day;
    if (text.length != 10 || text.at[4] != '-' || text.at[7] != '-' || !number(text, 0, 4, &year) ||
        !number(text, 5, 2, &month) || !number(text, 8, 2, &day) || year < FIRST_YEAR ||
        month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) {
        return false;
    }
    unsigned count = days_before(year) - days_before(FIRST_YEAR) + day - 1;
    for (unsigned m = 1; m < month; m++) {
        count += days_of_month(year, m);
    }
    *days = (int32_t)count;
    return true;
}

void zv_date_print(char to[ZV_DATE_TEXT], int32_t days)
{
    if (days < 0) {
        (void)snprintf(to, ZV_DATE_TEXT, "unknown");
        return;
    }
    unsigned rest = (unsigned)days;
    unsigned year = FIRST_YEAR;
    unsigned month = 1;
    while (year < LAST_YEAR && rest >= (is_leap(year) ? 366U : 365U)) {
        rest -= is_leap(year) ? 366 : 365;
        year++;
    }
    while (month < 12 && rest >= days_of_month(year, month)) {
        rest -= days_of_month(year, month);
        month++;
    }
    (void)snprintf(to, ZV_DATE_TEXT, "%04u-%02u-%02u", year, month, rest % 31 + 1);
}

int32_t zv_date_today(void)
{
    return (int32_t)(time(NULL) / 86400);
}
