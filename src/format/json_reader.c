#include "format/json_reader.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/slice.h"
#include "format/json_scan.h"

/* Behind the window's bytes: the NUL that ends every scan, and room to load a word at it. */
enum { WINDOW_PAD = JSON_SCAN_PAD };

static enum zv_json_token fail(struct zv_json_reader *reader, const char *what)
{
    (void)zv_fail_at(&reader->err, ZV_E_SYNTAX, reader->base + reader->at, "JSON: %s", what);
    return ZV_JSON_ERROR;
}

static bool grow(struct zv_json_reader *reader)
{
    const size_t size = reader->capacity * 2;
    if (size > reader->max_token) {
        (void)zv_fail_at(&reader->err, ZV_E_LIMIT, reader->base + reader->at,
                         "JSON: a token is longer than %zu bytes", reader->max_token);
        return false;
    }
    unsigned char *const larger = zv_memory_resize(reader->window, size + WINDOW_PAD);
    if (larger == NULL) {
        (void)zv_fail(&reader->err, ZV_E_NOMEM, "JSON: no memory for a %zu-byte window", size);
        return false;
    }
    memset(larger + reader->capacity, 0, size - reader->capacity + WINDOW_PAD);
    reader->window = larger;
    reader->capacity = size;
    return true;
}

/* Drops everything before *keep, reads more, and moves *keep and at with the bytes. */
static bool refill(struct zv_json_reader *reader, size_t *keep)
{
    if (reader->at_end) {
        return false;
    }
    const size_t left = reader->filled - *keep;
    if (*keep != 0) {
        memmove(reader->window, reader->window + *keep, left);
        reader->base += *keep;
        reader->at -= *keep;
        reader->filled = left;
        *keep = 0;
    } else if (reader->filled == reader->capacity && !grow(reader)) {
        return false;
    }
    const ptrdiff_t got = reader->read(reader->source, reader->window + reader->filled,
                                       reader->capacity - reader->filled);
    if (got < 0) {
        (void)zv_fail(&reader->err, ZV_E_IO, "JSON: reading the input failed");
    }
    if (got <= 0) {
        reader->at_end = true;
        reader->window[reader->filled] = 0;
        return false;
    }
    reader->filled += (size_t)got;
    reader->window[reader->filled] = 0;
    return true;
}

enum zv_status zv_json_open(struct zv_json_reader *reader, zv_read_fn *read, void *source,
                            size_t window, size_t max_token)
{
    *reader = (struct zv_json_reader){.read = read, .source = source, .max_token = max_token};
    reader->window = zv_memory_alloc(window + WINDOW_PAD);
    if (reader->window == NULL) {
        return zv_fail(&reader->err, ZV_E_NOMEM, "JSON: no memory for the window");
    }
    reader->capacity = window;
    memset(reader->window, 0, window + WINDOW_PAD);
    return ZV_OK;
}

void zv_json_close(struct zv_json_reader *reader)
{
    zv_memory_free(reader->window);
    reader->window = NULL;
}

/* at is on the opening quote; leaves it after the closing one. */
static enum zv_json_token read_string(struct zv_json_reader *reader)
{
    size_t start = ++reader->at;
    reader->has_escape = false;
    uint64_t high = 0;
    for (;;) {
        const unsigned char *const p = json_skip_plain(reader->window + reader->at, &high);
        reader->at = (size_t)(p - reader->window);
        if (reader->at >= reader->filled) {
            if (!refill(reader, &start)) {
                return fail(reader, "unterminated string");
            }
        } else if (*p == '"') {
            reader->text = (const char *)reader->window + start;
            reader->length = reader->at - start;
            reader->at++;
            const bool plain = !reader->has_escape && high == 0;
            return plain || json_is_text(reader->text, reader->length)
                       ? ZV_JSON_STRING
                       : fail(reader, "bad escape or UTF-8");
        } else if (*p != '\\') {
            return fail(reader, "control character in a string");
        } else {
            reader->has_escape = true;
            if (reader->at + 1 >= reader->filled && !refill(reader, &start)) {
                return fail(reader, "unterminated string");
            }
            reader->at += 2;
        }
    }
}

static enum zv_json_token read_number(struct zv_json_reader *reader)
{
    size_t start = reader->at;
    const unsigned char *const digits = reader->window + start;
    size_t count = 0;
    while ((unsigned)(digits[count] - '0') < 10) {
        count++;
    }
    if (start + count < reader->filled && !json_is_number_char(digits[count]) &&
        (count == 1 || (count > 1 && *digits != '0'))) { /* the common case: a whole number */
        reader->at = start + count;
        reader->text = (const char *)digits;
        reader->length = count;
        return ZV_JSON_NUMBER;
    }
    do {
        const unsigned char *p = reader->window + reader->at;
        while (json_is_number_char(*p)) {
            p++;
        }
        reader->at = (size_t)(p - reader->window);
    } while (reader->at >= reader->filled && refill(reader, &start));
    reader->text = (const char *)reader->window + start;
    reader->length = reader->at - start;
    return json_is_number(reader->text, reader->text + reader->length) ? ZV_JSON_NUMBER
                                                                       : fail(reader, "bad number");
}

static enum zv_json_token read_word(struct zv_json_reader *reader, const char *word,
                                    enum zv_json_token token)
{
    const size_t length = strlen(word);
    size_t start = reader->at;
    while (reader->filled - start < length && refill(reader, &start)) {
    }
    const size_t there = reader->filled - start;
    if (memcmp(reader->window + start, word, there < length ? there : length) != 0) {
        return fail(reader, "unknown word");
    }
    if (there < length) {
        return fail(reader, "unexpected end");
    }
    reader->at = start + length;
    return token;
}

/* The next byte that is not white space, or -1 at the end; keep as for refill. */
static int peek_far(struct zv_json_reader *reader, size_t *keep)
{
    for (;;) {
        if (reader->at >= reader->filled) {
            size_t here = reader->at;
            if (!refill(reader, keep != NULL ? keep : &here)) {
                return -1;
            }
            continue;
        }
        const unsigned char c = reader->window[reader->at];
        if (c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) {
            return c;
        }
        reader->at++;
    }
}

static inline int peek(struct zv_json_reader *reader, size_t *keep)
{
    const unsigned char c = reader->window[reader->at]; /* NUL at the end of what is there */
    return c > ' ' ? c : peek_far(reader, keep);
}

static enum zv_json_token read_key(struct zv_json_reader *reader)
{
    if (read_string(reader) == ZV_JSON_ERROR) {
        return ZV_JSON_ERROR;
    }
    size_t start = (size_t)((const unsigned char *)reader->text - reader->window);
    if (peek(reader, &start) != ':') {
        return fail(reader, "expected ':' after a key");
    }
    reader->at++;
    reader->text = (const char *)reader->window + start;
    reader->want_key = false;
    reader->after_comma = false;
    return ZV_JSON_KEY;
}

static enum zv_json_token open_level(struct zv_json_reader *reader, unsigned char c)
{
    if (reader->depth == ZV_JSON_MAX_DEPTH) {
        (void)zv_fail_at(&reader->err, ZV_E_LIMIT, reader->base + reader->at,
                         "JSON: nested deeper than %d", ZV_JSON_MAX_DEPTH);
        return ZV_JSON_ERROR;
    }
    reader->open[reader->depth++] = c;
    reader->want_key = c == '{';
    reader->after_value = false;
    reader->after_comma = false;
    reader->at++;
    return c == '{' ? ZV_JSON_OBJECT_BEGIN : ZV_JSON_ARRAY_BEGIN;
}

static enum zv_json_token close_level(struct zv_json_reader *reader, unsigned char c)
{
    const unsigned char opener = c == '}' ? '{' : '[';
    if (reader->depth == 0 || reader->open[reader->depth - 1] != opener || reader->after_comma) {
        return fail(reader, "unexpected bracket");
    }
    if (c == '}' && !reader->want_key && !reader->after_value) {
        return fail(reader, "missing value");
    }
    reader->depth--;
    reader->want_key = false;
    reader->after_value = true;
    reader->at++;
    return c == '}' ? ZV_JSON_OBJECT_END : ZV_JSON_ARRAY_END;
}

/* NaN, Infinity or -Infinity as a number token. */
static enum zv_json_token read_nonfinite(struct zv_json_reader *reader, const char *word)
{
    if (read_word(reader, word, ZV_JSON_NUMBER) == ZV_JSON_ERROR) {
        return ZV_JSON_ERROR;
    }
    reader->length = strlen(word);
    reader->text = (const char *)reader->window + reader->at - reader->length;
    return ZV_JSON_NUMBER;
}

static bool is_minus_infinity(struct zv_json_reader *reader)
{
    size_t start = reader->at;
    if (reader->filled - start < 2 && !refill(reader, &start)) {
        return false;
    }
    return reader->window[start + 1] == 'I';
}

static enum zv_json_token read_scalar(struct zv_json_reader *reader, unsigned char c)
{
    reader->after_value = true;
    reader->after_comma = false;
    switch (c) {
    case '"':
        return read_string(reader);
    case 't':
        return read_word(reader, "true", ZV_JSON_TRUE);
    case 'f':
        return read_word(reader, "false", ZV_JSON_FALSE);
    case 'n':
        return read_word(reader, "null", ZV_JSON_NULL);
    default:
        break;
    }
    if (reader->allow_nonfinite && (c == 'N' || c == 'I')) {
        return read_nonfinite(reader, c == 'N' ? "NaN" : "Infinity");
    }
    if (reader->allow_nonfinite && c == '-' && is_minus_infinity(reader)) {
        return read_nonfinite(reader, "-Infinity");
    }
    return json_is_number_char(c) ? read_number(reader) : fail(reader, "expected a value");
}

static bool skip_comma(struct zv_json_reader *reader)
{
    if (!reader->after_value || reader->depth == 0) {
        return false;
    }
    reader->after_value = false;
    reader->after_comma = true;
    reader->want_key = reader->open[reader->depth - 1] == '{';
    reader->at++;
    return true;
}

enum zv_json_token zv_json_next(struct zv_json_reader *reader)
{
    if (reader->err.status != ZV_OK) {
        return ZV_JSON_ERROR;
    }
    int c = peek(reader, NULL);
    if (c == ',') {
        if (!skip_comma(reader)) {
            return fail(reader, "unexpected ','");
        }
        c = peek(reader, NULL);
    }
    reader->offset = reader->base + reader->at;
    if (c < 0) {
        const bool complete = reader->depth == 0 && reader->after_value;
        return complete && reader->err.status == ZV_OK ? ZV_JSON_END
                                                       : fail(reader, "unexpected end");
    }
    if (c == '}' || c == ']') {
        return close_level(reader, (unsigned char)c);
    }
    if (reader->after_value) {
        return fail(reader, "expected ',' or a closing bracket");
    }
    if (reader->want_key) {
        return c == '"' ? read_key(reader) : fail(reader, "expected a key");
    }
    if (c == '{' || c == '[') {
        return open_level(reader, (unsigned char)c);
    }
    return read_scalar(reader, (unsigned char)c);
}

void zv_json_jump(struct zv_json_reader *reader, uint64_t to)
{
    const uint64_t filled = reader->base + reader->filled;
    assert(reader->read == zv_read_slice && reader->depth > 0 && to >= reader->base + reader->at);
    if (to > filled) {
        struct zv_slice *const rest = reader->source;
        rest->at += to - filled;
        rest->length -= (size_t)(to - filled);
        reader->base = to;
        reader->filled = 0;
        reader->window[0] = 0;
    }
    reader->at = (size_t)(to - reader->base);
    reader->want_key = false;
    reader->after_value = true;
    reader->after_comma = false;
}
