/*
 * YAML tree: a whole small document in the caller's arena, as people write job files and offers by
 * hand. Syntax comes from libyaml; a JSON document is YAML too.
 *
 *   value -- map:  items, each with its key, in the order of the file
 *         |- list: items
 *         |- text: what a scalar says, always as text: its meaning is the reader's business
 *         `- null: nothing, "~" or "null" without quotes
 *
 * Every value knows its line and column. What makes YAML surprising is refused: anchors and
 * aliases, tags, keys given twice, keys that are no text, a second document.
 */
#ifndef ZIRVE_FORMAT_YAML_H
#define ZIRVE_FORMAT_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_yaml_kind { ZV_YAML_NULL, ZV_YAML_TEXT, ZV_YAML_LIST, ZV_YAML_MAP };

enum {
    ZV_YAML_MAX_BYTES = 4 * 1024 * 1024,
    ZV_YAML_MAX_VALUES = 200 * 1000,
    ZV_YAML_MAX_KEYS = 1024, /* of one map */
    ZV_YAML_MAX_DEPTH = 32
};

struct zv_yaml_value;

struct zv_yaml_items {
    const struct zv_yaml_value *at;
    size_t count;
};

struct zv_yaml_value {
    enum zv_yaml_kind kind;
    bool quoted; /* a scalar written with quotes: "1.10" is no number */
    uint32_t line;
    uint32_t column;     /* both 1-based, of the value (of the key for an empty one) */
    struct zv_slice key; /* name in the map that holds the value; empty elsewhere */
    struct zv_slice text;
    struct zv_yaml_items items;
};

/* Errors, with the line: ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOMEM. An empty document is a null. */
enum zv_status zv_yaml_read(const struct zv_yaml_value **root, struct zv_slice input,
                            struct zv_arena *arena, struct zv_error *err);

/* In all of these value may be NULL, and a value of another kind gives NULL, 0 or false. */
const struct zv_yaml_value *zv_yaml_find(const struct zv_yaml_value *map, const char *key);
size_t zv_yaml_count(const struct zv_yaml_value *value);
const struct zv_yaml_value *zv_yaml_item(const struct zv_yaml_value *value, size_t position);
bool zv_yaml_text(const struct zv_yaml_value *value, struct zv_slice *to);
bool zv_yaml_bool(const struct zv_yaml_value *value, bool *to); /* true yes on, false no off */

/* Records a failure at the value's line and column ("column 5: ..."); returns status. */
enum zv_status zv_yaml_fail(const struct zv_yaml_value *at, struct zv_error *err,
                            enum zv_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "a list", "a map": for messages; "nothing" for NULL. */
const char *zv_yaml_kind_name(const struct zv_yaml_value *value);

#endif
