/*
 * Files that are cut or changed: snapshots of 16 KiB and more, captures, read and explained. Every
 * one ends in an error with a byte inside the input, or in a record; host memory stays in
 * proportion. Every byte of small files: explain/every_byte_test.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/trace_record.h"
#include "base/buffer.h"
#include "explain/record.h"
#include "format/pickle_opcodes.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/capture.h"
#include "trace/snapshot.h"
#include "trace/snapshot_write.h"

enum { FIXED_BYTES = 1 << 20, TIMES = 64 }; /* host memory: a fixed part, and so often the input */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* What a run of so many allocations leaves, half of them freed, on two streams. */
static void record(struct zv_trace *trace, unsigned allocations)
{
    struct zv_buffer ops = {.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&ops);
    uint32_t seed = 5;
    for (unsigned i = 1; i <= allocations; i++) {
        zv_sink_print(&sink, "a %u %u %u\n", i, 1 + next_random(&seed) % 4000000, i % 2);
        if (i > 2 && i % 2 == 0) {
            zv_sink_print(&sink, "f %u\n", i - 1);
        }
    }
    const struct zv_allocator_options options = {.conf = "", .capacity_bytes = UINT64_C(1) << 40};
    const struct zv_slice text = {ops.data, ops.size};
    assert_int_equal(zv_trace_record(trace, text, &options, NULL), ZV_OK);
    zv_buffer_free(&ops);
}

static struct zv_buffer snapshot_of(unsigned allocations)
{
    struct zv_trace trace = {0};
    struct zv_buffer to = {.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&to);
    record(&trace, allocations);
    assert_int_equal(zv_snapshot_write(&sink, &trace, NULL), ZV_OK);
    zv_trace_close(&trace);
    return to;
}

/* In memory of exactly its length, so that a read past the end is seen. */
static enum zv_status read_cut(struct zv_slice whole, size_t length)
{
    char *const cut = malloc(length + (length == 0));
    struct zv_trace trace = {0};
    struct zv_error err = {0};
    assert_non_null(cut);
    memcpy(cut, whole.at, length);
    fail_memory_start(0);
    const enum zv_status status = zv_snapshot_read(&trace, (struct zv_slice){cut, length}, &err);
    zv_trace_close(&trace);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
    assert_true(fail_memory.peak <= FIXED_BYTES + TIMES * length);
    assert_int_equal(status, err.status);
    assert_true(status == ZV_OK || (err.has_offset && err.offset <= length));
    free(cut);
    return status;
}

static void test_every_prefix(void **state)
{
    (void)state;
    struct zv_buffer file = snapshot_of(150);
    const struct zv_slice whole = {file.data, file.size};
    assert_in_range(whole.length, 10000, 16384);
    assert_int_equal(read_cut(whole, whole.length), ZV_OK);
    for (size_t length = 0; length < whole.length; length++) {
        assert_int_not_equal(read_cut(whole, length), ZV_OK);
    }
    zv_buffer_free(&file);
}

static uint64_t little_endian(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

/* Bytes of the opcode at `at` with what it announces, of a whole file. */
static size_t opcode_length(const unsigned char *at)
{
    const struct pickle_opcode_row *const row = &pickle_opcodes[*at];
    const bool announces = strstr(row->name, "UNICODE") != NULL ||
                           strstr(row->name, "BYTES") != NULL ||
                           strstr(row->name, "LONG1") == row->name;
    return 1U + row->operand + (announces ? little_endian(at + 1, row->operand) : 0);
}

static void test_larger(void **state)
{
    (void)state;
    struct zv_buffer file = snapshot_of(330);
    const struct zv_slice whole = {file.data, file.size};
    uint32_t seed = 1;
    size_t opcodes = 0;
    assert_true(whole.length > 32768);
    for (int i = 0; i < 2000; i++) {
        assert_int_not_equal(read_cut(whole, next_random(&seed) % whole.length), ZV_OK);
    }
    for (size_t at = 0; at < whole.length; opcodes++) {
        assert_int_not_equal(read_cut(whole, at), ZV_OK);
        at += opcode_length((const unsigned char *)whole.at + at);
        assert_true(at <= whole.length); /* boundaries end where the file does */
    }
    assert_true(opcodes > 5000);
    zv_buffer_free(&file);
}

/* Whatever is read of a changed file can be explained. */
static void explain_changed(struct zv_slice input)
{
    struct zv_record record;
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    const enum zv_status status = zv_record_open(&record, input, &options, &err);
    assert_int_equal(status, err.status);
    assert_true(status == ZV_OK || err.text[0] != 0);
    zv_record_close(&record);
}

static void test_captures(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_buffer file = {.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&file);
    struct zv_trace_rules rules;
    struct allocator_config config;
    uint32_t seed = 3;
    record(&trace, 200);
    assert_int_equal(zv_trace_rules(&rules, &config, ZV_TORCH_2_6, "", NULL), ZV_OK);
    assert_int_equal(zv_capture_write(&sink, &trace, 0, &rules, NULL), ZV_OK);
    zv_trace_close(&trace);
    for (int i = 0; i < 500; i++) {
        const size_t at = next_random(&seed) % file.size;
        const char before = file.data[at];
        explain_changed((struct zv_slice){file.data, at});
        file.data[at] = (char)((unsigned char)before ^ (1 + next_random(&seed) % 255));
        explain_changed((struct zv_slice){file.data, file.size});
        file.data[at] = before;
    }
    explain_changed((struct zv_slice){file.data, file.size});
    zv_buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_larger),
        cmocka_unit_test(test_captures),
    };
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
