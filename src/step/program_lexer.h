/* The words and signs of one line of a program. */
#ifndef ZIRVE_STEP_PROGRAM_LEXER_H
#define ZIRVE_STEP_PROGRAM_LEXER_H

#include "step/program.h"

enum step_token_kind {
    TOKEN_END,
    TOKEN_NAME,    /* letters, digits, _ and dots between them */
    TOKEN_SETTING, /* $name */
    TOKEN_NUMBER,
    TOKEN_SCALAR,
    TOKEN_TEXT, /* in quotes, without them */
    TOKEN_SIGN, /* one or two characters */
    TOKEN_WRONG
};

struct step_token {
    enum step_token_kind kind;
    struct zv_slice text;
    int64_t number;
    struct step_place place;
};

struct step_lexer {
    struct zv_slice line; /* whole */
    size_t at;
    uint32_t number;         /* of the line */
    struct step_token token; /* the next one */
};

void step_lexer_start(struct step_lexer *lexer, struct zv_slice line, uint32_t number);
void step_lexer_next(struct step_lexer *lexer);

/* Whether the next token is this sign or word; takes it when it is. */
bool step_lexer_is(const struct step_lexer *lexer, const char *text);
bool step_lexer_take(struct step_lexer *lexer, const char *text);

#endif
