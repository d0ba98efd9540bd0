#include "step/program_expression.h"

#include <string.h>

#include "base/fail.h"

enum zv_status step_parse_full(struct step_parser *parser, const char *what, int limit)
{
    return zv_fail_line(parser->err, ZV_E_LIMIT, parser->lexer.number, "more than %d %s", limit,
                        what);
}

enum zv_status step_parse_wrong_at(struct step_parser *parser, struct step_place place,
                                   const char *what)
{
    return zv_fail_line(parser->err, ZV_E_SYNTAX, place.line, "column %u: %s", place.column, what);
}

enum zv_status step_parse_wrong(struct step_parser *parser, const char *what)
{
    return step_parse_wrong_at(parser, parser->lexer.token.place, what);
}

static enum zv_status node(struct step_parser *parser, enum step_expression_kind kind,
                           struct step_place place, struct step_expression **to)
{
    *to = zv_arena_alloc(parser->arena, sizeof **to);
    if (*to == NULL) {
        (void)zv_fail_memory(parser->err, "a step's program");
        return ZV_E_NOMEM;
    }
    (*to)->kind = kind;
    (*to)->place = place;
    return ZV_OK;
}

static enum zv_status deeper(struct step_parser *parser)
{
    if (parser->depth == STEP_MAX_NESTING) {
        const struct step_place place = parser->lexer.token.place;
        return zv_fail_line(parser->err, ZV_E_LIMIT, place.line,
                            "column %u: more than %d parentheses in each other", place.column,
                            STEP_MAX_NESTING);
    }
    parser->depth++;
    return ZV_OK;
}

/* NOLINTBEGIN(misc-no-recursion): step_parser.depth counts, STEP_MAX_NESTING at most */
enum zv_status step_parse_several(struct step_parser *parser, struct step_expression **to,
                                  uint32_t *count)
{
    struct step_expression **end = to;
    *count = 0;
    do {
        if (*count == STEP_MAX_ARGUMENTS) {
            const struct step_place place = parser->lexer.token.place;
            return zv_fail_line(parser->err, ZV_E_LIMIT, place.line,
                                "column %u: more than %d of them", place.column,
                                STEP_MAX_ARGUMENTS);
        }
        const enum zv_status status = step_parse_expression(parser, end);
        if (status != ZV_OK) {
            return status;
        }
        if (*end != NULL) {
            end = &(*end)->next;
        }
        ++*count;
    } while (step_lexer_take(&parser->lexer, ","));
    return ZV_OK;
}

/* The items of a list or call up to `end`. */
static enum zv_status items(struct step_parser *parser, struct step_expression *of, const char *end)
{
    enum zv_status status = deeper(parser);
    if (status == ZV_OK && !step_lexer_is(&parser->lexer, end)) {
        status = step_parse_several(parser, &of->first, &of->count);
    }
    if (status != ZV_OK) {
        return status;
    }
    parser->depth--;
    return step_lexer_take(&parser->lexer, end)
               ? ZV_OK
               : step_parse_wrong(parser, end[0] == ')' ? "expected ) or a comma"
                                                        : "expected ] or a comma");
}

static enum zv_status parenthesis(struct step_parser *parser, struct step_expression **to)
{
    enum zv_status status = deeper(parser);
    if (status == ZV_OK) {
        step_lexer_next(&parser->lexer);
        status = step_parse_expression(parser, to);
    }
    if (status != ZV_OK) {
        return status;
    }
    parser->depth--;
    return step_lexer_take(&parser->lexer, ")") ? ZV_OK : step_parse_wrong(parser, "expected )");
}

static enum zv_status atom(struct step_parser *parser, struct step_expression **to)
{
    static const enum step_expression_kind kinds[] = {[TOKEN_NAME] = STEP_NAME,
                                                      [TOKEN_SETTING] = STEP_SETTING,
                                                      [TOKEN_NUMBER] = STEP_NUMBER,
                                                      [TOKEN_SCALAR] = STEP_SCALAR,
                                                      [TOKEN_TEXT] = STEP_TEXT};
    const struct step_token token = parser->lexer.token;
    if (step_lexer_is(&parser->lexer, "(")) {
        return parenthesis(parser, to);
    }
    enum zv_status status;
    if (step_lexer_is(&parser->lexer, "[")) {
        status = node(parser, STEP_LIST, token.place, to);
        step_lexer_next(&parser->lexer);
        return status == ZV_OK ? items(parser, *to, "]") : status;
    }
    if (token.kind == TOKEN_END || token.kind == TOKEN_SIGN || token.kind == TOKEN_WRONG) {
        return step_parse_wrong(parser, token.kind == TOKEN_WRONG ? "this is no sign of a program"
                                                                  : "expected an expression");
    }
    status = node(parser, kinds[token.kind], token.place, to);
    if (status != ZV_OK) {
        return status;
    }
    (*to)->text = token.text;
    (*to)->number = token.number;
    step_lexer_next(&parser->lexer);
    if (token.kind == TOKEN_NAME && step_lexer_take(&parser->lexer, "(")) {
        (*to)->kind = STEP_CALL;
        return items(parser, *to, ")");
    }
    return ZV_OK;
}

/* x[…] and x[…].name */
static enum zv_status postfix(struct step_parser *parser, struct step_expression **to)
{
    enum zv_status status = atom(parser, to);
    while (status == ZV_OK) {
        const struct step_place place = parser->lexer.token.place;
        struct step_expression *outer = NULL;
        struct step_expression *const inner = *to;
        if (step_lexer_take(&parser->lexer, "[")) {
            status = node(parser, STEP_ITEM, place, &outer);
            if (status == ZV_OK && inner != NULL) {
                outer->first = inner;
                status = step_parse_expression(parser, &inner->next);
            }
            if (status == ZV_OK && !step_lexer_take(&parser->lexer, "]")) {
                status = step_parse_wrong(parser, "expected ]");
            }
        } else if (step_lexer_take(&parser->lexer, ".")) {
            if (parser->lexer.token.kind != TOKEN_NAME) {
                return step_parse_wrong(parser, "expected a name after the dot");
            }
            status = node(parser, STEP_MEMBER, place, &outer);
            if (status == ZV_OK && outer != NULL) {
                outer->first = inner;
                outer->text = parser->lexer.token.text;
                step_lexer_next(&parser->lexer);
            }
        } else {
            return ZV_OK;
        }
        *to = outer;
    }
    return status;
}

static enum zv_status unary(struct step_parser *parser, struct step_expression **to)
{
    const struct step_place place = parser->lexer.token.place;
    const bool minus = step_lexer_is(&parser->lexer, "-");
    if (!minus && !step_lexer_is(&parser->lexer, "!")) {
        return postfix(parser, to);
    }
    enum zv_status status = deeper(parser);
    step_lexer_next(&parser->lexer);
    if (status == ZV_OK) {
        status = node(parser, STEP_UNARY, place, to);
    }
    if (status == ZV_OK) {
        (*to)->operator= minus ? STEP_MINUS : STEP_NOT;
        status = unary(parser, &(*to)->first);
        parser->depth--;
    }
    return status;
}

/* Two-sided operators by how strongly they bind. */
static const struct binding {
    const char *sign;
    enum step_operator operator;
    int level;
} bindings[] = {
    {"||", STEP_OR, 1},        {"&&", STEP_AND, 2},        {"==", STEP_EQUAL, 3},
    {"!=", STEP_NOT_EQUAL, 3}, {"<=", STEP_LESS_EQUAL, 4}, {">=", STEP_MORE_EQUAL, 4},
    {"<", STEP_LESS, 4},       {">", STEP_MORE, 4},        {"+", STEP_PLUS, 5},
    {"-", STEP_MINUS, 5},      {"*", STEP_TIMES, 6},       {"//", STEP_FLOOR, 6},
    {"/", STEP_OVER, 6},       {"%", STEP_MODULO, 6},
};
enum { LOWEST_LEVEL = 1 };

static const struct binding *next_binding(const struct step_parser *parser)
{
    const bool is_sign = parser->lexer.token.kind == TOKEN_SIGN;
    for (size_t i = 0; is_sign && i < sizeof bindings / sizeof *bindings; i++) {
        if (step_lexer_is(&parser->lexer, bindings[i].sign)) {
            return &bindings[i];
        }
    }
    return NULL;
}

/* Operators that bind at least as strongly as level; from left to right. */
static enum zv_status binary(struct step_parser *parser, int level, struct step_expression **to)
{
    enum zv_status status = unary(parser, to);
    while (status == ZV_OK) {
        const struct binding *const binding = next_binding(parser);
        if (binding == NULL || binding->level < level) {
            return ZV_OK;
        }
        struct step_expression *outer;
        status = node(parser, STEP_BINARY, parser->lexer.token.place, &outer);
        step_lexer_next(&parser->lexer);
        if (status == ZV_OK) {
            outer->operator= binding->operator;
            outer->first = *to;
            status = binary(parser, binding->level + 1, &outer->first->next);
            *to = outer;
        }
    }
    return status;
}

enum zv_status step_parse_expression(struct step_parser *parser, struct step_expression **to)
{
    enum zv_status status = binary(parser, LOWEST_LEVEL, to);
    while (status == ZV_OK) {
        const struct step_place place = parser->lexer.token.place;
        const bool select = step_lexer_is(&parser->lexer, "?");
        if (!select && !step_lexer_is(&parser->lexer, "??")) {
            return ZV_OK;
        }
        struct step_expression *outer;
        status = deeper(parser);
        if (status == ZV_OK) {
            status = node(parser, select ? STEP_SELECT : STEP_DEFAULT, place, &outer);
        }
        if (status != ZV_OK) {
            return status;
        }
        step_lexer_next(&parser->lexer);
        struct step_expression *const chosen = *to;
        struct step_expression *then = NULL;
        status =
            select ? step_parse_expression(parser, &then) : binary(parser, LOWEST_LEVEL, &then);
        if (status == ZV_OK && select) {
            if (!step_lexer_take(&parser->lexer, ":")) {
                return step_parse_wrong(parser, "expected : and what holds otherwise");
            }
            status = then != NULL ? step_parse_expression(parser, &then->next) : ZV_E_BUG;
        }
        if (status == ZV_OK && chosen != NULL) {
            chosen->next = then;
            outer->first = chosen;
            *to = outer;
        }
        parser->depth--;
    }
    return status;
}
/* NOLINTEND(misc-no-recursion) */
