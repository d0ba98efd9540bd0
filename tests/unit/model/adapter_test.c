#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strmap.h"
#include "model/model.h"
#include "support/sparse_model.h"
#include "support/test.h"

struct base {
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

static void open_base(struct base *base, const char *name)
{
    char path[512];
    *base = (struct base){0};
    (void)snprintf(path, sizeof path, "%s/tests/data/models/%s/config.json",
                   getenv("ZIRVE_SOURCE_DIR"), name);
    assert_int_equal(zv_model_open(&base->model, &base->files, path, &base->arena, &base->err),
                     ZV_OK);
}

static void close_base(struct base *base)
{
    zv_model_close(base->files);
    zv_arena_free(&base->arena);
}

/* Every tensor of the file is calculated, with the same shape, and no other. */
static void compare(const struct zv_adapter *file, const struct zv_adapter *calculated)
{
    struct zv_strmap names = {0};
    struct zv_strmap_entry *entry;
    assert_int_equal(file->tensor_count, calculated->tensor_count);
    for (size_t i = 0; i < calculated->tensor_count; i++) {
        struct zv_slice name = calculated->tensors[i].name;
        if (zv_slice_starts(name, "base_model.model.")) {
            name = (struct zv_slice){name.at + 17, name.length - 17};
        }
        assert_int_equal(zv_strmap_add(&names, name, i, &entry), ZV_STRMAP_ADDED);
    }
    for (size_t i = 0; i < file->tensor_count; i++) {
        const struct zv_slice name = {file->tensors[i].name.at + 17,
                                      file->tensors[i].name.length - 17};
        entry = zv_strmap_find(&names, name);
        assert_non_null(entry);
        const struct zv_tensor *const tensor = &calculated->tensors[entry->value];
        assert_int_equal(tensor->dims, file->tensors[i].dims);
        assert_memory_equal(tensor->shape, file->tensors[i].shape, sizeof tensor->shape);
    }
    zv_strmap_free(&names);
}

static void test_folders(void **state)
{
    static const struct {
        const char *name;
        const char *base;
        uint64_t parameters;
        uint32_t rank;
        bool dora;
    } rows[] = {
        {"lora-llama-3.1-8b", "llama-3.1-8b", 6815744, 16, false},
        {"lora-llama-3.1-8b-all", "llama-3.1-8b", 1092616192, 16, false},
        {"lora-qwen2.5-7b", "qwen2.5-7b", 40370176, 16, false},
        {"dora-llama-3.2-1b", "llama-3.2-1b", 6012928, 8, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[SPARSE_MODEL_PATH];
        struct base base;
        struct zv_adapter adapter;
        struct zv_adapter calculated;
        struct zv_model_files *files[2];
        char weights[2 * SPARSE_MODEL_PATH];
        open_base(&base, rows[i].base);
        assert_true(sparse_model_make(rows[i].name, folder));
        assert_int_equal(
            zv_model_open_adapter(&adapter, &files[0], folder, NULL, &base.arena, &base.err),
            ZV_OK);
        assert_int_equal(adapter.parameters, rows[i].parameters);
        assert_int_equal(adapter.rank, rows[i].rank);
        assert_int_equal(adapter.dora, rows[i].dora);
        assert_false(adapter.calculated);
        (void)snprintf(weights, sizeof weights, "%s/adapter_model.safetensors", folder);
        assert_int_equal(unlink(weights), 0);
        assert_int_equal(zv_model_open_adapter(&calculated, &files[1], folder, &base.model,
                                               &base.arena, &base.err),
                         ZV_OK);
        assert_true(calculated.calculated);
        assert_int_equal(calculated.parameters, rows[i].parameters);
        compare(&adapter, &calculated);
        zv_model_close(files[0]);
        zv_model_close(files[1]);
        assert_int_equal(
            zv_model_open_adapter(&calculated, &files[1], folder, NULL, &base.arena, NULL),
            ZV_E_NOT_FOUND);
        sparse_model_remove(folder);
        close_base(&base);
    }
}

static void test_calculate(void **state)
{
    static const struct {
        const char *base;
        uint32_t rank;
        bool all;
        const char *target;
        enum zv_status status;
        uint64_t parameters;
    } rows[] = {
        {"llama-3.1-8b", 16, false, NULL, ZV_OK, 6815744}, /* q_proj, v_proj */
        {"llama-3.1-8b", 8, true, NULL, ZV_OK, 20971520},  /* all seven */
        {"llama-3.1-8b", 0, true, NULL, ZV_E_UNSUPPORTED, 0},
        {"llama-3.1-8b", 8, false, "w_proj", ZV_E_NOT_FOUND, 0},
        {"gpt2", 8, false, NULL, ZV_OK, UINT64_C(12) * 8 * (768 + 2304)},
        {"phi-3-mini-4k", 8, false, NULL, ZV_OK, UINT64_C(32) * 8 * (3072 + 9216)},
        {"falcon-7b", 8, false, NULL, ZV_OK, UINT64_C(32) * 8 * (4544 + 4672)},
        {"bert-base-uncased", 8, false, NULL, ZV_OK, UINT64_C(12) * 2 * 8 * (768 + 768)},
        {"llama-3.1-8b-awq-int4", 16, false, NULL, ZV_OK, 6815744}, /* on packed weights too */
        {"llama-3.1-8b", 4, false, "embed_tokens", ZV_OK, UINT64_C(4) * (128256 + 4096)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct base base;
        const struct zv_slice target = zv_slice_of(rows[i].target);
        struct zv_adapter adapter = {.rank = rows[i].rank,
                                     .all_linear = rows[i].all,
                                     .targets = &target,
                                     .target_count = rows[i].target != NULL};
        open_base(&base, rows[i].base);
        assert_int_equal(zv_adapter_calculate(&adapter, &base.model, &base.arena, &base.err),
                         rows[i].status);
        assert_int_equal(adapter.parameters, rows[i].parameters);
        close_base(&base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_calculate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
