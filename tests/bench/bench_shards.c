/*
 * bench_shards CONFIG FOLDER: writes the checkpoint that a config.json means into FOLDER, as shards
 * of which only the headers are stored (the rest is a hole in the file) and their index; then
 * measures how fast the headers alone are read.
 *
 * The last line is for scripts: "headers BYTES index BYTES".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "clock.h"
#include "format/safetensors.h"
#include "model/model.h"

enum { ROUNDS = 9, SHARDS = 163, PATH = 512 };

struct shard {
    struct zv_buffer header;
    uint64_t data_bytes;
};

struct writer {
    const char *folder;
    struct zv_buffer index;
    struct shard shard;
    unsigned number; /* of the shard, from 1 */
    uint64_t total;  /* bytes of all tensors */
    uint64_t done;   /* bytes of those written */
    uint64_t header_bytes;
};

static void must(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_shards: %s\n", what);
        _Exit(EXIT_FAILURE);
    }
}

static void shard_path(const struct writer *writer, unsigned number, char to[PATH])
{
    (void)snprintf(to, PATH, "%s/model-%05u-of-%06d.safetensors", writer->folder, number, SHARDS);
}

static void write_file(const char *path, const struct zv_buffer *data, uint64_t length)
{
    FILE *const to = fopen(path, "wbx");
    must(to != NULL && fwrite(data->data, 1, data->size, to) == data->size, path);
    must(fclose(to) == 0 && truncate(path, (off_t)length) == 0, path);
}

static void open_shard(struct writer *writer)
{
    writer->number++;
    writer->shard = (struct shard){.header = {.limit = SIZE_MAX / 2}};
    struct zv_sink sink = zv_buffer_sink(&writer->shard.header);
    zv_sink_write(&sink, "\0\0\0\0\0\0\0\0", 8);
    zv_sink_text(&sink, "{\"__metadata__\":{\"format\":\"pt\"}");
    must(!sink.failed, "memory");
}

static void close_shard(struct writer *writer)
{
    struct zv_buffer *const header = &writer->shard.header;
    struct zv_sink sink = zv_buffer_sink(header);
    zv_sink_text(&sink, "}");
    zv_sink_repeat(&sink, ' ', (8 - header->size % 8) % 8); /* the data starts aligned */
    must(!sink.failed, "memory");
    const uint64_t length = header->size - 8;
    memcpy(header->data, &length, sizeof length);
    char path[PATH];
    shard_path(writer, writer->number, path);
    write_file(path, header, header->size + writer->shard.data_bytes);
    writer->header_bytes += header->size;
    zv_buffer_free(header);
}

static const char *dtype_of(const struct zv_tensor *tensor)
{
    return tensor->dtype == ZV_DTYPE_F8_E4M3 ? "F8_E4M3"
           : tensor->dtype == ZV_DTYPE_BF16  ? "BF16"
                                             : "F32";
}

static void write_tensor(struct writer *writer, const struct zv_tensor *tensor)
{
    if (writer->done / writer->number >= writer->total / SHARDS) { /* shards of equal size */
        close_shard(writer);
        open_shard(writer);
    }
    writer->done += tensor->bytes;
    struct shard *const shard = &writer->shard;
    struct zv_sink sink = zv_buffer_sink(&shard->header);
    zv_sink_print(&sink, ",\"%.*s\":{\"dtype\":\"%s\",\"shape\":[", (int)tensor->name.length,
                  tensor->name.at, dtype_of(tensor));
    for (unsigned i = 0; i < tensor->dims; i++) {
        zv_sink_print(&sink, "%s%" PRIu64, i == 0 ? "" : ",", tensor->shape[i]);
    }
    zv_sink_print(&sink, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", shard->data_bytes,
                  shard->data_bytes + tensor->bytes);
    shard->data_bytes += tensor->bytes;
    struct zv_sink index = zv_buffer_sink(&writer->index);
    zv_sink_print(&index, ",\n    \"%.*s\": \"model-%05u-of-%06d.safetensors\"",
                  (int)tensor->name.length, tensor->name.at, writer->number, SHARDS);
    must(!sink.failed && !index.failed, "memory");
}

/* A checkpoint lists expert 0 of each matrix, then expert 1 of each. */
static void write_tensors(struct writer *writer, const struct zv_model *model)
{
    char name[ZV_TENSOR_NAME];
    for (size_t first = 0; first < model->tensor_count;) {
        const size_t end = zv_tensor_run(model, first);
        for (uint32_t copy = 0; copy <= model->tensors[first].more; copy++) {
            for (size_t i = first; i < end; i++) {
                const struct zv_tensor one = zv_tensor_copy(&model->tensors[i], copy, name);
                write_tensor(writer, &one);
            }
        }
        first = end;
    }
}

static void write_checkpoint(struct writer *writer, const struct zv_model *model)
{
    writer->index.limit = SIZE_MAX / 2;
    struct zv_sink index = zv_buffer_sink(&writer->index);
    zv_sink_print(&index, "{\n  \"metadata\": {\n    \"total_size\": %" PRIu64 "\n  },\n",
                  model->tensor_bytes);
    zv_sink_text(&index, "  \"weight_map\": {");
    const size_t first = writer->index.size;
    open_shard(writer);
    write_tensors(writer, model);
    close_shard(writer);
    writer->index.data[first] = ' '; /* the comma before the first */
    index = zv_buffer_sink(&writer->index);
    zv_sink_text(&index, "\n  }\n}\n");
    must(!index.failed, "memory");
    must(writer->number == SHARDS, "another number of shards than their names say");
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/model.safetensors.index.json", writer->folder);
    write_file(path, &writer->index, writer->index.size);
}

static void copy_config(const struct writer *writer, const char *config)
{
    struct zv_error err = {0};
    struct zv_file file;
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/config.json", writer->folder);
    must(zv_file_open(&file, config, &err) == ZV_OK &&
             zv_file_create(path, zv_file_slice(&file), &err) == ZV_OK,
         err.text);
    zv_file_close(&file);
}

/* All headers once, each file opened and closed; the tensors read. */
static size_t read_headers(const struct writer *writer)
{
    size_t tensors = 0;
    struct zv_arena arena = {0};
    for (unsigned i = 1; i <= SHARDS; i++) {
        char path[PATH];
        struct zv_error err = {0};
        struct zv_file file;
        struct zv_safetensors shard;
        shard_path(writer, i, path);
        must(zv_file_open(&file, path, &err) == ZV_OK &&
                 zv_safetensors_read(&shard, zv_file_slice(&file), &arena, &err) == ZV_OK,
             err.text);
        tensors += shard.tensor_count;
        zv_file_close(&file);
    }
    zv_arena_free(&arena);
    return tensors;
}

static void measure_headers(const struct writer *writer)
{
    double best = 1e9;
    size_t tensors = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = clock_ms(CLOCK_MONOTONIC);
        tensors = read_headers(writer);
        const double took = clock_ms(CLOCK_MONOTONIC) - start;
        best = took < best ? took : best;
    }
    (void)printf("%zu tensors in %d shards: %.1f MB of headers alone in %.2f ms: %.0f MB/s\n",
                 tensors, SHARDS, (double)writer->header_bytes / 1e6, best,
                 (double)writer->header_bytes / 1e3 / best);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: bench_shards CONFIG FOLDER\n");
        return 64;
    }
    struct writer writer = {.folder = argv[2]};
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_model model;
    struct zv_model_files *files;
    must(zv_model_open(&model, &files, argv[1], &arena, &err) == ZV_OK, err.text);
    writer.total = model.tensor_bytes;
    must(mkdir(argv[2], 0700) == 0, "the folder cannot be made");
    write_checkpoint(&writer, &model);
    copy_config(&writer, argv[1]);
    zv_model_close(files);
    zv_arena_free(&arena);
    measure_headers(&writer);
    (void)printf("headers %" PRIu64 " index %zu\n", writer.header_bytes, writer.index.size);
    zv_buffer_free(&writer.index);
    return EXIT_SUCCESS;
}
