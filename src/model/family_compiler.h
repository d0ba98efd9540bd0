/* An expression on its way to steps: what family_expression.c and family_operand.c share. */
#ifndef ZIRVE_MODEL_FAMILY_COMPILER_H
#define ZIRVE_MODEL_FAMILY_COMPILER_H

#include "model/family_expression.h"

/* What waits on the operator stack: an operator, or an opening sign. */
enum family_waiting_kind { WAIT_OPERATOR, WAIT_PAREN, WAIT_CALL, WAIT_INDEX, WAIT_QUESTION };

struct family_waiting {
    enum family_waiting_kind kind;
    enum family_op op;
    int rank;
    uint32_t arguments; /* WAIT_CALL: how many so far */
};

enum { FAMILY_RANK_UNARY = 8 };

struct family_compiler {
    struct family_cursor *cursor;
    const struct family *family;
    bool keys_only;
    struct family_step steps[FAMILY_MAX_STEPS];
    uint32_t count;
    uint32_t depth; /* values on the stack after the steps so far */
    struct family_waiting waiting[FAMILY_MAX_STACK];
    uint32_t open;
    bool per_layer;
    bool per_expert;
    struct zv_error *err;
};

/* A failure at the cursor, with what stands there. */
enum zv_status family_compile_wrong(const struct family_compiler *compiler, const char *what);

enum zv_status family_compile_emit(struct family_compiler *compiler, struct family_step step);
enum zv_status family_compile_push(struct family_compiler *compiler, struct family_waiting waiting);

/* Where a value may start. *operand: a value was completed. family_operand.c */
enum zv_status family_compile_operand(struct family_compiler *compiler, bool *operand);
uint32_t family_function_takes(enum family_op op); /* arguments; 0: it is no function */

#endif
