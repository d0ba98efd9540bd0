/*
 * How fast headers are read: MB/s of a safetensors header, milliseconds for a GGUF header of 10 MB.
 * Not among the timed tests; run build/tests/bench/bench_format on a quiet machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "format/gguf.h"
#include "format/safetensors.h"

enum { ROUNDS = 9, EXPERTS = 64, LAYERS = 200, WORDS = 280000, GGUF_TENSORS = 2000 };

static double now_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void must(bool ok, const char *what, const struct zv_error *err)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_format: %s: %s\n", what, err != NULL ? err->text : "memory");
        exit(EXIT_FAILURE);
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
        const double start = now_ms();
        (void)zv_safetensors_read(&file, input, &arena, &err); /* truncated: seen at the very end */
        const double took = now_ms() - start;
        must(strstr(err.text, "truncated") != NULL, "safetensors", &err);
        best = took < best ? took : best;
        zv_arena_free(&arena);
    }
    (void)printf("safetensors header: %.1f MB in %.2f ms: %.0f MB/s\n", (double)buffer.size / 1e6,
                 best, (double)buffer.size / 1e3 / best);
    zv_buffer_free(&buffer);
}

int main(void)
{
    bench_safetensors();
    return EXIT_SUCCESS;
}
