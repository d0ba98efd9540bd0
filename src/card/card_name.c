#include "card/card_name.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_word(char c)
{
    return zv_is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '.';
}

/* Words that stick to a number without being part of the model's name. */
static bool splits_after(const char *word, size_t length)
{
    static const char *const fronts[] = {"rtx", "gtx", "rx"};
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        if (strlen(fronts[i]) == length && memcmp(word, fronts[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static bool splits_before(const char *word)
{
    static const char *const backs[] = {"ti", "super", "xtx", "xt"};
    for (size_t i = 0; i < sizeof backs / sizeof backs[0]; i++) {
        if (strcmp(word, backs[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(struct card_tokens *tokens, const char *word, size_t length)
{
    if (length == 0) {
        return true;
    }
    if (tokens->count == CARD_MAX_TOKENS || length >= CARD_TOKEN_TEXT) {
        return false;
    }
    memcpy(tokens->words[tokens->count], word, length);
    tokens->words[tokens->count++][length] = 0;
    return true;
}

/* Splits "rtx4090" and "3090ti"; leaves "a100", "sxm4", "24gb" and "3g.20gb" whole. */
static bool add_split(struct card_tokens *tokens, const char *word, size_t length)
{
    size_t letters = 0;
    while (letters < length && !zv_is_digit(word[letters])) {
        letters++;
    }
    if (letters < length && splits_after(word, letters)) {
        if (!add(tokens, word, letters)) {
            return false;
        }
        word += letters;
        length -= letters;
    }
    size_t digits = 0;
    while (digits < length && zv_is_digit(word[digits])) {
        digits++;
    }
    if (digits != 0 && digits < length && splits_before(word + digits)) {
        return add(tokens, word, digits) && add(tokens, word + digits, length - digits);
    }
    return add(tokens, word, length);
}

bool card_tokens_read(struct card_tokens *tokens, struct zv_slice name)
{
    *tokens = (struct card_tokens){0};
    char word[CARD_TOKEN_TEXT];
    size_t length = 0;
    for (size_t i = 0; i <= name.length; i++) {
        if (i < name.length && is_word(name.at[i])) {
            if (length + 1 >= sizeof word) {
                return false;
            }
            word[length++] = lower(name.at[i]);
            continue;
        }
        word[length] = 0;
        if (!add_split(tokens, word, length)) {
            return false;
        }
        length = 0;
    }
    return true;
}

bool card_tokens_have(const struct card_tokens *tokens, const char *word)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (strcmp(tokens->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

bool card_same_name(struct zv_slice a, struct zv_slice b)
{
    if (a.length != b.length) {
        return false;
    }
    for (size_t i = 0; i < a.length; i++) {
        if (lower(a.at[i]) != lower(b.at[i])) {
            return false;
        }
    }
    return true;
}
