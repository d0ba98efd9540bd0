#include "model/family_cursor.h"

#include <string.h>

void family_cursor_skip(struct family_cursor *cursor, size_t count)
{
    cursor->rest.at += count;
    cursor->rest.length -= count;
}

static void skip_blanks(struct family_cursor *cursor)
{
    while (cursor->rest.length != 0 && (cursor->rest.at[0] == ' ' || cursor->rest.at[0] == '\t')) {
        family_cursor_skip(cursor, 1);
    }
}

bool family_cursor_at_end(struct family_cursor *cursor)
{
    skip_blanks(cursor);
    return cursor->rest.length == 0;
}

bool family_cursor_is(struct family_cursor *cursor, const char *word)
{
    skip_blanks(cursor);
    const size_t length = strlen(word);
    if (!zv_slice_starts(cursor->rest, word)) {
        return false;
    }
    if (!zv_is_letter(word[0]) || cursor->rest.length == length) {
        return true;
    }
    const char after = cursor->rest.at[length];
    return !zv_is_letter(after) && !zv_is_digit(after);
}

bool family_cursor_take(struct family_cursor *cursor, const char *word)
{
    if (!family_cursor_is(cursor, word)) {
        return false;
    }
    family_cursor_skip(cursor, strlen(word));
    return true;
}

struct zv_slice family_cursor_word(struct family_cursor *cursor)
{
    struct zv_slice word = {0};
    return zv_slice_word(&cursor->rest, &word) ? word : (struct zv_slice){0};
}

struct zv_slice family_cursor_name(struct family_cursor *cursor, bool path)
{
    size_t length = 0;
    while (length < cursor->rest.length) {
        const char c = cursor->rest.at[length];
        if (!zv_is_letter(c) && !zv_is_digit(c) && c != '.' && !(path && length == 0 && c == '/')) {
            break;
        }
        length++;
    }
    const struct zv_slice name = {cursor->rest.at, length};
    family_cursor_skip(cursor, length);
    return name;
}
