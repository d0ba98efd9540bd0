#include "model/family_expression.h"

#include <string.h>

#include "base/fail.h"
#include "model/family_compiler.h"

/* ---- operators ---- */

struct sign {
    const char *text;
    enum family_op op;
    int rank; /* binds tighter the higher */
};

/* Longer signs first. "?" and ":" have rank 1, "??" 2. */
static const struct sign signs[] = {
    {"??", OP_ELSE, 2},       {"||", OP_OR, 3},        {"&&", OP_AND, 4},
    {"==", OP_EQUAL, 5},      {"!=", OP_NOT_EQUAL, 5}, {"<=", OP_LESS_EQUAL, 5},
    {">=", OP_MORE_EQUAL, 5}, {"<", OP_LESS, 5},       {">", OP_MORE, 5},
    {"+", OP_ADD, 6},         {"-", OP_SUB, 6},        {"*", OP_MUL, 7},
    {"//", OP_FLOOR, 7},      {"/", OP_DIV, 7},        {"%", OP_MOD, 7},
    {"|", OP_DEFAULT, 9},
};

enum { RANK_SELECT = 1 };

/* Words and signs that end an expression outside parentheses. */
static const char *const enders[] = {"->", ",", "]", "bias", "if", "as", "at", "under", "else"};

enum zv_status family_compile_wrong(const struct family_compiler *compiler, const char *what)
{
    const struct zv_slice rest = compiler->cursor->rest;
    return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line, "%s, at \"%.*s\"", what,
                        (int)(rest.length < 40 ? rest.length : 40), rest.at);
}

enum zv_status family_compile_emit(struct family_compiler *compiler, struct family_step step)
{
    if (compiler->count == FAMILY_MAX_STEPS) {
        return zv_fail_line(compiler->err, ZV_E_LIMIT, compiler->cursor->line,
                            "an expression of more than %d steps", FAMILY_MAX_STEPS);
    }
    compiler->depth += 1U - (uint32_t)family_op_takes(step.op);
    if (compiler->depth > FAMILY_MAX_STACK) {
        return zv_fail_line(compiler->err, ZV_E_LIMIT, compiler->cursor->line,
                            "an expression with more than %d values open", FAMILY_MAX_STACK);
    }
    compiler->steps[compiler->count++] = step;
    return ZV_OK;
}

enum zv_status family_compile_push(struct family_compiler *compiler, struct family_waiting waiting)
{
    if (compiler->open == FAMILY_MAX_STACK) {
        return zv_fail_line(compiler->err, ZV_E_LIMIT, compiler->cursor->line,
                            "more than %d operators and parentheses open", FAMILY_MAX_STACK);
    }
    compiler->waiting[compiler->open++] = waiting;
    return ZV_OK;
}

/* Emits waiting operators that bind at least as tight as rank. */
static enum zv_status settle(struct family_compiler *compiler, int rank)
{
    while (compiler->open != 0) {
        const struct family_waiting top = compiler->waiting[compiler->open - 1];
        if (top.kind != WAIT_OPERATOR || top.rank < rank) {
            break;
        }
        compiler->open--;
        const enum zv_status status =
            family_compile_emit(compiler, (struct family_step){.op = top.op});
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* ---- between and after values ---- */

static bool ends_here(struct family_compiler *compiler)
{
    if (family_cursor_at_end(compiler->cursor)) {
        return true;
    }
    for (uint32_t i = 0; i < compiler->open; i++) {
        const enum family_waiting_kind kind = compiler->waiting[i].kind;
        if (kind == WAIT_PAREN || kind == WAIT_CALL || kind == WAIT_INDEX) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof enders / sizeof *enders; i++) {
        if (family_cursor_is(compiler->cursor, enders[i])) {
            return true;
        }
    }
    return false;
}

/* ")" or "]": everything since the opening sign is complete. */
static enum zv_status close(struct family_compiler *compiler, bool bracket)
{
    enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0) {
        return family_compile_wrong(compiler, "a closing sign that nothing opened");
    }
    const struct family_waiting top = compiler->waiting[--compiler->open];
    if (top.kind == WAIT_QUESTION || bracket != (top.kind == WAIT_INDEX)) {
        return family_compile_wrong(compiler, "parentheses that do not match");
    }
    if (top.kind == WAIT_CALL && top.arguments != family_function_takes(top.op)) {
        return family_compile_wrong(compiler, "a function with too few or too many arguments");
    }
    return top.kind == WAIT_PAREN
               ? ZV_OK
               : family_compile_emit(compiler, (struct family_step){.op = top.op});
}

static enum zv_status take_comma(struct family_compiler *compiler)
{
    const enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0 || compiler->waiting[compiler->open - 1].kind != WAIT_CALL) {
        return family_compile_wrong(compiler, "a comma outside a function");
    }
    compiler->waiting[compiler->open - 1].arguments++;
    return ZV_OK;
}

/* ":" turns the waiting "?" into the operator that takes three values. */
static enum zv_status take_colon(struct family_compiler *compiler)
{
    const enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0 || compiler->waiting[compiler->open - 1].kind != WAIT_QUESTION) {
        return family_compile_wrong(compiler, "a colon without its question mark");
    }
    compiler->waiting[compiler->open - 1] =
        (struct family_waiting){WAIT_OPERATOR, OP_SELECT, RANK_SELECT, 0};
    return ZV_OK;
}

/* After a value. *operand: a value is complete again (after a closing sign). */
static enum zv_status take_operator(struct family_compiler *compiler, bool *operand)
{
    struct family_cursor *const cursor = compiler->cursor;
    *operand = false;
    if (family_cursor_take(cursor, ")") || family_cursor_take(cursor, "]")) {
        *operand = true;
        return close(compiler, cursor->rest.at[-1] == ']');
    }
    if (family_cursor_take(cursor, "[")) {
        return family_compile_push(compiler, (struct family_waiting){WAIT_INDEX, OP_ITEM, 0, 0});
    }
    if (family_cursor_take(cursor, ",")) {
        return take_comma(compiler);
    }
    if (family_cursor_take(cursor, ":")) {
        return take_colon(compiler);
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (family_cursor_take(cursor, signs[i].text)) {
            /* ?? groups to the right like ?:, the others to the left */
            const enum zv_status status =
                settle(compiler, signs[i].rank + (signs[i].op == OP_ELSE));
            return status != ZV_OK
                       ? status
                       : family_compile_push(
                             compiler,
                             (struct family_waiting){WAIT_OPERATOR, signs[i].op, signs[i].rank, 0});
        }
    }
    if (family_cursor_take(cursor, "?")) {
        const enum zv_status status = settle(compiler, RANK_SELECT + 1);
        return status != ZV_OK
                   ? status
                   : family_compile_push(compiler, (struct family_waiting){WAIT_QUESTION, OP_SELECT,
                                                                           RANK_SELECT, 0});
    }
    return family_compile_wrong(compiler, "an operator is expected");
}

static enum zv_status compile(struct family_compiler *compiler)
{
    bool operand = false;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && !(operand && ends_here(compiler))) {
        status = operand ? take_operator(compiler, &operand)
                         : family_compile_operand(compiler, &operand);
    }
    if (status == ZV_OK) {
        status = settle(compiler, 0);
    }
    if (status == ZV_OK && compiler->open != 0) {
        status = family_compile_wrong(compiler, "an expression with something left open");
    }
    return status;
}

size_t family_op_takes(enum family_op op)
{
    if (op <= OP_TYPE) {
        return 0;
    }
    if (op == OP_NOT || op == OP_MINUS || op == OP_COUNT || op == OP_EXISTS) {
        return 1;
    }
    return op == OP_SELECT ? 3 : 2;
}

enum zv_status family_expression_parse(struct family_expression *to, struct family_cursor *cursor,
                                       const struct family *family, bool keys_only,
                                       struct zv_arena *arena, struct zv_error *err)
{
    struct family_compiler compiler = {
        .cursor = cursor, .family = family, .keys_only = keys_only, .err = err};
    const enum zv_status status = compile(&compiler);
    if (status != ZV_OK) {
        return status;
    }
    struct family_step *const steps = zv_arena_array(arena, compiler.count, sizeof *compiler.steps);
    if (steps == NULL) {
        return zv_fail_memory(err, "a family table");
    }
    memcpy(steps, compiler.steps, compiler.count * sizeof *steps);
    *to =
        (struct family_expression){steps, compiler.count, compiler.per_layer, compiler.per_expert};
    return ZV_OK;
}
