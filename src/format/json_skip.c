/* Values that nobody wants: checked like all others, but not handed out token by token. */
#include <string.h>

#include "format/json_reader.h"
#include "format/json_scan.h"

/* Where a container stands between two tokens; as the reader's flags say it. */
enum place {
    FIRST_KEY,   /* after { */
    KEY,         /* after a comma in an object */
    MEMBER,      /* after a colon */
    FIRST_VALUE, /* after [ */
    VALUE,       /* after a comma in an array */
    AFTER        /* after a value */
};

static enum place place_of(const struct zv_json_reader *reader)
{
    if (reader->after_value) {
        return AFTER;
    }
    if (reader->want_key) {
        return FIRST_KEY; /* a comma is never left behind */
    }
    return reader->open[reader->depth - 1] == '{' ? MEMBER : FIRST_VALUE;
}

/* Leaves the reader where a token begins, before a comma, as zv_json_next takes it up. */
static void leave(struct zv_json_reader *reader, const unsigned char *p, enum place place)
{
    if (place == KEY || place == VALUE) {
        p--;
        place = AFTER;
    }
    reader->at = (size_t)(p - reader->window);
    reader->after_value = place == AFTER;
    reader->want_key = place == FIRST_KEY;
    reader->after_comma = false;
}

/* Behind the string whose opening quote p is on; NULL: not whole, not plain, or not right. */
static inline const unsigned char *skip_string(const unsigned char *p)
{
    uint64_t high = 0;
    const unsigned char *const end = json_skip_plain(p + 1, &high);
    if (*end != '"' || (high != 0 && !json_is_text((const char *)p + 1, (size_t)(end - p) - 1))) {
        return NULL;
    }
    return end + 1;
}

/* Behind the number at p; NULL as above. */
static inline const unsigned char *skip_number(const unsigned char *p)
{
    const unsigned char *end = p;
    while ((unsigned)(*end - '0') < 10) {
        end++;
    }
    if (*end == 0 || (!json_is_number_char(*end) && (end - p == 1 || *p != '0'))) {
        return *end != 0 && end != p ? end : NULL; /* the common case: a whole number */
    }
    while (json_is_number_char(*end)) {
        end++;
    }
    return *end != 0 && json_is_number((const char *)p, (const char *)end) ? end : NULL;
}

static inline const unsigned char *skip_word(const unsigned char *p)
{
    return memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0 ? p + 4
           : memcmp(p, "false", 5) == 0                           ? p + 5
                                                                  : NULL;
}

static inline const unsigned char *skip_scalar(const unsigned char *p)
{
    return *p == '"'                                ? skip_string(p)
           : *p == '-' || (unsigned)(*p - '0') < 10 ? skip_number(p)
                                                    : skip_word(p);
}

/* Behind the key at p and its colon; NULL as above. */
static inline const unsigned char *skip_key(const unsigned char *p)
{
    const unsigned char *end = *p == '"' ? skip_string(p) : NULL;
    if (end == NULL) {
        return NULL;
    }
    end = json_skip_space(end);
    return *end == ':' ? end + 1 : NULL;
}

struct step {
    const unsigned char *behind; /* NULL: nothing that can be skipped here */
    enum place place;
};

static inline struct step open_level(struct zv_json_reader *reader, const unsigned char *p)
{
    if (reader->depth == ZV_JSON_MAX_DEPTH) {
        return (struct step){NULL, AFTER};
    }
    reader->open[reader->depth++] = *p;
    return (struct step){p + 1, *p == '{' ? FIRST_KEY : FIRST_VALUE};
}

static inline struct step skip_value(struct zv_json_reader *reader, const unsigned char *p)
{
    return *p == '{' || *p == '[' ? open_level(reader, p) : (struct step){skip_scalar(p), AFTER};
}

/* A comma or the end of the container; of an empty one too. */
static inline struct step skip_between(struct zv_json_reader *reader, const unsigned char *p,
                                       bool in_object)
{
    if (*p == ',') {
        return (struct step){p + 1, in_object ? KEY : VALUE};
    }
    if (*p != (in_object ? '}' : ']')) {
        return (struct step){NULL, AFTER};
    }
    reader->depth--;
    return (struct step){p + 1, AFTER};
}

static inline struct step skip_token(struct zv_json_reader *reader, const unsigned char *p,
                                     enum place place)
{
    const bool in_object = reader->open[reader->depth - 1] == '{';
    const bool ends = (place == FIRST_KEY && *p == '}') || (place == FIRST_VALUE && *p == ']');
    if (place == AFTER || ends) {
        return skip_between(reader, p, in_object);
    }
    if (place == KEY || place == FIRST_KEY) {
        return (struct step){skip_key(p), MEMBER};
    }
    return skip_value(reader, p);
}

/* Skips whole tokens of the window until depth is outside; stops before anything else. */
static void skip_window(struct zv_json_reader *reader, int outside)
{
    const unsigned char *p = reader->window + reader->at; /* a NUL ends every scan */
    enum place place = place_of(reader);
    while (reader->depth != outside) {
        const struct step step = skip_token(reader, json_skip_space(p), place);
        if (step.behind == NULL) {
            break;
        }
        p = step.behind;
        place = step.place;
    }
    leave(reader, p, place);
}

bool zv_json_skip(struct zv_json_reader *reader, int outside)
{
    while (reader->err.status == ZV_OK && reader->depth > outside) {
        skip_window(reader, outside);
        if (reader->depth == outside) {
            return true;
        }
        const enum zv_json_token token = zv_json_next(reader);
        if (token == ZV_JSON_ERROR || token == ZV_JSON_END) {
            return false;
        }
    }
    return reader->err.status == ZV_OK;
}
