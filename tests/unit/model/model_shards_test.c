/* A small mixture of experts written here: its experts against the one entry for all that a config
 * gives, its shards, and what their index may say. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/model_folder.h"
#include "support/test.h"

/* A Mixtral of one layer and 12 experts, as small as can be. */
static const char moe_config[] =
    "{\"model_type\": \"mixtral\", \"torch_dtype\": \"bfloat16\", \"hidden_size\": 8,"
    " \"intermediate_size\": 16, \"num_hidden_layers\": 1, \"num_attention_heads\": 2,"
    " \"num_key_value_heads\": 1, \"vocab_size\": 32, \"num_local_experts\": 12,"
    " \"num_experts_per_tok\": 2, \"tie_word_embeddings\": false}";

struct moe_file {
    char text[16384]; /* the header */
    size_t length;
    size_t bytes; /* of data */
};

static void put_tensor(struct moe_file *file, const char *name, unsigned rows, unsigned columns)
{
    char shape[32];
    const size_t bytes = (size_t)rows * (columns != 0 ? columns : 1) * 2;
    (void)snprintf(shape, sizeof shape, columns != 0 ? "%u,%u" : "%u", rows, columns);
    file->length += (size_t)snprintf(
        file->text + file->length, sizeof file->text - file->length,
        "%s\"%s\":{\"dtype\":\"BF16\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
        file->length == 0 ? "{" : ",", name, shape, file->bytes, file->bytes + bytes);
    file->bytes += bytes;
}

static void write_moe(struct model_folder *opened, const char *name, struct moe_file *file)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, name);
    FILE *const to = fopen(path, "wb");
    assert_non_null(to);
    file->text[file->length++] = '}';
    const unsigned char head[8] = {(unsigned char)file->length, (unsigned char)(file->length >> 8)};
    assert_int_equal(fwrite(head, 1, sizeof head, to), sizeof head);
    assert_int_equal(fwrite(file->text, 1, file->length, to), file->length);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(truncate(path, (off_t)(8 + file->length + file->bytes)), 0);
}

/* Its weights, with other names for the experts whose number is in of. */
static void put_moe(struct model_folder *opened, const unsigned of[2], const char *const names[2])
{
    struct moe_file file = {.length = 0};
    put_tensor(&file, "model.embed_tokens.weight", 32, 8);
    put_tensor(&file, "model.norm.weight", 8, 0);
    put_tensor(&file, "lm_head.weight", 32, 8);
    put_tensor(&file, "model.layers.0.input_layernorm.weight", 8, 0);
    put_tensor(&file, "model.layers.0.post_attention_layernorm.weight", 8, 0);
    put_tensor(&file, "model.layers.0.self_attn.q_proj.weight", 8, 8);
    put_tensor(&file, "model.layers.0.self_attn.k_proj.weight", 4, 8);
    put_tensor(&file, "model.layers.0.self_attn.v_proj.weight", 4, 8);
    put_tensor(&file, "model.layers.0.self_attn.o_proj.weight", 8, 8);
    put_tensor(&file, "model.layers.0.block_sparse_moe.gate.weight", 12, 8);
    for (unsigned e = 0; e < 12; e++) {
        for (unsigned w = 1; w <= 3; w++) {
            char name[128];
            (void)snprintf(name, sizeof name,
                           "model.layers.0.block_sparse_moe.experts.%u.w%u.weight", e, w);
            const char *other = name;
            for (size_t i = 0; i < 2; i++) {
                other = of[i] == e * 10 + w ? names[i] : other;
            }
            put_tensor(&file, other, w == 2 ? 8 : 16, w == 2 ? 16 : 8);
        }
    }
    write_moe(opened, "model.safetensors", &file);
}

/* The config's one entry for all experts is held against each of the file's. */
static void test_experts(void **state)
{
    static const struct {
        unsigned of[2]; /* ten times the expert and the number of its matrix */
        const char *names[2];
        const char *notes[2];
        size_t entries; /* a matrix of all experts is one, those of which one is missing are each */
    } rows[] = {
        {{0}, {NULL}, {NULL}, 13},
        {{112, 0},
         {"model.layers.0.block_sparse_moe.experts.011.w2.weight"},
         {"config.json asks for 1 tensors that no file has, the first: "
          "model.layers.0.block_sparse_moe.experts.11.w2.weight",
          "the files have 1 tensors that config.json does not explain, the first: "
          "model.layers.0.block_sparse_moe.experts.011.w2.weight"},
         24},
        {{31, 2},
         {"model.layers.0.block_sparse_moe.experts.12.w1.weight",
          "model.layers.0.block_sparse_moe.experts.#.w2.weight"},
         {"config.json asks for 2 tensors that no file has, the first: "
          "model.layers.0.block_sparse_moe.experts.3.w1.weight",
          "the files have 2 tensors that config.json does not explain, the first: "
          "model.layers.0.block_sparse_moe.experts.#.w2.weight"},
         35},
        {{93, 0},
         {"model.layers.0.block_sparse_moe.experts.18446744073709551617.w3.weight"},
         {"config.json asks for 1 tensors that no file has, the first: "
          "model.layers.0.block_sparse_moe.experts.9.w3.weight",
          "the files have 1 tensors that config.json does not explain, the first: "
          "model.layers.0.block_sparse_moe.experts.18446744073709551617.w3.weight"},
         24},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_folder opened;
        model_folder_make(&opened, "llama-3.2-1b");
        model_folder_drop(&opened, "config.json");
        model_folder_drop(&opened, "model.safetensors");
        model_folder_put(&opened, "config.json", moe_config);
        put_moe(&opened, rows[i].of, rows[i].names);
        assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
        assert_int_equal(opened.model.tensor_count, rows[i].entries);
        assert_int_equal(zv_model_tensors(&opened.model), 46);
        assert_int_equal(opened.model.parameters, 5432);
        const size_t notes = rows[i].notes[0] != NULL ? 2 : 0;
        assert_int_equal(opened.model.note_count, notes);
        for (size_t n = 0; n < notes; n++) {
            assert_string_equal(opened.model.notes[n], rows[i].notes[n]);
        }
        model_folder_done(&opened);
    }
}

/* Experts in the order of their names over two shards, as published files are, one matrix of one
 * expert of another size: every name of the files is found once, whatever stands for it. */
static void test_sharded_experts(void **state)
{
    static const char *const order[] = {"0", "1", "10", "11", "2", "3",
                                        "4", "5", "6",  "7",  "8", "9"};
    enum { SHARDS = 2, PER_EXPERT = 3, EXPERTS = sizeof order / sizeof *order };
    (void)state;
    for (int odd = 0; odd < 2; odd++) {
        struct moe_file files[SHARDS] = {{.length = 0}};
        struct model_folder opened;
        model_folder_make(&opened, "llama-3.2-1b");
        model_folder_drop(&opened, "config.json");
        model_folder_drop(&opened, "model.safetensors");
        for (size_t e = 0; e < EXPERTS; e++) {
            for (unsigned w = 1; w <= PER_EXPERT; w++) {
                char name[64];
                (void)snprintf(name, sizeof name, "layers.0.experts.%s.w%u.weight", order[e], w);
                put_tensor(&files[e < 5 ? 0 : 1], name, 16, odd && e == 6 && w == 2 ? 7 : 8);
            }
        }
        write_moe(&opened, "model-00001-of-00002.safetensors", &files[0]);
        write_moe(&opened, "model-00002-of-00002.safetensors", &files[1]);
        assert_int_equal(model_folder_open(&opened, "."), ZV_OK);
        assert_int_equal(opened.model.tensor_count, odd ? 2 + EXPERTS : 3);
        assert_int_equal(zv_model_tensors(&opened.model), EXPERTS * PER_EXPERT);
        assert_int_equal(opened.model.tensor_bytes,
                         EXPERTS * PER_EXPERT * 16 * 8 * 2 - (odd ? 32 : 0));
        size_t found = 0;
        for (size_t i = 0; i < opened.model.tensor_count; i++) {
            for (uint32_t copy = 0; copy <= opened.model.tensors[i].more; copy++) {
                char text[ZV_TENSOR_NAME];
                char quoted[128];
                const struct zv_slice name =
                    zv_tensor_copy(&opened.model.tensors[i], copy, text).name;
                (void)snprintf(quoted, sizeof quoted, "\"%.*s\":", (int)name.length, name.at);
                for (int f = 0; f < SHARDS; f++) {
                    char *const at = strstr(files[f].text, quoted);
                    if (at != NULL) {
                        at[0] = ' '; /* not a second time */
                        found++;
                    }
                }
            }
        }
        assert_int_equal(found, EXPERTS * PER_EXPERT);
        model_folder_done(&opened);
    }
}

/* What an index may not say, and what is only noted. */
static void test_index(void **state)
{
    static const struct {
        const char *text;
        enum zv_status status;
        const char *says; /* the error, or the only note */
    } rows[] = {
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y.safetensors\"}}", ZV_OK, NULL},
        {"{\"weight_map\":{\"\\u0061\":\"\\u0078.safetensors\",\"b\":\"y.safetensors\"},"
         "\"metadata\":{\"total_size\":64.0,\"x\":NaN}}",
         ZV_OK, NULL},
        {"{\"metadata\":{\"total_size\":65},"
         "\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y.safetensors\"}}",
         ZV_OK, "the index says total_size 65, the shards' tensors are 64 bytes"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y.safetensors\",\"c\":\"x.safetensors\"}"
         "}",
         ZV_OK, "the index lists 3 tensors, the shards hold 2"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\"a\":\"y.safetensors\"}}", ZV_E_SYNTAX,
         "\"a\" is there twice"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\n\"b\": \"y.safetensors\",\n\"b\": "
         "\"y.safetensors\"}}",
         ZV_E_SYNTAX, "\"b\" is there twice"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y/z\"}}", ZV_E_SYNTAX,
         "no name of a file beside it"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y.safetensors\"]}", ZV_E_SYNTAX,
         "unexpected bracket"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\"},\"weight_map\":{}}", ZV_E_SYNTAX,
         "\"weight_map\" is there twice"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\"},\"z\":{\"q\":1,\"q\":2}}", ZV_E_SYNTAX,
         "\"q\" is there twice"},
        {"{\"weight_map\":{\"a\":\"/etc/x\"}}", ZV_E_SYNTAX, "no name of a file beside it"},
        {"{\"weight_map\":{\"a\":\"\"}}", ZV_E_SYNTAX, "no name of a file beside it"},
        {"{\"weight_map\":{\"a\":[1]}}", ZV_E_SYNTAX, "no name of a file beside it"},
        {"{\"weight_map\":{\"a\":\"x\\u0000y\"}}", ZV_E_SYNTAX, "NUL"},
        {"{\"weight_map\":{}}", ZV_E_SYNTAX, "an index without weight_map"},
        {"{\"weight_map\":[\"a\"]}", ZV_E_SYNTAX, "an index without weight_map"},
        {"{\"a\":{\"weight_map\":{\"a\":\"x.safetensors\"}}}", ZV_E_SYNTAX,
         "an index without weight_map"},
        {"[{\"weight_map\":{\"a\":\"x.safetensors\"}}]", ZV_E_SYNTAX,
         "a list where an object belongs"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\"", ZV_E_SYNTAX, "unexpected end"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\"}} 1", ZV_E_SYNTAX, "expected"},
        {"{\"weight_map\":{\"a\":\"x.safetensors\",}}", ZV_E_SYNTAX, "unexpected bracket"},
        {"{\"weight_map\":{\"a\":\"z.safetensors\"}}", ZV_E_NOT_FOUND, "1 of 1 shards are missing"},
        {"", ZV_E_SYNTAX, "unexpected end"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct moe_file files[2] = {{.length = 0}};
        struct model_folder opened;
        model_folder_make(&opened, "llama-3.2-1b");
        model_folder_drop(&opened, "config.json");
        model_folder_drop(&opened, "model.safetensors");
        put_tensor(&files[0], "a", 16, 0);
        put_tensor(&files[1], "b", 16, 0);
        write_moe(&opened, "x.safetensors", &files[0]);
        write_moe(&opened, "y.safetensors", &files[1]);
        model_folder_put(&opened, "model.safetensors.index.json", rows[i].text);
        const enum zv_status status = model_folder_open(&opened, ".");
        if (status != rows[i].status) {
            print_error("%s: %s\n", rows[i].text, opened.err.text);
        }
        assert_int_equal(status, rows[i].status);
        if (status == ZV_OK) {
            assert_int_equal(opened.model.tensor_bytes, 64);
            assert_int_equal(opened.model.note_count, rows[i].says != NULL);
            assert_string_equal(rows[i].says != NULL ? opened.model.notes[0] : "",
                                rows[i].says != NULL ? rows[i].says : "");
        } else if (strstr(opened.err.text, rows[i].says) == NULL) {
            fail_msg("%s: \"%s\" says no \"%s\"", rows[i].text, opened.err.text, rows[i].says);
        }
        assert_true(opened.err.offset <= strlen(rows[i].text));
        model_folder_done(&opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_sharded_experts),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
