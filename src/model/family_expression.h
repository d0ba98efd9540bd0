/* Expressions of a family table: from text to the steps of a stack machine (shunting-yard). */
#ifndef ZIRVE_MODEL_FAMILY_EXPRESSION_H
#define ZIRVE_MODEL_FAMILY_EXPRESSION_H

#include "model/family.h"
#include "model/family_cursor.h"

/*
 * Reads the longest expression at the cursor: up to a comma, "]", "->", "bias", "if", "as", "at",
 * "under", "else" or the line's end outside parentheses. Names are those of the definitions that
 * family has so far. keys_only: definitions and i, e may not be used.
 */
enum zv_status family_expression_parse(struct family_expression *to, struct family_cursor *cursor,
                                       const struct family *family, bool keys_only,
                                       struct zv_arena *arena, struct zv_error *err);

/* How many values an operation takes off the stack; 0 for an operand. */
size_t family_op_takes(enum family_op op);

#endif
