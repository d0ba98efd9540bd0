/*
 * Headers of published models (tests/data/models): every file is read whole, and element and byte
 * sums equal what the tables beside them say.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text_table.h"
#include "format/gguf.h"
#include "format/safetensors.h"
#include "support/sparse_model.h"
#include "support/test.h"

struct sums {
    uint64_t files;
    uint64_t tensors;
    uint64_t elements;
    uint64_t bytes;
};

static void read_table(const char *name, struct zv_file *file, struct zv_table *table,
                       struct zv_arena *arena)
{
    char path[SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/tests/data/models/%s", getenv("ZIRVE_SOURCE_DIR"), name);
    assert_int_equal(zv_file_open(file, path, NULL), ZV_OK);
    assert_int_equal(zv_table_read(table, zv_file_slice(file), arena, NULL), ZV_OK);
}

static uint64_t cell(const struct zv_table *table, size_t row, const char *column)
{
    uint64_t value = 0;
    const struct zv_slice text = zv_table_cell(table, row, zv_table_column(table, column));
    assert_true(zv_slice_u64(text, &value));
    return value;
}

static void add_safetensors(const char *path, struct sums *sums)
{
    struct zv_file mapped;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_safetensors file;
    assert_int_equal(zv_file_open(&mapped, path, NULL), ZV_OK);
    if (zv_safetensors_read(&file, zv_file_slice(&mapped), &arena, &err) != ZV_OK) {
        fail_msg("%s: %s", path, err.text);
    }
    assert_int_equal(file.header_bytes + file.data_bytes, mapped.size);
    sums->files++;
    sums->tensors += file.tensor_count;
    sums->bytes += file.data_bytes;
    for (size_t i = 0; i < file.tensor_count; i++) {
        assert_int_not_equal(file.tensors[i].bits, 0);
        sums->elements += file.tensors[i].elements;
    }
    zv_arena_free(&arena);
    zv_file_close(&mapped);
}

static void add_folder(const char *folder, struct sums *sums)
{
    DIR *const entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[2 * SPARSE_MODEL_PATH];
        if (zv_slice_ends(zv_slice_of(entry->d_name), ".safetensors")) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            add_safetensors(path, sums);
        }
    }
    (void)closedir(entries);
}

static void test_safetensors(void **state)
{
    (void)state;
    struct zv_file text;
    struct zv_table table;
    struct zv_arena arena = {0};
    read_table("expected.tsv", &text, &table, &arena);
    size_t checked = 0;
    for (size_t row = 0; row < table.row_count; row++) {
        char name[128];
        char folder[SPARSE_MODEL_PATH];
        const struct zv_slice cell_text = zv_table_cell(&table, row, 0);
        if (cell(&table, row, "header_files") == 0) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)cell_text.length, cell_text.at);
        struct sums sums = {0};
        assert_true(sparse_model_make(name, folder));
        add_folder(folder, &sums);
        sparse_model_remove(folder);
        if (sums.files != 0) { /* pipelines keep theirs in folders of their own */
            assert_int_equal(sums.files, cell(&table, row, "header_files"));
            assert_int_equal(sums.tensors, cell(&table, row, "tensors"));
            assert_int_equal(sums.elements, cell(&table, row, "parameters"));
            assert_int_equal(sums.bytes, cell(&table, row, "bytes"));
            checked++;
        }
    }
    assert_true(checked >= 30);
    zv_arena_free(&arena);
    zv_file_close(&text);
}

static void check_gguf(const struct zv_table *table, size_t row, const char *path)
{
    struct zv_file mapped;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    assert_int_equal(zv_file_open(&mapped, path, NULL), ZV_OK);
    if (zv_gguf_read(&file, zv_file_slice(&mapped), &arena, &err) != ZV_OK) {
        fail_msg("%s: %s", path, err.text);
    }
    struct sums sums = {0};
    for (size_t i = 0; i < file.tensor_count; i++) {
        assert_non_null(file.tensors[i].type);
        const bool as_python = file.tensors[i].type_id == 9; /* Q8_1: see data/gguf_types.tsv */
        sums.elements += file.tensors[i].elements;
        sums.bytes += as_python ? file.tensors[i].bytes / 36 * 40 : file.tensors[i].bytes;
    }
    struct zv_slice arch;
    if (zv_gguf_string(zv_gguf_find(&file, "general.architecture"), &arch)) {
        const struct zv_slice want = zv_table_cell(table, row, zv_table_column(table, "arch"));
        assert_int_equal(arch.length, want.length);
        assert_memory_equal(arch.at, want.at, want.length);
    }
    assert_int_equal(file.tensor_count, cell(table, row, "tensors"));
    assert_int_equal(sums.elements, cell(table, row, "parameters"));
    assert_int_equal(sums.bytes, cell(table, row, "tensor_bytes"));
    assert_int_equal(file.data_offset, cell(table, row, "data_offset"));
    assert_int_equal(mapped.size, cell(table, row, "file_bytes"));
    zv_arena_free(&arena);
    zv_file_close(&mapped);
}

static void test_gguf(void **state)
{
    (void)state;
    struct zv_file text;
    struct zv_table table;
    struct zv_arena arena = {0};
    read_table("expected_gguf.tsv", &text, &table, &arena);
    for (size_t row = 0; row < table.row_count; row++) {
        char name[160];
        char folder[SPARSE_MODEL_PATH];
        char path[2 * SPARSE_MODEL_PATH];
        const struct zv_slice model = zv_table_cell(&table, row, 0);
        (void)snprintf(name, sizeof name, "gguf/%.*s.gguf.header", (int)model.length, model.at);
        assert_true(sparse_model_make(name, folder));
        (void)snprintf(path, sizeof path, "%s/%.*s.gguf", folder, (int)model.length, model.at);
        check_gguf(&table, row, path);
        sparse_model_remove(folder);
    }
    assert_true(table.row_count >= 20);
    zv_arena_free(&arena);
    zv_file_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safetensors),
        cmocka_unit_test(test_gguf),
    };
    return cmocka_run_group_tests_name("checkpoints", tests, NULL, NULL);
}
