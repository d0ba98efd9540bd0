#include <stdbool.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "zirve/quantity.h"

const char *zv_known_name(enum zv_known known)
{
    switch (known) {
    case ZV_CALCULATED:
        return "calculated";
    case ZV_MEASURED:
        return "measured";
    case ZV_EMULATED:
        return "emulated";
    case ZV_ASSUMED:
        return "assumed";
    case ZV_UNKNOWN:
        break;
    }
    return "unknown";
}

enum zv_status zv_ledger_add(struct zv_ledger *ledger, const struct zv_item *item,
                             struct zv_error *err)
{
    if (ledger->count == ledger->capacity) {
        const size_t capacity = ledger->capacity == 0 ? 32 : ledger->capacity * 2;
        struct zv_item *const items = zv_arena_array(ledger->arena, capacity, sizeof *items);
        if (items == NULL) {
            return zv_fail_memory(err, "a ledger");
        }
        if (ledger->count != 0) {
            memcpy(items, ledger->items, ledger->count * sizeof *items);
        }
        ledger->items = items;
        ledger->capacity = capacity;
    }
    ledger->items[ledger->count++] = *item;
    return ZV_OK;
}

enum zv_status zv_ledger_add_group(struct zv_ledger *ledger, struct zv_device_group group,
                                   int *scope, struct zv_error *err)
{
    struct zv_device_group *const groups =
        zv_arena_array(ledger->arena, ledger->group_count + 1, sizeof *groups);
    if (groups == NULL) {
        return zv_fail_memory(err, "a ledger");
    }
    if (ledger->group_count != 0) {
        memcpy(groups, ledger->groups, ledger->group_count * sizeof *groups);
    }
    groups[ledger->group_count] = group;
    ledger->groups = groups;
    *scope = (int)ledger->group_count++;
    return ZV_OK;
}

static bool same_phase(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

enum zv_status zv_ledger_phase_total(const struct zv_ledger *ledger, int scope, const char *phase,
                                     struct zv_total *total, struct zv_error *err)
{
    *total = (struct zv_total){.phase = phase};
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        const struct zv_quantity *const quantity = &item->quantity;
        if (item->scope != scope || item->reclaimable ||
            (item->phase != NULL && !same_phase(item->phase, phase))) {
            continue;
        }
        if (quantity->known == ZV_UNKNOWN) {
            total->unknown++;
            continue;
        }
        if ((quantity->known != ZV_ASSUMED &&
             !zv_add(total->at_least, quantity->bytes, &total->at_least)) ||
            !zv_add(total->expected, quantity->bytes, &total->expected)) {
            return zv_fail(err, ZV_E_OVERFLOW, "the total passes 2^64 bytes at \"%s\"", item->name);
        }
    }
    return ZV_OK;
}

enum zv_status zv_ledger_total(const struct zv_ledger *ledger, int scope, struct zv_total *total,
                               struct zv_error *err)
{
    size_t unknown = 0;
    enum zv_status status = zv_ledger_phase_total(ledger, scope, NULL, total, err);
    for (size_t i = 0; status == ZV_OK && i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        struct zv_total one;
        if (item->scope != scope || item->reclaimable) {
            continue;
        }
        unknown += item->quantity.known == ZV_UNKNOWN;
        if (item->phase == NULL || same_phase(item->phase, total->phase)) {
            continue;
        }
        status = zv_ledger_phase_total(ledger, scope, item->phase, &one, err);
        const uint64_t at_least = one.at_least > total->at_least ? one.at_least : total->at_least;
        if (total->phase == NULL || one.expected > total->expected) {
            *total = one;
        }
        total->at_least = at_least;
    }
    total->unknown = unknown;
    return status;
}
