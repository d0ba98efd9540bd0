#include "runtime/shell_words.h"

#include <string.h>

#include "base/fail.h"
#include "runtime/command_line.h"

struct splitter {
    struct zv_slice in;
    size_t at;
    char *out; /* words one after another, no longer than the input */
    size_t used;
    struct shell_words *words;
    struct zv_error *err;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

static bool at_line_end(const struct splitter *split, size_t at)
{
    return at < split->in.length && (split->in.at[at] == '\n' || split->in.at[at] == '\r');
}

/* Skips white space, comments and the marks with which a line goes on. */
static void skip_blank(struct splitter *split)
{
    while (split->at < split->in.length) {
        const char c = split->in.at[split->at];
        const bool goes_on =
            (c == '\\' || c == '^' || c == '`') &&
            (at_line_end(split, split->at + 1) || split->at + 1 == split->in.length);
        if (is_space(c) || goes_on) {
            split->at++;
        } else if (c == '#') {
            while (split->at < split->in.length && split->in.at[split->at] != '\n') {
                split->at++;
            }
        } else {
            return;
        }
    }
}

static void put(struct splitter *split, char c)
{
    split->out[split->used++] = c;
}

/* Copies up to the closing quote; the opening one is at split->at. */
static enum zv_status quoted(struct splitter *split)
{
    const size_t start = split->at;
    const char quote = split->in.at[split->at++];
    while (split->at < split->in.length) {
        char c = split->in.at[split->at++];
        if (c == quote) {
            return ZV_OK;
        }
        if (c == '\\' && quote == '"' && split->at < split->in.length &&
            strchr("\"\\$`\n", split->in.at[split->at]) != NULL) {
            c = split->in.at[split->at++];
            if (c == '\n') {
                continue;
            }
        }
        put(split, c);
    }
    return zv_fail_at(split->err, ZV_E_SYNTAX, start, "a quote %c that is not closed", quote);
}

static enum zv_status plain(struct splitter *split)
{
    char c = split->in.at[split->at++];
    if (c == '\\' && split->at < split->in.length) {
        c = split->in.at[split->at++];
        if (c == '\r' && at_line_end(split, split->at)) {
            c = split->in.at[split->at++];
        }
        if (c == '\n' || c == '\r') {
            return ZV_OK; /* the line goes on within a word */
        }
    }
    put(split, c);
    return ZV_OK;
}

static bool ends_command(const struct splitter *split)
{
    const char c = split->in.at[split->at];
    return c == '|' || c == ';' || c == '&';
}

/* "> file", "2>&1": a redirection begins at the start of a word. */
static bool is_redirection(struct zv_slice word)
{
    size_t digits = 0;
    while (digits < word.length && zv_is_digit(word.at[digits])) {
        digits++;
    }
    return digits < word.length && word.at[digits] == '>';
}

static enum zv_status next_word(struct splitter *split)
{
    if (split->words->count == ZV_COMMAND_MAX_WORDS) {
        return zv_fail_at(split->err, ZV_E_LIMIT, split->at, "more than %d words",
                          ZV_COMMAND_MAX_WORDS);
    }
    struct shell_word *const word = &split->words->at[split->words->count++];
    *word = (struct shell_word){.offset = split->at};
    word->text.at = split->out + split->used;
    if (ends_command(split)) {
        word->ends = true;
        put(split, split->in.at[split->at++]);
    }
    while (!word->ends && split->at < split->in.length && !is_space(split->in.at[split->at]) &&
           !ends_command(split)) {
        const char c = split->in.at[split->at];
        const enum zv_status status = c == '\'' || c == '"' ? quoted(split) : plain(split);
        if (status != ZV_OK) {
            return status;
        }
    }
    word->text.length = (size_t)(split->out + split->used - word->text.at);
    const struct zv_slice raw = {split->in.at + word->offset, split->at - word->offset};
    word->ends = word->ends || is_redirection(raw);
    return ZV_OK;
}

enum zv_status shell_split(struct shell_words *words, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err)
{
    *words = (struct shell_words){0};
    if (text.length > ZV_COMMAND_LIMIT) {
        return zv_fail(err, ZV_E_LIMIT, "a command line of more than %d bytes", ZV_COMMAND_LIMIT);
    }
    const size_t most =
        text.length / 2 + 1 < ZV_COMMAND_MAX_WORDS ? text.length / 2 + 1 : ZV_COMMAND_MAX_WORDS;
    words->at = zv_arena_array(arena, most + 1, sizeof *words->at);
    struct splitter split = {
        .in = text, .out = zv_arena_alloc(arena, text.length + 1), .words = words, .err = err};
    if (words->at == NULL || split.out == NULL) {
        return zv_fail_memory(err, "a command line");
    }
    enum zv_status status = ZV_OK;
    for (skip_blank(&split); status == ZV_OK && split.at < text.length; skip_blank(&split)) {
        status = next_word(&split);
    }
    return status;
}
