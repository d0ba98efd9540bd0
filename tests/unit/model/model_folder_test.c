#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "model/model.h"
#include "support/fail_memory.h"
#include "support/sparse_model.h"
#include "support/test.h"

struct opened {
    char folder[SPARSE_MODEL_PATH];
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

static void make(struct opened *opened, const char *name)
{
    *opened = (struct opened){0};
    assert_true(sparse_model_make(name, opened->folder));
}

static enum zv_status open_in(struct opened *opened, const char *file)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    return zv_model_open(&opened->model, &opened->files, path, &opened->arena, &opened->err);
}

static void drop(struct opened *opened, const char *file)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    assert_int_equal(unlink(path), 0);
}

static void put(struct opened *opened, const char *file, const char *text)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    assert_int_equal(zv_file_create(path, zv_slice_of(text), NULL), ZV_OK);
}

static void done(struct opened *opened)
{
    zv_model_close(opened->files);
    zv_arena_free(&opened->arena);
    sparse_model_remove(opened->folder);
}

/* The folder, its index and its config all give the same model. */
static void test_ways_in(void **state)
{
    (void)state;
    static const char *const ways[] = {".", "model.safetensors.index.json", "config.json"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct opened opened;
        make(&opened, "mistral-7b-v0.1");
        assert_int_equal(open_in(&opened, ways[i]), ZV_OK);
        assert_int_equal(opened.model.parameters, 7241732096);
        assert_int_equal(opened.model.tensor_bytes, 14483464192);
        assert_int_equal(opened.model.layer_count, 32);
        assert_int_equal(opened.model.layers[0].window, 4096);
        assert_int_equal(opened.model.note_count, 0);
        assert_int_equal(opened.model.unknown_count, 0);
        done(&opened);
    }
}

/* One .safetensors gives its weights and says what it cannot know. */
static void test_weights_alone(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "llama-3.2-1b");
    assert_int_equal(open_in(&opened, "model.safetensors"), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 0);
    assert_int_equal(opened.model.unknown_count, 1);
    assert_false(opened.model.family_known);
    done(&opened);
}

static void test_missing_shard(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "mistral-7b-v0.1");
    drop(&opened, "model-00002-of-00002.safetensors");
    assert_int_equal(open_in(&opened, "."), ZV_E_NOT_FOUND);
    assert_non_null(strstr(opened.err.where, "model-00002-of-00002.safetensors"));
    drop(&opened, "model.safetensors.index.json");
    opened.err = (struct zv_error){0};
    assert_int_equal(open_in(&opened, "."), ZV_E_NOT_FOUND);
    done(&opened);
}

/* Shards without their index are read all the same when all are there. */
static void test_no_index(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "mistral-7b-v0.1");
    drop(&opened, "model.safetensors.index.json");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 7241732096);
    done(&opened);
}

static void test_contradictions_are_notes(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "llama-3.2-1b");
    drop(&opened, "config.json");
    put(&opened, "config.json",
        "{\"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 8192,"
        " \"num_hidden_layers\": 15, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"
        " \"vocab_size\": 128255, \"tie_word_embeddings\": true, \"torch_dtype\": \"bfloat16\"}");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400); /* the tensors are the weights */
    assert_int_equal(opened.model.note_count, 1);          /* another vocabulary */
    assert_int_equal(opened.model.layer_count, 15);
    done(&opened);
}

/* Mistral's own files beside Hugging Face's: the same weights, counted once. */
static void test_consolidated(void **state)
{
    (void)state;
    struct opened opened;
    char from[2 * SPARSE_MODEL_PATH];
    char to[2 * SPARSE_MODEL_PATH];
    make(&opened, "llama-3.2-1b");
    (void)snprintf(from, sizeof from, "%s/model.safetensors", opened.folder);
    (void)snprintf(to, sizeof to, "%s/consolidated.safetensors", opened.folder);
    assert_int_equal(link(from, to), 0);
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.note_count, 1);
    done(&opened);
}

/* Weights that only a pickle holds: the config's count, and a note. */
static void test_pickle_only(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "llama-3.2-1b");
    drop(&opened, "model.safetensors");
    put(&opened, "pytorch_model.bin", "PK");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.source, ZV_SOURCE_CONFIG);
    assert_int_equal(opened.model.note_count, 1);
    done(&opened);
}

/* A tied head that the file holds a second time is stored, but no parameter. */
static void test_tied_copy(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "qwen3-0.6b");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 596049920);
    assert_int_equal(opened.model.tensor_bytes, 1503264768);
    done(&opened);
}

static void test_unknown_family(void **state)
{
    (void)state;
    struct opened opened;
    make(&opened, "llama-3.2-1b");
    drop(&opened, "config.json");
    put(&opened, "config.json",
        "{\"model_type\": \"nobody_knows\", \"hidden_size\": 2048, \"intermediate_size\": 8192,"
        " \"num_hidden_layers\": 16, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"
        " \"vocab_size\": 128256, \"max_position_embeddings\": 10}");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 16);
    assert_false(opened.model.family_known);
    assert_int_equal(opened.model.note_count, 1);
    zv_model_close(opened.files);
    drop(&opened, "config.json");
    put(&opened, "config.json", "{\"model_type\": \"nobody_knows\", \"hidden_size\": 2048}");
    assert_int_equal(open_in(&opened, "."), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    assert_int_equal(opened.model.layer_count, 0);
    assert_true(opened.model.unknown_count >= 1);
    done(&opened);
}

/* A file is what its first bytes say. */
static void test_by_content(void **state)
{
    (void)state;
    struct opened opened;
    char from[2 * SPARSE_MODEL_PATH];
    char to[2 * SPARSE_MODEL_PATH];
    make(&opened, "llama-3.2-1b");
    (void)snprintf(from, sizeof from, "%s/model.safetensors", opened.folder);
    (void)snprintf(to, sizeof to, "%s/3f2a", opened.folder);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(open_in(&opened, "3f2a"), ZV_OK);
    assert_int_equal(opened.model.parameters, 1235814400);
    zv_model_close(opened.files);
    put(&opened, "pytorch_model.bin", "PK\003\004 and more");
    assert_int_equal(open_in(&opened, "pytorch_model.bin"), ZV_E_UNSUPPORTED);
    opened.err = (struct zv_error){0};
    put(&opened, "model.gguf", "GGUF");
    assert_int_equal(open_in(&opened, "model.gguf"), ZV_E_SYNTAX);
    opened.err = (struct zv_error){0};
    assert_int_equal(open_in(&opened, "nothing.json"), ZV_E_IO);
    done(&opened);
}

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

static void write_moe(struct opened *opened, const char *name, struct moe_file *file)
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
static void put_moe(struct opened *opened, const unsigned of[2], const char *const names[2])
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
        struct opened opened;
        make(&opened, "llama-3.2-1b");
        drop(&opened, "config.json");
        drop(&opened, "model.safetensors");
        put(&opened, "config.json", moe_config);
        put_moe(&opened, rows[i].of, rows[i].names);
        assert_int_equal(open_in(&opened, "."), ZV_OK);
        assert_int_equal(opened.model.tensor_count, rows[i].entries);
        assert_int_equal(zv_model_tensors(&opened.model), 46);
        assert_int_equal(opened.model.parameters, 5432);
        const size_t notes = rows[i].notes[0] != NULL ? 2 : 0;
        assert_int_equal(opened.model.note_count, notes);
        for (size_t n = 0; n < notes; n++) {
            assert_string_equal(opened.model.notes[n], rows[i].notes[n]);
        }
        done(&opened);
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
        struct opened opened;
        make(&opened, "llama-3.2-1b");
        drop(&opened, "config.json");
        drop(&opened, "model.safetensors");
        for (size_t e = 0; e < EXPERTS; e++) {
            for (unsigned w = 1; w <= PER_EXPERT; w++) {
                char name[64];
                (void)snprintf(name, sizeof name, "layers.0.experts.%s.w%u.weight", order[e], w);
                put_tensor(&files[e < 5 ? 0 : 1], name, 16, odd && e == 6 && w == 2 ? 7 : 8);
            }
        }
        write_moe(&opened, "model-00001-of-00002.safetensors", &files[0]);
        write_moe(&opened, "model-00002-of-00002.safetensors", &files[1]);
        assert_int_equal(open_in(&opened, "."), ZV_OK);
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
        done(&opened);
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
        struct opened opened;
        make(&opened, "llama-3.2-1b");
        drop(&opened, "config.json");
        drop(&opened, "model.safetensors");
        put_tensor(&files[0], "a", 16, 0);
        put_tensor(&files[1], "b", 16, 0);
        write_moe(&opened, "x.safetensors", &files[0]);
        write_moe(&opened, "y.safetensors", &files[1]);
        put(&opened, "model.safetensors.index.json", rows[i].text);
        const enum zv_status status = open_in(&opened, ".");
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
        done(&opened);
    }
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
        struct opened opened;
        size_t failed = 1;
        make(&opened, rows[i].name);
        for (size_t n = 1; failed != 0; n++) {
            opened.err = (struct zv_error){0};
            fail_memory_start(n);
            const enum zv_status status = open_in(&opened, rows[i].file);
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
        done(&opened);
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
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_sharded_experts),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
