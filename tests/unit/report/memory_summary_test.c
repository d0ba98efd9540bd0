/*
 * memory_summary() and memory_stats() against what PyTorch's own formatter made of the same
 * statistics (tests/tooling/memory_summary.py; PyTorch 2.6.0). With ZIRVE_TORCH_PYTHON set to a
 * Python that has torch, it is asked again.
 */
#include "report/memory_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "support/test.h"

enum { LIMIT = 1 << 20, MAX_PATH = 4096 };

/* Around every place where a unit changes, for bytes (1024s) and for counts (1000s). */
static const int64_t edges[] = {
    0,
    1,
    749999,
    750000,
    750999,
    786431,
    786432,
    999999,
    750000000,
    749999999,
    805306367,
    805306368,
    1073741824,
    7516192768,
    824633720831,
    824633720832,
    844424930131968,
    844424930131967,
    864691128455135232,
    123456789012,
    750000000000,
    17,
    512,
    1048576,
    5,
    2097152,
    20971520,
    99999999999,
    524288,
};
enum { EDGES = sizeof edges / sizeof edges[0], SETS = 12 };

static int64_t edge(size_t index)
{
    return edges[index % EDGES];
}

static struct zv_counter counter_of(size_t seed)
{
    return (struct zv_counter){edge(seed), edge(seed + 3), edge(seed + 7), edge(seed + 11)};
}

static struct zv_memory_stats make_set(size_t set)
{
    struct zv_memory_stats stats = {.num_alloc_retries = edge(set + 5) % 100000000,
                                    .num_ooms = edge(set + 2) % 1000000000000,
                                    .num_sync_all_streams = edge(set),
                                    .num_device_alloc = edge(set + 1),
                                    .num_device_free = edge(set + 4),
                                    .max_split_size = -1};
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
            stats.counters[stat][pool] =
                counter_of(set + (size_t)stat * 5 + (size_t)pool * (1 + set % 4));
        }
    }
    stats.oversize_allocations = counter_of(set + 8);
    stats.oversize_segments = counter_of(set + 9);
    stats.oversize_segments.current = -edge(set + 6); /* after a change of settings */
    return stats;
}

static void write_stats(struct zv_sink *sink)
{
    for (size_t set = 0; set < SETS; set++) {
        const struct zv_memory_stats stats = make_set(set);
        report_memory_stats(sink, &(struct report_stats){.stats = &stats});
        zv_sink_text(sink, "---\n");
    }
}

static void write_summaries(struct zv_sink *sink)
{
    for (size_t set = 0; set < SETS; set++) {
        const struct zv_memory_stats stats = make_set(set);
        report_memory_summary(sink, &stats, 0, false);
        report_memory_summary(sink, &stats, 0, true);
    }
}

static void must_equal(const struct zv_buffer *ours, const char *theirs, size_t size)
{
    for (size_t i = 0, line = 1; i < ours->size && i < size; i++) {
        if (ours->data[i] != theirs[i]) {
            fail_msg("line %zu: '%.40s' and not '%.40s'", line, ours->data + i, theirs + i);
        }
        line += theirs[i] == '\n';
    }
    assert_int_equal(ours->size, size);
}

static void test_summary(void **state)
{
    (void)state;
    char path[MAX_PATH];
    struct zv_file file;
    struct zv_buffer ours = {.limit = LIMIT};
    struct zv_sink sink = zv_buffer_sink(&ours);
    (void)snprintf(path, sizeof path, "%s/tests/data/memory_summary.txt",
                   getenv("ZIRVE_SOURCE_DIR"));
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    write_summaries(&sink);
    must_equal(&ours, (const char *)file.data, file.size);
    zv_file_close(&file);
    zv_buffer_free(&ours);
}

static void test_summary_asked_again(void **state)
{
    (void)state;
    const char *const python = getenv("ZIRVE_TORCH_PYTHON");
    if (python == NULL) {
        print_message("# SKIP: ZIRVE_TORCH_PYTHON is not set\n");
        return;
    }
    char stats_path[] = "/tmp/zirve-stats-XXXXXX";
    char command[3 * MAX_PATH];
    struct zv_buffer stats = {.limit = LIMIT};
    struct zv_buffer ours = {.limit = LIMIT};
    struct zv_sink stats_sink = zv_buffer_sink(&stats);
    struct zv_sink our_sink = zv_buffer_sink(&ours);
    static char theirs[LIMIT];
    write_stats(&stats_sink);
    write_summaries(&our_sink);
    FILE *const file = fdopen(mkstemp(stats_path), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(stats.data, 1, stats.size, file), stats.size);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(command, sizeof command,
                   "'%.4000s' '%.4000s/tests/tooling/memory_summary.py' <%s", python,
                   getenv("ZIRVE_SOURCE_DIR"), stats_path);
    FILE *const pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t size = fread(theirs, 1, sizeof theirs, pipe);
    assert_int_equal(pclose(pipe), 0);
    (void)remove(stats_path);
    must_equal(&ours, theirs, size);
    zv_buffer_free(&stats);
    zv_buffer_free(&ours);
}

/* The names that PyTorch 2.6 has, in its order. */
static void test_entries(void **state)
{
    (void)state;
    const struct zv_memory_stats stats = make_set(3);
    for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
        struct zv_stat_entry entry;
        char before[96] = "";
        unsigned count = 0;
        while (zv_memory_stats_entry(&stats, (enum zv_torch_profile)profile, count, &entry)) {
            assert_true(strcmp(before, entry.name) < 0);
            (void)snprintf(before, sizeof before, "%s", entry.name);
            count++;
            if (strcmp(entry.name, "active_bytes.large_pool.freed") == 0) {
                assert_int_equal(entry.value, stats.counters[ZV_STAT_ACTIVE_BYTES][2].freed);
            }
        }
        assert_int_equal(count, profile == ZV_TORCH_2_6 ? 9 * 12 + 2 * 4 + 6 : 9 * 12 + 2 * 4 + 7);
    }
}

static bool write_stdout(void *context, const char *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--stats") == 0) {
        struct zv_sink sink = {.write = write_stdout};
        write_stats(&sink);
        return EXIT_SUCCESS;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_summary),
                                       cmocka_unit_test(test_summary_asked_again),
                                       cmocka_unit_test(test_entries)};
    return cmocka_run_group_tests_name("memory_summary", tests, NULL, NULL);
}
