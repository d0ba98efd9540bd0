#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"

__extension__ typedef unsigned __int128 u128;

static const struct {
    const char *name;
    uint64_t bytes;
} units[ZV_UNIT_COUNT] = {
    [ZV_UNIT_B] = {"B", 1},
    [ZV_UNIT_KB] = {"kB", 1000},
    [ZV_UNIT_MB] = {"MB", 1000000},
    [ZV_UNIT_GB] = {"GB", 1000000000},
    [ZV_UNIT_TB] = {"TB", 1000000000000},
    [ZV_UNIT_KIB] = {"KiB", UINT64_C(1) << 10},
    [ZV_UNIT_MIB] = {"MiB", UINT64_C(1) << 20},
    [ZV_UNIT_GIB] = {"GiB", UINT64_C(1) << 30},
    [ZV_UNIT_TIB] = {"TiB", UINT64_C(1) << 40},
};

const char *zv_unit_name(enum zv_unit unit)
{
    return units[unit].name;
}

uint64_t zv_unit_bytes(enum zv_unit unit)
{
    return units[unit].bytes;
}

bool zv_unit_parse(struct zv_slice name, enum zv_unit *to)
{
    for (int i = 0; i < ZV_UNIT_COUNT; i++) {
        if (zv_slice_equal_nocase(name, units[i].name)) {
            *to = (enum zv_unit)i;
            return true;
        }
    }
    if (zv_slice_equal_nocase(name, "bytes")) {
        *to = ZV_UNIT_B;
        return true;
    }
    return false;
}

static uint64_t power_of_ten(unsigned digits)
{
    uint64_t power = 1;
    while (digits-- > 0) {
        power *= 10;
    }
    return power;
}

void zv_bytes_print_number(char to[ZV_BYTES_TEXT], uint64_t bytes, enum zv_unit unit,
                           unsigned decimals)
{
    decimals = unit == ZV_UNIT_B ? 0 : decimals > 6 ? 6 : decimals;
    const uint64_t scale = power_of_ten(decimals);
    const u128 scaled =
        ((u128)bytes * scale * 2 + units[unit].bytes) / ((u128)units[unit].bytes * 2);
    const uint64_t whole = (uint64_t)(scaled / scale);
    if (decimals == 0) {
        (void)snprintf(to, ZV_BYTES_TEXT, "%" PRIu64, whole);
    } else {
        (void)snprintf(to, ZV_BYTES_TEXT, "%" PRIu64 ".%0*" PRIu64, whole, (int)decimals,
                       (uint64_t)(scaled % scale));
    }
}

void zv_bytes_print(char to[ZV_BYTES_TEXT], uint64_t bytes, enum zv_unit unit, unsigned decimals)
{
    char number[ZV_BYTES_TEXT];
    zv_bytes_print_number(number, bytes, unit, decimals);
    (void)snprintf(to, ZV_BYTES_TEXT, "%.30s %s", number, units[unit].name);
}

enum zv_unit zv_unit_fit(uint64_t bytes, enum zv_unit most)
{
    const enum zv_unit least = most >= ZV_UNIT_KIB ? ZV_UNIT_KIB : ZV_UNIT_KB;
    enum zv_unit unit = most;
    while (unit > least && bytes < units[unit].bytes) {
        unit--;
    }
    return bytes < units[unit].bytes ? ZV_UNIT_B : unit;
}

void zv_bytes_print_fit(char to[ZV_BYTES_TEXT], uint64_t bytes)
{
    zv_bytes_print(to, bytes, zv_unit_fit(bytes, ZV_UNIT_GIB), 2);
}

bool zv_bytes_parse(struct zv_slice text, uint64_t *bytes)
{
    struct zv_slice number = zv_slice_trim(text);
    size_t end = 0;
    while (end < number.length &&
           ((unsigned)(number.at[end] - '0') < 10 || number.at[end] == '.')) {
        end++;
    }
    const struct zv_slice name =
        zv_slice_trim((struct zv_slice){number.at + end, number.length - end});
    number.length = end;
    enum zv_unit unit = ZV_UNIT_B;
    uint64_t micro; /* nine decimals are more than anybody writes and still exact */
    if (name.length != 0 && !zv_unit_parse(name, &unit)) {
        return false;
    }
    const uint64_t scale = 1000000000;
    if (!zv_slice_fixed(number, 9, &micro)) {
        uint64_t whole;
        if (!zv_slice_u64(number, &whole)) {
            return false;
        }
        const u128 product = (u128)whole * units[unit].bytes;
        *bytes = (uint64_t)product;
        return product <= UINT64_MAX;
    }
    const u128 product = ((u128)micro * units[unit].bytes + scale / 2) / scale;
    *bytes = (uint64_t)product;
    return product <= UINT64_MAX;
}

static bool scaled_count(struct zv_slice text, uint64_t *to)
{
    struct zv_slice rest = text;
    const struct zv_slice mantissa = zv_slice_cut(&rest, 'e');
    uint64_t exponent;
    uint64_t value;
    if (mantissa.length == text.length || !zv_slice_u64(rest, &exponent) || exponent > 18) {
        return false;
    }
    if (!zv_slice_fixed(mantissa, (unsigned)exponent, &value)) {
        return false;
    }
    *to = value;
    return true;
}

bool zv_count_parse(struct zv_slice text, uint64_t *to)
{
    if (text.length == 0) {
        return false;
    }
    const char last = text.at[text.length - 1];
    const struct zv_slice front = {text.at, text.length - 1};
    uint64_t value;
    if (last == 'k' || last == 'K') {
        return zv_slice_u64(front, &value) && zv_mul(value, 1024, to);
    }
    return zv_slice_u64(text, to) || scaled_count(text, to);
}
