/* What a device holds beside the readings: measured where the log says enough, else unknown. */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/from_log.h"

typedef unsigned long long ull;

struct rest {
    struct zv_from_log *from;
    int scope;
    struct zv_error *err;
};

static enum zv_status add(const struct rest *rest, struct zv_item item, const char *basis)
{
    item.scope = rest->scope;
    item.group = "runtime";
    item.quantity.basis = basis;
    return basis == NULL ? zv_fail_memory(rest->err, "a log")
                         : zv_ledger_add(&rest->from->estimate.ledger, &item, rest->err);
}

static enum zv_status add_unknown(const struct rest *rest, const char *why)
{
    return add(rest, (struct zv_item){.id = "unaccounted", .name = "not accounted for"}, why);
}

/* Σ of a device's readings. Graphs are captured after all else is measured: with_graphs says that
 * the whole was read after that. */
static bool held(const struct rest *rest, bool with_graphs, uint64_t *bytes)
{
    const struct zv_ledger *const ledger = &rest->from->estimate.ledger;
    *bytes = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == rest->scope && item->quantity.known == ZV_MEASURED &&
            (with_graphs || strcmp(item->id, "runtime.graphs") != 0) &&
            !zv_add(*bytes, item->quantity.bytes, bytes)) {
            return false;
        }
    }
    return true;
}

/* By how much the figures of a device may be off together: each was printed with few digits. */
static uint64_t rounding(const struct rest *rest)
{
    const struct zv_log *const log = rest->from->log;
    const struct zv_slice name = rest->from->devices[rest->scope].name;
    uint64_t bytes = 0;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        if (!reading->host &&
            (reading->device.length == 0 || zv_slice_same(reading->device, name))) {
            bytes += reading->half_unit_bytes; /* at most 4096 of a GiB each */
        }
    }
    return bytes;
}

/* A whole that the log says, and what it is called. */
struct whole {
    uint64_t bytes;
    const char *of;
    const char *name;
    bool with_graphs;
};

/* whole - Σ readings as an item; rounding may make the sum the larger one. */
static enum zv_status add_difference(const struct rest *rest, const struct whole *all)
{
    struct zv_arena *const arena = rest->from->estimate.ledger.arena;
    const uint64_t whole = all->bytes;
    const char *const of = all->of;
    uint64_t sum;
    if (!held(rest, all->with_graphs, &sum)) {
        return zv_fail(rest->err, ZV_E_OVERFLOW, "the readings of a device pass 2^64 bytes");
    }
    if (sum > whole && sum - whole <= rounding(rest)) {
        return add(rest,
                   (struct zv_item){.id = "unaccounted",
                                    .name = all->name,
                                    .quantity = {.bytes = 0, .known = ZV_MEASURED}},
                   zv_arena_print(arena,
                                  "%s, %llu B, is the readings above as far as they are "
                                  "printed",
                                  of, (ull)whole));
    }
    if (sum > whole) {
        return add_unknown(rest, zv_arena_print(arena,
                                                "%s is %llu B, the readings sum to %llu B more: "
                                                "they do not belong to one instant",
                                                of, (ull)whole, (ull)(sum - whole)));
    }
    return add(rest,
               (struct zv_item){.id = "unaccounted",
                                .name = all->name,
                                .quantity = {.bytes = whole - sum, .known = ZV_MEASURED}},
               zv_arena_print(arena, "%s, %llu B, less the readings above, %llu B", of, (ull)whole,
                              (ull)sum));
}

static const struct zv_reading *reading_of(const struct rest *rest, const char *id)
{
    const struct zv_log *const log = rest->from->log;
    const struct zv_slice name = rest->from->devices[rest->scope].name;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        if (strcmp(reading->id, id) == 0 && !reading->host &&
            (reading->device.length == 0 || zv_slice_same(reading->device, name))) {
            return reading;
        }
    }
    return NULL;
}

/* Total less free, both of the time before the model was loaded. */
static enum zv_status add_in_use(const struct rest *rest, const struct zv_log_device *device)
{
    const uint64_t total = device->total->bytes;
    const uint64_t free = device->free_before->bytes;
    return add(rest,
               (struct zv_item){
                   .id = "in_use",
                   .name = "in use before loading",
                   .quantity = {.bytes = total > free ? total - free : 0, .known = ZV_MEASURED}},
               zv_arena_print(rest->from->estimate.ledger.arena,
                              "total less free, log lines %llu and %llu: others, and what this "
                              "process had taken",
                              (ull)device->total->line, (ull)device->free_before->line));
}

static enum zv_status llamacpp_rest(const struct rest *rest)
{
    const struct zv_log_device *const device = &rest->from->devices[rest->scope];
    const struct zv_reading *const told = reading_of(rest, "breakdown_unaccounted");
    if (told != NULL) {
        return add(rest,
                   (struct zv_item){.id = "unaccounted",
                                    .name = "not accounted for",
                                    .quantity = {.bytes = told->bytes, .known = ZV_MEASURED}},
                   zv_arena_print(rest->from->estimate.ledger.arena,
                                  "log line %llu: %.*s MiB ± 0.5: total less free less the "
                                  "runtime's own (context, libraries, other programs)",
                                  (ull)told->line, (int)told->printed.length, told->printed.at));
    }
    enum zv_status status = ZV_OK;
    if (device->total != NULL && device->free_before != NULL) {
        status = add_in_use(rest, device);
    }
    return status != ZV_OK ? status
                           : add_unknown(rest, "the log does not say what was free afterwards");
}

static enum zv_status vllm_rest(const struct rest *rest)
{
    const struct zv_log *const log = rest->from->log;
    const struct zv_reading *const usable = reading_of(rest, "usable");
    const struct zv_log_device *const device = &rest->from->devices[rest->scope];
    struct whole share = {0, "the share of the card", "rest of the runtime's share", false};
    if (usable != NULL) {
        share.bytes = usable->bytes;
        return add_difference(rest, &share);
    }
    if (device->total != NULL && log->memory_fraction.found &&
        zv_mul_div(device->total->bytes, log->memory_fraction.value, 1000000, &share.bytes)) {
        return add_difference(rest, &share);
    }
    return add_unknown(rest, "the log does not say how large the card is");
}

static enum zv_status sglang_rest(const struct rest *rest)
{
    const struct zv_log_device *const device = &rest->from->devices[rest->scope];
    if (device->free_before == NULL || device->free_after == NULL ||
        device->free_after->bytes > device->free_before->bytes) {
        return add_unknown(rest, "the log does not say what was free before and afterwards");
    }
    const struct whole taken = {device->free_before->bytes - device->free_after->bytes,
                                "free before loading less free at the end", "not accounted for",
                                strcmp(device->free_after->id, "end_available") == 0};
    return add_difference(rest, &taken);
}

/* Unknown, when the start did not get far enough to say anything of the rest. */
enum zv_status from_log_unaccounted(struct zv_from_log *from, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < from->device_count; i++) {
        const struct rest rest = {from, (int)i, err};
        switch (from->log->runtime) {
        case ZV_RUNTIME_LLAMACPP:
        case ZV_RUNTIME_IK_LLAMACPP:
            status = llamacpp_rest(&rest);
            break;
        case ZV_RUNTIME_VLLM:
            status = vllm_rest(&rest);
            break;
        case ZV_RUNTIME_SGLANG:
            status = sglang_rest(&rest);
            break;
        case ZV_RUNTIME_NONE:
        case ZV_RUNTIME_TRANSFORMERS:
            status = add_unknown(&rest, "not a log that we know");
            break;
        }
    }
    return status;
}
