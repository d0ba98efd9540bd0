#include "report/report_requests.h"

#include <inttypes.h>
#include <stdio.h>

#include "explain/groups.h"
#include "report/json_fields.h"
#include "report/report_estimate.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 512, SHOWN = 10, LABEL_WIDTH = 44 };

static const char *const changes[ZV_REQUEST_CHANGES] = {"equal", "size", "lifetime", "only_in_a",
                                                        "only_in_b"};

static bool is_in(enum zv_request_change change, int run)
{
    return change != (run == 0 ? ZV_REQUEST_ONLY_B : ZV_REQUEST_ONLY_A);
}

static const struct zv_request *request_of(const struct report_requests *both,
                                           const struct zv_request_difference *difference, int run)
{
    return &both->runs[run].requests.at[run == 0 ? difference->a : difference->b];
}

/* The frame of the user's code; NULL: not recorded. */
static const struct zv_trace_frame *frame_of(const struct report_run *run,
                                             const struct zv_request *request)
{
    const uint32_t at = run->user_frames != NULL ? run->user_frames[request->stack] : 0;
    return at != 0 && run->trace != NULL ? &run->trace->frames[at] : NULL;
}

/* "4,096 B, event 7, freed after request 12, train.py:41 step" */
static void put_request(struct zv_sink *sink, const struct report_style *style,
                        const struct report_run *run, const struct zv_request *request)
{
    char bytes[ZV_BYTES_TEXT];
    char line[LINE_TEXT];
    char freed[48] = "never freed";
    struct zv_arena arena = {0};
    const struct zv_trace_frame *const frame = frame_of(run, request);
    const char *const label =
        frame != NULL ? zv_frame_label(run->trace, (uint32_t)(frame - run->trace->frames), &arena)
                      : NULL;
    zv_bytes_print(bytes, request->bytes, ZV_UNIT_B, 0);
    if (run->requests.lifetimes_unknown) {
        (void)snprintf(freed, sizeof freed, "lifetime unknown");
    } else if (request->freed_at != ZV_REQUEST_KEPT) {
        (void)snprintf(freed, sizeof freed, "freed after %" PRIu32 " requests", request->freed_at);
    }
    (void)snprintf(line, sizeof line, "%s %" PRIu64 ": %s, %s%s%.200s",
                   run->trace != NULL ? "event" : "line", request->place, bytes, freed,
                   label != NULL ? ", " : "", label != NULL ? label : "");
    report_fold(sink, style, 4, 4, line);
    zv_arena_free(&arena);
}

static void put_difference(struct zv_sink *sink, const struct report_style *style,
                           const struct report_requests *both,
                           const struct zv_request_difference *difference)
{
    static const char *const words[ZV_REQUEST_CHANGES] = {
        "equal", "another size", "another lifetime", "only in A", "only in B"};
    const bool b_only = difference->change == ZV_REQUEST_ONLY_B;
    zv_sink_print(sink, "  request %zu of %s: %s\n", (b_only ? difference->b : difference->a) + 1,
                  b_only ? "B" : "A", words[difference->change]);
    for (int run = 0; run < 2; run++) {
        if (is_in(difference->change, run)) {
            zv_sink_print(sink, "  %c ", run == 0 ? 'A' : 'B');
            put_request(sink, style, &both->runs[run], request_of(both, difference, run));
        }
    }
}

static void put_verdict(struct zv_sink *sink, const struct report_style *style,
                        const struct report_requests *both)
{
    const struct zv_request_comparison *const comparison = &both->comparison;
    char count[COUNT_TEXT];
    char line[LINE_TEXT];
    report_count(count, comparison->common);
    if (comparison->difference_count == 0) {
        (void)snprintf(line, sizeof line, "THE SAME: %s request%s, equal in order, size%s.", count,
                       comparison->common == 1 ? "" : "s",
                       comparison->lifetimes_compared ? " and lifetime" : "");
    } else if (comparison->common == 0) {
        (void)snprintf(line, sizeof line, "DIFFERENT from the first request on.");
    } else {
        (void)snprintf(line, sizeof line, "DIFFERENT after %s equal request%s.", count,
                       comparison->common == 1 ? "" : "s");
    }
    report_fold(sink, style, 0, 0, line);
}

static void put_counts(struct zv_sink *sink, const struct report_requests *both)
{
    static const struct {
        const char *label;
        enum zv_request_change of_a;
        enum zv_request_change of_b;
    } rows[] = {{"equal", ZV_REQUEST_EQUAL, ZV_REQUEST_EQUAL},
                {"another size", ZV_REQUEST_SIZE, ZV_REQUEST_SIZE},
                {"another lifetime", ZV_REQUEST_LIFETIME, ZV_REQUEST_LIFETIME},
                {"only there", ZV_REQUEST_ONLY_A, ZV_REQUEST_ONLY_B}};
    char a[COUNT_TEXT];
    char b[COUNT_TEXT];
    report_count(a, both->runs[0].requests.count);
    report_count(b, both->runs[1].requests.count);
    zv_sink_print(sink, "\n%-24s%12s%12s\n%-24s%12s%12s\n", "", "A", "B", "requests", a, b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report_count(a, both->comparison.counts[rows[i].of_a]);
        report_count(b, both->comparison.counts[rows[i].of_b]);
        zv_sink_print(sink, "  %-22s%12s%12s\n", rows[i].label, a, b);
    }
    report_count(a, both->runs[0].requests.other_frees);
    report_count(b, both->runs[1].requests.other_frees);
    zv_sink_print(sink, "%-24s%12s%12s\n", "frees of older blocks", a, b);
}

void report_requests_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_requests *both)
{
    const struct zv_request_comparison *const comparison = &both->comparison;
    const size_t kept = comparison->difference_count < ZV_REQUEST_DIFFERENCES
                            ? comparison->difference_count
                            : ZV_REQUEST_DIFFERENCES;
    put_verdict(sink, style, both);
    for (int run = 0; run < 2; run++) {
        zv_sink_print(sink, "  %c ", run == 0 ? 'A' : 'B');
        const struct zv_trace *const trace = both->runs[run].trace;
        const bool recorded = trace == NULL || trace->known == ZV_TRACE_RECORDED;
        report_name(sink, zv_slice_of(both->runs[run].name), recorded ? 72 : 59);
        zv_sink_print(sink, "%s%s\n", recorded ? "" : ", ",
                      recorded ? "" : zv_trace_known_name(trace->known));
    }
    put_counts(sink, both);
    if (kept != 0) {
        char count[COUNT_TEXT];
        report_count(count, comparison->difference_count);
        zv_sink_print(sink, "\nDifferences (%s):\n", count);
    }
    for (size_t i = 0; i < kept && i < SHOWN; i++) {
        put_difference(sink, style, both, &comparison->differences[i]);
    }
    if (comparison->difference_count > SHOWN) {
        zv_sink_text(sink, "  ...\n");
    }
    zv_sink_text(sink, "\n");
    if (comparison->rounded) {
        report_fold(sink, style, 0, 0,
                    "A profiler writes sizes of blocks: sizes were compared rounded up to 512 "
                    "bytes.");
    }
    if (!comparison->lifetimes_compared) {
        report_fold(sink, style, 0, 0,
                    "Lifetimes were not compared: one of the two has no addresses.");
    }
    report_fold(sink, style, 0, 0,
                "Lifetimes are counted in requests that both have. Not compared: streams, pools, "
                "addresses, times, and the order of frees between two requests.");
}

static void put_request_json(struct zv_json_writer *json, const struct report_run *run,
                             const struct zv_request *request, size_t index)
{
    const bool freed = request->freed_at != ZV_REQUEST_KEPT;
    const struct zv_trace_frame *const frame = frame_of(run, request);
    zv_json_begin_object(json);
    json_bytes(json, "request", true, index);
    json_bytes(json, run->trace != NULL ? "event" : "line", true, request->place);
    json_bytes(json, "bytes", true, request->bytes);
    json_bytes(json, "freed_after_requests", freed, request->freed_at);
    if (frame != NULL) {
        json_slice(json, "file", zv_trace_text(run->trace, frame->file));
        json_bytes(json, "file_line", frame->line != UINT64_MAX, frame->line);
        json_slice(json, "function", zv_trace_text(run->trace, frame->name));
    }
    zv_json_end_object(json);
}

static void put_run_json(struct zv_json_writer *json, const struct report_run *run)
{
    zv_json_begin_object(json);
    json_text(json, "file", run->name);
    json_text(json, "known", run->trace != NULL ? zv_trace_known_name(run->trace->known) : NULL);
    json_bytes(json, "requests", true, run->requests.count);
    json_bytes(json, "frees_of_earlier", !run->requests.lifetimes_unknown,
               run->requests.other_frees);
    zv_json_end_object(json);
}

static void put_differences_json(struct zv_json_writer *json, const struct report_requests *both)
{
    const struct zv_request_comparison *const comparison = &both->comparison;
    zv_json_begin_array(json);
    for (size_t i = 0; i < comparison->difference_count && i < ZV_REQUEST_DIFFERENCES; i++) {
        const struct zv_request_difference *const one = &comparison->differences[i];
        zv_json_begin_object(json);
        json_text(json, "change", changes[one->change]);
        for (int run = 0; run < 2; run++) {
            zv_json_write_key(json, run == 0 ? "a" : "b");
            if (is_in(one->change, run)) {
                put_request_json(json, &both->runs[run], request_of(both, one, run),
                                 run == 0 ? one->a : one->b);
            } else {
                zv_json_write_null(json);
            }
        }
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

void report_requests_json(struct zv_sink *sink, const struct report_requests *both)
{
    struct zv_json_writer json = {.sink = sink};
    const struct zv_request_comparison *const comparison = &both->comparison;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.replay_against/1");
    for (int run = 0; run < 2; run++) {
        zv_json_write_key(&json, run == 0 ? "a" : "b");
        put_run_json(&json, &both->runs[run]);
    }
    json_bool(&json, "same", comparison->difference_count == 0);
    json_bool(&json, "sizes_rounded", comparison->rounded);
    json_bool(&json, "lifetimes_compared", comparison->lifetimes_compared);
    json_bytes(&json, "equal_from_first", true, comparison->common);
    for (int change = 0; change < ZV_REQUEST_CHANGES; change++) {
        json_bytes(&json, changes[change], true, comparison->counts[change]);
    }
    zv_json_write_key(&json, "differences");
    put_differences_json(&json, both);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
