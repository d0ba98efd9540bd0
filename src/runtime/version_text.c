#include "runtime/version_text.h"

#include <stdio.h>
#include <string.h>

/* Days since 1970-01-01 of a day of the proleptic Gregorian calendar (years counted from March). */
static int64_t days_from_civil(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    const int64_t era = year / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

void version_day_print(char to[16], int64_t day)
{
    day += 719468;
    const int64_t era = day / 146097;
    const int64_t day_of_era = day - era * 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted = (5 * day_of_year + 2) / 153;
    const int month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    const int year = (int)(year_of_era + era * 400 + (month <= 2));
    (void)snprintf(to, 16, "%04d-%02d-%02d", year % 10000, month,
                   (int)(day_of_year - (153 * shifted + 2) / 5 + 1));
}

static bool fixed_digits(struct zv_slice text, size_t length, uint64_t *to)
{
    return text.length == length && zv_slice_u64(text, to);
}

bool version_day(struct zv_slice text, int64_t *day)
{
    uint64_t year = 0;
    uint64_t month = 0;
    uint64_t of_month = 1;
    if (!fixed_digits(zv_slice_cut(&text, '-'), 4, &year) ||
        !fixed_digits(zv_slice_cut(&text, '-'), 2, &month)) {
        return false;
    }
    if (text.length != 0 && !fixed_digits(text, 2, &of_month)) {
        return false;
    }
    if (year < 1970 || month < 1 || month > 12 || of_month < 1 || of_month > 31) {
        return false;
    }
    *day = days_from_civil((int64_t)year, (unsigned)month, (unsigned)of_month);
    return true;
}

/* The digits at the start of *text, cut off it. */
static bool leading_number(struct zv_slice *text, uint64_t *to)
{
    size_t digits = 0;
    while (digits < text->length && zv_is_digit(text->at[digits])) {
        digits++;
    }
    if (digits == 0 || digits > 18) {
        return false;
    }
    (void)zv_slice_u64((struct zv_slice){text->at, digits}, to);
    text->at += digits;
    text->length -= digits;
    return true;
}

static bool read_numbers(struct version *to, struct zv_slice text)
{
    to->form = VERSION_NUMBERS;
    while (to->parts < 3) {
        if (!leading_number(&text, &to->part[to->parts])) {
            return to->parts > 0; /* "0.8.x" */
        }
        to->parts++;
        if (to->parts == 3 || text.length == 0 || text.at[0] != '.') {
            break;
        }
        text.at++;
        text.length--;
    }
    /* "post1", "rc1", "+cu121" do not change rules; anything else is no version. */
    return to->parts >= 2 && (text.length == 0 || strchr(".-+rabp ", text.at[0]) != NULL);
}

static bool read_build(struct version *to, struct zv_slice text)
{
    to->form = VERSION_BUILD;
    return leading_number(&text, &to->build) &&
           (text.length == 0 || strchr("- (", text.at[0]) != NULL);
}

bool version_read(struct version *to, struct zv_slice text, bool builds)
{
    *to = (struct version){0};
    text = zv_slice_trim(text);
    if (text.length == 0 || zv_slice_equal_nocase(text, "latest") ||
        zv_slice_equal_nocase(text, "newest")) {
        to->form = VERSION_NONE;
        return true;
    }
    if (version_day(text, &to->day)) {
        to->form = VERSION_DAY;
        to->has_day = true;
        return true;
    }
    if (text.length > 1 && (text.at[0] == 'b' || text.at[0] == 'B')) {
        return read_build(to, (struct zv_slice){text.at + 1, text.length - 1});
    }
    if (text.length > 1 && (text.at[0] == 'v' || text.at[0] == 'V')) {
        text.at++;
        text.length--;
    }
    struct version numbers = {0};
    if (read_numbers(&numbers, text)) {
        *to = numbers;
        return true;
    }
    return builds && read_build(to, text);
}

int version_compare(const struct version *a, const struct version *b)
{
    if (a->form == VERSION_BUILD && b->form == VERSION_BUILD) {
        return (a->build > b->build) - (a->build < b->build);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (a->part[i] != b->part[i]) {
            return a->part[i] > b->part[i] ? 1 : -1;
        }
    }
    return 0;
}
