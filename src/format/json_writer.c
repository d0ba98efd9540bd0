#include "format/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/utf8.h"

static void break_line(struct zv_json_writer *json)
{
    zv_sink_write(json->sink, "\n", 1);
    zv_sink_repeat(json->sink, ' ', 2 * json->depth);
}

static bool in_object(const struct zv_json_writer *json)
{
    return json->depth != 0 && json->open[json->depth - 1] == '{';
}

static void begin_item(struct zv_json_writer *json)
{
    if (json->has_items) {
        zv_sink_write(json->sink, ",", 1);
    }
    if (json->depth != 0) {
        break_line(json);
    }
    json->has_items = true;
}

static void begin_value(struct zv_json_writer *json)
{
    const bool wants_key = in_object(json);
    assert(!json->done && json->after_key == wants_key);
    (void)wants_key; /* only the assert looks at it */
    if (!json->after_key) {
        begin_item(json);
    }
    json->after_key = false;
    json->done = json->depth == 0;
}

static void begin_container(struct zv_json_writer *json, char bracket)
{
    begin_value(json);
    assert(json->depth < ZV_JSON_WRITER_MAX_DEPTH);
    zv_sink_write(json->sink, &bracket, 1);
    json->open[json->depth++] = (unsigned char)bracket;
    json->has_items = false;
    json->done = false;
}

static void end_container(struct zv_json_writer *json, char bracket)
{
    assert(json->depth != 0 && !json->after_key);
    assert(json->open[json->depth - 1] == (bracket == '}' ? '{' : '['));
    json->depth--;
    if (json->has_items) {
        break_line(json);
    }
    zv_sink_write(json->sink, &bracket, 1);
    json->has_items = true;
    json->done = json->depth == 0;
}

void zv_json_begin_object(struct zv_json_writer *json)
{
    begin_container(json, '{');
}

void zv_json_end_object(struct zv_json_writer *json)
{
    end_container(json, '}');
}

void zv_json_begin_array(struct zv_json_writer *json)
{
    begin_container(json, '[');
}

void zv_json_end_array(struct zv_json_writer *json)
{
    end_container(json, ']');
}

/* What stands for the byte c in a string, "" when it stands for itself. */
static const char *escape_of(unsigned char c, char to[8])
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *const found = c != 0 ? strchr(from, c) : NULL;
    to[0] = 0;
    if (found != NULL) {
        (void)snprintf(to, 8, "\\%c", letters[found - from]);
    } else if (c < 0x20 || c == 0x7F) {
        (void)snprintf(to, 8, "\\u%04x", c);
    }
    return to;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Writes one character beyond ASCII, escaped when a terminal must not see it; returns its length.
 * What is no UTF-8 becomes the replacement character. */
static size_t write_character(struct zv_json_writer *json, const unsigned char *p,
                              const unsigned char *end)
{
    const size_t length = zv_utf8_length(p, end);
    if (length == 0) {
        zv_sink_text(json->sink, "\xEF\xBF\xBD");
        return 1;
    }
    if (zv_printable_length(p, end) != 0) {
        zv_sink_write(json->sink, (const char *)p, length);
    } else { /* all of these are below U+10000: two or three bytes */
        const unsigned code = length == 2
                                  ? ((p[0] & 0x1FU) << 6) | (p[1] & 0x3FU)
                                  : ((p[0] & 0xFU) << 12) | ((p[1] & 0x3FU) << 6) | (p[2] & 0x3FU);
        zv_sink_print(json->sink, "\\u%04x", code);
    }
    return length;
}

static void write_text(struct zv_json_writer *json, struct zv_slice text)
{
    const struct zv_slice shown = text.at != NULL ? text : zv_slice_of("");
    const unsigned char *p = (const unsigned char *)shown.at;
    const unsigned char *const end = p + shown.length;
    zv_sink_write(json->sink, "\"", 1);
    while (p < end) {
        const unsigned char *const start = p;
        while (p < end && is_plain(*p)) {
            p++;
        }
        zv_sink_write(json->sink, (const char *)start, (size_t)(p - start));
        if (p < end && *p >= 0x80) {
            p += write_character(json, p, end);
        } else if (p < end) {
            char escape[8];
            zv_sink_text(json->sink, escape_of(*p++, escape));
        }
    }
    zv_sink_write(json->sink, "\"", 1);
}

void zv_json_write_key_slice(struct zv_json_writer *json, struct zv_slice key)
{
    assert(in_object(json) && !json->after_key);
    begin_item(json);
    write_text(json, key);
    zv_sink_write(json->sink, ": ", 2);
    json->after_key = true;
}

void zv_json_write_key(struct zv_json_writer *json, const char *key)
{
    zv_json_write_key_slice(json, zv_slice_of(key));
}

void zv_json_write_slice(struct zv_json_writer *json, struct zv_slice text)
{
    begin_value(json);
    write_text(json, text);
}

void zv_json_write_string(struct zv_json_writer *json, const char *text)
{
    if (text == NULL) {
        zv_json_write_null(json);
    } else {
        zv_json_write_slice(json, zv_slice_of(text));
    }
}

void zv_json_write_u64(struct zv_json_writer *json, uint64_t value)
{
    begin_value(json);
    zv_sink_print(json->sink, "%" PRIu64, value);
}

void zv_json_write_i64(struct zv_json_writer *json, int64_t value)
{
    begin_value(json);
    zv_sink_print(json->sink, "%" PRId64, value);
}

void zv_json_write_bool(struct zv_json_writer *json, bool value)
{
    begin_value(json);
    zv_sink_text(json->sink, value ? "true" : "false");
}

void zv_json_write_null(struct zv_json_writer *json)
{
    begin_value(json);
    zv_sink_text(json->sink, "null");
}

void zv_json_write_number(struct zv_json_writer *json, struct zv_slice number)
{
    assert(number.length != 0);
    begin_value(json);
    zv_sink_write(json->sink, number.at, number.length);
}

void zv_json_write_double(struct zv_json_writer *json, double value)
{
    assert(isfinite(value));
    char text[32];
    for (int digits = 15; digits <= 17; digits++) { /* 15 always survive, 17 always suffice */
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) >= value && strtod(text, NULL) <= value) {
            break;
        }
    }
    begin_value(json);
    zv_sink_text(json->sink, isfinite(value) ? text : "null");
}

void zv_json_finish(struct zv_json_writer *json)
{
    assert(json->done);
    zv_sink_write(json->sink, "\n", 1);
}
