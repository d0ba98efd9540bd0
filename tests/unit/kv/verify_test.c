/*
 * Rows of expected integers: those of tests/data/kv, by a second implementation of the rules, and
 * those of $ZIRVE_TRUTH_DIR, by vLLM's own scheduler.
 */
#include "kv/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"

/* Runs a file of rows; none may differ. How many were equal. */
static size_t all_equal(const char *path, const char *folder)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_kv_verify result;
    struct zv_file file;
    assert_int_equal(zv_file_open(&file, path, &err), ZV_OK);
    assert_int_equal(zv_kv_verify(&result, zv_file_slice(&file), folder, &arena, &err), ZV_OK);
    for (size_t i = 0; i < result.count; i++) {
        const struct zv_kv_row *const row = &result.rows[i];
        if (row->outcome == ZV_KV_ROW_DIFFERS) {
            print_error("line %llu: %.*s expected %llu, got %llu\n", (unsigned long long)row->line,
                        (int)row->what.length, row->what.at, (unsigned long long)row->expected,
                        (unsigned long long)row->got);
        }
    }
    const size_t equal = result.outcomes[ZV_KV_ROW_EQUAL];
    assert_int_equal(result.outcomes[ZV_KV_ROW_DIFFERS], 0);
    zv_arena_free(&arena);
    zv_file_close(&file);
    return equal;
}

static void own_rows_are_equal(void **state)
{
    char path[1024];
    char folder[1000];
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/tests/data/kv", getenv("ZIRVE_SOURCE_DIR"));
    (void)snprintf(path, sizeof path, "%s/expected.tsv", folder);
    assert_int_equal(all_equal(path, folder), 109);
}

static void rows_of_the_truth_are_equal(void **state)
{
    const char *const truth = getenv("ZIRVE_TRUTH_DIR");
    char path[1024];
    char folder[1024];
    (void)state;
    if (truth == NULL) {
        print_message("# SKIP: ZIRVE_TRUTH_DIR is not set\n");
        return;
    }
    (void)snprintf(folder, sizeof folder, "%s/data/requests", truth);
    (void)snprintf(path, sizeof path, "%s/ground-truth/kv-expected.tsv", truth);
    assert_int_equal(all_equal(path, folder), 100);
}

static enum zv_status verify(const char *row, struct zv_kv_verify *result, struct zv_arena *arena,
                             struct zv_error *err)
{
    char text[512];
    char folder[1000];
    (void)snprintf(folder, sizeof folder, "%s/tests/data/kv", getenv("ZIRVE_SOURCE_DIR"));
    (void)snprintf(text, sizeof text, "case\tparams\tresults\n%s\n", row);
    return zv_kv_verify(result, zv_slice_of(text), folder, arena, err);
}

static void says_what_differs_and_what_is_not_there(void **state)
{
    struct zv_arena arena = {0};
    struct zv_kv_verify result;
    (void)state;
    assert_int_equal(verify("waste_paged\ttrace=mini.csv block=1\ttail_waste=0 requests=151",
                            &result, &arena, NULL),
                     ZV_OK);
    assert_int_equal(result.rows[0].outcome, ZV_KV_ROW_DIFFERS);
    assert_int_equal(result.rows[0].expected, 151);
    assert_int_equal(result.rows[0].got, 150);
    assert_int_equal(
        verify("waste_paged\ttrace=none.csv block=1\ttail_waste=0", &result, &arena, NULL), ZV_OK);
    assert_int_equal(result.rows[0].outcome, ZV_KV_ROW_NOT_RUN);
    assert_int_equal(
        verify("fit\ttrace=mini.csv slots=5 policy=oracle\tfoo=0", &result, &arena, NULL), ZV_OK);
    assert_int_equal(result.rows[0].outcome, ZV_KV_ROW_NOT_RUN);
    zv_arena_free(&arena);
}

static void refuses_rows_that_make_no_sense(void **state)
{
    static const struct {
        const char *row;
        enum zv_status status;
    } rows[] = {
        {"serve_magic\ttrace=mini.csv\ta=1", ZV_E_UNSUPPORTED},
        {"prefix_best\ttrace=mini.jsonl capacity=5\ta=1", ZV_E_UNSUPPORTED},
        {"prefix_lfu\ttrace=mini.jsonl capacity=0\ta=1", ZV_E_SYNTAX},
        {"prefix_lfu\ttrace=mini.csv capacity=5\ta=1", ZV_E_USAGE}, /* has no ids */
        {"serve_paged\ttrace=mini.csv pages=0 block=16\ta=1", ZV_E_SYNTAX},
        {"serve_paged\ttrace=mini.csv pages=99999999999 block=16\ta=1", ZV_E_SYNTAX},
        {"serve_paged\ttrace=mini.csv pages=10 block=0\ta=1", ZV_E_USAGE},
        {"serve_paged\ttrace=mini.csv pages=10\ta=1", ZV_E_SYNTAX},
        {"serve_paged\ttrace=mini.jsonl pages=10 block=100 caching=1\ta=1", ZV_E_USAGE},
        {"serve_paged\ttrace=mini.csv pages=10 block=16 budget=0\ta=1", ZV_E_USAGE},
        {"serve_contig\ttrace=mini.csv slots=10 policy=paged\ta=1", ZV_E_SYNTAX},
        {"hybrid_seq\ttrace=mini.jsonl pages=9 block=512 window=0 swa_groups=1 chunk=5\ta=1",
         ZV_E_USAGE},
        {"waste_paged\tblock=16\ta=1", ZV_E_SYNTAX},
        {"waste_paged\ttrace=../kv/mini.csv block=16\ta=1", ZV_E_SYNTAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_kv_verify result;
        assert_int_equal(verify(rows[i].row, &result, &arena, &err), rows[i].status);
        assert_string_not_equal(err.text, "");
        zv_arena_free(&arena);
    }
}

static void survives_a_failure_of_each_allocation(void **state)
{
    static const char *const rows[] = {
        "serve_paged\ttrace=mini.jsonl pages=20 block=512 caching=1 limit=12\trequests=12",
        "serve_contig\ttrace=mini.csv slots=3000 policy=oracle limit=5\trequests=5",
        ("hybrid_seq\ttrace=mini.jsonl pages=80 block=512 window=700 swa_groups=1 chunk=900 "
         "limit=3\trequests=3"),
        "freeq_seq\ttrace=mini.jsonl capacity=20\trequests=120",
        "prefix_lfu\ttrace=mini.jsonl capacity=20\tpeak=20",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t n = 1;; n++) {
            struct zv_arena arena = {0};
            struct zv_kv_verify result;
            fail_memory_start(n);
            const enum zv_status status = verify(rows[i], &result, &arena, NULL);
            zv_arena_free(&arena);
            fail_memory_stop();
            assert_int_equal(fail_memory.blocks, 0);
            if (fail_memory.failed == 0) {
                assert_int_equal(status, ZV_OK);
                break;
            }
            assert_int_equal(status, ZV_E_NOMEM);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_rows_are_equal),
        cmocka_unit_test(rows_of_the_truth_are_equal),
        cmocka_unit_test(says_what_differs_and_what_is_not_there),
        cmocka_unit_test(refuses_rows_that_make_no_sense),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
