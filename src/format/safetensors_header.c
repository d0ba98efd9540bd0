#include "format/safetensors_header.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/name_set.h"
#include "base/stream.h"
#include "format/json_reader.h"
#include "format/json_text.h"
#include "format/safetensors_entry.h"

enum {
    LENGTH_BYTES = 8,
    WINDOW = 4 * 1024,
    MAX_TOKEN = 64 * 1024 * 1024, /* some trainers put whole tag lists into one string */
    TYPICAL_ENTRY = 96            /* bytes of a tensor with a short name */
};

/* One reading of a header. Offsets of the reader count from the JSON text, ours from the file. */
struct header {
    struct zv_json_reader json;
    struct zv_slice text;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_safetensors_header *to;
    size_t capacity;
    size_t metadata_capacity;
    bool has_metadata;
    struct zv_name_set *names;
};

static uint64_t here(const struct header *header)
{
    return LENGTH_BYTES + header->json.offset;
}

/* The reader's own failure, or that it found something else than what was expected. */
static enum zv_status fail_token(struct header *header, const char *expected)
{
    const struct zv_error *const from = &header->json.err;
    if (from->status == ZV_OK) {
        return zv_fail_at(header->err, ZV_E_SYNTAX, here(header), "safetensors header: expected %s",
                          expected);
    }
    return from->has_offset ? zv_fail_at(header->err, from->status, LENGTH_BYTES + from->offset,
                                         "safetensors header: %s", from->text)
                            : zv_fail(header->err, from->status, "%s", from->text);
}

static bool expect(struct header *header, enum zv_json_token token)
{
    return zv_json_next(&header->json) == token;
}

/* The current key or string: a piece of the input, or decoded in the arena if it has escapes. */
static enum zv_status take_text(struct header *header, struct zv_slice *to)
{
    const struct zv_json_reader *const json = &header->json;
    *to = (struct zv_slice){header->text.at + json->offset + 1, json->length};
    if (!json->has_escape) {
        return ZV_OK;
    }
    char *const copy = zv_arena_alloc(header->arena, json->length);
    if (copy == NULL) {
        return zv_fail_memory(header->err, "a name in a safetensors header");
    }
    const struct zv_slice raw = *to;
    to->at = copy;
    return zv_json_text_decode(raw, copy, &to->length)
               ? ZV_OK
               : zv_fail_at(header->err, ZV_E_SYNTAX, here(header),
                            "safetensors header: a string with a NUL character or half a surrogate "
                            "pair");
}

/* A list of at most limit plain whole numbers. */
static enum zv_status read_numbers(struct header *header, uint64_t *to, uint32_t limit,
                                   uint32_t *count)
{
    if (!expect(header, ZV_JSON_ARRAY_BEGIN)) {
        return fail_token(header, "a list of numbers");
    }
    for (*count = 0;; (*count)++) {
        const enum zv_json_token token = zv_json_next(&header->json);
        if (token == ZV_JSON_ARRAY_END) {
            return ZV_OK;
        }
        if (token != ZV_JSON_NUMBER) {
            return fail_token(header, "a number");
        }
        if (*count == limit) {
            return zv_fail_at(header->err, ZV_E_LIMIT, here(header),
                              "safetensors header: more than %" PRIu32 " numbers in this list",
                              limit);
        }
        const struct zv_slice number = {header->json.text, header->json.length};
        if (!zv_slice_u64(number, &to[*count])) {
            return zv_fail_at(header->err, ZV_E_SYNTAX, here(header),
                              "safetensors header: expected a whole number below 2^64");
        }
    }
}

static enum zv_status skip_value(struct header *header)
{
    const int depth = header->json.depth;
    do {
        const enum zv_json_token token = zv_json_next(&header->json);
        if (token == ZV_JSON_ERROR || token == ZV_JSON_END) {
            return fail_token(header, "a value");
        }
    } while (header->json.depth > depth);
    return ZV_OK;
}

enum field { FIELD_DTYPE = 1, FIELD_SHAPE = 2, FIELD_OFFSETS = 4, FIELD_ALL = 7, FIELD_OTHER = 0 };

static enum field field_of(const struct zv_json_reader *json)
{
    switch (json->length) {
    case 5:
        return memcmp(json->text, "dtype", 5) == 0   ? FIELD_DTYPE
               : memcmp(json->text, "shape", 5) == 0 ? FIELD_SHAPE
                                                     : FIELD_OTHER;
    case 12:
        return memcmp(json->text, "data_offsets", 12) == 0 ? FIELD_OFFSETS : FIELD_OTHER;
    default:
        return FIELD_OTHER;
    }
}

static enum zv_status read_field(struct header *header, enum field field,
                                 struct zv_safetensors_tensor *tensor, uint64_t offsets[2])
{
    enum zv_status status;
    uint32_t count;
    switch (field) {
    case FIELD_DTYPE:
        if (!expect(header, ZV_JSON_STRING)) {
            return fail_token(header, "the name of a dtype");
        }
        status = take_text(header, &tensor->dtype);
        tensor->type = status == ZV_OK ? zv_safetensors_type(tensor->dtype) : 0;
        tensor->bits = zv_safetensors_type_bits(tensor->type);
        return status;
    case FIELD_SHAPE:
        return read_numbers(header, tensor->shape, ZV_SAFETENSORS_MAX_DIMS, &tensor->dims);
    case FIELD_OFFSETS:
        status = read_numbers(header, offsets, 2, &count);
        return status == ZV_OK && count != 2 ? fail_token(header, "two data_offsets") : status;
    case FIELD_ALL:
    case FIELD_OTHER:
        break;
    }
    return skip_value(header);
}

static enum zv_status read_fields(struct header *header, struct zv_safetensors_tensor *tensor,
                                  uint64_t offsets[2])
{
    if (!expect(header, ZV_JSON_OBJECT_BEGIN)) {
        return fail_token(header, "an object that describes a tensor");
    }
    unsigned seen = 0;
    enum zv_json_token token;
    while ((token = zv_json_next(&header->json)) == ZV_JSON_KEY) {
        const enum field field = field_of(&header->json);
        if ((seen & field) != 0) {
            return fail_token(header, "each of dtype, shape and data_offsets once");
        }
        seen |= field;
        const enum zv_status status = read_field(header, field, tensor, offsets);
        if (status != ZV_OK) {
            return status;
        }
    }
    return token == ZV_JSON_OBJECT_END && seen == FIELD_ALL
               ? ZV_OK
               : fail_token(header, "dtype, shape and data_offsets");
}

/* "name" for messages: as much of it as fits. */
static int shown(const struct zv_safetensors_tensor *tensor)
{
    return tensor->name.length < 160 ? (int)tensor->name.length : 160;
}

static enum zv_status check_size(struct header *header, struct zv_safetensors_tensor *tensor,
                                 const uint64_t offsets[2])
{
    uint64_t bits = 0;
    bool fits = true;
    tensor->elements = 1;
    for (uint32_t i = 0; i < tensor->dims; i++) {
        fits = fits && zv_mul(tensor->elements, tensor->shape[i], &tensor->elements);
    }
    if (!fits || !zv_mul(tensor->elements, tensor->bits, &bits)) {
        return zv_fail_at(header->err, ZV_E_OVERFLOW, tensor->header_offset,
                          "tensor \"%.*s\": the product of its shape does not fit in 64 bits",
                          shown(tensor), tensor->name.at);
    }
    if (offsets[1] < offsets[0]) {
        return zv_fail_at(header->err, ZV_E_SYNTAX, tensor->header_offset,
                          "tensor \"%.*s\" ends at %" PRIu64 " before it begins at %" PRIu64,
                          shown(tensor), tensor->name.at, offsets[1], offsets[0]);
    }
    tensor->bytes = offsets[1] - offsets[0];
    if (tensor->bits != 0 && (bits % 8 != 0 || tensor->bytes != bits / 8)) {
        return zv_fail_at(header->err, ZV_E_SYNTAX, tensor->header_offset,
                          "tensor \"%.*s\" has %" PRIu64 " bytes, its shape and dtype need %" PRIu64
                          " bits",
                          shown(tensor), tensor->name.at, tensor->bytes, bits);
    }
    return ZV_OK;
}

static bool is_before(const struct header *header, struct zv_slice name)
{
    bool found = false;
    for (size_t i = 0; !found && i < header->to->count; i++) {
        found = zv_slice_same(header->to->tensors[i].name, name);
    }
    return found;
}

static enum zv_status add_name(struct header *header, struct zv_safetensors_tensor *tensor)
{
    switch (zv_name_set_add(header->names, tensor->name, &tensor->place)) {
    case ZV_NAME_ADDED:
        return ZV_OK;
    case ZV_NAME_EXISTS:
        return zv_fail_at(header->err, ZV_E_SYNTAX, tensor->header_offset,
                          is_before(header, tensor->name)
                              ? "tensor \"%.*s\" is there twice"
                              : "tensor \"%.*s\" is in another file of the model too",
                          shown(tensor), tensor->name.at);
    case ZV_NAME_NOMEM:
        break;
    }
    return zv_fail_memory(header->err, "the names of a safetensors header");
}

/* Room for one more tensor; at first for as many as such a text mostly has. */
static enum zv_status grow(struct header *header)
{
    struct zv_safetensors_header *const to = header->to;
    if (to->count == ZV_SAFETENSORS_MAX_TENSORS) {
        return zv_fail_at(header->err, ZV_E_LIMIT, here(header), "more than %d tensors in one file",
                          ZV_SAFETENSORS_MAX_TENSORS);
    }
    if (to->count == header->capacity) {
        const size_t capacity =
            header->capacity == 0 ? header->text.length / TYPICAL_ENTRY + 1 : header->capacity * 2;
        struct zv_safetensors_tensor *const larger =
            zv_arena_array(header->arena, capacity, sizeof *larger);
        if (larger == NULL) {
            return zv_fail_memory(header->err, "a safetensors header");
        }
        if (to->count != 0) {
            memcpy(larger, to->tensors, to->count * sizeof *larger);
        }
        to->tensors = larger;
        header->capacity = capacity;
    }
    return ZV_OK;
}

/* Checks what was read into the entry behind the last, which is one more then. */
static enum zv_status keep_tensor(struct header *header, struct zv_safetensors_tensor *tensor,
                                  const uint64_t offsets[2])
{
    struct zv_safetensors_header *const to = header->to;
    const enum zv_status status = check_size(header, tensor, offsets);
    if (status == ZV_OK) {
        tensor->data_offset = offsets[0]; /* from the start of the data, until all are known */
        to->in_order = to->in_order && offsets[0] == to->data_end;
        to->data_end = offsets[1] > to->data_end ? offsets[1] : to->data_end;
        to->count++;
    }
    return status;
}

/* The key is the current token. */
static enum zv_status read_tensor(struct header *header)
{
    uint64_t offsets[2] = {0};
    enum zv_status status = grow(header);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_safetensors_tensor *const tensor = &header->to->tensors[header->to->count];
    *tensor = (struct zv_safetensors_tensor){.header_offset = here(header)};
    status = take_text(header, &tensor->name);
    status = status == ZV_OK ? add_name(header, tensor) : status;
    status = status == ZV_OK ? read_fields(header, tensor, offsets) : status;
    return status == ZV_OK ? keep_tensor(header, tensor, offsets) : status;
}

/*
 * Entries behind the one whose last bracket is the current token, as long as they look like what
 * writers write and there is room for them.
 */
static enum zv_status read_usual(struct header *header)
{
    struct zv_safetensors_header *const to = header->to;
    const char *const text = header->text.at;
    const char *at = text + header->json.offset + 1;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && to->count < header->capacity) {
        uint64_t offsets[2];
        struct zv_safetensors_tensor *const tensor = &to->tensors[to->count];
        const char *const next = safetensors_entry(at, text + header->text.length, tensor, offsets);
        if (next == NULL) {
            break;
        }
        tensor->header_offset = LENGTH_BYTES + (uint64_t)(at + 1 - text);
        status = add_name(header, tensor);
        status = status == ZV_OK ? keep_tensor(header, tensor, offsets) : status;
        at = next;
    }
    zv_json_jump(&header->json, (uint64_t)(at - text));
    return status;
}

static enum zv_status grow_metadata(struct header *header)
{
    struct zv_safetensors_header *const to = header->to;
    if (to->metadata_count == header->metadata_capacity) {
        const size_t capacity = header->metadata_capacity == 0 ? 8 : header->metadata_capacity * 2;
        struct zv_safetensors_pair *const larger =
            zv_arena_array(header->arena, capacity, sizeof *larger);
        if (larger == NULL) {
            return zv_fail_memory(header->err, "the metadata of a safetensors header");
        }
        if (to->metadata_count != 0) {
            memcpy(larger, to->metadata, to->metadata_count * sizeof *larger);
        }
        to->metadata = larger;
        header->metadata_capacity = capacity;
    }
    return ZV_OK;
}

static enum zv_status read_metadata(struct header *header)
{
    if (header->has_metadata) {
        return fail_token(header, "__metadata__ once");
    }
    header->has_metadata = true;
    if (!expect(header, ZV_JSON_OBJECT_BEGIN)) {
        return fail_token(header, "an object of strings");
    }
    enum zv_json_token token;
    while ((token = zv_json_next(&header->json)) == ZV_JSON_KEY) {
        enum zv_status status = grow_metadata(header);
        if (status != ZV_OK) {
            return status;
        }
        struct zv_safetensors_pair *const pair =
            &header->to->metadata[header->to->metadata_count++];
        status = take_text(header, &pair->key);
        if (status == ZV_OK && !expect(header, ZV_JSON_STRING)) {
            return fail_token(header, "a string");
        }
        status = status == ZV_OK ? take_text(header, &pair->value) : status;
        if (status != ZV_OK) {
            return status;
        }
    }
    return token == ZV_JSON_OBJECT_END ? ZV_OK : fail_token(header, "a key");
}

static enum zv_status read_json(struct header *header)
{
    if (!expect(header, ZV_JSON_OBJECT_BEGIN)) {
        return fail_token(header, "an object");
    }
    enum zv_json_token token;
    while ((token = zv_json_next(&header->json)) == ZV_JSON_KEY) {
        const struct zv_slice key = {header->json.text, header->json.length};
        enum zv_status status =
            zv_slice_equal(key, "__metadata__") ? read_metadata(header) : read_tensor(header);
        status = status == ZV_OK ? read_usual(header) : status;
        if (status != ZV_OK) {
            return status;
        }
    }
    if (token != ZV_JSON_OBJECT_END || !expect(header, ZV_JSON_END)) {
        return fail_token(header, "the end of the header");
    }
    return ZV_OK;
}

enum zv_status zv_safetensors_header_read(struct zv_safetensors_header *to, struct zv_slice text,
                                          struct zv_name_set *names, struct zv_arena *arena,
                                          struct zv_error *err)
{
    *to = (struct zv_safetensors_header){.in_order = true};
    struct header header = {.text = text, .arena = arena, .err = err, .to = to, .names = names};
    struct zv_slice rest = text;
    const size_t window = text.length < WINDOW ? text.length + 16 : WINDOW;
    enum zv_status status = zv_json_open(&header.json, zv_read_slice, &rest, window, MAX_TOKEN);
    status = status == ZV_OK ? read_json(&header) : fail_token(&header, "memory");
    zv_json_close(&header.json);
    return status;
}
