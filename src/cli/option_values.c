/* What the text of an option means: counts, sizes, fractions, one word of several. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/options.h"

static enum zv_status fail_value(const char *name, const char *value, const char *expected,
                                 struct zv_error *err)
{
    return zv_fail(err, ZV_E_USAGE, "--%s %s: expected %s", name, value, expected);
}

enum zv_status arguments_u64(const struct arguments *args, const char *name, uint64_t *to,
                             struct zv_error *err)
{
    const char *const value = arguments_value(args, name);
    if (value != NULL && !zv_count_parse(zv_slice_of(value), to)) {
        return fail_value(name, value, "a whole number such as 8192, 32k or 7e9", err);
    }
    return ZV_OK;
}

enum zv_status arguments_u32(const struct arguments *args, const char *name, uint32_t *to,
                             struct zv_error *err)
{
    uint64_t wide = *to;
    const enum zv_status status = arguments_u64(args, name, &wide, err);
    if (status == ZV_OK && wide > UINT32_MAX) {
        return fail_value(name, arguments_value(args, name), "a whole number below 2^32", err);
    }
    *to = (uint32_t)wide;
    return status;
}

enum zv_status arguments_bytes(const struct arguments *args, const char *name, uint64_t *to,
                               struct zv_error *err)
{
    const char *const value = arguments_value(args, name);
    if (value != NULL && !zv_bytes_parse(zv_slice_of(value), to)) {
        return fail_value(name, value, "a size such as 450MiB, 24GB or 1073741824", err);
    }
    return ZV_OK;
}

enum zv_status arguments_duration(const struct arguments *args, const char *name, uint64_t *to_ms,
                                  struct zv_error *err)
{
    static const struct {
        const char *unit;
        uint64_t seconds;
    } units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};
    const char *const value = arguments_value(args, name);
    struct zv_slice number = zv_slice_of(value);
    size_t i = 0;
    if (value == NULL) {
        return ZV_OK;
    }
    while (!zv_slice_ends(number, units[i].unit)) {
        i++;
    }
    number.length -= strlen(units[i].unit);
    return zv_slice_fixed(number, 3, to_ms) && zv_mul(*to_ms, units[i].seconds, to_ms) &&
                   *to_ms != 0
               ? ZV_OK
               : fail_value(name, value, "a time such as 90s, 10m or 2h", err);
}

enum zv_status arguments_millionths(const struct arguments *args, const char *name, uint64_t *to,
                                    struct zv_error *err)
{
    const char *const value = arguments_value(args, name);
    uint64_t parsed = 0;
    if (value == NULL) {
        return ZV_OK;
    }
    if (!zv_slice_fixed(zv_slice_of(value), 6, &parsed) || parsed > 1000000) {
        return fail_value(name, value, "a fraction between 0 and 1 such as 0.9", err);
    }
    *to = parsed;
    return ZV_OK;
}

enum zv_status arguments_counts(const struct arguments *args, const char *name,
                                struct count_list *to, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(arguments_value(args, name));
    struct count_list list = {.count = 0};
    if (arguments_value(args, name) == NULL) {
        return ZV_OK;
    }
    do {
        const struct zv_slice one = zv_slice_trim(zv_slice_cut(&rest, ','));
        if (list.count == COUNT_LIST_MAX || !zv_count_parse(one, &list.values[list.count]) ||
            list.values[list.count] == 0) {
            return zv_fail(err, ZV_E_USAGE, "--%s %s: expected whole numbers above 0, at most %d",
                           name, arguments_value(args, name), COUNT_LIST_MAX);
        }
        list.count++;
    } while (rest.length != 0);
    *to = list;
    return ZV_OK;
}

enum zv_status arguments_choice(const struct arguments *args, const char *name,
                                const char *const *words, unsigned *to, struct zv_error *err)
{
    const char *const value = arguments_value(args, name);
    if (value == NULL) {
        return ZV_OK;
    }
    char list[256] = "";
    size_t used = 0;
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (zv_slice_equal_nocase(zv_slice_of(value), words[i])) {
            *to = i;
            return ZV_OK;
        }
        const int n =
            snprintf(list + used, sizeof list - used, "%s%s", i != 0 ? ", " : "", words[i]);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    return zv_fail(err, ZV_E_USAGE, "--%s %s: expected one of %s", name, value, list);
}
