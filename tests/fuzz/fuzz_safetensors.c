/*
 * Any bytes: when a file is accepted, its tensors cover the data byte by byte exactly once, their
 * sizes follow from shape and dtype, and all names differ. What is read in the layout of writers
 * means what the reader of JSON alone finds there.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/safetensors.h"
#include "support/spaced_header.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool same_text(struct zv_slice a, struct zv_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static void check_tensor(const struct zv_safetensors_tensor *tensor, size_t size, uint8_t *covered)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->dims; i++) {
        elements *= tensor->shape[i];
    }
    must(tensor->elements == elements);
    must(tensor->bits == 0 || tensor->bytes * 8 == elements * tensor->bits);
    must(tensor->data_offset <= size && tensor->bytes <= size - tensor->data_offset);
    for (uint64_t i = 0; i < tensor->bytes; i++) {
        must(covered[tensor->data_offset + i]++ == 0);
    }
}

static void check(const struct zv_safetensors *file, size_t size)
{
    uint64_t sum = 0;
    uint8_t *const covered = calloc(size + 1, 1);
    must(covered != NULL);
    must(file->header_bytes + file->data_bytes == size);
    for (size_t i = 0; i < file->tensor_count; i++) {
        check_tensor(&file->tensors[i], size, covered);
        sum += file->tensors[i].bytes;
        for (size_t k = 0; k < i; k++) {
            must(!same_text(file->tensors[i].name, file->tensors[k].name));
        }
    }
    must(sum == file->data_bytes);
    for (uint64_t i = 0; i < size; i++) {
        must(covered[i] == (i >= file->header_bytes));
    }
    free(covered);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_safetensors file;
    const struct zv_slice input = {(const char *)data, size};
    const enum zv_status status = zv_safetensors_read(&file, input, &arena, &err);
    must(status == err.status);
    must(status == ZV_OK || (err.has_offset && err.offset <= size));
    if (status == ZV_OK) {
        check(&file, size);
    }
    zv_arena_free(&arena);
    must(spaced_header_differs(input) == NULL);
    return 0;
}
