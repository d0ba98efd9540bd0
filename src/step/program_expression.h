/* Expressions of a program: from words and signs to a tree. */
#ifndef ZIRVE_STEP_PROGRAM_EXPRESSION_H
#define ZIRVE_STEP_PROGRAM_EXPRESSION_H

#include "step/program_lexer.h"

struct step_parser {
    struct zv_arena *arena;
    struct zv_error *err;
    struct step_lexer lexer;
    struct step_procedure *procedure; /* being read */
    uint32_t depth;                   /* of parentheses */
};

/* Records a failure at the next token; always ZV_E_SYNTAX. */
enum zv_status step_parse_wrong(struct step_parser *parser, const char *what);
enum zv_status step_parse_wrong_at(struct step_parser *parser, struct step_place place,
                                   const char *what);

/* Records that there are too many of what; always ZV_E_LIMIT. */
enum zv_status step_parse_full(struct step_parser *parser, const char *what, int limit);

/* Reads one expression; *to is NULL on failure. */
enum zv_status step_parse_expression(struct step_parser *parser, struct step_expression **to);

/* Expressions separated by commas, chained; at least one. */
enum zv_status step_parse_several(struct step_parser *parser, struct step_expression **to,
                                  uint32_t *count);

#endif
