/*
 * How fast headers are read: MB/s of a safetensors header and of an index, milliseconds for a GGUF
 * header of 10 MB.
 * Not among the timed tests; run build/tests/bench/bench_format on a quiet machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "clock.h"
#include "format/gguf.h"
#include "format/json_tree.h"
#include "format/safetensors.h"
#include "support/gguf_builder.h"

enum { ROUNDS = 9, EXPERTS = 64, LAYERS = 200, WORDS = 280000, GGUF_TENSORS = 2000 };

static void must(bool ok, const char *what, const struct zv_error *err)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_format: %s: %s\n", what, err != NULL ? err->text : "memory");
        _Exit(EXIT_FAILURE);
    }
}

/* As large mixtures of experts are: three tensors and three scales for each expert. */
static void write_safetensors(struct zv_buffer *to)
{
    static const char *const parts[] = {"gate", "up", "down"};
    struct zv_sink sink = zv_buffer_sink(to);
    uint64_t begin = 0;
    zv_sink_write(&sink, "\0\0\0\0\0\0\0\0", 8);
    zv_sink_text(&sink, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (unsigned i = 0; i < LAYERS * EXPERTS * 3; i++) {
        const uint64_t end = begin + UINT64_C(7168) * 2048;
        zv_sink_print(&sink,
                      ",\"model.layers.%u.mlp.experts.%u.%s_proj.weight\":{\"dtype\":\"F8_E4M3\","
                      "\"shape\":[7168,2048],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}",
                      i / (EXPERTS * 3), i / 3 % EXPERTS, parts[i % 3], begin, end);
        begin = end;
    }
    zv_sink_text(&sink, "}");
    must(!sink.failed, "header", NULL);
    const uint64_t length = to->size - 8;
    memcpy(to->data, &length, sizeof length);
}

static void bench_safetensors(void)
{
    struct zv_buffer buffer = {.limit = SIZE_MAX / 2};
    write_safetensors(&buffer);
    const struct zv_slice input = {buffer.data, buffer.size};
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        const double start = clock_ms(CLOCK_MONOTONIC);
        (void)zv_safetensors_read(&file, input, &arena, &err); /* truncated: seen at the very end */
        const double took = clock_ms(CLOCK_MONOTONIC) - start;
        must(strstr(err.text, "truncated") != NULL, "safetensors", &err);
        best = took < best ? took : best;
        zv_arena_free(&arena);
    }
    (void)printf("safetensors header: %.1f MB in %.2f ms: %.0f MB/s\n", (double)buffer.size / 1e6,
                 best, (double)buffer.size / 1e3 / best);
    zv_buffer_free(&buffer);
}

/* A vocabulary and its merges as a large model has them, and the tensors of one. */
static struct zv_slice write_gguf(struct gguf_builder *gguf)
{
    char text[64];
    gguf_begin(gguf, 3);
    gguf_key(gguf, "tokenizer.ggml.tokens", ZV_GGUF_ARRAY);
    gguf_put_array(gguf, ZV_GGUF_STRING, WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        (void)snprintf(text, sizeof text, "%.*s", 3 + (int)(i % 7), "abcdefghij");
        gguf_put_string(gguf, text);
    }
    gguf_key(gguf, "tokenizer.ggml.merges", ZV_GGUF_ARRAY);
    gguf_put_array(gguf, ZV_GGUF_STRING, WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        (void)snprintf(text, sizeof text, "%.*s", 5 + (int)(i % 11), "abcdefghijklmnop");
        gguf_put_string(gguf, text);
    }
    gguf_key(gguf, "tokenizer.ggml.token_type", ZV_GGUF_ARRAY);
    gguf_put_array(gguf, ZV_GGUF_I32, WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        gguf_put_u32(gguf, 1);
    }
    for (unsigned i = 0; i < GGUF_TENSORS; i++) {
        (void)snprintf(text, sizeof text, "blk.%u.ffn_down.weight", i);
        gguf_tensor(gguf, text, 2, (uint64_t[]){256, 1}, 0, (uint64_t)i * 1024);
    }
    return gguf_finish(gguf, 32, (size_t)GGUF_TENSORS * 1024);
}

static void bench_gguf(void)
{
    struct gguf_builder gguf;
    const struct zv_slice input = write_gguf(&gguf);
    double best = 1e9;
    uint64_t header = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_gguf file;
        const double start = clock_ms(CLOCK_MONOTONIC);
        must(zv_gguf_read(&file, input, &arena, &err) == ZV_OK, "gguf", &err);
        const double took = clock_ms(CLOCK_MONOTONIC) - start;
        best = took < best ? took : best;
        header = file.header_bytes;
        zv_arena_free(&arena);
    }
    (void)printf("GGUF header: %.1f MB in %.2f ms\n", (double)header / 1e6, best);
    zv_buffer_free(&gguf.bytes);
}

/* model.safetensors.index.json of the same model, as a tree. */
static void bench_json_tree(void)
{
    struct zv_buffer buffer = {.limit = SIZE_MAX / 2};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    zv_sink_text(&sink, "{\"metadata\":{\"total_size\":1},\"weight_map\":{");
    for (unsigned i = 0; i < LAYERS * EXPERTS * 3; i++) {
        zv_sink_print(&sink,
                      "%s\n    \"model.layers.%u.mlp.experts.%u.%u_proj.weight\": "
                      "\"model-%05u-of-00163.safetensors\"",
                      i == 0 ? "" : ",", i / (EXPERTS * 3), i / 3 % EXPERTS, i % 3, i / 240);
    }
    zv_sink_text(&sink, "}}");
    must(!sink.failed, "index", NULL);
    const struct zv_slice input = {buffer.data, buffer.size};
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_json_value *root;
        const double start = clock_ms(CLOCK_MONOTONIC);
        must(zv_json_tree_read(&root, input, ZV_JSON_STRICT, &arena, &err) == ZV_OK, "tree", &err);
        const double took = clock_ms(CLOCK_MONOTONIC) - start;
        best = took < best ? took : best;
        zv_arena_free(&arena);
    }
    (void)printf("index as a tree: %.1f MB in %.2f ms: %.0f MB/s\n", (double)buffer.size / 1e6,
                 best, (double)buffer.size / 1e3 / best);
    zv_buffer_free(&buffer);
}

int main(void)
{
    bench_safetensors();
    bench_json_tree();
    bench_gguf();
    return EXIT_SUCCESS;
}
