#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "decide/sheet.h"
#include "support/fail_memory.h"
#include "support/test.h"

static char folder[64];
static struct zv_content content;

static const char evidence[] =
    "schema: zirve.evidence/1\nevidence:\n"
    "  - {id: a, kind: measurement, document: raw.json, card: L4, processed: {context: 8},\n"
    "     phases: [{name: load, allocated_peak: 1GiB}, {name: go, outcome: failed}]}\n"
    "  - {id: b, kind: quality}\n";

static void add(enum zv_entry_kind kind, const char *name, struct zv_slice text)
{
    struct zv_arena arena = {0};
    struct zv_job_record record;
    struct zv_error err = {0};
    assert_int_equal(zv_job_record_read(&record, folder, &arena, &err), ZV_OK);
    const struct zv_entry entry = {
        .kind = kind, .name = zv_slice_of(name), .date = zv_slice_of("2026-11-29")};
    assert_int_equal(zv_job_record_add(&record, &entry, text, &err), ZV_OK);
    assert_int_equal(zv_job_record_add(&record, &entry, text, NULL), ZV_E_EXISTS); /* taken now */
    zv_arena_free(&arena);
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/zirve-record-XXXXXX");
    if (mkdtemp(folder) == NULL || rmdir(folder) != 0) {
        return -1;
    }
    return zv_job_record_create(folder, NULL) == ZV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[96];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); /* NOLINT(cert-env33-c): the folder is ours */
}

static enum zv_status use(size_t *findings_count)
{
    struct zv_arena arena = {0};
    struct zv_job_record record;
    struct zv_findings findings = {0};
    struct zv_sheet sheets[2] = {{.arena = &arena}, {.arena = &arena}};
    struct zv_comparison comparison;
    enum zv_status status = zv_job_record_read(&record, folder, &arena, NULL);
    if (status == ZV_OK) {
        status = zv_job_record_verify(&findings, &record, &arena, NULL);
    }
    if (status == ZV_OK) {
        status = zv_content_read(&content, &record, &arena, NULL);
    }
    if (status == ZV_OK) {
        status = zv_content_check(&findings, &content, &record, &arena, NULL);
    }
    for (size_t i = 0; status == ZV_OK && i < 2; i++) {
        status = zv_sheet_record(&sheets[i], &content, &record, NULL);
    }
    if (status == ZV_OK) {
        status = zv_compare(&comparison, sheets, 2, &arena, NULL);
    }
    *findings_count = findings.count;
    if (status == ZV_OK) {
        const struct zv_sheet_row *const read =
            zv_sheet_find(&sheets[0], "measured", "a load allocated_peak");
        const struct zv_sheet_row *const missing =
            zv_sheet_find(&sheets[0], "measured", "a load reserved_peak");
        assert_true(read->has_bytes && read->bytes == UINT64_C(1) << 30);
        assert_true(!missing->has_bytes && missing->value == NULL);
        assert_string_equal(missing->known, "unknown");
        assert_int_equal(comparison.variable_count, 0);
        assert_int_equal(comparison.reason_count, 0);
    }
    zv_arena_free(&arena);
    return status;
}

static void test_record(void **state)
{
    (void)state;
    size_t findings;
    assert_int_equal(zv_job_record_create(folder, NULL), ZV_E_EXISTS);
    assert_int_equal(use(&findings), ZV_E_SYNTAX); /* no job yet */
    add(ZV_ENTRY_JOB, "job.yaml", zv_data_find("job.yaml"));
    add(ZV_ENTRY_EVIDENCE, "../we ird/..e.yaml", zv_slice_of(evidence));
    add(ZV_ENTRY_DOCUMENT, "raw.json", zv_slice_of("raw"));
    assert_int_equal(use(&findings), ZV_OK);
    /* open: ten keys of the sheet, the estimate; a: seven readings; b: no document */
    assert_int_equal(findings, 10 + 1 + 7 + 1);
    for (size_t n = 1;; n++) {
        fail_memory_start(n);
        const enum zv_status status = use(&findings);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(status == ZV_OK || fail_memory.failed != 0);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_record)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
