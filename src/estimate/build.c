#include "estimate/build.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"

void build_fail(struct build *build, enum zv_status status)
{
    if (build->status == ZV_OK) {
        build->status = status;
    }
}

__attribute__((format(printf, 2, 0))) static const char *print(struct build *build,
                                                               const char *format, va_list args)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, args);
    const char *const copy = zv_arena_print(build->arena, "%s", text);
    if (copy == NULL) {
        build_fail(build, zv_fail_memory(build->err, "an estimate"));
    }
    return copy;
}

static void add(struct build *build, const struct build_item *item, struct zv_quantity quantity)
{
    if (build->status == ZV_OK) {
        build_fail(build, zv_ledger_add(&build->out->ledger,
                                        &(struct zv_item){.id = item->id,
                                                          .name = item->name,
                                                          .group = item->group,
                                                          .scope = item->scope,
                                                          .phase = item->phase,
                                                          .quantity = quantity},
                                        build->err));
    }
}

void build_add(struct build *build, struct build_item item, uint64_t bytes, enum zv_known known,
               const char *basis, ...)
{
    va_list args;
    va_start(args, basis);
    const char *const text = print(build, basis, args);
    va_end(args);
    add(build, &item, (struct zv_quantity){bytes, known, text});
}

void build_add_pages(struct build *build, struct build_item item, uint64_t bytes, const char *basis)
{
    add(build, &item, (struct zv_quantity){bytes, ZV_CALCULATED, basis});
    if (build->status == ZV_OK) {
        struct zv_ledger *const ledger = &build->out->ledger;
        ledger->items[ledger->count - 1].reclaimable = true;
    }
}

void build_unknown(struct build *build, struct build_item item, const char *why)
{
    add(build, &item, (struct zv_quantity){0, ZV_UNKNOWN, why});
}

static void add_line(struct build *build, const char **lines, size_t *count, const char *line)
{
    for (size_t i = 0; i < *count; i++) {
        if (line != NULL && zv_slice_equal(zv_slice_of(lines[i]), line)) {
            return;
        }
    }
    if (line != NULL && *count < ESTIMATE_MAX_LINES) {
        lines[(*count)++] = line;
    }
    (void)build;
}

void build_assume(struct build *build, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(build, build->out->assumptions, &build->out->assumption_count,
             print(build, format, args));
    va_end(args);
}

void build_invalid(struct build *build, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(build, build->out->invalid_if, &build->out->invalid_count, print(build, format, args));
    va_end(args);
}

uint64_t build_mul(struct build *build, uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    if (!zv_mul(a, b, &product)) {
        build_fail(build, zv_fail(build->err, ZV_E_OVERFLOW, "a size passes 2^64 bytes"));
    }
    return product;
}

uint64_t build_sum(struct build *build, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    if (!zv_add(a, b, &sum)) {
        build_fail(build, zv_fail(build->err, ZV_E_OVERFLOW, "a size passes 2^64 bytes"));
    }
    return sum;
}
