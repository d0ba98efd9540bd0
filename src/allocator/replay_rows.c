/* The rows of expected.tsv and events.tsv. */
#include <string.h>

#include "allocator/replay.h"
#include "simcard/simcard.h"

const char zv_replay_counters_head[] =
    "op\tstatus\taddr\tallocated\treserved\tactive\trequested\tinactive_split\tsegments\t"
    "alloc_retries\tooms\tdevice_alloc\tdevice_free";
const char zv_replay_events_head[] = "op\taction\taddr\tsize\tstream";

/* A cell after a tab; numbers written by hand because a replay writes millions of them. */
static char *put_text(char *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

static char *put_number(char *to, uint64_t value, unsigned base)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count != 0) {
        *to++ = digits[--count];
    }
    return to;
}

static char *put_signed(char *to, int64_t value)
{
    if (value < 0) {
        *to++ = '-';
        return put_number(to, 0 - (uint64_t)value, 10);
    }
    return put_number(to, (uint64_t)value, 10);
}

/* Offsets from the start of the range they lie in, as the golden cases have them. */
static char *put_address(char *to, uint64_t address)
{
    if (address >= ZV_SIMCARD_RESERVE_BASE) {
        return put_number(put_text(to, "v+"), address - ZV_SIMCARD_RESERVE_BASE, 16);
    }
    return put_number(put_text(to, "m+"), address - ZV_SIMCARD_MALLOC_BASE, 16);
}

size_t zv_replay_counters_row(const struct zv_replay *replay, char to[ZV_REPLAY_ROW])
{
    static const char *const words[] = {"ok", "OOM", "none"};
    static const enum zv_stat columns[] = {ZV_STAT_ALLOCATED_BYTES,      ZV_STAT_RESERVED_BYTES,
                                           ZV_STAT_ACTIVE_BYTES,         ZV_STAT_REQUESTED_BYTES,
                                           ZV_STAT_INACTIVE_SPLIT_BYTES, ZV_STAT_SEGMENT};
    struct zv_memory_stats stats;
    zv_allocator_get_stats(replay->allocator, &stats);
    const int64_t totals[] = {stats.num_alloc_retries, stats.num_ooms, stats.num_device_alloc,
                              stats.num_device_free};
    char *at = put_number(to, replay->line - 1, 10);
    *at++ = '\t';
    at = put_text(at, words[replay->status]);
    *at++ = '\t';
    if (replay->address != 0) {
        at = put_address(at, replay->address);
    } else {
        at = put_text(at, replay->allocated ? "0" : "-"); /* a request of size 0 gives a null */
    }
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        *at++ = '\t';
        at = put_signed(at, stats.counters[columns[i]][ZV_STAT_ALL].current);
    }
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        *at++ = '\t';
        at = put_signed(at, totals[i]);
    }
    return (size_t)(at - to);
}

size_t zv_replay_event_row(uint64_t op, const struct zv_allocator_event *event,
                           char to[ZV_REPLAY_ROW])
{
    char *at = put_number(to, op, 10);
    *at++ = '\t';
    at = put_text(at, zv_allocator_action_name(event->action));
    *at++ = '\t';
    at = event->action == ZV_ACTION_OOM ? put_number(at, event->address, 10)
                                        : put_address(at, event->address);
    *at++ = '\t';
    at = put_number(at, event->size_bytes, 10);
    *at++ = '\t';
    at = put_number(at, event->stream, 10);
    return (size_t)(at - to);
}
