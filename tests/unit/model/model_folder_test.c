#include "support/model_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "model/model.h"
#include "support/fail_memory.h"
#include "support/test.h"

/* The folder, its index and its config all give the same model. */
static void test_ways_in(void **state)
{
    (void)state;
    static const char *const ways[] = {".", "model.safetensors.index.json", "config.json"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct model_folder opened;
        model_folder_make(&opened, "mistral-7b-v0.1");
        assert_int_equal(model_folder_open(&opened, ways[i]), ZV_OK);
        assert_int_equal(opened.model.parameters, 7241732096);
        assert_int_equal(opened.model.tensor_bytes, 14483464192);
        assert_int_equal(opened.model.layer_count, 32);
        assert_int_equal(opened.model.layers[0].window, 4096);
        assert_int_equal(opened.model.note_count, 0);
        assert_int_equal(opened.model.unknown_count, 0);
        model_folder_done(&opened);
    }
}

/* One .safetensors gives its weights and says what it cannot know. */
static void test_weights_alone(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "llama-3.2-1b");
    assert_int_equal(model_folder_open(&opened, "model.safetensors"), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 0);
    assert_int_equal(opened.model.unknown_count, 1);
    assert_false(opened.model.family_known);
    model_folder_done(&opened);
}

static void test_missing_shard(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "mistral-7b-v0.1");
    model_folder_drop(&opened, "model-00002-of-00002.safetensors");
    assert_int_equal(model_folder_open(&opened, "."), ZV_E_NOT_FOUND);
    assert_non_null(strstr(opened.err.where, "model-00002-of-00002.safetensors"));
    model_folder_drop(&opened, "model.safetensors.index.json");
    opened.err = (struct zv_error){0};
    assert_int_equal(model_folder_open(&opened, "."), ZV_E_NOT_FOUND);
    model_folder_done(&opened);
}

/* Shards without their index are read all the same when all are there. */
static void test_no_index(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "mistral-7b-v0.1");
    model_folder_drop(&opened, "model.safetensors.index.json");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 7241732096);
    model_folder_done(&opened);
}

static void test_contradictions_are_notes(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "llama-3.2-1b");
    model_folder_drop(&opened, "config.json");
    model_folder_put(
        &opened, "config.json",
        "{\"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 8192,"
        " \"num_hidden_layers\": 15, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"
        " \"vocab_size\": 128255, \"tie_word_embeddings\": true, \"torch_dtype\": \"bfloat16\"}");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400); /* the tensors are the weights */
    assert_int_equal(opened.model.note_count, 1);          /* another vocabulary */
    assert_int_equal(opened.model.layer_count, 15);
    model_folder_done(&opened);
}

/* Mistral's own files beside Hugging Face's: the same weights, counted once. */
static void test_consolidated(void **state)
{
    (void)state;
    struct model_folder opened;
    char from[2 * SPARSE_MODEL_PATH];
    char to[2 * SPARSE_MODEL_PATH];
    model_folder_make(&opened, "llama-3.2-1b");
    (void)snprintf(from, sizeof from, "%s/model.safetensors", opened.folder);
    (void)snprintf(to, sizeof to, "%s/consolidated.safetensors", opened.folder);
    assert_int_equal(link(from, to), 0);
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.note_count, 1);
    model_folder_done(&opened);
}

/* Weights that only a pickle holds: the config's count, and a note. */
static void test_pickle_only(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "llama-3.2-1b");
    model_folder_drop(&opened, "model.safetensors");
    model_folder_put(&opened, "pytorch_model.bin", "PK");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.source, ZV_SOURCE_CONFIG);
    assert_int_equal(opened.model.note_count, 1);
    model_folder_done(&opened);
}

/* A tied head that the file holds a second time is stored, but no parameter. */
static void test_tied_copy(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "qwen3-0.6b");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 596049920);
    assert_int_equal(opened.model.tensor_bytes, 1503264768);
    model_folder_done(&opened);
}

static void test_unknown_family(void **state)
{
    (void)state;
    struct model_folder opened;
    model_folder_make(&opened, "llama-3.2-1b");
    model_folder_drop(&opened, "config.json");
    model_folder_put(
        &opened, "config.json",
        "{\"model_type\": \"nobody_knows\", \"hidden_size\": 2048, \"intermediate_size\": 8192,"
        " \"num_hidden_layers\": 16, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"
        " \"vocab_size\": 128256, \"max_position_embeddings\": 10}");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 16);
    assert_false(opened.model.family_known);
    assert_int_equal(opened.model.note_count, 1);
    zv_model_close(opened.files);
    model_folder_drop(&opened, "config.json");
    model_folder_put(&opened, "config.json",
                     "{\"model_type\": \"nobody_knows\", \"hidden_size\": 2048}");
    assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 0);
    assert_true(opened.model.unknown_count >= 1);
    model_folder_done(&opened);
}

/* A file is what its first bytes say. */
static void test_by_content(void **state)
{
    (void)state;
    struct model_folder opened;
    char from[2 * SPARSE_MODEL_PATH];
    char to[2 * SPARSE_MODEL_PATH];
    model_folder_make(&opened, "llama-3.2-1b");
    (void)snprintf(from, sizeof from, "%s/model.safetensors", opened.folder);
    (void)snprintf(to, sizeof to, "%s/3f2a", opened.folder);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(model_folder_open(&opened, "3f2a"), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    zv_model_close(opened.files);
    model_folder_put(&opened, "pytorch_model.bin", "PK\003\004 and more");
    assert_int_equal(model_folder_open(&opened, "pytorch_model.bin"), ZV_E_UNSUPPORTED);
    opened.err = (struct zv_error){0};
    model_folder_put(&opened, "model.gguf", "GGUF");
    assert_int_equal(model_folder_open(&opened, "model.gguf"), ZV_E_SYNTAX);
    opened.err = (struct zv_error){0};
    assert_int_equal(model_folder_open(&opened, "nothing.json"), ZV_E_IO);
    model_folder_done(&opened);
}

/* The n-th allocation fails while a folder, a pipeline, a GGUF is read: an error, nothing lost. */
static void test_memory(void **state)
{
    static const struct {
        const char *name;
        const char *file;
    } rows[] = {{"qwen2.5-0.5b", "."},
                {"mixtral-8x7b-reduced", "."},
                {"llama-3.1-8b-gptq-int4", "."},
                {"stable-diffusion-v1-5", "."},
                {"gguf/qwen2.5-0.5b-q4_k_m.gguf.header", "qwen2.5-0.5b-q4_k_m.gguf"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_folder opened;
        size_t failed = 1;
        model_folder_make(&opened, rows[i].name);
        for (size_t n = 1; failed != 0; n++) {
            opened.err = (struct zv_error){0};
            fail_memory_start(n);
            const enum zv_status status = model_folder_open(&opened, rows[i].file);
            zv_model_close(opened.files);
            zv_arena_free(&opened.arena);
            fail_memory_stop();
            opened.files = NULL;
            failed = fail_memory.failed;
            if (status != (failed != 0 ? ZV_E_NOMEM : ZV_OK) && status != ZV_OK) {
                print_error("%s: allocation %zu: %s\n", rows[i].name, n, opened.err.text);
                fail();
            }
            assert_int_equal(fail_memory.blocks, 0);
        }
        model_folder_done(&opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_in),
        cmocka_unit_test(test_weights_alone),
        cmocka_unit_test(test_missing_shard),
        cmocka_unit_test(test_no_index),
        cmocka_unit_test(test_contradictions_are_notes),
        cmocka_unit_test(test_consolidated),
        cmocka_unit_test(test_pickle_only),
        cmocka_unit_test(test_tied_copy),
        cmocka_unit_test(test_unknown_family),
        cmocka_unit_test(test_by_content),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
