/* Any bytes: the same readings whatever the line breaks are, and the same sums. */
#include <stdlib.h>
#include <string.h>

#include "estimate/from_log.h"
#include "runtime/log_start.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 1099511628211U;
}

static uint64_t digest(const struct zv_log *log)
{
    uint64_t hash = mix(1469598103934665603U, (uint64_t)log->runtime);
    hash = mix(hash, (uint64_t)log->starts * 4 + (uint64_t)log->complete * 2 + log->failed);
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const one = &log->readings[i];
        uint64_t sum;
        size_t found;
        hash = mix(mix(mix(hash, one->bytes), one->half_unit_bytes), one->line);
        if (zv_log_sum(log, one->id, &sum, &found, NULL) == ZV_OK &&
            (found == 0 || sum < one->bytes)) {
            abort();
        }
        if (one->line < log->first_line) {
            abort();
        }
    }
    return mix(hash, log->last_line);
}

/* Every item of the ledger is a reading or says that it is unknown, and names its device. */
static void check_ledger(const struct zv_log *log, struct zv_arena *arena)
{
    static struct zv_from_log from;
    const struct zv_log_input input = {.log = log};
    struct zv_job job = {0};
    zv_log_fill_job(&job, log);
    if (zv_from_log(&from, &input, arena, NULL) != ZV_OK) {
        return;
    }
    const struct zv_ledger *const ledger = &from.estimate.ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        const bool known =
            item->quantity.known == ZV_MEASURED || item->quantity.known == ZV_UNKNOWN;
        if (!known || item->quantity.basis == NULL || item->scope >= (int)ledger->group_count) {
            abort();
        }
    }
}

static uint64_t run(const char *text, size_t size)
{
    struct zv_arena arena = {.limit = size * 600 + (1 << 20)};
    struct zv_log log;
    const enum zv_status status = zv_log_read(&log, (struct zv_slice){text, size}, &arena, NULL);
    const uint64_t hash = status == ZV_OK ? digest(&log) : (uint64_t)status;
    if (status == ZV_OK) {
        check_ledger(&log, &arena);
    }
    zv_arena_free(&arena);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const plain = malloc(size + 1);
    char *const windows = malloc(size * 2 + 1);
    size_t length = 0;
    size_t longer = 0;
    if (plain == NULL || windows == NULL) {
        abort();
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\r') {
            continue; /* progress bars: tried elsewhere */
        }
        plain[length++] = (char)data[i];
        if (data[i] == '\n') {
            windows[longer++] = '\r';
        }
        windows[longer++] = (char)data[i];
    }
    if (run(plain, length) != run(windows, longer)) {
        abort();
    }
    free(plain);
    free(windows);
    return 0;
}
