/*
 * Streaming JSON pull reader: bounded memory whatever the input's length.
 *
 * The window grows only to hold the longest single string or number, up to max_token.
 * Slices are valid until the next call. Numbers come as slices; the caller converts the few it
 * wants.
 */
#ifndef ZIRVE_FORMAT_JSON_READER_H
#define ZIRVE_FORMAT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stream.h"
#include "zirve/error.h"

enum zv_json_token {
    ZV_JSON_END,
    ZV_JSON_ERROR,
    ZV_JSON_OBJECT_BEGIN,
    ZV_JSON_OBJECT_END,
    ZV_JSON_ARRAY_BEGIN,
    ZV_JSON_ARRAY_END,
    ZV_JSON_KEY,
    ZV_JSON_STRING,
    ZV_JSON_NUMBER,
    ZV_JSON_TRUE,
    ZV_JSON_FALSE,
    ZV_JSON_NULL,
};

enum { ZV_JSON_MAX_DEPTH = 256 };

struct zv_json_reader {
    const char *text; /* slice of the current key, string or number, escapes not decoded */
    size_t length;
    bool has_escape;
    int depth;
    uint64_t offset; /* byte of the input where the current token starts, quote included */

    /*
     * Python's json writes NaN, Infinity and -Infinity, which are no JSON. Set this after opening
     * to take them as ZV_JSON_NUMBER with that text.
     */
    bool allow_nonfinite;

    struct zv_error err;

    /* private */
    zv_read_fn *read;
    void *source;
    unsigned char *window;
    size_t capacity;
    size_t max_token;
    size_t filled;
    size_t at;
    uint64_t base; /* input offset of window[0] */
    bool at_end;
    bool want_key;
    bool after_value;
    bool after_comma;
    unsigned char open[ZV_JSON_MAX_DEPTH];
};

/* window is the first buffer size, at least 16; the buffer doubles up to max_token. */
enum zv_status zv_json_open(struct zv_json_reader *reader, zv_read_fn *read, void *source,
                            size_t window, size_t max_token);
enum zv_json_token zv_json_next(struct zv_json_reader *reader);
/*
 * Reads past everything until depth is outside (which is less than depth): the rest of an object of
 * which a member was read, or of a container that has begun. As strict as zv_json_next, and several
 * times faster. False with err set.
 */
bool zv_json_skip(struct zv_json_reader *reader, int outside);

/*
 * Goes on at byte `to` of the input, which the caller has read up to there by itself: whole members
 * of the innermost object behind the last token, without the comma after them. Only for a reader of
 * zv_read_slice.
 */
void zv_json_jump(struct zv_json_reader *reader, uint64_t to);

void zv_json_close(struct zv_json_reader *reader);

#endif
