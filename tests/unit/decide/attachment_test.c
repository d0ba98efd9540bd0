#include "decide/attachment.h"

#include <string.h>

#include "support/test.h"

#define PHASE(peak, end)                                                                           \
    "{\"peak\":{\"allocated_bytes\":" peak ",\"reserved_bytes\":" peak "},"                        \
    "\"after\":{\"allocated_bytes\":" end ",\"reserved_bytes\":" end "}}"

static const char two_runs[] =
    "{\"schema\":\"zirve.measure/1\",\"outcome\":\"complete\",\"runs\":["
    "{\"outcome\":\"complete\",\"phases\":[" PHASE(
        "5", "1") "]},"
                  "{\"outcome\":\"complete\",\"device\":{\"model\":\"T\"},\"batch\":2,\"context\":"
                  "16,\"width\":64,"
                  "\"phases\":[" PHASE("9", "4") "," PHASE("7", "3") "]}]}";

static const char cut_run[] =
    "{\"schema\":\"zirve.measure/1\",\"runs\":[{\"outcome\":\"partial\",\"failed_phase\":\"loss\","
    "\"phases\":[" PHASE("9", "null") "]}],\"outcome\":\"partial\",\"known\":\"emulated\"}";

static const struct {
    enum zv_entry_kind kind;
    const char *text;
    const char *verdict; /* NULL: kept as it is */
    enum zv_status status;
} rows[] = {
    {ZV_ENTRY_RUN, "{\"schema\": \"zirve.run/1\", \"outcome\": \"failed\", \"exit_status\": 3}",
     "failed, exit status 3", ZV_OK},
    {ZV_ENTRY_RUN,
     "{\"schema\": \"zirve.run/1\", \"outcome\": \"out of memory\", \"exit_status\": null, "
     "\"signal\": 6, \"memory\": {\"text\": \"CUDA out of memory\"}}",
     "out of memory, signal 6: CUDA out of memory", ZV_OK},
    {ZV_ENTRY_RUN,
     "{\"schema\": \"zirve.run_search/1\", \"dimension\": \"batch\", \"verdict\": \"none\", "
     "\"value\": null, \"tries\": [{}]}",
     "none: no batch passed, 1 tried", ZV_OK},
    {ZV_ENTRY_EXPLAIN, "{\"schema\": \"zirve.explain_message/1\", \"verdict\": null}",
     "out of memory: why, it does not say", ZV_OK},
    {ZV_ENTRY_EXPLAIN,
     "{\"schema\": \"zirve.explain/1\", \"verdict\": {\"kind\": \"peak\", \"out_of_memory\": "
     "false}, \"peak_reserved\": {\"usage\": {\"reserved_bytes\": 7}}}",
     "no request failed; the peak of the record", ZV_OK},
    {ZV_ENTRY_EXPLAIN, "{\"schema\": \"zirve.explain_habits/1\"}", NULL, ZV_OK},
    {ZV_ENTRY_ENVIRONMENT,
     "{\"schema\": \"zirve.environment/1\", \"known\": \"measured\", \"usable\": true, "
     "\"devices\": [{\"model\": \"RTX 4090\", \"backend\": \"CUDA\", "
     "\"runtime_capacity_bytes\": 25246564352}, {}]}",
     "usable: 2 devices, the first RTX 4090 by CUDA, 23.51 GiB for a program", ZV_OK},
    {ZV_ENTRY_EMULATION,
     "{\"schema\": \"zirve.environment/1\",\n\"known\": \"emulated\", \"devices\": [{}]}",
     "no usable GPU: 1 device, the first of unknown name by no runtime, unknown for a program",
     ZV_OK},
    {ZV_ENTRY_ENVIRONMENT, "{\"schema\": \"zirve.environment/1\", \"devices\": []}",
     "no GPU was found", ZV_OK},
    {ZV_ENTRY_EXPLAIN,
     "{\"schema\": \"zirve.explain_engine/1\", \"engine\": \"vLLM\", \"stopped_by\": "
     "\"small_cache\", \"missing_bytes\": 4096}",
     "not started: small_cache, says vLLM; 4.00 KiB missing", ZV_OK},
    {ZV_ENTRY_MEASUREMENT, two_runs,
     "complete: 2 runs, the fullest on T; batch 2, context 16, width 64", ZV_OK},
    {ZV_ENTRY_EMULATION, cut_run,
     "partial: 1 run, the fullest on a device of unknown name; failed in loss", ZV_OK},
    {ZV_ENTRY_MEASUREMENT, cut_run, NULL, ZV_OK}, /* emulated is never called measured */
    {ZV_ENTRY_MEASUREMENT, "{\"schema\": \"zirve.measure/1\", \"runs\": 7}",
     "outcome not said: 0 runs, the fullest on a device of unknown name", ZV_OK},
    {ZV_ENTRY_LOG, "all is well\n", "no line says that memory ran out", ZV_OK},
    {ZV_ENTRY_LOG, "x\nstd::bad_alloc\n", "out of host memory: std::bad_alloc", ZV_OK},
    {ZV_ENTRY_LOG, "", "no line says that memory ran out", ZV_OK},
    {ZV_ENTRY_DOCUMENT, "CUDA out of memory", NULL, ZV_OK},
    {ZV_ENTRY_MEASUREMENT, "raw", NULL, ZV_OK},
    {ZV_ENTRY_RUN, "raw", NULL, ZV_OK},
    {ZV_ENTRY_RUN, "{\"schema\": \"zirve.run/1\"", NULL, ZV_E_SYNTAX},
};

static void verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_entry entry = {.kind = rows[i].kind};
        struct zv_arena arena = {0};
        struct zv_attachment one;
        bool read = true;
        print_message("# row %zu\n", i);
        assert_int_equal(
            zv_attachment_read(&one, &read, &entry, zv_slice_of(rows[i].text), &arena, NULL),
            rows[i].status);
        assert_int_equal(read && rows[i].status == ZV_OK, rows[i].verdict != NULL);
        if (rows[i].verdict != NULL) {
            assert_string_equal(one.verdict, rows[i].verdict);
            assert_non_null(one.proves);
        }
        zv_arena_free(&arena);
    }
}

/* A counter that is not there is unknown, never 0. */
static void counters(void **state)
{
    (void)state;
    const struct zv_entry entry = {.kind = ZV_ENTRY_EXPLAIN};
    struct zv_arena arena = {0};
    struct zv_attachment one;
    bool read;
    assert_int_equal(
        zv_attachment_read(&one, &read, &entry, zv_slice_of(rows[4].text), &arena, NULL), ZV_OK);
    assert_true(one.has_counters);
    assert_false(one.counted[0]);
    assert_true(one.counted[1]);
    assert_int_equal(one.bytes[1], 7);
    assert_false(one.counted[2]);
    assert_false(one.counted[3]);
    zv_arena_free(&arena);
}

/* Those of one run: the fullest. */
static void counters_of_measure(void **state)
{
    (void)state;
    static const uint64_t want[ZV_COUNTERS] = {9, 9, 3, 3};
    for (size_t i = 0; i < 2; i++) {
        const struct zv_entry entry = {.kind = i == 0 ? ZV_ENTRY_MEASUREMENT : ZV_ENTRY_EMULATION};
        struct zv_arena arena = {0};
        struct zv_attachment one;
        bool read;
        assert_int_equal(zv_attachment_read(&one, &read, &entry,
                                            zv_slice_of(i == 0 ? two_runs : cut_run), &arena, NULL),
                         ZV_OK);
        assert_true(one.has_counters);
        for (unsigned k = 0; k < ZV_COUNTERS; k++) {
            assert_int_equal(one.counted[k], i == 0 || k < 2);
            assert_true(!one.counted[k] || one.bytes[k] == want[k]);
        }
        zv_arena_free(&arena);
    }
}

static void no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t limit = 1; limit < 3000; limit += 16) {
            const struct zv_entry entry = {.kind = rows[i].kind};
            struct zv_arena arena = {.limit = limit};
            struct zv_attachment one;
            bool read;
            const enum zv_status status =
                zv_attachment_read(&one, &read, &entry, zv_slice_of(rows[i].text), &arena, NULL);
            assert_true(status == rows[i].status || status == ZV_E_NOMEM);
            zv_arena_free(&arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts), cmocka_unit_test(counters),
                                       cmocka_unit_test(counters_of_measure),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
