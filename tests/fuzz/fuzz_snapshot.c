/*
 * Any bytes as a memory snapshot: what is read is consistent (blocks fill their segments), the
 * state before the history can be found, and the replay ends. As a page: lives are in order, and no
 * text of the file is markup.
 */
#include <stdlib.h>
#include <string.h>

#include "allocator/config.h"
#include "allocator/trace_replay.h"
#include "base/buffer.h"
#include "report/report_view.h"
#include "trace/snapshot.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_segments(const struct zv_trace *trace)
{
    for (size_t i = 0; i < trace->segment_count; i++) {
        const struct zv_trace_segment *const segment = &trace->segments[i];
        uint64_t end = segment->address;
        must(segment->block_count <= trace->block_count);
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &trace->blocks[segment->first_block + j];
            must(block->address == end && block->stack < trace->stack_count);
            end += block->bytes;
        }
        must(end == segment->address + segment->bytes);
    }
}

static void replay(const struct zv_trace *trace, size_t device)
{
    struct allocator_config config;
    struct zv_trace_rules rules;
    struct zv_trace_start start;
    struct zv_trace_replay result;
    const enum zv_torch_profile profile = zv_trace_profile(trace);
    const char *const conf = zv_trace_text(trace, trace->settings.conf).at;
    if (zv_trace_rules(&rules, &config, profile, conf, NULL) != ZV_OK) {
        return;
    }
    must(zv_trace_start(&start, trace, device, &rules, NULL) == ZV_OK);
    const struct zv_trace_replay_options options = {.profile = profile, .conf = conf};
    const enum zv_status status = zv_trace_replay(&result, trace, device, &start, &options, NULL);
    must(status == ZV_OK || status == ZV_E_LIMIT);
    must(result.events <= result.total_events && result.exact == (result.why == NULL));
    zv_trace_start_close(&start);
}

static void check_lives(const struct zv_lives *lives)
{
    for (size_t i = 0; i < lives->block_count; i++) {
        const struct zv_life *const life = &lives->blocks[i];
        const struct zv_life *const before = i == 0 ? life : life - 1;
        must(life->born <= life->freed && life->freed <= life->died);
        must(life->born < lives->instant_count);
        must(life->died == ZV_LIFE_ON || life->died < lives->instant_count);
        must(before->address < life->address ||
             (before->address == life->address && before->born <= life->born));
    }
    for (size_t i = 0; i < lives->span_count; i++) {
        must(lives->spans[i].born <= lives->spans[i].died);
    }
}

/* Only our own elements are in it: every script ends, and the one without a type is the last. */
static void check_page(const struct zv_buffer *text)
{
    size_t open = 0;
    size_t closed = 0;
    for (const char *at = text->data; (at = strstr(at, "<script")) != NULL; at++) {
        open++;
    }
    for (const char *at = text->data; (at = strstr(at, "</script>")) != NULL; at++) {
        closed++;
    }
    must(open == closed && strstr(text->data, "<!--") == NULL);
}

static void look(struct zv_slice input)
{
    struct zv_record record;
    struct zv_lives lives = {0};
    struct zv_arena arena = {0};
    struct zv_cause cause;
    struct zv_heap heap;
    struct zv_buffer text = {.limit = (size_t)64 << 20};
    struct zv_sink sink = zv_buffer_sink(&text);
    const struct report_style style = {.width = 80};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    if (zv_record_open(&record, input, &options, NULL) == ZV_OK &&
        zv_cause_make(&cause, &heap, &record, 0, &arena, NULL) == ZV_OK &&
        zv_lives_make(&lives, &record, NULL) == ZV_OK) {
        const struct report_explain explain = {
            .record = &record, .verdict = &cause, .cause_heap = &heap, .heap = &heap, .top = 3};
        const struct report_view view = {
            .file = zv_slice_of("file"), .explain = &explain, .lives = &lives};
        check_lives(&lives);
        must(report_view_html(&sink, &style, &view, NULL) == ZV_OK);
        if (!sink.failed) {
            check_page(&text);
        }
    }
    zv_buffer_free(&text);
    zv_lives_close(&lives);
    zv_record_close(&record);
    zv_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_trace trace = {0};
    struct zv_error err = {0};
    const enum zv_status status =
        zv_snapshot_read(&trace, (struct zv_slice){(const char *)data, size}, &err);
    must(status == err.status);
    must(status == ZV_OK || (err.has_offset && err.offset <= size));
    if (status == ZV_OK) {
        check_segments(&trace);
        for (size_t i = 0; i < trace.device_count; i++) {
            replay(&trace, i);
        }
    }
    zv_trace_close(&trace);
    look((struct zv_slice){(const char *)data, size});
    return 0;
}
