/* The statements of a procedure: from lines to a chain, and the blocks that are open on the way. */
#ifndef ZIRVE_STEP_PROGRAM_STATEMENT_H
#define ZIRVE_STEP_PROGRAM_STATEMENT_H

#include "step/program_expression.h"

/* A block that is open: where its next statement goes. */
struct step_block {
    struct step_statement **end;
    struct step_statement *owner; /* NULL: the procedure */
    bool in_otherwise;
};

struct step_statements {
    struct step_parser *parser;
    struct step_block open[STEP_MAX_NESTING];
    size_t count;
};

/* Of parser->procedure. */
void step_statements_begin(struct step_statements *body, struct step_parser *parser);

/* Reads the line that the parser's lexer stands at the start of, but not its end. */
enum zv_status step_read_statement(struct step_statements *body);

/* Complains of a block without its end. */
enum zv_status step_statements_end(struct step_statements *body);

/* Makes a name a variable of parser->procedure, unless it is one. */
enum zv_status step_add_local(struct step_parser *parser, struct zv_slice name);
bool step_is_plain(struct zv_slice name); /* without a dot */

#endif
