/* How exactly a recorded trace is reproduced, and what it covers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_explain.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 1024, BY_TEXT = 200 };

const char *report_known_word(enum zv_trace_known known)
{
    return known == ZV_TRACE_RECORDED ? "recorded" : zv_trace_known_name(known);
}

void report_known_json(struct zv_json_writer *json, const struct zv_trace *trace)
{
    const struct zv_slice by = zv_trace_text(trace, trace->known_by);
    json_text(json, "known", zv_trace_known_name(trace->known));
    json_text(json, "known_by", by.length != 0 ? by.at : NULL);
}

/* "42/42 allocations and 3/3 segments" */
static void put_counts(char *to, size_t size, const struct zv_trace_replay *proof)
{
    char done[COUNT_TEXT];
    char total[COUNT_TEXT];
    report_count(done, proof->allocations);
    report_count(total, proof->total_allocations);
    size_t used = strlen(to);
    used += (size_t)snprintf(to + used, size - used, "%s/%s allocations", done, total);
    report_count(done, proof->segments);
    report_count(total, proof->total_segments);
    if (proof->total_segments != 0 && used < size) {
        (void)snprintf(to + used, size - used, " and %s/%s segments", done, total);
    }
}

static void put_event(char *to, size_t size, const char *who,
                      const struct zv_allocator_event *event)
{
    const size_t used = strlen(to);
    if (event->action == ZV_ACTION_COUNT) {
        (void)snprintf(to + used, size - used, "%s nothing", who);
        return;
    }
    char bytes[ZV_BYTES_TEXT];
    zv_bytes_print(bytes, event->size_bytes, ZV_UNIT_B, 0);
    (void)snprintf(to + used, size - used, "%s %s of %s at 0x%" PRIx64, who,
                   zv_allocator_action_name(event->action), bytes, event->address);
}

static void put_start(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_record *record)
{
    char line[LINE_TEXT];
    char live[REPORT_BYTES_TEXT];
    char reserved[REPORT_BYTES_TEXT];
    char blocks[COUNT_TEXT];
    const struct zv_trace_start *const start = &record->start;
    if (zv_record_device(record)->event_count == 0) {
        (void)snprintf(line, sizeof line, "No history was %s: only this one state is known.",
                       report_known_word(record->trace.known));
        report_fold(sink, style, 2, 0, line);
        return;
    }
    if (start->segment_count == 0) {
        report_fold(sink, style, 2, 0,
                    "Before the first event nothing was reserved: the history is complete.");
        return;
    }
    report_bytes(live, style, start->live_bytes);
    report_bytes(reserved, style, start->reserved_bytes);
    report_count(blocks, start->block_count);
    (void)snprintf(line, sizeof line,
                   "Before the first event: %s live in %s block%s, %s reserved (the end state with "
                   "the history undone). The history is a ring buffer; whether it dropped older "
                   "events is not recorded.",
                   live, blocks, start->block_count == 1 ? "" : "s", reserved);
    report_fold(sink, style, 2, 0, line);
}

/* What the replay comes to with sizes that only later events show. */
static void put_learned(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_record *record)
{
    char line[LINE_TEXT];
    char blocks[COUNT_TEXT];
    char done[COUNT_TEXT];
    char total[COUNT_TEXT];
    if (record->learned_blocks == 0) {
        return;
    }
    report_count(blocks, record->learned_blocks);
    report_count(done, record->learned.events);
    report_count(total, record->learned.total_events);
    (void)snprintf(line, sizeof line,
                   "Later addresses show that %s block%s from before the record %s larger than the "
                   "rounded request; with that, the replay is exact %s event %s of %s.",
                   blocks, record->learned_blocks == 1 ? "" : "s",
                   record->learned_blocks == 1 ? "was" : "were",
                   record->learned.exact ? "to the end," : "up to", done, total);
    report_fold(sink, style, 2, 0, line);
}

void report_source_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_record *record)
{
    char line[LINE_TEXT];
    char by[BY_TEXT];
    const struct zv_trace *const trace = &record->trace;
    const struct zv_slice source = zv_trace_text(trace, trace->known_by);
    const bool recorded = trace->known == ZV_TRACE_RECORDED;
    (void)snprintf(by, sizeof by, "%.*s", (int)(source.length < BY_TEXT ? source.length : BY_TEXT),
                   source.at);
    zv_make_printable(by);
    char unread[BY_TEXT + 40] = " (assumed: not in the file)";
    if (record->conf_unread.length != 0) {
        const size_t length = record->conf_unread.length;
        (void)snprintf(unread, sizeof unread, " (assumed: \"%.*s\" is not understood)",
                       (int)(length < BY_TEXT ? length : BY_TEXT), record->conf_unread.at);
        zv_make_printable(unread);
    }
    (void)snprintf(line, sizeof line, "%s%s; allocator %s; settings %s%s.",
                   recorded                            ? "Written by PyTorch "
                   : trace->known == ZV_TRACE_EMULATED ? "Emulated: "
                                                       : "Calculated: ",
                   recorded     ? zv_snapshot_versions(trace->generation)
                   : by[0] != 0 ? by
                                : "by what, the file does not say",
                   zv_torch_profile_name(record->profile),
                   record->conf[0] != 0 ? record->conf : "default",
                   record->conf_known ? "" : unread);
    report_fold(sink, style, 2, 0, line);
}

void report_proof_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record)
{
    const struct zv_trace_replay *const proof = &record->proof;
    static const char *const titles[ZV_TRACE_KNOWN] = {"Recorded:", "Emulated:", "Calculated:"};
    const char *const known = report_known_word(record->trace.known);
    char line[LINE_TEXT] = "replay: exact ";
    char done[COUNT_TEXT];
    char total[COUNT_TEXT];
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        report_fold(sink, style, 0, 0,
                    "replay: only bounds: a profiler writes rounded sizes and no streams");
        return;
    }
    if (proof->total_allocations == 0 && proof->exact) {
        zv_sink_print(sink, "replay: no allocation was %s, so there is nothing to prove\n", known);
    } else if (proof->exact) {
        put_counts(line, sizeof line, proof);
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), ", at the %s addresses",
                       known);
        report_fold(sink, style, 0, 0, line);
    } else {
        report_count(done, proof->events);
        report_count(total, proof->total_events);
        (void)snprintf(line, sizeof line,
                       "replay: exact up to event %s of %s, then it leaves the "
                       "record (",
                       done, total);
        put_counts(line, sizeof line, proof);
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " exact)");
        report_fold(sink, style, 0, 0, line);
        line[0] = 0;
        put_event(line, sizeof line, titles[record->trace.known], &proof->recorded);
        put_event(line, sizeof line, "; replayed:", &proof->replayed);
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " (%s).%s", proof->why,
                       record->learned.exact ? ""
                                             : " From there on, sizes are requests rounded, larger "
                                               "where addresses or the end state show it.");
        report_fold(sink, style, 2, 0, line);
        put_learned(sink, style, record);
    }
    report_source_text(sink, style, record);
    put_start(sink, style, record);
}

void report_proof_json(struct zv_json_writer *json, const struct zv_record *record)
{
    const struct zv_trace_replay *const proof = &record->proof;
    json_bool(json, "emulated", record->trace.known == ZV_TRACE_EMULATED);
    json_bool(json, "exact", proof->exact);
    json_bytes(json, "exact_events", true, proof->events);
    json_bytes(json, "events", true, proof->total_events);
    json_bytes(json, "exact_allocations", true, proof->allocations);
    json_bytes(json, "allocations", true, proof->total_allocations);
    json_bytes(json, "exact_segments", true, proof->segments);
    json_bytes(json, "segments", true, proof->total_segments);
    json_text(json, "why", proof->why);
    if (record->learned_blocks != 0) {
        json_bytes(json, "learned_blocks", true, record->learned_blocks);
        json_bool(json, "learned_exact", record->learned.exact);
        json_bytes(json, "learned_exact_events", true, record->learned.events);
    }
    json_text(json, "profile", zv_torch_profile_name(record->profile));
    json_text(json, "alloc_conf", record->conf);
    json_bool(json, "alloc_conf_known", record->conf_known);
    if (record->conf_unread.length != 0) {
        json_slice(json, "alloc_conf_unread", record->conf_unread);
    }
    json_bytes(json, "live_before_bytes", record->trace.source == ZV_TRACE_FROM_SNAPSHOT,
               record->start.live_bytes);
    json_bytes(json, "reserved_before_bytes", record->trace.source == ZV_TRACE_FROM_SNAPSHOT,
               record->start.reserved_bytes);
    json_bytes(json, "stray_events", true, record->start.stray_events);
}
