#include "format/gguf.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/strmap.h"
#include "format/gguf_header.h"
#include "format/gguf_tensors.h"

/* The least that a pair takes: what bounds the number of pairs before it is believed. */
enum { LEAST_PAIR = 8 + 4 + 1 };

enum { DEFAULT_ALIGNMENT = 32, MAX_ALIGNMENT = 1 << 30 };

struct reading {
    struct gguf_cursor cursor;
    struct zv_slice input;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_gguf *file;
    uint64_t pair_count;
    uint64_t tensor_count;
    struct zv_strmap names;
};

static int shown(struct zv_slice text)
{
    return text.length < 160 ? (int)text.length : 160;
}

static enum zv_status fail_cut(struct reading *reading, const char *what)
{
    if (reading->input.length > ZV_GGUF_MAX_HEADER) {
        return zv_fail_at(reading->err, ZV_E_LIMIT, reading->cursor.offset,
                          "GGUF: %s is not complete after the first %d bytes, which are all that "
                          "is read",
                          what, ZV_GGUF_MAX_HEADER);
    }
    return zv_fail_at(reading->err, ZV_E_SYNTAX, reading->cursor.offset,
                      "GGUF: truncated, or a length that is wrong: %s does not end before the file "
                      "does at byte %zu",
                      what, reading->input.length);
}

/* What came before GGUF begins with these letters. */
static bool is_older(const char *magic)
{
    return memcmp(magic, "lmgg", 4) == 0 || memcmp(magic, "fmgg", 4) == 0 ||
           memcmp(magic, "tjgg", 4) == 0 || memcmp(magic, "algg", 4) == 0;
}

static enum zv_status check_version(struct reading *reading, uint32_t version)
{
    struct zv_error *const err = reading->err;
    if (version == 2 || version == 3) {
        reading->file->version = version;
        return ZV_OK;
    }
    if (version == 1) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, 4,
                          "GGUF version 1 (August 2023 only): versions 2 and 3 are read, convert "
                          "the model again");
    }
    if (version != 0 && (version & 0xFFFF) == 0) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, 4,
                          "a big-endian GGUF (possible since version 3): little-endian files are "
                          "read");
    }
    return zv_fail_at(err, ZV_E_UNSUPPORTED, 4,
                      "GGUF version %" PRIu32 " is not known: versions 2 and 3 are read", version);
}

static enum zv_status check_count(struct reading *reading, uint64_t count, unsigned least,
                                  const char *what)
{
    const uint64_t offset = reading->cursor.offset - sizeof count;
    if (count > reading->cursor.rest.length / least) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset,
                          "GGUF: %" PRIu64 " %s cannot be in the %zu bytes that follow", count,
                          what, reading->cursor.rest.length);
    }
    return count <= ZV_GGUF_MAX_ENTRIES
               ? ZV_OK
               : zv_fail_at(reading->err, ZV_E_LIMIT, offset, "GGUF: %" PRIu64 " %s, at most %d",
                            count, what, ZV_GGUF_MAX_ENTRIES);
}

static enum zv_status read_start(struct reading *reading)
{
    struct gguf_cursor *const cursor = &reading->cursor;
    uint32_t magic;
    uint32_t version;
    const char *const start = cursor->rest.at;
    if (!gguf_take_u32(cursor, &magic)) {
        return fail_cut(reading, "the start");
    }
    if (is_older(start)) {
        return zv_fail_at(reading->err, ZV_E_UNSUPPORTED, 0,
                          "a GGML file from before GGUF (August 2023): convert the model again");
    }
    if (memcmp(start, "GGUF", 4) != 0) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, 0,
                          "no GGUF file: it does not begin with GGUF");
    }
    if (!gguf_take_u32(cursor, &version)) {
        return fail_cut(reading, "the version");
    }
    enum zv_status status = check_version(reading, version);
    if (status != ZV_OK) {
        return status;
    }
    if (!gguf_take_u64(cursor, &reading->tensor_count)) {
        return fail_cut(reading, "the number of tensors");
    }
    status = check_count(reading, reading->tensor_count, GGUF_LEAST_TENSOR, "tensors");
    if (status == ZV_OK && !gguf_take_u64(cursor, &reading->pair_count)) {
        return fail_cut(reading, "the number of keys");
    }
    return status == ZV_OK ? check_count(reading, reading->pair_count, LEAST_PAIR, "keys") : status;
}

/* Adds name, or says that it is there already. */
static enum zv_status add_name(struct reading *reading, struct zv_slice name, uint64_t offset,
                               const char *what)
{
    struct zv_strmap_entry *entry;
    switch (zv_strmap_add(&reading->names, name, 0, &entry)) {
    case ZV_STRMAP_ADDED:
        return ZV_OK;
    case ZV_STRMAP_EXISTS:
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset, "GGUF: %s \"%.*s\" is there twice",
                          what, shown(name), name.at);
    case ZV_STRMAP_NOMEM:
        break;
    }
    return zv_fail_memory(reading->err, "the names of a GGUF file");
}

static enum zv_status read_pair(struct reading *reading, struct zv_gguf_pair *pair)
{
    struct gguf_cursor *const cursor = &reading->cursor;
    const uint64_t offset = cursor->offset;
    uint32_t type;
    if (!gguf_take_string(cursor, &pair->key)) {
        return fail_cut(reading, "a key");
    }
    if (!gguf_take_u32(cursor, &type)) {
        return fail_cut(reading, "the type of a value");
    }
    switch (gguf_take_value(cursor, type, &pair->value)) {
    case GGUF_TAKEN:
        return add_name(reading, pair->key, offset, "the key");
    case GGUF_CUT_OFF:
        break;
    case GGUF_UNKNOWN_TYPE:
        return zv_fail_at(reading->err, ZV_E_SYNTAX, cursor->offset,
                          "GGUF: the value of \"%.*s\" has a type that the format does not have",
                          shown(pair->key), pair->key.at);
    case GGUF_TOO_DEEP:
        return zv_fail_at(reading->err, ZV_E_LIMIT, cursor->offset,
                          "GGUF: the value of \"%.*s\" is nested deeper than %d", shown(pair->key),
                          pair->key.at, ZV_GGUF_MAX_NESTING);
    }
    return fail_cut(reading, "a value");
}

static enum zv_status read_pairs(struct reading *reading)
{
    const size_t count = (size_t)reading->pair_count;
    struct zv_gguf_pair *const pairs = zv_arena_array(reading->arena, count, sizeof *pairs);
    if (pairs == NULL) {
        return zv_fail_memory(reading->err, "the keys of a GGUF file");
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < count && status == ZV_OK; i++) {
        status = read_pair(reading, &pairs[i]);
    }
    reading->file->pairs = pairs;
    reading->file->pair_count = count;
    zv_strmap_free(&reading->names);
    return status;
}

/* The number under key, at most limit, or what was in *to when there is none. */
static enum zv_status read_setting(struct reading *reading, const char *key, uint64_t limit,
                                   uint64_t *to)
{
    const struct zv_gguf_value *const value = zv_gguf_find(reading->file, key);
    uint64_t number;
    if (value == NULL) {
        return ZV_OK;
    }
    if (!zv_gguf_u64(value, &number) || number > limit) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, value->offset,
                          "GGUF: %s must be a whole number, at most %" PRIu64, key, limit);
    }
    *to = number;
    return ZV_OK;
}

static uint64_t offset_of(const struct zv_gguf *file, const char *key)
{
    const struct zv_gguf_value *const value = zv_gguf_find(file, key);
    return value != NULL ? value->offset : 0;
}

static enum zv_status read_settings(struct reading *reading)
{
    struct zv_gguf *const file = reading->file;
    uint64_t no = 0;
    uint64_t count = 0;
    file->alignment = DEFAULT_ALIGNMENT;
    enum zv_status status =
        read_setting(reading, "general.alignment", MAX_ALIGNMENT, &file->alignment);
    status = status == ZV_OK ? read_setting(reading, "split.no", UINT32_MAX, &no) : status;
    status = status == ZV_OK ? read_setting(reading, "split.count", UINT32_MAX, &count) : status;
    status = status == ZV_OK
                 ? read_setting(reading, "split.tensors.count", INT64_MAX, &file->split_tensors)
                 : status;
    if (status != ZV_OK) {
        return status;
    }
    if (file->alignment == 0 || (file->alignment & (file->alignment - 1)) != 0) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset_of(file, "general.alignment"),
                          "GGUF: general.alignment is %" PRIu64 ", no power of two",
                          file->alignment);
    }
    if (count != 0 ? no >= count : no != 0) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset_of(file, "split.no"),
                          "GGUF: split.no is %" PRIu64 " of %" PRIu64 " files counted from 0", no,
                          count);
    }
    file->split_no = (uint32_t)no;
    file->split_count = (uint32_t)count;
    return ZV_OK;
}

static enum zv_status read_tensor(struct reading *reading, struct zv_gguf_tensor *tensor)
{
    bool complete;
    const enum zv_status status =
        gguf_take_tensor(&reading->cursor, tensor, &complete, reading->err);
    if (status == ZV_OK && !complete) {
        return fail_cut(reading, "the description of a tensor");
    }
    return status == ZV_OK ? add_name(reading, tensor->name, tensor->info_offset, "the tensor")
                           : status;
}

static enum zv_status read_tensors(struct reading *reading)
{
    struct zv_gguf *const file = reading->file;
    const size_t count = (size_t)reading->tensor_count;
    struct zv_gguf_tensor *const tensors = zv_arena_array(reading->arena, count, sizeof *tensors);
    if (tensors == NULL) {
        return zv_fail_memory(reading->err, "the tensors of a GGUF file");
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < count && status == ZV_OK; i++) {
        status = read_tensor(reading, &tensors[i]);
    }
    if (status != ZV_OK) {
        return status;
    }
    file->tensors = tensors;
    file->tensor_count = count;
    file->header_bytes = reading->cursor.offset;
    /* cannot overflow: the header is at most ZV_GGUF_MAX_HEADER, the alignment MAX_ALIGNMENT */
    (void)zv_round_up(file->header_bytes, file->alignment, &file->data_offset);
    return gguf_place_tensors(file, tensors, reading->input.length, reading->err);
}

enum zv_status zv_gguf_read(struct zv_gguf *file, struct zv_slice input, struct zv_arena *arena,
                            struct zv_error *err)
{
    *file = (struct zv_gguf){0};
    struct reading reading = {.input = input, .arena = arena, .err = err, .file = file};
    reading.cursor.rest = input;
    if (input.length > ZV_GGUF_MAX_HEADER) {
        reading.cursor.rest.length = ZV_GGUF_MAX_HEADER;
    }
    enum zv_status status = read_start(&reading);
    status = status == ZV_OK ? read_pairs(&reading) : status;
    status = status == ZV_OK ? read_settings(&reading) : status;
    status = status == ZV_OK ? read_tensors(&reading) : status;
    zv_strmap_free(&reading.names);
    return status;
}

const struct zv_gguf_value *zv_gguf_find(const struct zv_gguf *file, const char *key)
{
    for (size_t i = 0; i < file->pair_count; i++) {
        if (zv_slice_equal(file->pairs[i].key, key)) {
            return &file->pairs[i].value;
        }
    }
    return NULL;
}
