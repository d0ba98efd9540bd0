/*
 * Every model of tests/data/models: the parameters that a family table calculates from config.json
 * alone are those of the checkpoint, and tensor by tensor where its headers are there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strmap.h"
#include "base/text_table.h"
#include "model/model.h"
#include "support/sparse_model.h"
#include "support/test.h"

struct opened {
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

struct truth {
    struct zv_table table;
    struct zv_arena arena;
    struct zv_file file;
};

static void open_truth(struct truth *truth)
{
    char path[SPARSE_MODEL_PATH];
    *truth = (struct truth){0};
    (void)snprintf(path, sizeof path, "%s/tests/data/models/expected.tsv",
                   getenv("ZIRVE_SOURCE_DIR"));
    assert_int_equal(zv_file_open(&truth->file, path, NULL), ZV_OK);
    assert_int_equal(zv_table_read(&truth->table, zv_file_slice(&truth->file), &truth->arena, NULL),
                     ZV_OK);
}

static void close_truth(struct truth *truth)
{
    zv_file_close(&truth->file);
    zv_arena_free(&truth->arena);
}

static uint64_t number_of(const struct truth *truth, size_t row, const char *column)
{
    uint64_t number = 0;
    (void)zv_slice_u64(zv_table_cell(&truth->table, row, zv_table_column(&truth->table, column)),
                       &number);
    return number;
}

static bool is(const struct truth *truth, size_t row, const char *column, const char *text)
{
    return zv_slice_equal(zv_table_cell(&truth->table, row, zv_table_column(&truth->table, column)),
                          text);
}

static void name_of(const struct truth *truth, size_t row, char name[128])
{
    const struct zv_slice cell = zv_table_cell(&truth->table, row, 0);
    (void)snprintf(name, 128, "%.*s", (int)cell.length, cell.at);
}

static enum zv_status open_model(struct opened *opened, const char *path)
{
    *opened = (struct opened){0};
    return zv_model_open(&opened->model, &opened->files, path, &opened->arena, &opened->err);
}

static void close_model(struct opened *opened)
{
    zv_model_close(opened->files);
    zv_arena_free(&opened->arena);
}

/* Parameters as the class counts them: not the buffers that a checkpoint holds and loading keeps.
 */
static uint64_t without_buffers(const struct zv_model *model)
{
    uint64_t sum = model->parameters;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_slice name = model->tensors[i].name;
        if (zv_slice_ends(name, "e_score_correction_bias") ||
            zv_slice_equal(name, "final_logits_bias")) {
            sum -= model->tensors[i].elements * zv_tensor_copies(&model->tensors[i]);
        }
    }
    return sum;
}

static bool is_adapter(const struct truth *truth, size_t row)
{
    const struct zv_slice name = zv_table_cell(&truth->table, row, 0);
    return zv_slice_starts(name, "lora-") || zv_slice_starts(name, "dora-");
}

static size_t check_config(const struct truth *truth, size_t row, const char *file)
{
    char name[128];
    char path[2 * SPARSE_MODEL_PATH];
    struct opened opened;
    name_of(truth, row, name);
    (void)snprintf(path, sizeof path, "%s/tests/data/models/%s/%s", getenv("ZIRVE_SOURCE_DIR"),
                   name, file);
    const enum zv_status status = open_model(&opened, path);
    size_t wrong = 0;
    if (status == ZV_E_IO) {
        wrong = 0; /* there is no config.saved.json */
    } else if (status != ZV_OK) {
        print_error("%s/%s: %s\n", name, file, opened.err.text);
        wrong = 1;
    } else if (is(truth, row, "model_type", "resnet")) {
        wrong = opened.model.family_known || opened.model.unknown_count == 0; /* has no table */
    } else if (!opened.model.family_known) {
        print_error("%s/%s: no family table\n", name, file);
        wrong = 1;
    } else if (opened.model.parameters != number_of(truth, row, "parameters") &&
               without_buffers(&opened.model) != number_of(truth, row, "module_parameters")) {
        print_error("%s/%s: %llu parameters, the checkpoint has %llu (the class %llu)\n", name,
                    file, (unsigned long long)opened.model.parameters,
                    (unsigned long long)number_of(truth, row, "parameters"),
                    (unsigned long long)number_of(truth, row, "module_parameters"));
        wrong = 1;
    } else if (opened.model.layer_count != number_of(truth, row, "layers")) {
        print_error("%s/%s: %zu layers, not %llu\n", name, file, opened.model.layer_count,
                    (unsigned long long)number_of(truth, row, "layers"));
        wrong = 1;
    }
    close_model(&opened);
    return wrong;
}

static void test_configs(void **state)
{
    (void)state;
    struct truth truth;
    size_t wrong = 0;
    open_truth(&truth);
    for (size_t row = 0; row < truth.table.row_count; row++) {
        wrong += check_config(&truth, row, "config.json");
        wrong += check_config(&truth, row, "config.saved.json");
    }
    assert_int_equal(wrong, 0);
    close_truth(&truth);
}

/* The headers make a whole folder: nothing unexplained, every byte counted. */
static size_t check_folder(const struct truth *truth, size_t row)
{
    char name[128];
    char folder[SPARSE_MODEL_PATH];
    struct opened opened;
    size_t wrong = 0;
    name_of(truth, row, name);
    assert_true(sparse_model_make(name, folder));
    if (open_model(&opened, folder) != ZV_OK) {
        print_error("%s: %s\n", name, opened.err.text);
        wrong = 1;
    } else if (opened.model.tensor_bytes != number_of(truth, row, "bytes") ||
               zv_model_tensors(&opened.model) != number_of(truth, row, "tensors")) {
        print_error("%s: other bytes or tensors\n", name);
        wrong = 1;
    }
    for (size_t i = 0; i < opened.model.note_count; i++) {
        print_error("%s: %s\n", name, opened.model.notes[i]);
        wrong = 1;
    }
    close_model(&opened);
    sparse_model_remove(folder);
    return wrong;
}

static void test_folders(void **state)
{
    (void)state;
    struct truth truth;
    size_t wrong = 0;
    open_truth(&truth);
    for (size_t row = 0; row < truth.table.row_count; row++) {
        if (!is(&truth, row, "header_files", "0") && !is_adapter(&truth, row) &&
            !is(&truth, row, "model_type", "resnet")) {
            wrong += check_folder(&truth, row);
        }
    }
    assert_int_equal(wrong, 0);
    close_truth(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configs),
        cmocka_unit_test(test_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
