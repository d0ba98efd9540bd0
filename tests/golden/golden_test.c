/*
 * Every packed case of this folder against our allocator: each counter after each operation and
 * each event must be equal. Every folder of cases below $ZIRVE_TRUTH_DIR/golden too, when set.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/packed_case.h"
#include "support/test.h"

enum { CASES = 36, OPERATIONS = 164541, MAX_PATH = 4096 };

static uint64_t operations;

static void must_be_equal(const char *name, const struct zv_conformance_input *input)
{
    struct zv_conformance got;
    struct zv_error err = {0};
    if (zv_conformance_run(&got, input, &err) != ZV_OK) {
        fail_msg("%s: %s: line %llu: %s", name, err.where, (unsigned long long)err.line, err.text);
    }
    if (!got.equal) {
        fail_msg("%s: %s:\n  got      %s\n  expected %s", name, got.where, got.got, got.expected);
    }
    operations += got.operations;
}

static void test_packed_cases(void **state)
{
    (void)state;
    char folder[MAX_PATH];
    (void)snprintf(folder, sizeof folder, "%s/tests/golden", getenv("ZIRVE_SOURCE_DIR"));
    DIR *const entries = opendir(folder);
    assert_non_null(entries);
    int count = 0;
    operations = 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[3 * MAX_PATH];
        struct packed_case packed;
        if (!zv_slice_ends(zv_slice_of(entry->d_name), ".tar.zst")) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(packed_case_open(&packed, path));
        must_be_equal(entry->d_name, &packed.input);
        packed_case_close(&packed);
        count++;
    }
    (void)closedir(entries);
    assert_int_equal(count, CASES);
    assert_int_equal(operations, OPERATIONS);
}

static bool open_member(struct zv_file *file, const char *folder, const char *name)
{
    char path[3 * MAX_PATH];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && zv_file_open(file, path, NULL) == ZV_OK;
}

static void test_folders_of_truth(void **state)
{
    (void)state;
    char folder[MAX_PATH];
    const char *const truth = getenv("ZIRVE_TRUTH_DIR");
    (void)snprintf(folder, sizeof folder, "%s/golden", truth != NULL ? truth : "");
    DIR *const entries = truth != NULL ? opendir(folder) : NULL;
    if (entries == NULL) {
        print_message("# SKIP: ZIRVE_TRUTH_DIR has no golden folder\n");
        return; /* cmocka's skip() is a failure in TAP */
    }
    int count = 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[3 * MAX_PATH];
        struct zv_file files[4];
        static const char *const names[] = {"case.json", "ops.txt", "expected.tsv", "events.tsv"};
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !open_member(&files[0], path, names[0])) {
            continue;
        }
        for (int i = 1; i < 4; i++) {
            assert_true(open_member(&files[i], path, names[i]));
        }
        const struct zv_conformance_input input = {
            zv_file_slice(&files[0]), zv_file_slice(&files[1]), zv_file_slice(&files[2]),
            zv_file_slice(&files[3])};
        must_be_equal(entry->d_name, &input);
        for (int i = 0; i < 4; i++) {
            zv_file_close(&files[i]);
        }
        count++;
    }
    (void)closedir(entries);
    assert_true(count > 0);
}

/* A comparison that cannot fail proves nothing: one changed byte must be found where it is. */
static void test_a_changed_byte_is_found(void **state)
{
    (void)state;
    char path[MAX_PATH];
    struct packed_case packed;
    (void)snprintf(path, sizeof path, "%s/tests/golden/mixed-gc.tar.zst",
                   getenv("ZIRVE_SOURCE_DIR"));
    assert_true(packed_case_open(&packed, path));
    struct zv_slice *const files[] = {&packed.input.expected, &packed.input.events};
    for (int i = 0; i < 2; i++) {
        char *const byte = packed.bytes + (files[i]->at - packed.bytes) + files[i]->length / 2;
        uint64_t line = 1;
        for (const char *at = files[i]->at; at < byte; at++) {
            line += *at == '\n';
        }
        const char kept = *byte;
        char where[64];
        struct zv_conformance got;
        (void)snprintf(where, sizeof where, "%s, line %llu", i == 0 ? "expected.tsv" : "events.tsv",
                       (unsigned long long)line);
        *byte = kept == '7' ? '8' : '7';
        assert_int_equal(zv_conformance_run(&got, &packed.input, NULL), ZV_OK);
        assert_false(got.equal);
        assert_string_equal(got.where, where);
        *byte = kept;
        files[i]->length -= 20; /* a line cut off at the end */
        assert_int_equal(zv_conformance_run(&got, &packed.input, NULL), ZV_OK);
        assert_false(got.equal);
        files[i]->length += 20;
    }
    packed_case_close(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_cases),
                                       cmocka_unit_test(test_folders_of_truth),
                                       cmocka_unit_test(test_a_changed_byte_is_found)};
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
