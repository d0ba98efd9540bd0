#include "kv/trace_time.h"

#include "base/checked.h"

#define MAX_TICKS (UINT64_C(1) << 62)

static bool digits(struct zv_slice *text, size_t count, uint64_t *to)
{
    const struct zv_slice head = {text->at, count};
    if (text->length < count || !zv_slice_u64(head, to)) {
        return false;
    }
    text->at += count;
    text->length -= count;
    return true;
}

static bool skip(struct zv_slice *text, const char *any)
{
    for (; text->length != 0 && *any != 0; any++) {
        if (text->at[0] == *any) {
            text->at++;
            text->length--;
            return true;
        }
    }
    return false;
}

/* Decimals as ticks: places of them count, the rest is cut off. */
static bool fraction(struct zv_slice *text, unsigned places, uint64_t *to)
{
    uint64_t value = 0;
    unsigned taken = 0;
    size_t any = 0;
    while (text->length != 0 && zv_is_digit(text->at[0])) {
        if (taken < places) {
            value = value * 10 + (uint64_t)(text->at[0] - '0');
            taken++;
        }
        any++;
        text->at++;
        text->length--;
    }
    for (; taken < places; taken++) {
        value *= 10;
    }
    *to = value;
    return any != 0;
}

/* Days since 0000-03-01 of the Gregorian calendar: years begin in March, so that a leap day ends
 * one. */
static uint64_t days(uint64_t year, uint64_t month, uint64_t day)
{
    const uint64_t y = year - (month < 3);
    const uint64_t m = month < 3 ? month + 9 : month - 3;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1;
}

/* "+00:00", "-07:30", "Z" or nothing: seconds to take off, as west or east of UTC. */
static bool zone(struct zv_slice text, uint64_t *seconds, bool *west)
{
    uint64_t hours = 0;
    uint64_t minutes = 0;
    *seconds = 0;
    *west = text.length != 0 && text.at[0] == '-';
    if (text.length == 0 || (text.length == 1 && text.at[0] == 'Z')) {
        return true;
    }
    if (!skip(&text, "+-") || !digits(&text, 2, &hours) ||
        (text.length != 0 && (!skip(&text, ":") || !digits(&text, 2, &minutes)))) {
        return false;
    }
    *seconds = hours * 3600 + minutes * 60;
    return text.length == 0 && hours < 24 && minutes < 60;
}

static bool date_and_time(struct zv_slice text, uint64_t *ticks)
{
    uint64_t year = 0;
    uint64_t month = 0;
    uint64_t day = 0;
    uint64_t hour = 0;
    uint64_t minute = 0;
    uint64_t second = 0;
    uint64_t part = 0;
    uint64_t offset = 0;
    bool west = false;
    if (!digits(&text, 4, &year) || !skip(&text, "-/") || !digits(&text, 2, &month) ||
        !skip(&text, "-/") || !digits(&text, 2, &day) || !skip(&text, " T") ||
        !digits(&text, 2, &hour) || !skip(&text, ":") || !digits(&text, 2, &minute) ||
        !skip(&text, ":") || !digits(&text, 2, &second) ||
        (skip(&text, ".") && !fraction(&text, 7, &part)) || !zone(text, &offset, &west)) {
        return false;
    }
    if (year == 0 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    uint64_t seconds = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    seconds = west ? seconds + offset : seconds - offset;
    return zv_mul(seconds, ZV_TICKS_PER_SECOND, ticks) && zv_add(*ticks, part, ticks) &&
           *ticks <= MAX_TICKS;
}

static bool plain_number(struct zv_slice text, enum zv_time_unit unit, uint64_t *ticks)
{
    static const unsigned places[] = {7, 4, 1, 0};
    static const uint64_t scale[] = {10000000, 10000, 10, 1};
    const struct zv_slice whole = zv_slice_cut(&text, '.');
    uint64_t value = 0;
    uint64_t part = 0;
    if (!zv_slice_u64(whole, &value) ||
        (text.length != 0 && (!fraction(&text, places[unit], &part) || text.length != 0))) {
        return false;
    }
    if (unit == ZV_TIME_NS) {
        value /= 100;
    }
    return zv_mul(value, scale[unit], ticks) && zv_add(*ticks, part, ticks) && *ticks <= MAX_TICKS;
}

bool kv_trace_time(struct zv_slice text, enum zv_time_unit unit, uint64_t *ticks)
{
    double value;
    if (zv_slice_contains(text, ":")) {
        return date_and_time(text, ticks);
    }
    if (plain_number(text, unit, ticks)) {
        return true;
    }
    /* 1.5e-05 as Python prints small numbers */
    static const double per_unit[] = {1e7, 1e4, 1e1, 1e-2};
    if (!zv_slice_double(text, &value) || value < 0 || value * per_unit[unit] > 4e18) {
        return false;
    }
    *ticks = (uint64_t)(value * per_unit[unit]);
    return true;
}
