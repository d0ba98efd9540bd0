#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text_table.h"
#include "model/model.h"
#include "support/gguf_builder.h"
#include "support/sparse_model.h"
#include "support/test.h"

struct opened {
    char folder[SPARSE_MODEL_PATH];
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

static enum zv_status open_path(struct opened *opened, const char *name)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s.gguf", opened->folder, name);
    return zv_model_open(&opened->model, &opened->files, path, &opened->arena, &opened->err);
}

/* tests/data/models/gguf/NAME.gguf.header at its full length. */
static enum zv_status open_header(struct opened *opened, const char *name)
{
    char header[256];
    *opened = (struct opened){0};
    (void)snprintf(header, sizeof header, "gguf/%s.gguf.header", name);
    assert_true(sparse_model_make(header, opened->folder));
    return open_path(opened, name);
}

static void close_model(struct opened *opened)
{
    zv_model_close(opened->files);
    zv_arena_free(&opened->arena);
    sparse_model_remove(opened->folder);
}

static uint64_t cell_number(const struct zv_table *table, size_t row, const char *column)
{
    uint64_t number = 0;
    assert_true(zv_slice_u64(zv_table_cell(table, row, zv_table_column(table, column)), &number));
    return number;
}

static void check_row(const struct zv_table *table, size_t row, struct zv_slice name)
{
    char plain[128];
    struct opened opened;
    (void)snprintf(plain, sizeof plain, "%.*s", (int)name.length, name.at);
    if (open_header(&opened, plain) != ZV_OK) {
        print_error("%s: %s\n", plain, opened.err.text);
        fail();
    }
    assert_int_equal(opened.model.parameters, cell_number(table, row, "parameters"));
    assert_int_equal(opened.model.tensor_count, cell_number(table, row, "tensors"));
    assert_true(zv_slice_contains(name, "every") || zv_slice_contains(name, "alignment") ||
                (opened.model.family_known && opened.model.unknown_count == 0));
    close_model(&opened);
}

/* Every header of the fixtures: parameters as the tooling that wrote them counted. */
static void test_fixtures(void **state)
{
    (void)state;
    char path[SPARSE_MODEL_PATH];
    struct zv_arena arena = {0};
    struct zv_file file;
    struct zv_table table;
    (void)snprintf(path, sizeof path, "%s/tests/data/models/expected_gguf.tsv",
                   getenv("ZIRVE_SOURCE_DIR"));
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_int_equal(zv_table_read(&table, zv_file_slice(&file), &arena, NULL), ZV_OK);
    for (size_t row = 0; row < table.row_count; row++) {
        const struct zv_slice name = zv_table_cell(&table, row, 0);
        if (!zv_slice_contains(name, "split")) {
            check_row(&table, row, name);
        }
    }
    zv_file_close(&file);
    zv_arena_free(&arena);
}

/* What llama.cpp prints for these architectures: which layers slide, which keep a state. */
static void test_layers(void **state)
{
    static const struct {
        const char *name;
        size_t layer;
        uint64_t window;
        enum zv_attention_kind attention;
        enum zv_state_kind kind;
        uint32_t kv_heads;
        uint32_t head_dim_k;
        uint32_t experts;
    } rows[] = {
        {"gemma3-4b-q4_k_m", 0, 1024, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 4, 256, 0},
        {"gemma3-4b-q4_k_m", 5, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 4, 256, 0},
        {"gemma-2-2b-q4_k_m", 0, 4096, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 4, 256, 0},
        {"gemma-2-2b-q4_k_m", 1, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 4, 256, 0},
        {"gpt-oss-20b-mxfp4", 0, 128, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 64, 32},
        {"gpt-oss-20b-mxfp4", 1, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 64, 32},
        {"command-r7b-q4_k_m", 2, 4096, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 128, 0},
        {"command-r7b-q4_k_m", 3, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 128, 0},
        {"phi3-mini-q4_k_m", 0, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 32, 96, 0},
        {"jamba-q4_k_m", 0, 0, ZV_ATTENTION_NONE, ZV_STATE_MAMBA1, 0, 0, 0},
        {"jamba-q4_k_m", 4, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 128, 0},
        {"mamba-130m-f16", 0, 0, ZV_ATTENTION_NONE, ZV_STATE_MAMBA1, 0, 0, 0},
        {"lfm2-1.2b-q4_k_m", 0, 0, ZV_ATTENTION_NONE, ZV_STATE_CONV, 0, 0, 0},
        {"lfm2-1.2b-q4_k_m", 2, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 8, 64, 0},
        {"qwen3next-q4_k_m", 0, 0, ZV_ATTENTION_NONE, ZV_STATE_DELTA, 0, 0, 48},
        {"qwen3next-q4_k_m", 3, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 2, 256, 48},
        {"falcon-h1-0.5b-q4_k_m", 0, 0, ZV_ATTENTION_HEADS, ZV_STATE_MAMBA2, 2, 64, 0},
        {"deepseek3-mla-q4_k_m", 4, 0, ZV_ATTENTION_LATENT, ZV_STATE_NONE, 1, 192, 256},
        {"deepseek2-lite-old-q4_k_m", 0, 0, ZV_ATTENTION_HEADS, ZV_STATE_NONE, 16, 192, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened opened;
        assert_int_equal(open_header(&opened, rows[i].name), ZV_OK);
        assert_true(rows[i].layer < opened.model.layer_count);
        const struct zv_layer *const layer = &opened.model.layers[rows[i].layer];
        assert_int_equal(layer->window, rows[i].window);
        assert_int_equal(layer->attention, rows[i].attention);
        assert_int_equal(layer->state, rows[i].kind);
        assert_int_equal(layer->kv_heads, rows[i].kv_heads);
        assert_int_equal(layer->head_dim_k, rows[i].head_dim_k);
        assert_int_equal(layer->experts, rows[i].experts);
        close_model(&opened);
    }
}

/* Any part of a split model opens all of it; a missing part is named. */
static void test_split(void **state)
{
    (void)state;
    static const char *const parts[] = {"llama-3.1-8b-split-00001-of-00002",
                                        "llama-3.1-8b-split-00002-of-00002"};
    struct opened opened = {0};
    assert_true(sparse_model_make("gguf", opened.folder));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_path(&opened, parts[i]), ZV_OK);
        assert_int_equal(opened.model.parameters, 8030261312);
        assert_int_equal(opened.model.file_bytes, UINT64_C(2398177088) + UINT64_C(2514748288));
        assert_int_equal(opened.model.layer_count, 32);
        zv_model_close(opened.files);
    }
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s.gguf", opened.folder, parts[1]);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(open_path(&opened, parts[0]), ZV_E_NOT_FOUND);
    assert_non_null(strstr(opened.err.where, "00002-of-00002.gguf"));
    close_model(&opened);
}

/* ---- files made here ---- */

struct key {
    const char *name; /* behind the architecture and a point */
    uint64_t number;
};

/* Two layers with a list of KV heads, unless keys have their number. */
static enum zv_status open_as(const char *architecture, const struct key *keys, size_t count,
                              struct opened *opened)
{
    static const uint64_t shape[] = {32, 64};
    struct gguf_builder gguf;
    char path[2 * SPARSE_MODEL_PATH];
    *opened = (struct opened){0};
    gguf_begin(&gguf, 3);
    gguf_key(&gguf, "general.architecture", ZV_GGUF_STRING);
    gguf_put_string(&gguf, architecture);
    char name[128];
    bool numbered = false;
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "%s.%s", architecture, keys[i].name);
        gguf_key(&gguf, name, ZV_GGUF_U64);
        gguf_put_u64(&gguf, keys[i].number);
        numbered = numbered || strcmp(keys[i].name, "attention.head_count_kv") == 0;
    }
    if (!numbered) {
        (void)snprintf(name, sizeof name, "%s.attention.head_count_kv", architecture);
        gguf_key(&gguf, name, ZV_GGUF_ARRAY);
        gguf_put_array(&gguf, ZV_GGUF_U32, 2);
        gguf_put_u32(&gguf, 2);
        gguf_put_u32(&gguf, 1);
    }
    gguf_tensor(&gguf, "token_embd.weight", 2, shape, 8, 0);
    const struct zv_slice file = gguf_finish(&gguf, 32, 64 * 34);
    (void)snprintf(opened->folder, sizeof opened->folder, "/tmp/zirve-made-%ld", (long)getpid());
    assert_int_equal(mkdir(opened->folder, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/made.gguf", opened->folder);
    assert_int_equal(zv_file_create(path, file, NULL), ZV_OK);
    zv_buffer_free(&gguf.bytes);
    const enum zv_status status = open_path(opened, "made");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(opened->folder), 0);
    return status;
}

static enum zv_status open_made(const struct key *keys, size_t count, struct opened *opened)
{
    return open_as("llama", keys, count, opened);
}

/* Every fourth layer has keys and values, the others a state; the layers that only draft are none.
 */
static void test_delta_hybrids(void **state)
{
    static const struct key keys[] = {{"block_count", 9},
                                      {"nextn_predict_layers", 1},
                                      {"embedding_length", 256},
                                      {"attention.head_count", 4},
                                      {"attention.head_count_kv", 2},
                                      {"attention.key_length", 64},
                                      {"attention.value_length", 64},
                                      {"feed_forward_length", 512},
                                      {"full_attention_interval", 4},
                                      {"ssm.conv_kernel", 4},
                                      {"ssm.inner_size", 512},
                                      {"ssm.state_size", 64},
                                      {"ssm.time_step_rank", 8},
                                      {"ssm.group_count", 4}};
    static const char *const architectures[] = {"qwen3next", "qwen35", "qwen35moe"};
    (void)state;
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        struct opened opened;
        assert_int_equal(open_as(architectures[i], keys, sizeof keys / sizeof keys[0], &opened),
                         ZV_OK);
        assert_true(opened.model.family_known);
        assert_int_equal(opened.model.layer_count, 8);
        for (size_t layer = 0; layer < 8; layer++) {
            const bool full = layer % 4 == 3;
            assert_int_equal(opened.model.layers[layer].attention,
                             full ? ZV_ATTENTION_HEADS : ZV_ATTENTION_NONE);
            assert_int_equal(opened.model.layers[layer].state,
                             full ? ZV_STATE_NONE : ZV_STATE_DELTA);
        }
        close_model(&opened);
    }
}

static void test_contradictions(void **state)
{
    static const struct {
        struct key keys[4];
        enum zv_status status;
        size_t layers;
        size_t unknown;
        const char *message;
    } rows[] = {
        {{{"block_count", 2},
          {"embedding_length", 64},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_OK,
         2,
         0,
         ""},
        {{{"block_count", 3},
          {"embedding_length", 64},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_E_SYNTAX,
         0,
         0,
         "attention.head_count_kv has fewer entries than there are layers (needed for attention)"},
        {{{"block_count", UINT64_C(1) << 60},
          {"embedding_length", 64},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_E_LIMIT,
         0,
         0,
         "1152921504606846976 layers: more than 100000"},
        {{{"block_count", UINT64_MAX},
          {"embedding_length", 64},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_E_SYNTAX,
         0,
         0,
         "block_count is no whole number of 63 bits (needed for layers)"},
        {{{"block_count", 0},
          {"embedding_length", 64},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_E_SYNTAX,
         0,
         0,
         "block_count is 0: a model has layers (needed for layers)"},
        {{{"block_count", 2},
          {"embedding_length", 66},
          {"attention.head_count", 4},
          {"feed_forward_length", 9}},
         ZV_E_SYNTAX,
         0,
         0,
         "embedding_length is not divisible by what it is divided by (needed for head_dim_k)"},
        {{{"block_count", 2}, {"a", 66}, {"attention.head_count", 4}, {"feed_forward_length", 9}},
         ZV_OK,
         0,
         1,
         ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened opened;
        const enum zv_status status = open_made(rows[i].keys, 4, &opened);
        assert_string_equal(opened.err.text, rows[i].message);
        assert_int_equal(status, rows[i].status);
        if (status == ZV_OK) {
            assert_int_equal(opened.model.parameters, 2048);
            assert_int_equal(opened.model.layer_count, rows[i].layers);
            assert_int_equal(opened.model.unknown_count, rows[i].unknown);
        }
        zv_model_close(opened.files);
        zv_arena_free(&opened.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures),       cmocka_unit_test(test_layers),
        cmocka_unit_test(test_split),          cmocka_unit_test(test_delta_hybrids),
        cmocka_unit_test(test_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
