#include "support/allocator_duel.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/naive_allocator.h"

enum { LIVE = 200, STREAMS = 4, MAX_OPERATIONS = 1500 };

struct allocator_duel_count allocator_duel_count;

struct duel {
    const uint8_t *data;
    size_t left;
    struct zv_allocator *ours;
    struct naive naive;
    struct zv_allocator_event events[NAIVE_EVENTS];
    size_t event_count;
    struct zv_allocation live[LIVE];
    size_t live_count;
    int64_t peaks[ZV_STAT_COUNT];
    struct naive_options options;
    char wrong[512];
};

static uint8_t next_byte(struct duel *duel)
{
    if (duel->left == 0) {
        return 0;
    }
    duel->left--;
    return *duel->data++;
}

static void on_event(void *context, const struct zv_allocator_event *event)
{
    struct duel *const duel = context;
    if (duel->event_count < NAIVE_EVENTS) {
        duel->events[duel->event_count++] = *event;
    }
}

static bool wrong(struct duel *duel, const char *what, uint64_t ours, uint64_t naive)
{
    if (duel->wrong[0] == 0) {
        (void)snprintf(duel->wrong, sizeof duel->wrong,
                       "operation %llu: %s: ours %#llx, naive %#llx",
                       (unsigned long long)allocator_duel_count.operations, what,
                       (unsigned long long)ours, (unsigned long long)naive);
    }
    return false;
}

/* The settings that two bytes choose, and the text that says the same. */
static void choose(struct duel *duel, char conf[256])
{
    const uint8_t a = next_byte(duel);
    const uint8_t b = next_byte(duel);
    struct naive_options *const options = &duel->options;
    *options = (struct naive_options){.is_new = (a & 1) != 0,
                                      .expandable = (a & 2) != 0,
                                      .max_split = UINT64_MAX,
                                      .non_split = UINT64_C(20) << 20,
                                      .divisions = (a & 4) != 0 ? 4 : 0,
                                      .gc = (a & 8) != 0 ? 0.5 : 0,
                                      .fraction = -1,
                                      .capacity = (UINT64_C(48) + 16 * (b & 15)) << 20};
    int used =
        snprintf(conf, 256, "expandable_segments:%s", options->expandable ? "True" : "False");
    if ((a & 4) != 0) {
        used += snprintf(conf + used, 256 - (size_t)used, ",roundup_power2_divisions:4");
    }
    if ((a & 8) != 0) {
        used += snprintf(conf + used, 256 - (size_t)used, ",garbage_collection_threshold:0.5");
    }
    if ((a & 16) != 0) {
        options->max_split = UINT64_C(24) << 20;
        options->non_split = UINT64_C(22) << 20;
        (void)snprintf(conf + used, 256 - (size_t)used,
                       ",max_split_size_mb:24,max_non_split_rounding_mb:22");
    }
}

static bool same_events(struct duel *duel)
{
    const struct naive *const naive = &duel->naive;
    for (size_t i = 0; i < duel->event_count && i < naive->event_count; i++) {
        const struct zv_allocator_event *const a = &duel->events[i];
        const struct zv_allocator_event *const b = &naive->events[i];
        if (a->action != b->action) {
            return wrong(duel, "an event's action", (uint64_t)a->action, (uint64_t)b->action);
        }
        if (a->address != b->address || a->size_bytes != b->size_bytes) {
            return wrong(duel, "an event's address or size", a->address, b->address);
        }
        if (a->stream != b->stream) {
            return wrong(duel, "an event's stream", a->stream, b->stream);
        }
    }
    return duel->event_count == naive->event_count ||
           wrong(duel, "the number of events", duel->event_count, naive->event_count);
}

static bool same_counters(struct duel *duel)
{
    static const char *const names[] = {"allocation",     "segment",     "active",
                                        "inactive_split", "allocated",   "reserved",
                                        "active bytes",   "split bytes", "requested"};
    struct zv_memory_stats stats;
    zv_allocator_get_stats(duel->ours, &stats);
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        const struct zv_counter *const counter = &stats.counters[stat][ZV_STAT_ALL];
        const uint64_t sum = naive_sum(&duel->naive, (enum zv_stat)stat);
        duel->peaks[stat] = (int64_t)sum > duel->peaks[stat] ? (int64_t)sum : duel->peaks[stat];
        if (counter->current != (int64_t)sum) {
            return wrong(duel, names[stat], (uint64_t)counter->current, sum);
        }
        if (counter->allocated - counter->freed != counter->current) {
            return wrong(duel, "sums of a counter", (uint64_t)counter->allocated,
                         (uint64_t)counter->freed);
        }
        /* reserved and split memory may peak within an operation; what is allocated cannot */
        const bool exact = stat != ZV_STAT_RESERVED_BYTES && stat != ZV_STAT_SEGMENT &&
                           stat != ZV_STAT_INACTIVE_SPLIT && stat != ZV_STAT_INACTIVE_SPLIT_BYTES;
        if (counter->peak < duel->peaks[stat] || (exact && counter->peak != duel->peaks[stat])) {
            return wrong(duel, "a peak", (uint64_t)counter->peak, (uint64_t)duel->peaks[stat]);
        }
    }
    const struct naive *const naive = &duel->naive;
    if ((uint64_t)stats.num_alloc_retries != naive->retries ||
        (uint64_t)stats.num_ooms != naive->ooms ||
        (uint64_t)stats.num_device_alloc != naive->device_allocs ||
        (uint64_t)stats.num_device_free != naive->device_frees) {
        return wrong(duel, "retries, ooms or driver calls", (uint64_t)stats.num_alloc_retries,
                     naive->retries);
    }
    return true;
}

/* Sizes around every boundary that the rules have. */
static uint64_t choose_size(struct duel *duel)
{
    static const uint64_t bases[] = {1,        512,      4096,      100000,   524288,   1048576,
                                     1500000,  2097152,  5000000,   10485760, 12000000, 20971520,
                                     25165824, 40000000, 100000000, 3};
    const uint8_t byte = next_byte(duel);
    return bases[byte & 15] + (byte >> 4) * UINT64_C(257);
}

static bool do_malloc(struct duel *duel)
{
    const uint64_t bytes = choose_size(duel);
    const unsigned stream = next_byte(duel) % STREAMS;
    struct zv_allocation got;
    if (zv_allocator_malloc(duel->ours, bytes, stream, &got, NULL) != ZV_OK) {
        return wrong(duel, "malloc failed", bytes, 0);
    }
    const uint64_t address = naive_malloc(&duel->naive, bytes, stream);
    if (got.address != address) {
        return wrong(duel, "an address", got.address, address);
    }
    if (got.address != 0) {
        duel->live[duel->live_count++] = got;
    }
    return true;
}

static bool do_free(struct duel *duel, size_t index)
{
    const struct zv_allocation allocation = duel->live[index];
    duel->live[index] = duel->live[--duel->live_count];
    naive_free(&duel->naive, allocation.address);
    if (zv_allocator_free(duel->ours, allocation, NULL) != ZV_OK) {
        return wrong(duel, "free failed", allocation.address, 0);
    }
    if (zv_allocator_free(duel->ours, allocation, NULL) != ZV_E_USAGE) {
        return wrong(duel, "a second free passed", allocation.address, 0);
    }
    return true;
}

static bool do_pool(struct duel *duel, uint8_t what)
{
    struct naive *const naive = &duel->naive;
    const unsigned pool = 1 + what % (NAIVE_POOLS - 1);
    const unsigned stream = next_byte(duel) % (STREAMS + 1); /* the last: any stream */
    size_t scope = 0;
    while (scope < naive->scope_count && naive->scopes[scope].pool != pool) {
        scope++;
    }
    const bool open = scope < naive->scope_count;
    if (naive->pools[pool].uses == 0) {
        naive_pool_retain(naive, pool, what >> 5 & 3);
        return zv_allocator_pool_retain(duel->ours, pool, what >> 5 & 3, NULL) == ZV_OK ||
               wrong(duel, "retain failed", pool, 0);
    }
    if (open) {
        for (naive->scope_count--; scope < naive->scope_count; scope++) {
            naive->scopes[scope] = naive->scopes[scope + 1];
        }
        return zv_allocator_pool_end(duel->ours, pool, NULL) == ZV_OK ||
               wrong(duel, "end failed", pool, 0);
    }
    if ((what & 16) != 0) {
        naive->pools[pool].uses--;
        return zv_allocator_pool_release(duel->ours, pool, NULL) == ZV_OK ||
               wrong(duel, "release failed", pool, 0);
    }
    naive->scopes[naive->scope_count].pool = pool;
    naive->scopes[naive->scope_count].any = stream == STREAMS;
    naive->scopes[naive->scope_count++].stream = stream;
    return zv_allocator_pool_begin(duel->ours, pool, stream == STREAMS ? ZV_ANY_STREAM : stream,
                                   NULL) == ZV_OK ||
           wrong(duel, "begin failed", pool, 0);
}

static bool do_other(struct duel *duel, uint8_t what)
{
    struct naive *const naive = &duel->naive;
    const unsigned stream = what >> 4 & (STREAMS - 1);
    naive->event_count = 0;
    switch (what & 15) {
    case 0:
        naive_empty_cache(naive);
        return zv_allocator_empty_cache(duel->ours, NULL) == ZV_OK;
    case 1:
        naive->options.fraction = stream * 0.25 + 0.25;
        return zv_allocator_set_fraction(duel->ours, naive->options.fraction, NULL) == ZV_OK;
    case 2:
        naive->capturing = !naive->capturing;
        return zv_allocator_set_capturing(duel->ours, naive->capturing, NULL) == ZV_OK;
    case 3:
        zv_allocator_reset_peaks(duel->ours);
        memset(duel->peaks, 0, sizeof duel->peaks);
        return true;
    case 4:
        if (naive->pools[1].exists && naive->pools[1].uses == 0) {
            naive_pool_empty(naive, 1);
            return zv_allocator_pool_empty(duel->ours, 1, NULL) == ZV_OK;
        }
        return true;
    case 5:
    case 6:
    case 7:
        return do_pool(duel, next_byte(duel));
    case 8:
        naive_finish(naive, NAIVE_STREAMS);
        return zv_allocator_finish(duel->ours, NULL) == ZV_OK;
    default:
        naive_finish(naive, stream);
        return zv_allocator_finish_stream(duel->ours, stream, NULL) == ZV_OK;
    }
}

static bool step(struct duel *duel)
{
    const uint8_t what = next_byte(duel);
    const size_t count = duel->live_count;
    duel->event_count = 0;
    duel->naive.event_count = 0;
    if ((what < 110 && count < LIVE) || count == 0) {
        return do_malloc(duel);
    }
    if (what < 200) {
        return do_free(duel, (next_byte(duel) * UINT64_C(7919) + what) % count);
    }
    if (what < 230) {
        const struct zv_allocation allocation = duel->live[next_byte(duel) % count];
        naive_record(&duel->naive, allocation.address, what % STREAMS);
        return zv_allocator_record_stream(duel->ours, allocation, what % STREAMS, NULL) == ZV_OK;
    }
    return do_other(duel, next_byte(duel));
}

static bool compare(struct duel *duel)
{
    struct zv_error err = {0};
    if (!same_events(duel) || !same_counters(duel)) {
        return false;
    }
    if (zv_allocator_check(duel->ours, &err) != ZV_OK) {
        (void)snprintf(duel->wrong, sizeof duel->wrong, "operation %llu: %.400s",
                       (unsigned long long)allocator_duel_count.operations, err.text);
        return false;
    }
    for (size_t i = 0; i < duel->event_count; i++) {
        allocator_duel_count.waits += duel->events[i].action == ZV_ACTION_FREE_COMPLETED &&
                                      duel->events[0].action != ZV_ACTION_FREE_REQUESTED;
    }
    return true;
}

/* Everything freed, every pool dropped, the cache emptied: nothing may be left. */
static bool wind_up(struct duel *duel)
{
    struct naive *const naive = &duel->naive;
    while (naive->scope_count != 0) {
        const unsigned pool = naive->scopes[--naive->scope_count].pool;
        (void)zv_allocator_pool_end(duel->ours, pool, NULL);
    }
    naive->capturing = false;
    (void)zv_allocator_set_capturing(duel->ours, false, NULL);
    while (duel->live_count != 0) {
        duel->event_count = 0;
        if (!do_free(duel, duel->live_count - 1) || !compare(duel)) {
            return false;
        }
    }
    for (unsigned pool = 1; pool < NAIVE_POOLS; pool++) {
        for (; naive->pools[pool].uses != 0; naive->pools[pool].uses--) {
            (void)zv_allocator_pool_release(duel->ours, pool, NULL);
        }
    }
    duel->event_count = 0;
    naive_empty_cache(naive);
    if (zv_allocator_empty_cache(duel->ours, NULL) != ZV_OK || !compare(duel)) {
        return wrong(duel, "the last empty_cache", 0, 0);
    }
    const struct zv_usage usage = zv_allocator_usage(duel->ours);
    const uint64_t free_bytes = zv_allocator_device_free(duel->ours);
    return (usage.reserved_bytes == 0 && free_bytes == duel->options.capacity) ||
           wrong(duel, "memory left when all is freed", usage.reserved_bytes, free_bytes);
}

const char *allocator_duel(const uint8_t *data, size_t size)
{
    static struct duel duel;
    char conf[256];
    memset(&duel, 0, offsetof(struct duel, naive));
    duel.event_count = 0;
    duel.live_count = 0;
    duel.wrong[0] = 0;
    memset(duel.peaks, 0, sizeof duel.peaks);
    duel.data = data;
    duel.left = size;
    choose(&duel, conf);
    naive_open(&duel.naive, &duel.options);
    const struct zv_allocator_options options = {.profile = duel.options.is_new ? ZV_TORCH_2_14
                                                                                : ZV_TORCH_2_6,
                                                 .conf = conf,
                                                 .capacity_bytes = duel.options.capacity,
                                                 .on_event = on_event,
                                                 .context = &duel};
    struct zv_error err = {0};
    if (zv_allocator_open(&duel.ours, &options, &err) != ZV_OK) {
        (void)snprintf(duel.wrong, sizeof duel.wrong, "open: %.400s", err.text);
        return duel.wrong;
    }
    bool good = true;
    for (int i = 0; i < MAX_OPERATIONS && duel.left != 0 && good && !duel.naive.full; i++) {
        allocator_duel_count.operations++;
        good = (step(&duel) || wrong(&duel, "an operation failed", 0, 0)) && compare(&duel);
    }
    good = good && (duel.naive.full || wind_up(&duel));
    allocator_duel_count.ooms += duel.naive.ooms;
    allocator_duel_count.device_frees += duel.naive.device_frees;
    zv_allocator_close(duel.ours);
    return good || duel.naive.full ? NULL : duel.wrong;
}
