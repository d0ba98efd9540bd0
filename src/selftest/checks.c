#include "selftest/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

enum { WITHIN_MILLIONTHS = 30000 }; /* 3 % */

static const char *keep(struct checks *checks, const char *text, size_t length)
{
    const char *const copy = zv_arena_copy(checks->arena, text, length);
    checks->out_of_memory = checks->out_of_memory || copy == NULL;
    return copy != NULL ? copy : "";
}

static const char *keep_slice(struct checks *checks, struct zv_slice text)
{
    return text.length != 0 ? keep(checks, text.at, text.length) : "";
}

const char *check_reason(struct checks *checks, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return keep(checks, text, strlen(text));
}

static struct zv_check *add(struct checks *checks, const char *item, const char *unit,
                            const char *reason)
{
    if (checks->count == checks->capacity) {
        const size_t capacity = checks->capacity == 0 ? 256 : checks->capacity * 2;
        struct zv_check *const more = zv_arena_array(checks->arena, capacity, sizeof *more);
        if (more == NULL) {
            checks->out_of_memory = true;
            return NULL;
        }
        if (checks->count != 0) {
            memcpy(more, checks->at, checks->count * sizeof *more);
        }
        checks->at = more;
        checks->capacity = capacity;
    }
    struct zv_check *const check = &checks->at[checks->count++];
    *check = (struct zv_check){.id = keep_slice(checks, checks->row->id),
                               .kind = keep_slice(checks, checks->row->kind),
                               .item = item,
                               .runtime = keep_slice(checks, checks->row->runtime),
                               .arch = keep_slice(checks, checks->row->arch),
                               .unit = unit,
                               .predicted = "",
                               .measured = "",
                               .status = ZV_CHECK_UNCHECKED,
                               .reason = reason,
                               .group = "",
                               .set = ""};
    return check;
}

uint64_t check_distance(uint64_t predicted, uint64_t measured)
{
    const uint64_t apart = predicted > measured ? predicted - measured : measured - predicted;
    uint64_t millionths;
    if (measured == 0) {
        return apart == 0 ? 0 : UINT64_MAX;
    }
    return zv_mul_div(apart, 1000000, measured, &millionths) ? millionths : UINT64_MAX;
}

static enum zv_check_status judge(uint64_t predicted, uint64_t measured)
{
    return check_distance(predicted, measured) <= WITHIN_MILLIONTHS ? ZV_CHECK_WITHIN
                                                                    : ZV_CHECK_OFF;
}

static uint64_t nearest(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void check_byte_range(struct checks *checks, const char *item, const struct measured *measured,
                      uint64_t low, uint64_t high, const char *reason)
{
    char least[ZV_BYTES_TEXT];
    char most[ZV_BYTES_TEXT];
    struct zv_check *const check = add(checks, item, zv_unit_name(measured->unit), reason);
    if (check == NULL) {
        return;
    }
    measured_print(measured, low, least);
    measured_print(measured, high, most);
    check->predicted = strcmp(least, most) == 0 ? keep(checks, least, strlen(least))
                                                : check_reason(checks, "%s..%s", least, most);
    check->measured = keep_slice(checks, measured->number);
    check->measured_value = measured->bytes;
    check->predicted_value = nearest(measured->bytes, low, high);
    const bool equal = low <= measured->high && high >= measured->low;
    check->status = equal ? ZV_CHECK_EXACT : judge(check->predicted_value, measured->bytes);
}

void check_bytes(struct checks *checks, const char *item, const struct measured *measured,
                 uint64_t predicted, const char *reason)
{
    check_byte_range(checks, item, measured, predicted, predicted, reason);
    if (checks->count != 0 && !checks->out_of_memory) {
        checks->at[checks->count - 1].predicted_value = predicted;
    }
}

void check_words(struct checks *checks, const char *item, struct zv_slice measured,
                 const char *predicted, const char *reason)
{
    struct zv_check *const check = add(checks, item, "", reason);
    if (check != NULL) {
        check->measured = keep_slice(checks, measured);
        check->predicted = predicted;
        check->status = zv_slice_equal(measured, predicted) ? ZV_CHECK_EXACT : ZV_CHECK_OFF;
    }
}

static void print_count(char *to, size_t size, uint64_t value, unsigned decimals)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) {
        scale *= 10;
    }
    if (decimals == 0) {
        (void)snprintf(to, size, "%llu", (unsigned long long)value);
    } else {
        (void)snprintf(to, size, "%llu.%0*llu", (unsigned long long)(value / scale), (int)decimals,
                       (unsigned long long)(value % scale));
    }
}

void check_count(struct checks *checks, const char *item, struct counted counted,
                 const char *reason)
{
    char least[32];
    char most[32];
    char figure[32];
    struct zv_check *const check = add(checks, item, counted.unit, reason);
    if (check == NULL) {
        return;
    }
    print_count(least, sizeof least, counted.low, counted.decimals);
    print_count(most, sizeof most, counted.high, counted.decimals);
    print_count(figure, sizeof figure, counted.measured, counted.decimals);
    check->predicted = counted.low == counted.high ? keep(checks, least, strlen(least))
                                                   : check_reason(checks, "%s..%s", least, most);
    check->measured = keep(checks, figure, strlen(figure));
    check->measured_value = counted.measured;
    check->predicted_value = nearest(counted.measured, counted.low, counted.high);
    check->status = check->predicted_value == counted.measured
                        ? ZV_CHECK_EXACT
                        : judge(check->predicted_value, counted.measured);
}

void check_skip(struct checks *checks, const char *item, struct zv_slice text, const char *reason)
{
    struct zv_check *const check = add(checks, item, "", reason);
    if (check != NULL) {
        text.length = text.length < 120 ? text.length : 120;
        check->measured = keep_slice(checks, text);
    }
}

/* ---- summaries ---- */

static struct zv_check_summary *summary_of(struct zv_check_summary *list, size_t *count,
                                           const char *by, const char *name)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i].by, by) == 0 && strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    list[*count] = (struct zv_check_summary){.by = by, .name = name};
    return &list[(*count)++];
}

static void count_into(struct zv_check_summary *summary, const struct zv_check *check)
{
    summary->count[check->status]++;
    if (check->status != ZV_CHECK_UNCHECKED && check->status != ZV_CHECK_EXACT) {
        const uint64_t apart = check_distance(check->predicted_value, check->measured_value);
        summary->worst_millionths =
            apart > summary->worst_millionths ? apart : summary->worst_millionths;
    }
}

static int by_order(const char *by)
{
    return strcmp(by, "item") == 0 ? 0 : strcmp(by, "runtime") == 0 ? 1 : 2;
}

static int compare(const void *a, const void *b)
{
    const struct zv_check_summary *const left = a;
    const struct zv_check_summary *const right = b;
    const int order = by_order(left->by) - by_order(right->by);
    return order != 0 ? order : strcmp(left->name, right->name);
}

enum zv_status checks_summarise(struct zv_selftest *to, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct zv_check_summary *const list =
        zv_arena_array(arena, to->check_count * 3 + 1, sizeof *list);
    if (list == NULL) {
        return zv_fail_memory(err, "the selftest");
    }
    size_t count = 0;
    for (size_t i = 0; i < to->check_count; i++) {
        const struct zv_check *const check = &to->checks[i];
        to->count[check->status]++;
        count_into(summary_of(list, &count, "item", check->item), check);
        count_into(summary_of(list, &count, "runtime",
                              check->runtime[0] != 0 ? check->runtime : "(not named)"),
                   check);
        if (check->arch[0] != 0) {
            count_into(summary_of(list, &count, "arch", check->arch), check);
        }
    }
    qsort(list, count, sizeof *list, compare);
    to->summaries = list;
    to->summary_count = count;
    return ZV_OK;
}
