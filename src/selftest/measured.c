#include "selftest/measured.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

__extension__ typedef unsigned __int128 u128;

/* The run of digits with points and commas from at on. */
static struct zv_slice run_at(struct zv_slice text, size_t at)
{
    size_t length = 0;
    while (at + length < text.length &&
           (zv_is_digit(text.at[at + length]) || text.at[at + length] == '.' ||
            text.at[at + length] == ',')) {
        length++;
    }
    while (length > 0 && !zv_is_digit(text.at[at + length - 1])) {
        length--;
    }
    return (struct zv_slice){text.at + at, length};
}

static enum zv_unit binary_unit(enum zv_unit unit)
{
    switch (unit) {
    case ZV_UNIT_KB:
        return ZV_UNIT_KIB;
    case ZV_UNIT_MB:
        return ZV_UNIT_MIB;
    case ZV_UNIT_GB:
        return ZV_UNIT_GIB;
    case ZV_UNIT_TB:
        return ZV_UNIT_TIB;
    case ZV_UNIT_B:
    case ZV_UNIT_KIB:
    case ZV_UNIT_MIB:
    case ZV_UNIT_GIB:
    case ZV_UNIT_TIB:
    case ZV_UNIT_COUNT:
        break;
    }
    return unit;
}

/* The unit's name after blanks, as letters. */
static bool unit_after(struct zv_slice text, enum zv_unit *to)
{
    text = zv_slice_trim(text);
    size_t length = 0;
    while (length < text.length && ((text.at[length] >= 'A' && text.at[length] <= 'Z') ||
                                    (text.at[length] >= 'a' && text.at[length] <= 'z'))) {
        length++;
    }
    return length != 0 && zv_unit_parse((struct zv_slice){text.at, length}, to);
}

static uint64_t power_of_ten(unsigned decimals)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) {
        scale *= 10;
    }
    return scale;
}

/* Digits without separators; the last separator is the decimal point when it is '.' or when not
 * three digits follow it. */
static bool digits_of(struct zv_slice run, uint64_t *value, unsigned *decimals)
{
    size_t point = SIZE_MAX;
    for (size_t i = 0; i < run.length; i++) {
        if (!zv_is_digit(run.at[i])) {
            point = i;
        }
    }
    if (point != SIZE_MAX && run.at[point] == ',' && run.length - point == 4) {
        point = SIZE_MAX; /* "476,016" */
    }
    *value = 0;
    *decimals = point == SIZE_MAX ? 0 : (unsigned)(run.length - point - 1);
    for (size_t i = 0; i < run.length; i++) {
        if (zv_is_digit(run.at[i]) &&
            (!zv_mul(*value, 10, value) || !zv_add(*value, (uint64_t)(run.at[i] - '0'), value))) {
            return false;
        }
    }
    return run.length != 0 && *decimals <= 6;
}

/* Least and most bytes that round to value/scale units. Halves go to the even neighbour. */
static void set_range(struct measured *to, uint64_t value, uint64_t scale)
{
    const u128 unit = zv_unit_bytes(to->unit);
    const u128 twice = (u128)2 * scale;
    const u128 below = value == 0 ? 0 : ((u128)2 * value - 1) * unit;
    const u128 above = ((u128)2 * value + 1) * unit;
    u128 low = below / twice;
    u128 high = above / twice;
    const bool even = value % 2 == 0;
    if (value != 0 && (below % twice != 0 || !even)) {
        low++;
    }
    if (above % twice == 0 && !even) {
        high--;
    }
    to->low = (uint64_t)low;
    to->high = high > UINT64_MAX ? UINT64_MAX : (uint64_t)high;
}

static bool size_at(struct zv_slice text, size_t at, enum zv_unit alone, bool binary,
                    struct measured *to)
{
    uint64_t value;
    to->number = run_at(text, at);
    const size_t end = at + to->number.length;
    if (!digits_of(to->number, &value, &to->decimals)) {
        return false;
    }
    if (!unit_after((struct zv_slice){text.at + end, text.length - end}, &to->unit)) {
        if (alone == ZV_UNIT_COUNT) {
            return false;
        }
        to->unit = alone;
    }
    to->unit = binary ? binary_unit(to->unit) : to->unit;
    const uint64_t scale = power_of_ten(to->decimals);
    uint64_t doubled;
    if (!zv_mul_div(value, zv_unit_bytes(to->unit) * 2, scale, &doubled) ||
        doubled >= UINT64_MAX / 2) {
        return false;
    }
    to->bytes = (doubled + 1) / 2;
    set_range(to, value, scale);
    return true;
}

bool measured_read(struct zv_slice text, enum zv_unit alone, bool binary, struct measured *to)
{
    *to = (struct measured){0};
    for (size_t at = 0; at < text.length; at++) {
        const bool starts = zv_is_digit(text.at[at]) && (at == 0 || !zv_is_digit(text.at[at - 1]));
        const bool in_word = at > 0 && ((text.at[at - 1] >= 'A' && text.at[at - 1] <= 'Z') ||
                                        (text.at[at - 1] >= 'a' && text.at[at - 1] <= 'z') ||
                                        text.at[at - 1] == '.' || text.at[at - 1] == ',');
        if (starts && !in_word && size_at(text, at, alone, binary, to)) {
            return true;
        }
    }
    return false;
}

bool measured_after(struct zv_slice text, const char *label, bool binary, struct measured *to)
{
    const size_t length = strlen(label);
    for (size_t at = 0; at + length <= text.length; at++) {
        if (memcmp(text.at + at, label, length) == 0) {
            const struct zv_slice after = {text.at + at + length, text.length - at - length};
            return measured_read(after, ZV_UNIT_COUNT, binary, to);
        }
    }
    return false;
}

void measured_print(const struct measured *like, uint64_t bytes, char to[ZV_BYTES_TEXT])
{
    const uint64_t scale = power_of_ten(like->decimals);
    const u128 unit = zv_unit_bytes(like->unit);
    const u128 scaled = (u128)bytes * scale;
    u128 quotient = scaled / unit;
    const u128 twice = scaled % unit * 2;
    if (twice > unit || (twice == unit && quotient % 2 != 0)) {
        quotient++;
    }
    const unsigned long long whole = (unsigned long long)(quotient / scale);
    const unsigned long long part = (unsigned long long)(quotient % scale);
    if (like->decimals == 0) {
        (void)snprintf(to, ZV_BYTES_TEXT, "%llu", whole);
    } else {
        (void)snprintf(to, ZV_BYTES_TEXT, "%llu.%0*llu", whole, (int)like->decimals, part);
    }
}

bool measured_equal(const struct measured *figure, uint64_t bytes)
{
    return bytes >= figure->low && bytes <= figure->high;
}
