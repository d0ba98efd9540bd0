#include "report/memory_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RULE = 75, CELL = 32, COLUMNS = 4 };

static void rule(struct zv_sink *sink, char c)
{
    zv_sink_text(sink, "|");
    zv_sink_repeat(sink, c, RULE);
    zv_sink_text(sink, "|\n");
}

/* A value scaled by steps of a unit for as long as the column's first value is large. */
struct scale {
    int64_t step;      /* 1024 or 1000 */
    int64_t threshold; /* the first value from which the next unit is used */
    const char *const *units;
    int unit_count;
    int digits;
};

/* Python's integer division: towards minus infinity. */
static int64_t floor_divide(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

static void put(char to[CELL], const struct scale *scale, int64_t value, int64_t first)
{
    int unit = 0;
    while (unit + 1 < scale->unit_count && first >= scale->threshold) {
        unit++;
        value = floor_divide(value, scale->step);
        first = floor_divide(first, scale->step);
    }
    (void)snprintf(to, CELL, "%*" PRId64 " %s", scale->digits, value, scale->units[unit]);
}

static const char *const byte_units[] = {"B  ", "KiB", "MiB", "GiB", "TiB", "PiB"};
static const char *const count_units[] = {"  ", "K ", "M "};
static const struct scale bytes = {1024, 768 * 1024, byte_units, 6, 6};
static const struct scale counts = {1000, 750 * 1000, count_units, 3, 7};

/* first: the counter whose values choose the units of the columns. */
static void row(struct zv_sink *sink, const char *name, const struct scale *scale,
                const struct zv_counter *counter, const struct zv_counter *first)
{
    char cells[COLUMNS][CELL];
    put(cells[0], scale, counter->current, first->current);
    put(cells[1], scale, counter->peak, first->peak);
    put(cells[2], scale, counter->allocated, first->allocated);
    put(cells[3], scale, counter->freed, first->freed);
    zv_sink_print(sink, "| %-21s | %s | %s | %s | %s |\n", name, cells[0], cells[1], cells[2],
                  cells[3]);
}

void report_memory_summary(struct zv_sink *sink, const struct zv_memory_stats *stats,
                           unsigned device, bool abbreviated)
{
    static const struct {
        enum zv_stat stat;
        const char *name;
        const struct scale *scale;
    } metrics[] = {
        {ZV_STAT_ALLOCATED_BYTES, "Allocated memory", &bytes},
        {ZV_STAT_ACTIVE_BYTES, "Active memory", &bytes},
        {ZV_STAT_REQUESTED_BYTES, "Requested memory", &bytes},
        {ZV_STAT_RESERVED_BYTES, "GPU reserved memory", &bytes},
        {ZV_STAT_INACTIVE_SPLIT_BYTES, "Non-releasable memory", &bytes},
        {ZV_STAT_ALLOCATION, "Allocations", &counts},
        {ZV_STAT_ACTIVE, "Active allocs", &counts},
        {ZV_STAT_SEGMENT, "GPU reserved segments", &counts},
        {ZV_STAT_INACTIVE_SPLIT, "Non-releasable allocs", &counts},
    };
    rule(sink, '=');
    zv_sink_print(sink, "| %16s PyTorch CUDA memory summary, device ID %-17u |\n", "", device);
    rule(sink, '-');
    zv_sink_print(sink,
                  "|  %9s CUDA OOMs: %-12" PRId64 " | %6s cudaMalloc retries: %-8" PRId64 "  |\n",
                  "", stats->num_ooms, "", stats->num_alloc_retries);
    rule(sink, '=');
    zv_sink_text(sink,
                 "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n");
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        const struct zv_counter *const of = stats->counters[metrics[i].stat];
        rule(sink, '-');
        row(sink, metrics[i].name, metrics[i].scale, &of[ZV_STAT_ALL], &of[ZV_STAT_ALL]);
        if (!abbreviated) {
            row(sink, "      from large pool", metrics[i].scale, &of[ZV_STAT_LARGE_POOL],
                &of[ZV_STAT_ALL]);
            row(sink, "      from small pool", metrics[i].scale, &of[ZV_STAT_SMALL_POOL],
                &of[ZV_STAT_ALL]);
        }
    }
    rule(sink, '-');
    row(sink, "Oversize allocations", &counts, &stats->oversize_allocations,
        &stats->oversize_allocations);
    rule(sink, '-');
    row(sink, "Oversize GPU segments", &counts, &stats->oversize_segments,
        &stats->oversize_segments);
    rule(sink, '=');
}

static void each_pool(const struct report_stats *stats, report_stat_fn *write, void *context)
{
    struct zv_stat_entry entry;
    for (size_t pool = 0; stats->profile != ZV_TORCH_2_6 && pool < stats->pool_count; pool++) {
        for (unsigned i = 0; zv_pool_stats_entry(&stats->pools[pool], i, &entry); i++) {
            write(context, &entry);
        }
    }
}

void report_each_stat(const struct report_stats *stats, report_stat_fn *write, void *context)
{
    struct zv_stat_entry entry;
    for (unsigned i = 0; zv_memory_stats_entry(stats->stats, stats->profile, i, &entry); i++) {
        if (strcmp(entry.name, "segment.all.allocated") == 0) {
            each_pool(stats, write, context);
        }
        write(context, &entry);
    }
}

static void write_line(void *context, const struct zv_stat_entry *entry)
{
    zv_sink_print(context, "%s %" PRId64 "\n", entry->name, entry->value);
}

void report_memory_stats(struct zv_sink *sink, const struct report_stats *stats)
{
    report_each_stat(stats, write_line, sink);
}
