#include "trace/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/start.h"

#define MIB (UINT64_C(1) << 20)

static void path_of(char to[512], const char *name)
{
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    (void)snprintf(to, 512, "%s/tests/data/snapshots/%s.pickle", root != NULL ? root : ".", name);
}

/* In memory of exactly its length, so that a read past the end is seen. */
static struct zv_slice load(const char *name)
{
    char path[512];
    struct zv_file file;
    path_of(path, name);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    char *const copy = malloc(file.size);
    assert_non_null(copy);
    memcpy(copy, file.data, file.size);
    const struct zv_slice slice = {copy, file.size};
    zv_file_close(&file);
    return slice;
}

static void drop(struct zv_slice input)
{
    union {
        const char *from;
        char *to;
    } data = {input.at};
    free(data.to);
}

static uint64_t round_512(const void *context, uint64_t bytes)
{
    (void)context;
    return (bytes + 511) / 512 * 512;
}
static const struct zv_trace_rules rules = {.round = round_512, .max_split_bytes = UINT64_MAX};

static void check_frame(const struct zv_trace *trace, uint32_t stack, const char *file,
                        const char *name, uint64_t line)
{
    assert_true(stack < trace->stack_count);
    const struct zv_trace_frame *const frame = &trace->frames[trace->stacks[stack].frame];
    assert_true(zv_slice_equal(zv_trace_text(trace, frame->file), file));
    assert_true(zv_slice_equal(zv_trace_text(trace, frame->name), name));
    assert_int_equal(frame->line, line);
}

static void test_generations(void **state)
{
    (void)state;
    for (int generation = 0; generation <= 6; generation++) {
        char name[16];
        (void)snprintf(name, sizeof name, "gen%d", generation);
        const struct zv_slice input = load(name);
        struct zv_trace trace = {0};
        struct zv_error err = {0};
        assert_int_equal(zv_snapshot_read(&trace, input, &err), ZV_OK);
        drop(input); /* nothing points into it */
        assert_int_equal(trace.generation, generation);
        assert_int_equal(trace.device_count, 1);
        assert_int_equal(trace.segment_count, 2);
        assert_int_equal(trace.block_count, 4);
        assert_int_equal(trace.event_count, 5);
        assert_int_equal(trace.settings.known, generation >= 3);
        assert_int_equal(trace.annotation_count, generation >= 4 ? 2 : 0);
        assert_int_equal(trace.events[0].time_us, generation >= 2 ? 1700000000001000 : 0);
        assert_int_equal(trace.events[1].action, ZV_TRACE_ALLOC);
        assert_int_equal(trace.events[1].bytes, 3 * MIB);
        check_frame(&trace, trace.events[1].stack, "/home/user/train.py", "step", 41);
        const struct zv_trace_segment *const small = &trace.segments[0];
        const struct zv_trace_block *const block = &trace.blocks[small->first_block];
        assert_true(small->is_small && !small->is_expandable);
        assert_int_equal(block->address, small->address);
        assert_int_equal(block[1].address, small->address + 1024);
        assert_int_equal(block[2].requested_bytes, 0); /* stale: nobody has it */
        check_frame(&trace, block->stack, "C:\\users\\user\\model.py", "load", 12);
        const uint32_t outer = trace.stacks[block->stack].outer;
        check_frame(&trace, outer, "??", "??", UINT64_MAX);
        zv_trace_close(&trace);
    }
}

static void test_start(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t device;
        uint64_t segments;
        uint64_t blocks;
        uint64_t live;
        uint64_t reserved;
    } rows[] = {
        {"gen0", 0, 1, 1, 1024, 2 * MIB},
        {"gen6", 0, 1, 1, 1024, 2 * MIB},
        {"bare-list", 0, 2, 2, 2048, 22 * MIB},
        {"second-device", 0, 0, 0, 0, 0},
        {"second-device", 1, 1, 1, 1024, 2 * MIB},
        {"pending", 0, 1, 1, 1024, 2 * MIB},
        {"expandable", 0, 1, 1, 15 * MIB, 20 * MIB},
        {"empty", 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_slice input = load(rows[i].name);
        struct zv_trace trace = {0};
        struct zv_trace_start start;
        assert_int_equal(zv_snapshot_read(&trace, input, NULL), ZV_OK);
        assert_true(rows[i].device < trace.device_count);
        assert_int_equal(zv_trace_start(&start, &trace, rows[i].device, &rules, NULL), ZV_OK);
        assert_int_equal(start.segment_count, rows[i].segments);
        assert_int_equal(start.block_count, rows[i].blocks);
        assert_int_equal(start.live_bytes, rows[i].live);
        assert_int_equal(start.reserved_bytes, rows[i].reserved);
        assert_int_equal(start.stray_events, 0);
        zv_trace_start_close(&start);
        zv_trace_close(&trace);
        drop(input);
    }
}

static enum zv_status try_to_read(const char *bytes, size_t length)
{
    struct zv_trace trace = {0};
    struct zv_trace_start start;
    struct zv_error err = {0};
    const struct zv_slice input = {bytes, length};
    const enum zv_status status = zv_snapshot_read(&trace, input, &err);
    assert_int_equal(status, err.status);
    assert_true(status == ZV_OK || (err.has_offset && err.offset <= length));
    for (size_t i = 0; i < trace.device_count && status == ZV_OK; i++) {
        assert_int_equal(zv_trace_start(&start, &trace, i, &rules, NULL), ZV_OK);
        zv_trace_start_close(&start);
    }
    zv_trace_close(&trace);
    return status;
}

static void test_prefixes_and_changes(void **state)
{
    (void)state;
    static const char *const names[] = {"gen0", "gen6", "expandable", "pending"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const struct zv_slice input = load(names[n]);
        for (size_t length = 0; length < input.length; length++) {
            char *const cut = malloc(length + (length == 0));
            assert_non_null(cut);
            memcpy(cut, input.at, length);
            assert_int_not_equal(try_to_read(cut, length), ZV_OK);
            free(cut);
        }
        char *const changed = malloc(input.length);
        assert_non_null(changed);
        memcpy(changed, input.at, input.length);
        for (size_t at = 0; at < input.length; at++) {
            for (unsigned mask = 1; mask < 256; mask = mask * 2 + 1) {
                changed[at] = (char)(input.at[at] ^ (char)mask);
                (void)try_to_read(changed, input.length);
            }
            changed[at] = input.at[at];
        }
        free(changed);
        drop(input);
    }
}

static void test_memory(void **state)
{
    (void)state;
    const struct zv_slice input = load("gen6");
    for (size_t n = 1;; n++) {
        struct zv_trace trace = {0};
        struct zv_trace_start start = {0};
        fail_memory_start(n);
        enum zv_status status = zv_snapshot_read(&trace, input, NULL);
        if (status == ZV_OK) {
            status = zv_trace_start(&start, &trace, 0, &rules, NULL);
        }
        zv_trace_start_close(&start);
        zv_trace_close(&trace);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        if (fail_memory.failed == 0) {
            break;
        }
    }
    drop(input);
}

static void test_no_snapshot(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *says;
    } rows[] = {
        {"\x80\x04}.", 4, "no list of segments"},
        {"\x80\x04N.", 4, "no list of segments"},
        {"\x80\x04]K\x01"
         "a.",
         7, "holds something else"},
        {"\x80\x04}X\x05\0\0\0stateX\x03\0\0\0offs.", 22, "\"size\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_trace trace = {0};
        struct zv_error err = {0};
        const struct zv_slice input = {rows[i].bytes, rows[i].length};
        assert_int_equal(zv_snapshot_read(&trace, input, &err), ZV_E_SYNTAX);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, err.text, rows[i].says);
        }
        zv_trace_close(&trace);
    }
}

/* The same handle is the same stream, however many there are. */
static void test_many_streams(void **state)
{
    (void)state;
    enum { STREAMS = 3000 };
    struct zv_trace trace = {0};
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < STREAMS; i++) {
            uint16_t stream;
            assert_true(trace_stream(&trace, i * i << 20, &stream, NULL));
            assert_int_equal(stream, i);
        }
    }
    assert_int_equal(trace.stream_count, STREAMS);
    zv_trace_close(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generations),          cmocka_unit_test(test_start),
        cmocka_unit_test(test_prefixes_and_changes), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_many_streams),         cmocka_unit_test(test_no_snapshot)};
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
