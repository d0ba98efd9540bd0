#include "probe/python_text.h"

#include <string.h>

enum { MAX_VALUE = 64 };

/* Quotes off; a comment behind the value goes. */
static bool unquote(struct zv_slice text, struct zv_slice *value)
{
    text = zv_slice_trim(text);
    if (text.length != 0 && (text.at[0] == '\'' || text.at[0] == '"')) {
        const char *const end = memchr(text.at + 1, text.at[0], text.length - 1);
        if (end == NULL) {
            return false;
        }
        text = (struct zv_slice){text.at + 1, (size_t)(end - text.at - 1)};
    } else {
        text = zv_slice_trim(zv_slice_cut(&text, '#'));
    }
    *value = text;
    return text.length != 0 && text.length <= MAX_VALUE;
}

bool python_text_value(struct zv_slice text, const char *key, struct zv_slice *value)
{
    struct zv_slice line;
    const size_t skip = strlen(key);
    while (zv_slice_line(&text, &line)) {
        if (!zv_slice_starts(line, key)) {
            continue;
        }
        struct zv_slice rest = zv_slice_trim((struct zv_slice){line.at + skip, line.length - skip});
        if (rest.length == 0 || (rest.at[0] != '=' && rest.at[0] != ':')) {
            continue;
        }
        (void)zv_slice_cut(&rest, '=');
        if (unquote(rest, value)) {
            return true;
        }
    }
    return false;
}

bool python_text_define(struct zv_slice text, const char *name, struct zv_slice *value)
{
    struct zv_slice line;
    while (zv_slice_line(&text, &line)) {
        struct zv_slice word;
        if (zv_slice_word(&line, &word) && zv_slice_equal(word, "#define") &&
            zv_slice_word(&line, &word) && zv_slice_equal(word, name)) {
            return unquote(line, value);
        }
    }
    return false;
}
