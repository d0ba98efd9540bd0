/* Configs that contradict themselves or mean harm: one line of error, at the right byte, or a note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "model/model.h"
#include "support/fail_memory.h"
#include "support/test.h"

static char path[256];

static void write_config(const char *text)
{
    (void)unlink(path);
    assert_int_equal(zv_file_create(path, zv_slice_of(text), NULL), ZV_OK);
}

static enum zv_status open_text(const char *text, struct zv_model *model, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct zv_model_files *files = NULL;
    write_config(text);
    const enum zv_status status = zv_model_open(model, &files, path, arena, err);
    zv_model_close(files);
    return status;
}

#define LLAMA "\"model_type\": \"llama\", \"torch_dtype\": \"bfloat16\""

static const struct {
    const char *text;
    enum zv_status status;
    const char *at; /* where in the text the offset points, NULL for no offset */
    const char *message;
} errors[] = {
    {"", ZV_E_SYNTAX, "", NULL},
    {"[]", ZV_E_SYNTAX, "[", "a list where an object belongs"},
    {"{}", ZV_E_SYNTAX, "{", "neither model_type nor architectures says what the model is"},
    {"{" LLAMA ", \"num_hidden_layers\": 1152921504606846976}", ZV_E_LIMIT, "11529",
     "1152921504606846976 layers: more than 100000"},
    {"{" LLAMA ", \"hidden_size\": 9223372036854775807}", ZV_E_SYNTAX, "92233",
     "hidden_size is not divisible by what it is divided by (needed for head_dim)"},
    {"{" LLAMA ", \"hidden_size\": 9223372036854775808}", ZV_E_SYNTAX, "92233",
     "hidden_size is no whole number of 64 bits (needed for hidden)"},
    {"{" LLAMA ", \"hidden_size\": 9223372036854775744, \"head_dim\": 64}", ZV_E_OVERFLOW, NULL,
     NULL},
    {"{" LLAMA ", \"num_attention_heads\": 0}", ZV_E_SYNTAX, "0}",
     "num_attention_heads is 0 and something is divided by it (needed for head_dim)"},
    {"{" LLAMA ", \"num_attention_heads\": -8}", ZV_E_SYNTAX, "-8", NULL},
    {"{" LLAMA ", \"hidden_size\": 4097}", ZV_E_SYNTAX, "4097",
     "hidden_size is not divisible by what it is divided by (needed for head_dim)"},
    {"{" LLAMA ", \"hidden_size\": 4096.5}", ZV_E_SYNTAX, "4096.5",
     "hidden_size is no whole number of 64 bits (needed for hidden)"},
    {"{" LLAMA ", \"hidden_size\": \"4096\"}", ZV_E_SYNTAX, "\"4096\"",
     "hidden_size is text where a number belongs (needed for hidden)"},
    {"{" LLAMA ", \"hidden_size\": [4096]}", ZV_E_SYNTAX, "[4096]",
     "hidden_size is a list where a number belongs (needed for hidden)"},
    {"{" LLAMA ", \"hidden_size\": null}", ZV_E_SYNTAX, "null", NULL},
    {"{" LLAMA ", \"vocab_size\": 0}", ZV_E_SYNTAX, "0}", NULL},
    {"{" LLAMA ", \"intermediate_size\": NaN}", ZV_E_SYNTAX, "NaN", NULL},
    {"{" LLAMA ", \"num_hidden_layers\": 0}", ZV_E_SYNTAX, "0}",
     "num_hidden_layers is 0: a model has layers (needed for layers)"},
    {"{" LLAMA ", \"hidden_size\": 1, \"hidden_size\": 2}", ZV_E_SYNTAX, "2}", NULL},
    {"{\"model_type\": \"gemma3\", \"torch_dtype\": \"bfloat16\"}", ZV_E_SYNTAX, NULL,
     "text_config is missing (or no object): it describes the text"},
    {"{\"model_type\": \"gemma3\", \"text_config\": 3}", ZV_E_SYNTAX, NULL,
     "text_config is missing (or no object): it describes the text"},
    {"{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"llava\"},"
     " \"vision_config\": {}}",
     ZV_E_SYNTAX, NULL, NULL},
    {"{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"nobody\"},"
     " \"vision_config\": {}}",
     ZV_E_UNSUPPORTED, NULL, "no family table serves \"nobody\" (the text)"},
    {"{\"model_type\": \"qwen3\", \"num_hidden_layers\": 3, \"use_sliding_window\": true,"
     " \"sliding_window\": 8, \"layer_types\": [\"full_attention\", \"full_attention\"]}",
     ZV_E_SYNTAX, "[", "layer_types has fewer entries than there are layers (needed for window)"},
    {"{\"model_type\": \"qwen3\", \"num_hidden_layers\": 1,"
     " \"layer_types\": [\"full_attention\", \"full_attention\"]}",
     ZV_E_SYNTAX, "[", "layer_types has 2 entries for 1 layers"},
    {"{\"model_type\": \"mixtral\", \"num_local_experts\": 1152921504606846976}", ZV_E_SYNTAX,
     "11529", NULL},
    {"{\"model_type\": \"mixtral\", \"num_local_experts\": 4000000000}", ZV_E_LIMIT, "4000000000",
     "4000000000 experts: more than 4000000"},
    {"{\"model_type\": \"mixtral\", \"num_local_experts\": 3999999}", ZV_E_LIMIT, NULL,
     "more than 4000000 tensors"},
    {"{" LLAMA ", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 99}}",
     ZV_E_SYNTAX, "{\"quant", "weights of 99 bits"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_model model;
        const enum zv_status status = open_text(errors[i].text, &model, &arena, &err);
        if (status != errors[i].status ||
            (errors[i].message != NULL &&
             strncmp(err.text, errors[i].message, strlen(errors[i].message)) != 0)) {
            print_error("%s: status %d: %s\n", errors[i].text, status, err.text);
            fail();
        }
        if (errors[i].at != NULL && errors[i].at[0] != 0 &&
            (!err.has_offset ||
             strncmp(errors[i].text + err.offset, errors[i].at, strlen(errors[i].at)) != 0)) {
            print_error("%s: at %llu: %s\n", errors[i].text, (unsigned long long)err.offset,
                        err.text);
            fail();
        }
        assert_string_equal(err.where, path);
        assert_int_equal(model.tensor_count, 0);
        assert_null(strchr(err.text, '\n'));
        zv_arena_free(&arena);
    }
}

/* What is odd but has one meaning is read. */
static void test_odd_but_fine(void **state)
{
    static const struct {
        const char *text;
        uint64_t parameters;
        size_t layers;
    } rows[] = {
        {"{" LLAMA
         ", \"hidden_size\": 64.0, \"num_hidden_layers\": 1e0, \"num_attention_heads\": 4,"
         " \"intermediate_size\": 100, \"vocab_size\": 10, \"rope_theta\": Infinity}",
         UINT64_C(2) * 640 + 4 * 64 * 64 + 3 * 6400 + 3 * 64, 1},
        {"{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": "
         "1,"
         " \"num_attention_heads\": 4, \"intermediate_size\": 100, \"vocab_size\": 10}",
         UINT64_C(2) * 640 + 4 * 64 * 64 + 3 * 6400 + 3 * 64, 1},
        {"{\"model_type\": \"nobody_knows\"}", 0, 0},
        {"{\"model_type\": \"nobody_knows\", \"hidden_size\": \"x\", \"num_hidden_layers\": 1}", 0,
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_model model;
        if (open_text(rows[i].text, &model, &arena, &err) != ZV_OK) {
            print_error("%s: %s\n", rows[i].text, err.text);
            fail();
        }
        assert_int_equal(model.parameters, rows[i].parameters);
        assert_int_equal(model.layer_count, rows[i].layers);
        assert_true(model.family_known || model.unknown_count != 0);
        zv_arena_free(&arena);
    }
}

/* The n-th allocation fails: an error each time, and nothing is lost. */
/* Keys on which a table and transformers 4.57 could differ: counts of its classes on the meta
 * device. */
static void test_as_transformers(void **state)
{
    static const struct {
        const char *text;
        uint64_t parameters;
    } rows[] = {
        /* a tied head keeps its bias */
        {"{\"model_type\": \"gptj\", \"n_embd\": 64, \"n_head\": 4, \"n_layer\": 2, "
         "\"vocab_size\": 100, \"tie_word_embeddings\": true}",
         105828},
        {"{\"model_type\": \"gptj\", \"n_embd\": 64, \"n_head\": 4, \"n_layer\": 2, "
         "\"vocab_size\": 100}",
         112228},
        /* the outer projection_dim replaces the tower's */
        {"{\"model_type\": \"paligemma\", \"projection_dim\": 96, \"text_config\": {"
         "\"model_type\": \"gemma\", \"hidden_size\": 64, \"num_hidden_layers\": 1, "
         "\"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"head_dim\": 32, "
         "\"intermediate_size\": 128, \"vocab_size\": 100}, \"vision_config\": {\"model_type\": "
         "\"siglip_vision_model\", \"hidden_size\": 32, \"num_hidden_layers\": 1, "
         "\"num_attention_heads\": 2, \"intermediate_size\": 64, \"image_size\": 28, "
         "\"patch_size\": 14, \"projection_dim\": 48, \"vision_use_head\": false}}",
         74208},
        /* the adapter's second matrix is square in the output */
        {"{\"model_type\": \"llama4\", \"text_config\": {\"model_type\": \"llama4_text\", "
         "\"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
         "\"num_key_value_heads\": 1, \"head_dim\": 32, \"intermediate_size\": 128, "
         "\"intermediate_size_mlp\": 256, \"num_local_experts\": 2, \"vocab_size\": 100}, "
         "\"vision_config\": {\"model_type\": \"llama4_vision_model\", \"hidden_size\": 32, "
         "\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"intermediate_size\": 128, "
         "\"image_size\": 28, \"patch_size\": 14, \"projector_input_dim\": 48, "
         "\"projector_output_dim\": 96, \"vision_output_dim\": 96}}",
         238752},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_model model;
        if (open_text(rows[i].text, &model, &arena, &err) != ZV_OK) {
            fail_msg("%zu: %s", i, err.text);
        }
        assert_int_equal(model.parameters, rows[i].parameters);
        zv_arena_free(&arena);
    }
}

static void test_memory(void **state)
{
    static const char *const names[] = {"qwen1.5-moe-a2.7b-reduced", "gemma-3-4b",
                                        "llama-3.1-8b-bnb-nf4"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char config[512];
        (void)snprintf(config, sizeof config, "%s/tests/data/models/%s/config.json",
                       getenv("ZIRVE_SOURCE_DIR"), names[i]);
        size_t failed = 1;
        for (size_t n = 1; failed != 0; n++) {
            struct zv_arena arena = {0};
            struct zv_error err = {0};
            struct zv_model model;
            struct zv_model_files *files = NULL;
            fail_memory_start(n);
            const enum zv_status status = zv_model_open(&model, &files, config, &arena, &err);
            zv_model_close(files);
            zv_arena_free(&arena);
            fail_memory_stop();
            failed = fail_memory.failed;
            if (status != ZV_OK && status != ZV_E_NOMEM) {
                print_error("%s: allocation %zu: %s\n", names[i], n, err.text);
                fail();
            }
            assert_true(failed != 0 || status == ZV_OK);
            assert_int_equal(fail_memory.blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_odd_but_fine),
        cmocka_unit_test(test_as_transformers),
        cmocka_unit_test(test_memory),
    };
    (void)snprintf(path, sizeof path, "/tmp/zirve-hostile-%ld.json", (long)getpid());
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return result;
}
