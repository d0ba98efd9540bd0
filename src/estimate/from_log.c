#include "estimate/from_log.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

/* Which readings are memory that a device holds, and what they are called in a ledger. */
static const struct {
    const char *reading;
    const char *id;
    const char *name;
    const char *group;
} items[] = {
    {"model_buffer", "weights", "weights", "weights"},
    {"weights", "weights", "weights", "weights"},
    {"vram_used", "weights", "weights", "weights"}, /* llama.cpp of 2023 */
    {"kv_buffer", "kv_cache", "KV cache", "cache"},
    {"kv_k", "kv_cache.k", "KV cache, keys", "cache"},
    {"kv_v", "kv_cache.v", "KV cache, values", "cache"},
    {"kv_index", "kv_cache.index", "sparse-attention index", "cache"},
    {"kv_available", "kv_cache", "KV cache pool", "cache"},
    {"state_buffer", "state", "recurrent state", "cache"},
    {"state_temporal", "state.scan", "recurrent state, scan", "cache"},
    {"state_drafted", "state.drafted", "recurrent state, drafted steps", "cache"},
    {"compute_buffer", "compute_buffer", "compute buffer", "activations"},
    {"output_buffer", "output_buffer", "output buffer", "activations"},
    {"activation_peak", "activations", "activations, profiled peak", "activations"},
    {"non_torch", "runtime.non_torch", "context, libraries, communication", "runtime"},
    {"cuda_graph", "runtime.graphs", "CUDA graphs", "runtime"},
};

static bool is_id(const struct zv_reading *reading, const char *id)
{
    return strcmp(reading->id, id) == 0;
}

/* The row of a reading that is memory held, or -1. */
static int row_of(const struct zv_reading *reading)
{
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (is_id(reading, items[i].reading)) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- devices ---- */

static int find_device(const struct zv_from_log *from, struct zv_slice name)
{
    for (size_t i = 0; i < from->device_count; i++) {
        if (zv_slice_same(from->devices[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static enum zv_status add_device(struct zv_from_log *from, struct zv_slice name, uint32_t count,
                                 struct zv_error *err)
{
    struct zv_ledger *const ledger = &from->estimate.ledger;
    uint32_t first = 0;
    int scope;
    for (size_t i = 0; i < ledger->group_count; i++) {
        first += ledger->groups[i].count;
    }
    if (from->device_count == FROM_LOG_MAX_DEVICES) {
        return zv_fail(err, ZV_E_LIMIT, "a log of more than %d devices", FROM_LOG_MAX_DEVICES);
    }
    const char *const role =
        zv_arena_copy(ledger->arena, name.at != NULL ? name.at : "", name.length);
    if (role == NULL) {
        return zv_fail_memory(err, "a log");
    }
    from->devices[from->device_count++] = (struct zv_log_device){.name = name};
    return zv_ledger_add_group(ledger, (struct zv_device_group){first, count, role}, &scope, err);
}

/* Devices in the order in which the log says that they hold something. */
static enum zv_status find_devices(struct zv_from_log *from, struct zv_error *err)
{
    const struct zv_log *const log = from->log;
    bool nameless = false;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        if (reading->host || row_of(reading) < 0) {
            continue;
        }
        nameless = nameless || reading->device.length == 0;
        if (reading->device.length != 0 && find_device(from, reading->device) < 0) {
            status = add_device(from, reading->device, 1, err);
        }
    }
    /* vLLM names no rank where one speaks for all */
    const uint64_t ranks = log->tp.found && log->tp.value <= 65536 ? log->tp.value : 1;
    if (status == ZV_OK && from->device_count == 0 && nameless) {
        status = add_device(from, (struct zv_slice){0}, ranks == 0 ? 1 : (uint32_t)ranks, err);
    }
    return status;
}

/* "0" of "Device 0: …" is CUDA0; a name that is not among the devices is -1. */
static int device_of(const struct zv_from_log *from, const struct zv_reading *reading)
{
    const int exact = find_device(from, reading->device);
    if (exact >= 0 || from->device_count == 0) {
        return exact;
    }
    if (reading->device.length == 0) {
        return 0;
    }
    for (size_t i = 0; i < from->device_count; i++) {
        const struct zv_slice name = from->devices[i].name;
        size_t at = name.length;
        if (at == 0) { /* the log names none */
            continue;
        }
        while (at > 0 && zv_is_digit(name.at[at - 1])) {
            at--;
        }
        if (zv_slice_same((struct zv_slice){name.at + at, name.length - at}, reading->device)) {
            return (int)i;
        }
    }
    return -1;
}

static void read_totals(struct zv_from_log *from)
{
    static const char *const before[] = {"device_free", "available_before_load", NULL};
    static const char *const after[] = {"breakdown_free", "graph_available", "pool_end_available",
                                        "end_available", NULL};
    const struct zv_log *const log = from->log;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        const int at = device_of(from, reading);
        if (at < 0 || reading->host) {
            continue;
        }
        struct zv_log_device *const device = &from->devices[at];
        for (size_t j = 0; before[j] != NULL; j++) {
            device->free_before = is_id(reading, before[j]) ? reading : device->free_before;
        }
        for (size_t j = 0; after[j] != NULL; j++) {
            device->free_after = is_id(reading, after[j]) ? reading : device->free_after;
        }
        if (is_id(reading, "breakdown_total") ||
            (is_id(reading, "device_total") && device->total == NULL)) {
            device->total = reading;
        }
    }
}

/* ---- readings as items ---- */

void zv_reading_precision(char to[16], const struct zv_reading *reading)
{
    const struct zv_slice printed = reading->printed;
    size_t decimals = 0;
    for (size_t i = 0; i < printed.length; i++) {
        const bool digit = zv_is_digit(printed.at[i]);
        if (printed.at[i] == '.' || printed.at[i] == ',') {
            size_t run = 0;
            while (i + 1 + run < printed.length && printed.at[i + 1 + run] >= '0' &&
                   printed.at[i + 1 + run] <= '9') {
                run++;
            }
            const bool thousands = printed.at[i] == ',' && run == 3;
            decimals = thousands ? decimals : run;
        } else if (!digit) {
            break;
        }
    }
    if (reading->half_unit_bytes == 0) {
        (void)snprintf(to, 16, "0");
    } else if (decimals == 0) {
        (void)snprintf(to, 16, "0.5");
    } else {
        (void)snprintf(to, 16, "0.%.*s5", (int)(decimals < 8 ? decimals : 8), "00000000");
    }
}

const char *zv_reading_unit(const struct zv_reading *reading)
{
    for (size_t i = 0; i < reading->printed.length; i++) {
        if (reading->printed.at[i] >= 'A') {
            return "";
        }
    }
    return " MiB";
}

static enum zv_status add_item(struct zv_from_log *from, const struct zv_reading *reading,
                               struct zv_item item, const char *note, struct zv_error *err)
{
    struct zv_ledger *const ledger = &from->estimate.ledger;
    char precision[16];
    zv_reading_precision(precision, reading);
    item.quantity.bytes = reading->bytes;
    item.quantity.known = ZV_MEASURED;
    item.quantity.basis =
        zv_arena_print(ledger->arena, "log line %llu: %.*s%s ± %s%s", (ull)reading->line,
                       (int)reading->printed.length, reading->printed.at, zv_reading_unit(reading),
                       precision, note);
    return item.quantity.basis == NULL ? zv_fail_memory(err, "a log")
                                       : zv_ledger_add(ledger, &item, err);
}

static bool has_reading(const struct zv_log *log, const char *id, struct zv_slice device)
{
    for (size_t i = 0; i < log->reading_count; i++) {
        if (is_id(&log->readings[i], id) && zv_slice_same(log->readings[i].device, device)) {
            return true;
        }
    }
    return false;
}

/* A total that stands for parts the log does not print: where it lies is not said. */
static enum zv_status add_sums(struct zv_from_log *from, struct zv_error *err)
{
    static const struct {
        const char *total;
        const char *part[2];
        const char *id;
        const char *name;
    } sums[] = {{"kv_size", {"kv_buffer", "kv_k"}, "kv_cache", "KV cache"},
                {"state_size", {"state_buffer", "state_temporal"}, "state", "recurrent state"}};
    const struct zv_log *const log = from->log;
    enum zv_status status = ZV_OK;
    for (size_t s = 0; s < sizeof sums / sizeof sums[0]; s++) {
        if (zv_log_find(log, sums[s].part[0]) != NULL) {
            continue;
        }
        for (size_t i = 0; status == ZV_OK && i < log->reading_count; i++) {
            const struct zv_reading *const reading = &log->readings[i];
            if (!is_id(reading, sums[s].total) ||
                has_reading(log, sums[s].part[1], reading->device)) {
                continue;
            }
            const int at = device_of(from, reading);
            const struct zv_item item = {.id = sums[s].id,
                                         .name = sums[s].name,
                                         .group = "cache",
                                         .scope = at < 0 ? ZV_SCOPE_HOST : at};
            const bool placed = reading->device.length != 0 || from->device_count == 1;
            status = add_item(from, reading, item,
                              placed ? "" : "; the log does not say where it lies", err);
        }
    }
    return status;
}

static enum zv_status add_readings(struct zv_from_log *from, struct zv_error *err)
{
    const struct zv_log *const log = from->log;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        const int row = row_of(reading);
        const int at = reading->host ? ZV_SCOPE_HOST : device_of(from, reading);
        struct zv_item item = {.scope = at};
        if (row >= 0 && (at >= 0 || reading->host)) {
            item.id = items[row].id;
            item.name = items[row].name;
            item.group = items[row].group;
        } else if (is_id(reading, "cuda_graph_estimate") &&
                   !has_reading(log, "cuda_graph", reading->device) && at >= 0) {
            item.id = "runtime.graphs";
            item.name = "CUDA graphs, the runtime's estimate";
            item.group = "runtime";
        } else if (is_id(reading, "state_conv") && !zv_runtime_is_llamacpp(log->runtime) &&
                   at >= 0) {
            item.id = "state.conv";
            item.name = "recurrent state, convolution";
            item.group = "cache";
        } else {
            continue;
        }
        if (reading->sliding) {
            item.id = "kv_cache.sliding";
            item.name = "KV cache, sliding layers";
        }
        status = add_item(from, reading, item, "", err);
    }
    return status;
}

enum zv_status zv_from_log(struct zv_from_log *from, const struct zv_log_input *input,
                           struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_log *const log = input->log;
    const struct zv_estimate *const calculated = input->calculated;
    *from = (struct zv_from_log){.log = log};
    if (calculated != NULL) {
        from->estimate = *calculated;
    } else {
        from->estimate.fraction_millionths = 1000000;
        from->estimate.context_tokens = log->context_tokens.found ? log->context_tokens.value : 0;
        from->estimate.sequences = log->sequences.found ? log->sequences.value : 1;
    }
    from->estimate.ledger = (struct zv_ledger){.arena = arena};
    enum zv_status status = find_devices(from, err);
    if (status == ZV_OK) {
        read_totals(from);
        status = add_readings(from, err);
    }
    if (status == ZV_OK) {
        status = add_sums(from, err);
    }
    if (status == ZV_OK) {
        status = from_log_unaccounted(from, err);
    }
    return status == ZV_OK ? from_log_merge(from, input, err) : status;
}
