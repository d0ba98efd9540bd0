/* The benchmark files of the field, when they are there: each solved at its capacity and better. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "place/place_csv.h"
#include "support/test.h"

static const struct {
    const char *name;
    uint64_t load;
} files[] = {
    {"A.1048576", 1048576}, {"B.1048576", 1048576}, {"C.1048576", 1039360},
    {"E.1048576", 1048576}, {"F.1048576", 1048576}, {"G.1048576", 1048576},
    {"H.1048576", 1048576}, {"I.1048576", 1048576}, {"input.12", 12},
};

static void every_file_is_solved(void **state)
{
    const char *const folder = getenv("ZIRVE_TRUTH_DIR");
    (void)state;
    if (folder == NULL) {
        print_message("# SKIP: ZIRVE_TRUTH_DIR is not set\n");
        return;
    }
    uint64_t nodes = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct zv_place_options options = {0};
        struct zv_arena arena = {0};
        struct zv_file file;
        struct place_table table;
        struct zv_place_result result;
        uint64_t height = 0;
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/data/minimalloc/%s.csv", folder, files[i].name);
        if (zv_file_open(&file, path, NULL) != ZV_OK) {
            print_message("# SKIP: %s is not there\n", path);
            return;
        }
        assert_int_equal(zv_place_csv_read(&table, zv_file_slice(&file), &arena, NULL), ZV_OK);
        assert_int_equal(zv_place_run(table.blocks, table.count, &options, &result, NULL), ZV_OK);
        assert_int_equal(zv_place_check(table.blocks, table.count, &height, NULL), ZV_OK);
        assert_int_equal(result.load_bytes, files[i].load);
        assert_int_equal(height, files[i].load);
        assert_int_equal(result.height_bytes, files[i].load);
        assert_int_equal(result.state, ZV_PLACE_OPTIMAL);
        nodes += result.nodes;
        zv_file_close(&file);
        zv_arena_free(&arena);
    }
    assert_true(nodes < 450000); /* the same on every machine; time follows from it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
