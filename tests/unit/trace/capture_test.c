#include "trace/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/trace_record.h"
#include "base/buffer.h"
#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/snapshot.h"

static uint64_t round_512(const void *context, uint64_t bytes)
{
    (void)context;
    return (bytes + 511) / 512 * 512;
}
static const struct zv_trace_rules rules = {.round = round_512, .max_split_bytes = UINT64_MAX};
static const struct zv_capture_range all = {0, SIZE_MAX};

static void read_snapshot(struct zv_trace *trace, const char *name)
{
    char path[512];
    struct zv_file file;
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/%s.pickle",
                   root != NULL ? root : ".", name);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_int_equal(zv_snapshot_read(trace, zv_file_slice(&file), NULL), ZV_OK);
    zv_file_close(&file);
}

static struct zv_slice write_capture(struct zv_buffer *to, const struct zv_trace *trace,
                                     size_t device)
{
    struct zv_sink sink = zv_buffer_sink(to);
    to->limit = (size_t)1 << 30;
    assert_int_equal(zv_capture_write(&sink, trace, device, &rules, NULL), ZV_OK);
    assert_false(sink.failed);
    return (struct zv_slice){to->data, to->size};
}

static void check_same(const struct zv_trace *a, size_t device, const struct zv_trace *b)
{
    const struct zv_trace_device *const left = &a->devices[device];
    const struct zv_trace_device *const right = &b->devices[0];
    assert_int_equal(left->event_count, right->event_count);
    if (left->event_count != 0) {
        for (size_t i = 0; i < left->event_count; i++) {
            const struct zv_trace_event *const x = &left->events[i];
            const struct zv_trace_event *const y = &right->events[i];
            assert_true(x->address == y->address && x->bytes == y->bytes &&
                        x->time_us == y->time_us && x->stack == y->stack &&
                        x->context == y->context && x->stream == y->stream &&
                        x->action == y->action);
        }
    }
    assert_int_equal(left->segment_count, right->segment_count);
    for (size_t i = 0; i < left->segment_count; i++) {
        const struct zv_trace_segment *const x = &left->segments[i];
        const struct zv_trace_segment *const y = &right->segments[i];
        assert_true(x->address == y->address && x->bytes == y->bytes &&
                    x->allocated_bytes == y->allocated_bytes &&
                    x->active_bytes == y->active_bytes && x->is_small == y->is_small &&
                    x->is_expandable == y->is_expandable && x->block_count == y->block_count);
        for (uint32_t j = 0; j < x->block_count; j++) {
            const struct zv_trace_block *const p = &a->blocks[x->first_block + j];
            const struct zv_trace_block *const q = &b->blocks[y->first_block + j];
            assert_true(p->address == q->address && p->bytes == q->bytes &&
                        p->requested_bytes == q->requested_bytes && p->state == q->state);
            assert_true(p->state == ZV_BLOCK_FREE || p->stack == q->stack);
        }
    }
    assert_int_equal(a->text_count, b->text_count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->stack_count, b->stack_count);
    assert_int_equal(a->generation, b->generation);
}

static void test_there_and_back(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t device;
    } rows[] = {{"gen0", 0},          {"gen6", 0},          {"pending", 0},
                {"expandable", 0},    {"empty", 0},         {"gen3", 0},
                {"second-device", 1}, {"second-device", 0}, {"bare-list", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_trace trace = {0};
        struct zv_trace again = {0};
        struct zv_buffer buffer = {0};
        size_t first = 9;
        read_snapshot(&trace, rows[i].name);
        const struct zv_slice input = write_capture(&buffer, &trace, rows[i].device);
        assert_true(zv_capture_is(input));
        assert_int_equal(zv_capture_read(&again, input, all, &first, NULL), ZV_OK);
        assert_int_equal(first, 0);
        check_same(&trace, rows[i].device, &again);
        zv_trace_close(&again);
        zv_trace_close(&trace);
        zv_buffer_free(&buffer);
    }
}

/* Many events, of which a part is read: as many chunks as the range needs, and the state then. */
static void test_range(void **state)
{
    (void)state;
    enum { OPERATIONS = 90000 };
    struct zv_buffer ops = {.limit = (size_t)1 << 24};
    struct zv_sink sink = zv_buffer_sink(&ops);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        zv_sink_print(&sink, "a %u %u 0\n", i, 1000 + i % 77 * 512);
        if (i >= 50) {
            zv_sink_print(&sink, "f %u\n", i - 50);
        }
    }
    struct zv_trace trace = {0};
    const struct zv_allocator_options options = {.capacity_bytes = (uint64_t)1 << 33};
    assert_int_equal(zv_trace_record(&trace, (struct zv_slice){ops.data, ops.size}, &options, NULL),
                     ZV_OK);
    assert_true(trace.event_count > 3 * (size_t)ZV_CAPTURE_STRIDE);
    struct zv_buffer buffer = {0};
    const struct zv_slice input = write_capture(&buffer, &trace, 0);
    static const struct zv_capture_range ranges[] = {
        {0, 10}, {5000, 5001}, {70000, 71000}, {131072, 131072}, {200000, 300000}, {0, SIZE_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct zv_trace part = {0};
        struct zv_trace_start then;
        size_t first;
        assert_int_equal(zv_capture_read(&part, input, ranges[i], &first, NULL), ZV_OK);
        const size_t end = first + part.event_count;
        assert_true(first <= ranges[i].from && first + ZV_CAPTURE_CHUNK > ranges[i].from);
        assert_true(end >= ranges[i].to || end == trace.event_count);
        assert_true(end <= ranges[i].from + 2 * (size_t)ZV_CAPTURE_STRIDE || ranges[i].to > end);
        assert_memory_equal(part.events, trace.events + first,
                            part.event_count * sizeof *part.events);
        assert_int_equal(zv_trace_state_at(&then, &trace, 0, end, &rules, NULL), ZV_OK);
        assert_int_equal(then.segment_count, part.segment_count);
        uint64_t live = 0;
        for (size_t j = 0; j < part.block_count; j++) {
            live += part.blocks[j].state != ZV_BLOCK_FREE ? part.blocks[j].bytes : 0;
        }
        assert_int_equal(live, then.live_bytes);
        zv_trace_start_close(&then);
        zv_trace_close(&part);
    }
    zv_buffer_free(&buffer);
    zv_trace_close(&trace);
    zv_buffer_free(&ops);
}

static void test_damage(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_buffer buffer = {0};
    read_snapshot(&trace, "gen6");
    assert_true(zv_trace_mark(&trace, ZV_TRACE_EMULATED, zv_slice_of("a test"), NULL));
    const struct zv_slice input = write_capture(&buffer, &trace, 0);
    for (size_t length = 0; length < input.length; length++) {
        struct zv_trace part = {0};
        struct zv_error err = {0};
        size_t first;
        char *const cut = malloc(length + (length == 0)); /* of exactly its length */
        assert_non_null(cut);
        memcpy(cut, input.at, length);
        const struct zv_slice slice = {cut, length};
        assert_int_not_equal(zv_capture_read(&part, slice, all, &first, &err), ZV_OK);
        assert_true(err.has_offset && err.offset <= length);
        zv_trace_close(&part);
        free(cut);
    }
    for (size_t at = 0; at < input.length; at++) {
        for (unsigned mask = 1; mask < 256; mask = mask * 2 + 1) {
            struct zv_trace part = {0};
            struct zv_error err = {0};
            size_t first;
            buffer.data[at] = (char)(buffer.data[at] ^ (char)mask);
            const enum zv_status status = zv_capture_read(&part, input, all, &first, &err);
            assert_int_equal(status, err.status);
            zv_trace_close(&part);
            buffer.data[at] = (char)(buffer.data[at] ^ (char)mask);
        }
    }
    zv_buffer_free(&buffer);
    zv_trace_close(&trace);
}

/* What was not recorded says so, and how it came about; what was recorded has no such chunk. */
static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *by;
        enum zv_trace_known known;
    } rows[] = {{"", ZV_TRACE_RECORDED},
                {"an op list", ZV_TRACE_EMULATED},
                {"", ZV_TRACE_EMULATED},
                {"a formula", ZV_TRACE_CALCULATED}};
    size_t recorded = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_trace trace = {0};
        struct zv_trace again = {0};
        struct zv_buffer buffer = {0};
        size_t first;
        read_snapshot(&trace, "empty");
        assert_int_equal(trace.known, ZV_TRACE_RECORDED);
        assert_true(zv_trace_mark(&trace, rows[i].known, zv_slice_of(rows[i].by), NULL));
        const struct zv_slice input = write_capture(&buffer, &trace, 0);
        assert_int_equal(zv_capture_read(&again, input, all, &first, NULL), ZV_OK);
        assert_int_equal(again.known, rows[i].known);
        assert_true(zv_slice_equal(zv_trace_text(&again, again.known_by), rows[i].by));
        recorded = i == 0 ? input.length : recorded;
        assert_true(rows[i].known == ZV_TRACE_RECORDED || input.length > recorded);
        zv_trace_close(&again);
        zv_trace_close(&trace);
        zv_buffer_free(&buffer);
    }
}

/* A way of knowing that is newer than this reader must not pass as a recording. */
static void test_newer_known(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_trace again = {0};
    struct zv_buffer buffer = {0};
    struct zv_error err = {0};
    size_t first;
    read_snapshot(&trace, "empty");
    assert_true(zv_trace_mark(&trace, ZV_TRACE_CALCULATED, zv_slice_of("x"), NULL));
    const struct zv_slice input = write_capture(&buffer, &trace, 0);
    char *const chunk = memmem(buffer.data, buffer.size, "K\0\0\0\1\0\0\0\2", 9);
    assert_non_null(chunk);
    assert_int_equal(chunk[16], ZV_TRACE_CALCULATED);
    chunk[16] = ZV_TRACE_KNOWN;
    assert_int_equal(zv_capture_read(&again, input, all, &first, &err), ZV_E_UNSUPPORTED);
    zv_trace_close(&again);
    zv_trace_close(&trace);
    zv_buffer_free(&buffer);
}

static void test_memory(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_buffer buffer = {0};
    read_snapshot(&trace, "expandable");
    const struct zv_slice input = write_capture(&buffer, &trace, 0);
    for (size_t n = 1;; n++) {
        struct zv_trace again = {0};
        struct zv_buffer other = {.limit = 1 << 20};
        struct zv_sink sink = zv_buffer_sink(&other);
        size_t first;
        fail_memory_start(n);
        enum zv_status status = zv_capture_read(&again, input, all, &first, NULL);
        if (status == ZV_OK) {
            status = zv_capture_write(&sink, &again, 0, &rules, NULL);
        }
        zv_trace_close(&again);
        zv_buffer_free(&other);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(status == ZV_OK ? fail_memory.failed == 0 || sink.failed
                                    : status == ZV_E_NOMEM);
        if (fail_memory.failed == 0) {
            break;
        }
    }
    zv_buffer_free(&buffer);
    zv_trace_close(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_range),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_known),
        cmocka_unit_test(test_newer_known),    cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
