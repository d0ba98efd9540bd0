#include "allocator/config_tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { MAX_TOKEN = 256 };

enum zv_status config_wrong(struct zv_error *err, const char *key, const char *expected)
{
    return zv_fail(err, ZV_E_SYNTAX, "allocator setting %s: expected %s", key, expected);
}

/* 2.6 drops only spaces; later versions all white space. */
static bool is_dropped(const struct config_tokens *tokens, char c)
{
    return c == ' ' || (config_is_new(tokens) && c >= '\t' && c <= '\r');
}

enum zv_status config_cut(struct config_tokens *tokens, struct zv_slice text, struct zv_error *err)
{
    size_t used = 0;
    bool in_word = false;
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.at[i];
        if (is_dropped(tokens, c)) {
            continue;
        }
        const bool is_separator = c != 0 && strchr(",:[]", c) != NULL;
        if (used + 2 > sizeof tokens->text || tokens->count == CONFIG_MAX_TOKENS) {
            return zv_fail(err, ZV_E_LIMIT,
                           "allocator settings of more than %d characters or %d words",
                           (int)sizeof tokens->text, CONFIG_MAX_TOKENS);
        }
        tokens->text[used] = c;
        if (is_separator || !in_word) {
            tokens->token[tokens->count++] = (struct zv_slice){&tokens->text[used], 0};
        }
        tokens->token[tokens->count - 1].length++;
        in_word = !is_separator;
        used++;
    }
    return ZV_OK;
}

enum zv_status config_expect(struct config_tokens *tokens, const char *separator, const char *key,
                             struct zv_error *err)
{
    if (tokens->at >= tokens->count ||
        (!config_is_new(tokens) && !zv_slice_equal(tokens->token[tokens->at], separator))) {
        return zv_fail(err, ZV_E_SYNTAX, "allocator setting %s: expected '%s'", key, separator);
    }
    tokens->at++;
    return ZV_OK;
}

enum zv_status config_next(struct config_tokens *tokens, const char *key, struct zv_slice *to,
                           struct zv_error *err)
{
    const enum zv_status status = config_expect(tokens, ":", key, err);
    if (status != ZV_OK) {
        return status;
    }
    if (tokens->at >= tokens->count) {
        return config_wrong(err, key, "a value after ':'");
    }
    *to = tokens->token[tokens->at++];
    return ZV_OK;
}

static bool to_text(struct zv_slice token, char text[MAX_TOKEN])
{
    if (token.length == 0 || token.length >= MAX_TOKEN) {
        return false;
    }
    memcpy(text, token.at, token.length);
    text[token.length] = 0;
    return true;
}

bool config_integer(const struct config_tokens *tokens, struct zv_slice token, uint64_t *to)
{
    char text[MAX_TOKEN];
    char *end;
    if (!to_text(token, text)) {
        return false;
    }
    errno = 0;
    if (config_is_new(tokens)) {
        *to = strtoull(text, &end, 10);
    } else {
        const long value = strtol(text, &end, 10);
        if (value > INT32_MAX || value < INT32_MIN) {
            return false;
        }
        *to = (uint64_t)(int64_t)value;
    }
    return end != text && errno == 0;
}

static bool read_real(struct zv_slice token, double *to)
{
    char text[MAX_TOKEN];
    char *end;
    if (!to_text(token, text)) {
        return false;
    }
    errno = 0;
    *to = strtod(text, &end);
    return end != text && errno == 0;
}

enum zv_status config_parse_bool(struct config_tokens *tokens, const char *key, bool *to,
                                 struct zv_error *err)
{
    struct zv_slice value = {0};
    const enum zv_status status = config_next(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    *to = zv_slice_equal(value, "True");
    return *to || zv_slice_equal(value, "False") ? ZV_OK : config_wrong(err, key, "True or False");
}

enum zv_status config_parse_integer(struct config_tokens *tokens, const char *key, uint64_t *to,
                                    struct zv_error *err)
{
    struct zv_slice value = {0};
    const enum zv_status status = config_next(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    return config_integer(tokens, value, to) ? ZV_OK : config_wrong(err, key, "a whole number");
}

enum zv_status config_parse_real(struct config_tokens *tokens, const char *key, double *to,
                                 struct zv_error *err)
{
    struct zv_slice value = {0};
    const enum zv_status status = config_next(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    return read_real(value, to) ? ZV_OK : config_wrong(err, key, "a number");
}
