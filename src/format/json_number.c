/* Whole numbers out of JSON's number syntax, without a detour through floating point. */
#include <string.h>

#include "format/json_tree.h"

/* A number is digits * 10^exponent; digits may contain one point, which the exponent counts in. */
struct parts {
    bool negative;
    struct zv_slice digits;
    int64_t exponent; /* saturated: beyond +-EXPONENT_CAP it cannot matter */
};

enum { EXPONENT_CAP = 1 << 30 };

static int64_t read_exponent(struct zv_slice text)
{
    bool negative = false;
    if (text.length != 0 && (text.at[0] == '+' || text.at[0] == '-')) {
        negative = text.at[0] == '-';
        text.at++;
        text.length--;
    }
    int64_t value = 0;
    for (size_t i = 0; i < text.length && value < EXPONENT_CAP; i++) {
        value = value * 10 + (text.at[i] - '0');
    }
    value = value > EXPONENT_CAP ? EXPONENT_CAP : value;
    return negative ? -value : value;
}

static struct parts split(struct zv_slice number)
{
    struct parts parts = {.digits = number};
    if (number.length != 0 && number.at[0] == '-') {
        parts.negative = true;
        parts.digits.at++;
        parts.digits.length--;
    }
    const char *const end = parts.digits.at + parts.digits.length;
    for (const char *p = parts.digits.at; p < end; p++) {
        if ((*p | 0x20) == 'e') {
            parts.digits.length = (size_t)(p - parts.digits.at);
            parts.exponent = read_exponent((struct zv_slice){p + 1, (size_t)(end - p - 1)});
            break;
        }
    }
    if (parts.digits.length != 0 && memchr(parts.digits.at, '.', parts.digits.length) != NULL) {
        const char *const last = parts.digits.at + parts.digits.length - 1;
        const char *const point = memchr(parts.digits.at, '.', parts.digits.length);
        parts.exponent -= last - point;
    }
    return parts;
}

/* value = value * 10 + digit; false when it does not fit. */
static bool push_digit(uint64_t *value, unsigned digit)
{
    return !__builtin_mul_overflow(*value, 10U, value) &&
           !__builtin_add_overflow(*value, digit, value);
}

/* Removes zeros from the end while a negative exponent asks for it. */
static struct zv_slice drop_zeros(struct zv_slice digits, int64_t *exponent)
{
    while (*exponent < 0 && digits.length != 0) {
        const char last = digits.at[digits.length - 1];
        if (last != '0' && last != '.') {
            break;
        }
        *exponent += last == '0' ? 1 : 0;
        digits.length--;
    }
    return digits;
}

static bool magnitude(struct parts parts, uint64_t *to)
{
    const struct zv_slice digits = drop_zeros(parts.digits, &parts.exponent);
    uint64_t value = 0;
    bool fits = true;
    for (size_t i = 0; i < digits.length && fits; i++) {
        const unsigned digit = (unsigned char)digits.at[i] - (unsigned)'0';
        if (digits.at[i] != '.') {
            fits = digit <= 9 && push_digit(&value, digit);
        }
    }
    if (!fits || (value != 0 && parts.exponent < 0)) {
        return false;
    }
    for (; value != 0 && fits && parts.exponent > 0; parts.exponent--) {
        fits = push_digit(&value, 0);
    }
    *to = value;
    return fits;
}

bool zv_json_number_u64(struct zv_slice number, uint64_t *to)
{
    const struct parts parts = split(number);
    uint64_t value;
    if (parts.digits.length == 0 || !magnitude(parts, &value) || (parts.negative && value != 0)) {
        return false;
    }
    *to = value;
    return true;
}

bool zv_json_number_i64(struct zv_slice number, int64_t *to)
{
    const struct parts parts = split(number);
    uint64_t value;
    if (parts.digits.length == 0 || !magnitude(parts, &value)) {
        return false;
    }
    if (value > (uint64_t)INT64_MAX + (parts.negative ? 1 : 0)) {
        return false;
    }
    *to = !parts.negative || value == 0 ? (int64_t)value : -(int64_t)(value - 1) - 1;
    return true;
}
