/* Splitting a pasted command line into words, as a POSIX shell does; nothing is expanded. */
#ifndef ZIRVE_RUNTIME_SHELL_WORDS_H
#define ZIRVE_RUNTIME_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct shell_word {
    struct zv_slice text; /* quotes taken off */
    size_t offset;        /* byte of the input where it starts */
    bool ends;            /* '|', ';', '&', a redirection: the command ends here */
};

struct shell_words {
    struct shell_word *at;
    size_t count;
};

/*
 * A line break is white space (a backslash, ^ or ` before it is dropped); '#' at the start of a
 * word begins a comment. Errors: ZV_E_SYNTAX (a quote that is not closed, with its offset),
 * ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status shell_split(struct shell_words *words, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err);

#endif
