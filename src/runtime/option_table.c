#include "runtime/option_table.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/units.h"

static const struct option_row *find(const struct option_rows *rows, struct zv_slice name,
                                     bool prefix, size_t *matches)
{
    const struct option_row *found = NULL;
    *matches = 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct zv_slice rest = zv_slice_of(rows->at[i].names);
        struct zv_slice known;
        bool hit = false;
        while (zv_slice_word(&rest, &known)) {
            if (prefix && known.length > name.length) {
                known.length = name.length;
            }
            hit = hit || zv_slice_same_option(name, known);
        }
        if (hit) {
            found = &rows->at[i];
            (*matches)++;
        }
    }
    return found;
}

const struct option_row *option_row_find(const struct option_rows *rows, struct zv_slice name)
{
    size_t matches = 0;
    const struct option_row *const exact = find(rows, name, false, &matches);
    if (exact != NULL || !rows->prefixes || name.length < 5 || !zv_slice_starts(name, "--")) {
        return exact;
    }
    const struct option_row *const prefix = find(rows, name, true, &matches);
    return matches == 1 ? prefix : NULL;
}

struct zv_slice option_row_name(const struct option_row *row)
{
    struct zv_slice rest = zv_slice_of(row->names);
    struct zv_slice name = {0};
    (void)zv_slice_word(&rest, &name);
    return name;
}

enum zv_status option_bad(const struct option_row *row, struct zv_slice value, const char *expected,
                          struct zv_error *err)
{
    const struct zv_slice name = option_row_name(row);
    if (value.length != 0 && value.at[0] == '$') {
        return zv_fail(err, ZV_E_SYNTAX,
                       "%.*s: '%.*s' is a shell variable, which is not expanded: write its value",
                       (int)name.length, name.at, (int)(value.length < 60 ? value.length : 60),
                       value.at);
    }
    return zv_fail(err, ZV_E_SYNTAX, "%.*s: '%.*s' is not what it takes: expected %s",
                   (int)name.length, name.at, (int)(value.length < 60 ? value.length : 60),
                   value.length != 0 ? value.at : "", expected);
}

bool option_yes_no(struct zv_slice text, bool *to)
{
    static const char *const yes[] = {"on", "true", "yes", "1", "enabled"};
    static const char *const no[] = {"off", "false", "no", "0", "disabled"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (zv_slice_equal_nocase(text, yes[i]) || zv_slice_equal_nocase(text, no[i])) {
            *to = zv_slice_equal_nocase(text, yes[i]);
            return true;
        }
    }
    return false;
}

/* vLLM reads a small k as 1000 and K as 1024; see decimal_count in options_vllm.c. */
bool option_count(struct zv_slice text, uint64_t *to)
{
    static const struct {
        const char *suffix;
        uint64_t times;
    } suffixes[] = {{"k", 1024}, {"K", 1024}, {"m", 1048576}, {"M", 1048576}};
    uint64_t times = 1;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (zv_slice_ends(text, suffixes[i].suffix)) {
            times = suffixes[i].times;
            text.length--;
            break;
        }
    }
    uint64_t thousandths = 0;
    if (zv_slice_u64(text, to)) {
        return zv_mul(*to, times, to);
    }
    return times > 1 && zv_slice_fixed(text, 3, &thousandths) &&
           zv_mul_div(thousandths, times, 1000, to);
}

/* llama-bench gives lists: the largest decides what is needed. */
static bool largest_count(const struct option_target *target, struct zv_slice value, uint64_t *to)
{
    uint64_t most = 0;
    struct zv_slice rest = value;
    while (rest.length != 0) {
        uint64_t one = 0;
        const struct zv_slice piece = target->lists ? zv_slice_cut(&rest, ',') : rest;
        if (!target->lists) {
            rest.length = 0;
        }
        if (!option_count(zv_slice_trim(piece), &one)) {
            return false;
        }
        most = one > most ? one : most;
    }
    *to = most;
    return value.length != 0;
}

static void store(struct option_target *target, const struct option_row *row, const void *value,
                  size_t size)
{
    memcpy((char *)target->job + row->at, value, size);
}

enum zv_status set_tokens(struct option_target *target, const struct option_row *row,
                          struct zv_slice value, struct zv_error *err)
{
    uint64_t count = 0;
    if (!largest_count(target, value, &count)) {
        return option_bad(row, value, "a count, as 8192 or 32k", err);
    }
    store(target, row, &count, sizeof count);
    return ZV_OK;
}

enum zv_status set_small(struct option_target *target, const struct option_row *row,
                         struct zv_slice value, struct zv_error *err)
{
    uint64_t count = 0;
    if (!largest_count(target, value, &count) || count > INT32_MAX) {
        return option_bad(row, value, "a whole number", err);
    }
    const uint32_t small = (uint32_t)count;
    store(target, row, &small, sizeof small);
    return ZV_OK;
}

enum zv_status set_fraction(struct option_target *target, const struct option_row *row,
                            struct zv_slice value, struct zv_error *err)
{
    uint64_t millionths = 0;
    if (!zv_slice_fixed(value, 6, &millionths) || millionths == 0 || millionths > 1000000) {
        return option_bad(row, value, "a fraction above 0 and up to 1, as 0.9", err);
    }
    store(target, row, &millionths, sizeof millionths);
    return ZV_OK;
}

/* "4G" and "4g" are what Python programs take for GiB and GB; a unit in full says what it means. */
enum zv_status set_bytes(struct option_target *target, const struct option_row *row,
                         struct zv_slice value, struct zv_error *err)
{
    static const struct {
        const char *suffix;
        uint64_t times;
    } suffixes[] = {{"G", UINT64_C(1) << 30}, {"g", UINT64_C(1000000000)}, {"M", UINT64_C(1) << 20},
                    {"m", UINT64_C(1000000)}, {"K", UINT64_C(1) << 10},    {"k", UINT64_C(1000)}};
    uint64_t bytes = 0;
    bool good = zv_bytes_parse(value, &bytes);
    for (size_t i = 0; !good && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        uint64_t thousandths = 0;
        if (zv_slice_ends(value, suffixes[i].suffix)) {
            const struct zv_slice number = {value.at, value.length - 1};
            good = zv_slice_fixed(number, 3, &thousandths) &&
                   zv_mul_div(thousandths, suffixes[i].times, 1000, &bytes);
            break;
        }
    }
    if (!good) {
        return option_bad(row, value, "a size, as 4GiB or 4294967296", err);
    }
    store(target, row, &bytes, sizeof bytes);
    return ZV_OK;
}

enum zv_status set_gibibytes(struct option_target *target, const struct option_row *row,
                             struct zv_slice value, struct zv_error *err)
{
    uint64_t millionths = 0;
    uint64_t bytes = 0;
    if (!zv_slice_fixed(value, 6, &millionths) ||
        !zv_mul_div(millionths, UINT64_C(1) << 30, 1000000, &bytes)) {
        return option_bad(row, value, "a number of GiB, as 4 or 4.5", err);
    }
    store(target, row, &bytes, sizeof bytes);
    return ZV_OK;
}

enum zv_status set_text(struct option_target *target, const struct option_row *row,
                        struct zv_slice value, struct zv_error *err)
{
    struct zv_slice rest = value;
    const struct zv_slice text = target->lists ? zv_slice_cut(&rest, ',') : value;
    if (text.length == 0) {
        return option_bad(row, value, "a word", err);
    }
    store(target, row, &text, sizeof text);
    return ZV_OK;
}

static enum zv_status set_tristate(struct option_target *target, const struct option_row *row,
                                   struct zv_slice value, bool plain, struct zv_error *err)
{
    bool yes = true;
    struct zv_slice rest = value;
    if (target->lists && value.length != 0) {
        while (zv_slice_contains(rest, ",")) {
            (void)zv_slice_cut(&rest, ',');
        }
    }
    if (zv_slice_equal_nocase(rest, "auto") || zv_slice_equal(rest, "-1")) {
        return ZV_OK; /* left to the runtime */
    }
    if (rest.length != 0 && !option_yes_no(rest, &yes)) {
        return option_bad(row, value, "nothing, on or off", err);
    }
    const enum zv_tristate answer = yes == plain ? ZV_YES : ZV_NO;
    store(target, row, &answer, sizeof answer);
    return ZV_OK;
}

enum zv_status set_drafting(struct option_target *target, const struct option_row *row,
                            struct zv_slice value, struct zv_error *err)
{
    (void)row;
    (void)err;
    if (zv_slice_contains(value, "mtp") || zv_slice_equal_nocase(value, "nextn")) {
        target->job->serve.draft_layers = ZV_YES;
    } else {
        target->passed = !zv_slice_equal_nocase(value, "none");
    }
    return ZV_OK;
}

enum zv_status set_yes(struct option_target *target, const struct option_row *row,
                       struct zv_slice value, struct zv_error *err)
{
    return set_tristate(target, row, value, true, err);
}

enum zv_status set_no(struct option_target *target, const struct option_row *row,
                      struct zv_slice value, struct zv_error *err)
{
    return set_tristate(target, row, value, false, err);
}
