#include "support/spaced_header.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "format/safetensors.h"

enum { LENGTH_BYTES = 8 };

struct reading {
    struct zv_slice input;
    uint64_t blanks; /* that were put into it */
    struct zv_arena arena;
    struct zv_error err;
    struct zv_safetensors file;
};

/* The file with its blanks; what is behind the header stays as it is. */
static struct zv_slice space(struct zv_slice input, uint64_t *blanks)
{
    const size_t end = LENGTH_BYTES + (size_t)zv_le64(input.at);
    char *const to = malloc(2 * input.length);
    size_t length = 0;
    bool inside = false; /* a string */
    for (size_t i = 0; to != NULL && i < input.length; i++) {
        to[length++] = input.at[i];
        if (i < LENGTH_BYTES || i >= end) {
            continue;
        }
        if (input.at[i] == '"') {
            inside = !inside;
        } else if (inside && input.at[i] == '\\' && i + 1 < end) {
            to[length++] = input.at[++i];
        } else if (!inside && input.at[i] == ',') {
            to[length++] = ' ';
        }
    }
    *blanks = length - input.length;
    for (unsigned i = 0; to != NULL && i < LENGTH_BYTES; i++) {
        to[i] = (char)(unsigned char)((zv_le64(input.at) + *blanks) >> 8 * i);
    }
    return (struct zv_slice){to, length};
}

/* Where an offset of the spaced file is in the other one. */
static uint64_t place(const struct reading *plain, const struct reading *spaced, uint64_t offset)
{
    uint64_t at = LENGTH_BYTES;
    if (offset >= LENGTH_BYTES + zv_le64(spaced->input.at)) {
        return offset - spaced->blanks;
    }
    for (uint64_t i = LENGTH_BYTES; i < offset; i++) {
        at += spaced->input.at[i] == plain->input.at[at];
    }
    return offset <= LENGTH_BYTES ? offset : at;
}

static const char *differ_in(const struct zv_safetensors_tensor *a,
                             const struct zv_safetensors_tensor *b)
{
    return !zv_slice_same(a->name, b->name)                           ? "a name"
           : !zv_slice_same(a->dtype, b->dtype) || a->type != b->type ? "a dtype"
           : a->bits != b->bits                                       ? "the bits of a dtype"
           : a->dims != b->dims                                       ? "the length of a shape"
           : memcmp(a->shape, b->shape, sizeof a->shape) != 0         ? "a shape"
           : a->elements != b->elements || a->bytes != b->bytes       ? "a size"
           : a->place.pattern != b->place.pattern                     ? "a pattern of names"
           : a->place.number != b->place.number                       ? "a number in a name"
                                                                      : NULL;
}

static const char *compare(const struct reading *plain, const struct reading *spaced)
{
    const struct zv_safetensors *const a = &plain->file;
    const struct zv_safetensors *const b = &spaced->file;
    const char *differs = NULL;
    if (plain->err.status != spaced->err.status ||
        plain->err.has_offset != spaced->err.has_offset) {
        return "the status";
    }
    if (plain->err.status != ZV_OK) {
        return strcmp(plain->err.text, spaced->err.text) != 0 &&
                       strstr(plain->err.text, "of data after byte") == NULL
                   ? "the message"
               : place(plain, spaced, spaced->err.offset) != plain->err.offset
                   ? "the place of an error"
                   : NULL;
    }
    if (a->tensor_count != b->tensor_count || a->metadata_count != b->metadata_count) {
        return "the count of entries";
    }
    for (size_t i = 0; differs == NULL && i < a->tensor_count; i++) {
        const struct zv_safetensors_tensor *const left = &a->tensors[i];
        const struct zv_safetensors_tensor *const right = &b->tensors[i];
        differs = left->data_offset + spaced->blanks != right->data_offset ? "where data begins"
                  : place(plain, spaced, right->header_offset) != left->header_offset
                      ? "the place of an entry"
                      : differ_in(left, right);
    }
    return differs;
}

static void read(struct reading *reading)
{
    (void)zv_safetensors_read(&reading->file, reading->input, &reading->arena, &reading->err);
}

const char *spaced_header_differs(struct zv_slice input)
{
    if (input.length < LENGTH_BYTES || zv_le64(input.at) > input.length - LENGTH_BYTES) {
        return NULL; /* there is no header to space */
    }
    struct reading plain = {.input = input};
    struct reading spaced = {.blanks = 0};
    spaced.input = space(input, &spaced.blanks);
    if (spaced.input.at == NULL) {
        return "no memory";
    }
    read(&plain);
    read(&spaced);
    const char *const differs = compare(&plain, &spaced);
    zv_arena_free(&plain.arena);
    zv_arena_free(&spaced.arena);
    union {
        const char *from;
        char *to;
    } text = {spaced.input.at};
    free(text.to);
    return differs;
}
