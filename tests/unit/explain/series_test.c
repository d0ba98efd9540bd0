/* Figures of a record where the replay cannot prove them: they are those of the same run, known. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "explain/heap.h"
#include "explain/record.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/snapshot_write.h"

enum { MAX_OPS_TEXT = 1 << 17 };

struct truth {
    size_t first; /* events that the other record lacks */
    struct zv_trace_usage *usages;
    size_t count;
    bool all; /* also the bytes that nobody asked for */
};

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Requests of all sizes on two streams, some freed late, under the settings. */
static void write_ops(char *to, uint32_t seed, unsigned count)
{
    static const unsigned sizes[] = {1,       500,     1048576,  1048577,  3000000,
                                     9437184, 9900000, 11534343, 31457280, 60000000};
    char *at = to;
    unsigned live[4096];
    unsigned live_count = 0;
    for (unsigned i = 1; i <= count; i++) {
        if (next(&seed) % 100 < 56 || live_count == 0) {
            at +=
                snprintf(at, 64, "a %u %u %u\n", i,
                         sizes[next(&seed) % (sizeof sizes / sizeof sizes[0])] + next(&seed) % 600,
                         next(&seed) % 2);
            live[live_count++] = i;
        } else {
            const unsigned which = next(&seed) % live_count;
            if (next(&seed) % 6 == 0) {
                at += snprintf(at, 64, "s %u 7\n", live[which]);
            }
            at += snprintf(at, 64, "f %u\n%s", live[which], next(&seed) % 20 == 0 ? "y\n" : "");
            live[which] = live[--live_count];
        }
    }
}

static void note(void *context, size_t event, const struct zv_trace_usage *usage, bool proved)
{
    struct truth *const truth = context;
    (void)proved;
    truth->usages[event] = *usage;
    truth->count = event + 1;
}

static void assert_same(const struct zv_trace_usage *usage, const struct zv_trace_usage *expected,
                        bool all)
{
    assert_int_equal(usage->reserved_bytes, expected->reserved_bytes);
    assert_int_equal(usage->requested_bytes, expected->requested_bytes);
    if (all) {
        assert_int_equal(usage->allocated_bytes, expected->allocated_bytes);
        assert_int_equal(usage->active_bytes, expected->active_bytes);
    }
}

static void compare(void *context, size_t event, const struct zv_trace_usage *usage, bool proved)
{
    const struct truth *const truth = context;
    (void)proved;
    assert_in_range(truth->first + event, 0, truth->count - 1);
    assert_same(usage, &truth->usages[truth->first + event], truth->all);
}

static void read_again(struct zv_record *record, const struct zv_record *of,
                       const struct zv_record_options *options)
{
    struct zv_buffer file = {.limit = SIZE_MAX};
    struct zv_sink sink = zv_buffer_sink(&file);
    struct zv_error err = {0};
    assert_int_equal(zv_snapshot_write(&sink, &of->trace, &err), ZV_OK);
    assert_int_equal(zv_record_open(record, (struct zv_slice){file.data, file.size}, options, &err),
                     ZV_OK);
    zv_buffer_free(&file);
}

/* The heap at every so many instants is what the series has there. */
static void check_heaps(const struct zv_record *record, const struct truth *truth)
{
    const size_t events = zv_record_device(record)->event_count;
    for (size_t at = 1; at <= events; at += 1 + events / 40) {
        struct zv_heap heap;
        struct zv_arena arena = {0};
        assert_int_equal(zv_heap_at(&heap, record, at, &arena, NULL), ZV_OK);
        assert_same(&heap.usage, &truth->usages[truth->first + at - 1], truth->all);
        zv_arena_free(&arena);
    }
}

static void run(const char *ops, const char *conf, struct zv_record *record, struct truth *truth)
{
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = 0, .conf = conf};
    assert_int_equal(zv_record_of_ops(record, zv_slice_of(ops), &options, &err), ZV_OK);
    assert_true(record->proof.exact);
    *truth = (struct truth){
        .usages = calloc(zv_record_device(record)->event_count + 1, sizeof *truth->usages),
        .all = true};
    assert_non_null(truth->usages);
    assert_int_equal(zv_record_series(record, note, truth, &err), ZV_OK);
    check_heaps(record, truth);
}

/* Settings that are not those of the run: the replay leaves the record, its sums stay. Blocks that
 * a setting made larger than their request rounded are known where they are live at the end. */
static void test_left_record(void **state)
{
    (void)state;
    static const struct {
        const char *run;
        const char *read;
        bool all;
    } rows[] = {{"max_split_size_mb:25", "", false},
                {"roundup_power2_divisions:4", "", false},
                {"", "expandable_segments:True", true},
                {"expandable_segments:True", "", true}};
    static char ops[MAX_OPS_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_record known;
        struct zv_record record;
        struct truth truth;
        struct zv_error err = {0};
        const struct zv_record_options options = {.device = 0, .conf = rows[i].read};
        write_ops(ops, (uint32_t)i + 1, 1500);
        run(ops, rows[i].run, &known, &truth);
        read_again(&record, &known, &options);
        assert_false(record.proof.exact);
        truth.all = rows[i].all;
        assert_int_equal(zv_record_series(&record, compare, &truth, &err), ZV_OK);
        check_heaps(&record, &truth);
        assert_same(&record.end, &known.end, true);
        assert_int_equal(record.end.inactive_split_bytes, known.end.inactive_split_bytes);
        assert_int_equal(record.peak_reserved.usage.reserved_bytes,
                         known.peak_reserved.usage.reserved_bytes);
        free(truth.usages);
        zv_record_close(&record);
        zv_record_close(&known);
    }
}

/* A ring that dropped its first events: the rest is what it was. */
static void test_ring(void **state)
{
    (void)state;
    static char ops[MAX_OPS_TEXT];
    for (uint32_t seed = 1; seed < 6; seed++) {
        struct zv_record known;
        struct zv_record record;
        struct truth truth;
        struct zv_error err = {0};
        write_ops(ops, seed, 1500);
        run(ops, "", &known, &truth);
        truth.first = zv_record_device(&known)->event_count / 3;
        const struct zv_record_options options = {
            .device = 0, .has_range = true, .from = truth.first, .to = UINT64_MAX};
        read_again(&record, &known, &options);
        truth.all = false; /* what nothing in the rest shows stays unknown */
        assert_int_equal(zv_record_series(&record, compare, &truth, &err), ZV_OK);
        check_heaps(&record, &truth);
        assert_same(&record.end, &known.end, true);
        free(truth.usages);
        zv_record_close(&record);
        zv_record_close(&known);
    }
}

/* A block of 9 MiB that asked for 8.5 lies before free memory when the record begins; the next one
 * is put behind it, which shows its size. */
static void test_learned_size(void **state)
{
    (void)state;
    static const char ops[] = "a 1 9437184 0\na 2 9961472 0\nf 1\na 3 8912896 0\nf 2\n"
                              "a 4 5242880 0\na 5 6291456 0\nf 3\na 6 9437184 0\nf 4\nf 5\nf 6\n";
    enum { BEGIN = 8 }; /* after the free of 2 */
    struct zv_record known;
    struct zv_record record;
    struct truth truth;
    struct zv_error err = {0};
    run(ops, "", &known, &truth);
    const struct zv_record_options options = {
        .device = 0, .has_range = true, .from = BEGIN, .to = UINT64_MAX};
    read_again(&record, &known, &options);
    assert_false(record.proof.exact);
    assert_int_equal(record.proof.events, 0);
    assert_int_equal(record.learned_blocks, 1);
    assert_true(record.learned.exact);
    assert_int_equal(record.start.live_bytes, 9437184);
    truth.first = BEGIN;
    assert_int_equal(zv_record_series(&record, compare, &truth, &err), ZV_OK);
    check_heaps(&record, &truth);
    free(truth.usages);
    zv_record_close(&record);
    zv_record_close(&known);
}

static void test_memory_runs_short(void **state)
{
    (void)state;
    static char ops[MAX_OPS_TEXT];
    struct zv_record known;
    struct zv_buffer file = {.limit = SIZE_MAX};
    struct zv_sink sink = zv_buffer_sink(&file);
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = 0, .conf = "max_split_size_mb:30"};
    write_ops(ops, 1, 300);
    assert_int_equal(zv_record_of_ops(&known, zv_slice_of(ops),
                                      &(struct zv_record_options){.device = 0, .conf = ""}, &err),
                     ZV_OK);
    assert_int_equal(zv_snapshot_write(&sink, &known.trace, &err), ZV_OK);
    zv_record_close(&known);
    for (size_t n = 1;; n++) {
        struct zv_record record;
        struct zv_error own = {0};
        fail_memory_start(n);
        const enum zv_status status =
            zv_record_open(&record, (struct zv_slice){file.data, file.size}, &options, &own);
        zv_record_close(&record);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
    zv_buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_record),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_learned_size),
        cmocka_unit_test(test_memory_runs_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
