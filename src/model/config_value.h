/*
 * Values: what an expression of a family table works with, and where its keys are looked up.
 *
 * A key names a fact of a file (a member of config.json, a metadata entry of a GGUF). The family
 * tables ask for keys through struct model_keys, so that one table language serves every format.
 * A value that makes no sense is VALUE_BAD and travels on until something needs it: only then it is
 * an error, and it still knows the key and the byte where it came from.
 */
#ifndef ZIRVE_MODEL_CONFIG_VALUE_H
#define ZIRVE_MODEL_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum value_kind {
    VALUE_ABSENT, /* the file has no such key */
    VALUE_NULL,   /* it has, and says null */
    VALUE_INTEGER,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_OBJECT,
    VALUE_BAD /* text says why */
};

struct model_value {
    enum value_kind kind;
    bool has_offset;
    bool has_fraction; /* BAD, because it is one; portion() takes it nevertheless */
    double fraction;
    int64_t number;       /* INTEGER; true is 1 */
    struct zv_slice text; /* TEXT; BAD: what is wrong */
    const void *node;     /* LIST, OBJECT: the format's own */
    struct zv_slice key;  /* the key it came from, for messages; may be empty */
    uint64_t offset;      /* byte of the file, when has_offset */
};

/* One file (or one object inside it) as keys. All functions may be called with any slice. */
struct model_keys {
    struct model_value (*find)(const struct model_keys *keys, struct zv_slice path);
    struct model_value (*item)(const struct model_keys *keys, const struct model_value *list,
                               uint64_t index);
    uint64_t (*count)(const struct model_keys *keys, const struct model_value *list);
    const void *root; /* the whole file */
    const void *at;   /* the object in it that plain keys are members of */
};

struct model_value model_value_integer(int64_t number);
struct model_value model_value_text(struct zv_slice text);
/* why must outlive the value. */
struct model_value model_value_bad(const char *why, const struct model_value *from);

/* Absent, null, 0, "" and an empty list are false. BAD counts as false: ask for it first. */
bool model_value_true(const struct model_keys *keys, const struct model_value *value);

/* Keys of a JSON object: "a.b" looks inside, "/a.b" starts at root. */
struct zv_json_value;
struct model_keys model_keys_json(const struct zv_json_value *root, const struct zv_json_value *at);

/* Keys of nothing: every key is absent. */
struct model_keys model_keys_empty(void);

#endif
