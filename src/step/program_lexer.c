#include "step/program_lexer.h"

#include <string.h>

static char at(const struct step_lexer *lexer, size_t i)
{
    return i < lexer->line.length ? lexer->line.at[i] : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Names with dots: a dot belongs to a name only between two of its parts. */
static size_t name_end(const struct step_lexer *lexer, size_t i)
{
    while (zv_is_letter(at(lexer, i)) || zv_is_digit(at(lexer, i)) ||
           (at(lexer, i) == '.' &&
            (zv_is_letter(at(lexer, i + 1)) || zv_is_digit(at(lexer, i + 1))))) {
        i++;
    }
    return i;
}

static size_t read_number(struct step_lexer *lexer, size_t i)
{
    struct step_token *const token = &lexer->token;
    token->kind = TOKEN_NUMBER;
    for (; zv_is_digit(at(lexer, i)); i++) {
        if (__builtin_mul_overflow(token->number, 10, &token->number) ||
            __builtin_add_overflow(token->number, at(lexer, i) - '0', &token->number)) {
            token->kind = TOKEN_WRONG;
        }
    }
    if (at(lexer, i) == '.' || at(lexer, i) == 'e') {
        token->kind = TOKEN_SCALAR;
        while (zv_is_digit(at(lexer, i)) || at(lexer, i) == '.' || at(lexer, i) == 'e' ||
               (at(lexer, i) == '-' && at(lexer, i - 1) == 'e')) {
            i++;
        }
    }
    return i;
}

static size_t read_text(struct step_lexer *lexer, size_t i)
{
    size_t end = i + 1;
    while (end < lexer->line.length && at(lexer, end) != '"') {
        end++;
    }
    lexer->token.kind = end < lexer->line.length ? TOKEN_TEXT : TOKEN_WRONG;
    lexer->token.text = (struct zv_slice){lexer->line.at + i + 1, end - i - 1};
    return end + 1;
}

static size_t read_sign(struct step_lexer *lexer, size_t i)
{
    static const char *const two[] = {"==", "!=", "<=", ">=", "&&", "||", "//", "??"};
    static const char one[] = "()[],=<>+-*/%?:!{}.|";
    for (size_t k = 0; k < sizeof two / sizeof *two; k++) {
        if (at(lexer, i) == two[k][0] && at(lexer, i + 1) == two[k][1]) {
            lexer->token.kind = TOKEN_SIGN;
            return i + 2;
        }
    }
    lexer->token.kind = strchr(one, at(lexer, i)) != NULL ? TOKEN_SIGN : TOKEN_WRONG;
    return i + 1;
}

void step_lexer_next(struct step_lexer *lexer)
{
    size_t i = lexer->at;
    while (is_blank(at(lexer, i))) {
        i++;
    }
    struct step_token *const token = &lexer->token;
    *token = (struct step_token){.place = {lexer->number, (uint32_t)i + 1}};
    const char c = at(lexer, i);
    size_t end;
    if (i >= lexer->line.length || c == '#') {
        token->kind = TOKEN_END;
        lexer->at = lexer->line.length;
        return;
    }
    if (c == '"') {
        lexer->at = read_text(lexer, i);
        return;
    }
    if (zv_is_letter(c)) {
        token->kind = TOKEN_NAME;
        end = name_end(lexer, i);
    } else if (c == '$' && zv_is_letter(at(lexer, i + 1))) {
        token->kind = TOKEN_SETTING;
        end = name_end(lexer, ++i);
    } else if (zv_is_digit(c)) {
        end = read_number(lexer, i);
    } else {
        end = read_sign(lexer, i);
    }
    token->text = (struct zv_slice){lexer->line.at + i, end - i};
    lexer->at = end;
}

void step_lexer_start(struct step_lexer *lexer, struct zv_slice line, uint32_t number)
{
    *lexer = (struct step_lexer){.line = line, .number = number};
    step_lexer_next(lexer);
}

bool step_lexer_is(const struct step_lexer *lexer, const char *text)
{
    const struct step_token *const token = &lexer->token;
    return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) &&
           token->text.at[0] == text[0] && zv_slice_equal(token->text, text);
}

bool step_lexer_take(struct step_lexer *lexer, const char *text)
{
    if (!step_lexer_is(lexer, text)) {
        return false;
    }
    step_lexer_next(lexer);
    return true;
}
