/*
 * JSON tree: a whole document in the caller's arena, for inputs that are looked at from all sides
 * (config.json, index files). Streams and big headers use json_reader instead.
 *
 *   value -- object: items (in the order of the file, each with its key), found by key
 *         |- array:  items
 *         |- text:   string with escapes decoded, or number as written
 *         `- bool, null
 *
 * Every value knows the byte where it starts, so that whoever finds it wrong can point there.
 * Nothing of the tree points into the input. Keys of one object differ: a duplicate is an error,
 * because readers disagree on which one counts.
 */
#ifndef ZIRVE_FORMAT_JSON_TREE_H
#define ZIRVE_FORMAT_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_json_kind {
    ZV_JSON_IS_NULL,
    ZV_JSON_IS_BOOL,
    ZV_JSON_IS_NUMBER,
    ZV_JSON_IS_STRING,
    ZV_JSON_IS_ARRAY,
    ZV_JSON_IS_OBJECT,
};

struct zv_json_items {
    const struct zv_json_value *at;
    size_t count;
};

struct zv_json_value {
    enum zv_json_kind kind;
    uint32_t offset;     /* byte of the input where the value starts */
    struct zv_slice key; /* name in the object that holds the value; empty elsewhere */
    union {
        struct zv_slice text;       /* STRING (decoded, NUL-terminated), NUMBER (as written) */
        struct zv_json_items items; /* ARRAY, OBJECT */
        bool truth;                 /* BOOL */
    } u;                            /* read it with the functions below */
};

enum { ZV_JSON_TREE_MAX_BYTES = 64 * 1024 * 1024, ZV_JSON_TREE_MAX_VALUES = 2 * 1024 * 1024 };

/* NaN, Infinity and -Infinity, which Python writes: numbers that no function gives a value of. */
enum zv_json_option { ZV_JSON_STRICT, ZV_JSON_ALLOW_NONFINITE };

/*
 * Reads the whole input, nothing but white space may follow the value. Needs at most 160 bytes
 * for each value (most of them only while reading) and three times the longest string. Errors, with
 * the byte offset: ZV_E_SYNTAX (also for duplicate keys, NUL characters, unpaired surrogates),
 * ZV_E_LIMIT (input size, values, 256 levels), ZV_E_NOMEM.
 */
enum zv_status zv_json_tree_read(const struct zv_json_value **root, struct zv_slice input,
                                 enum zv_json_option option, struct zv_arena *arena,
                                 struct zv_error *err);

/* In all of these value may be NULL, and a value of another kind gives NULL, 0 or false. */

/* The member of this name; the time does not depend on the number of members. */
const struct zv_json_value *zv_json_find(const struct zv_json_value *object, const char *key);
const struct zv_json_value *zv_json_find_slice(const struct zv_json_value *object,
                                               struct zv_slice key);

/* Members or elements: how many, and the one at position (NULL past the end). */
size_t zv_json_count(const struct zv_json_value *value);
const struct zv_json_value *zv_json_item(const struct zv_json_value *value, size_t position);

bool zv_json_is(const struct zv_json_value *value, enum zv_json_kind kind);

/* A number that is a whole one, however written (4096, 4096.0, 1e6), exactly; -0 is 0. */
bool zv_json_u64(const struct zv_json_value *value, uint64_t *to);
bool zv_json_i64(const struct zv_json_value *value, int64_t *to);

/* A finite number. Never for bytes. */
bool zv_json_double(const struct zv_json_value *value, double *to);
bool zv_json_bool(const struct zv_json_value *value, bool *to);
bool zv_json_string(const struct zv_json_value *value, struct zv_slice *to);

/* "an object", "a number": for messages; "nothing" for NULL. */
const char *zv_json_kind_name(const struct zv_json_value *value);

/* The rule behind zv_json_u64, for numbers from json_reader. */
bool zv_json_number_u64(struct zv_slice number, uint64_t *to);
bool zv_json_number_i64(struct zv_slice number, int64_t *to);

#endif
