/*
 * JSON writer: one document onto a sink, pretty-printed with two spaces, nothing kept in memory.
 *
 *     struct zv_json_writer json = {.sink = &sink};
 *     zv_json_begin_object(&json);
 *     zv_json_write_key(&json, "bytes");
 *     zv_json_write_u64(&json, 42);
 *     zv_json_end_object(&json);
 *     zv_json_finish(&json);
 *
 * Writing can only fail in the sink, which remembers it. What is written is always UTF-8: bytes
 * that are not are replaced by U+FFFD. Brackets, keys and values in the wrong order are our bug and
 * trip an assert. A quantity that is not known is written as null.
 */
#ifndef ZIRVE_FORMAT_JSON_WRITER_H
#define ZIRVE_FORMAT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/stream.h"

enum { ZV_JSON_WRITER_MAX_DEPTH = 256 };

/* Zero-initialise, set sink. */
struct zv_json_writer {
    struct zv_sink *sink;

    /* private */
    size_t depth;
    bool has_items; /* the open container is not empty */
    bool after_key;
    bool done; /* the one value at the top is complete */
    unsigned char open[ZV_JSON_WRITER_MAX_DEPTH];
};

void zv_json_begin_object(struct zv_json_writer *json);
void zv_json_end_object(struct zv_json_writer *json);
void zv_json_begin_array(struct zv_json_writer *json);
void zv_json_end_array(struct zv_json_writer *json);

void zv_json_write_key(struct zv_json_writer *json, const char *key);
void zv_json_write_key_slice(struct zv_json_writer *json, struct zv_slice key);

void zv_json_write_string(struct zv_json_writer *json, const char *text); /* NULL: null */
void zv_json_write_slice(struct zv_json_writer *json, struct zv_slice text);
void zv_json_write_u64(struct zv_json_writer *json, uint64_t value);
void zv_json_write_i64(struct zv_json_writer *json, int64_t value);
void zv_json_write_bool(struct zv_json_writer *json, bool value);
void zv_json_write_null(struct zv_json_writer *json);

/* A finite number, with as few digits as read back to the same value. Never for bytes. */
void zv_json_write_double(struct zv_json_writer *json, double value);

/* A number that is JSON already, as json_reader and json_tree give it. */
void zv_json_write_number(struct zv_json_writer *json, struct zv_slice number);

/* Ends the document with a newline; everything must be closed. */
void zv_json_finish(struct zv_json_writer *json);

#endif
