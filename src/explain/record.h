/*
 * Room explain: why this peak, why out of memory? From what was recorded, never from a device.
 *
 *     file ─► trace ─┬─► state before ─► replay (proof) ─► usage over time ─► peak
 *                    └─► heap at an instant ─► groups by stack, size, age ─► verdict
 *
 * A record is a trace made ready to be asked: which device, under which settings, how exactly the
 * caching policy reproduces it, where its peaks are.
 *
 * Not here: reading files (trace), what the allocator does (allocator), how it looks (report).
 */
#ifndef ZIRVE_EXPLAIN_RECORD_H
#define ZIRVE_EXPLAIN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "allocator/config.h"
#include "allocator/trace_replay.h"
#include "base/slice.h"
#include "trace/start.h"
#include "trace/trace.h"

#define ZV_RECORD_ANY_DEVICE SIZE_MAX

struct zv_record_options {
    size_t device;           /* or ZV_RECORD_ANY_DEVICE: the one with most to tell */
    const char *conf;        /* NULL: as recorded */
    uint64_t capacity_bytes; /* of the card, 0: not known; expandable reservations follow from it */
    bool has_range;          /* only a part of the events is looked at */
    bool range_is_time;      /* from and to in microseconds since the first event; else events */
    uint64_t from;           /* 0-based, included */
    uint64_t to;             /* not included */
    bool has_profile;
    enum zv_torch_profile profile; /* else from the file's generation */
};

/* An instant: before event `event`, so 0 is before all and the number of events is the end. */
struct zv_record_peak {
    size_t event;
    struct zv_trace_usage usage;
};

struct zv_record {
    struct zv_trace trace;
    size_t device;
    enum zv_torch_profile profile;
    const char *conf;            /* in force; "" for defaults */
    bool conf_known;             /* recorded or given; else defaults are assumed */
    struct zv_slice conf_unread; /* recorded, but not understood here: conf is assumed */
    struct allocator_config config;
    struct zv_trace_rules rules;
    struct zv_trace_odd *odd; /* what rules.odd is */
    size_t odd_count;
    struct zv_trace_start start;
    struct zv_trace_replay proof;
    /* Where it leaves the record: how many blocks of before it are of another size, as later events
     * show, and how far the replay comes with that. Figures are of this one. */
    size_t learned_blocks;
    struct zv_trace_replay learned;
    struct zv_record_peak peak_allocated; /* first instant of the largest allocated bytes */
    struct zv_record_peak peak_reserved;
    struct zv_trace_usage end; /* after the last event */
    bool has_range;            /* only a part of the file's events */
    size_t first_event;        /* of a range: how many events of the file come before */
    bool has_history;          /* more than one event: instants can be told apart */
    bool has_oom;
    size_t last_oom; /* event */
};

/*
 * Reads a file's content (plain, .gz, .zst); trace.known says how what is in it is known. Close
 * after a failure too. Errors: those of the readers, ZV_E_NOT_FOUND for a device that is not in it.
 */
enum zv_status zv_record_open(struct zv_record *record, struct zv_slice input,
                              const struct zv_record_options *options, struct zv_error *err);
void zv_record_close(struct zv_record *record);

/*
 * The same of an op list, run on the simulated card: what comes of it is emulated. Without a
 * capacity the card never fills. Errors: those of zv_trace_record, with the line.
 */
enum zv_status zv_record_of_ops(struct zv_record *record, struct zv_slice ops,
                                const struct zv_record_options *options, struct zv_error *err);

static inline const struct zv_trace_device *zv_record_device(const struct zv_record *record)
{
    return &record->trace.devices[record->device];
}

/* Called with the usage after each event (0-based), in order, once each; proved: by the replay,
 * else summed from the record with sizes rounded. */
typedef void zv_record_series_fn(void *context, size_t event, const struct zv_trace_usage *usage,
                                 bool proved);
enum zv_status zv_record_series(const struct zv_record *record, zv_record_series_fn *tell,
                                void *context, struct zv_error *err);

#endif
