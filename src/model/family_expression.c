#include "model/family_expression.h"

#include <string.h>

#include "base/fail.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip(struct family_cursor *cursor, size_t count)
{
    cursor->rest.at += count;
    cursor->rest.length -= count;
}

static void skip_blanks(struct family_cursor *cursor)
{
    while (cursor->rest.length != 0 && (cursor->rest.at[0] == ' ' || cursor->rest.at[0] == '\t')) {
        skip(cursor, 1);
    }
}

bool family_cursor_at_end(struct family_cursor *cursor)
{
    skip_blanks(cursor);
    return cursor->rest.length == 0;
}

static bool next_is(struct family_cursor *cursor, const char *word)
{
    skip_blanks(cursor);
    const size_t length = strlen(word);
    if (!zv_slice_starts(cursor->rest, word)) {
        return false;
    }
    if (!is_letter(word[0]) || cursor->rest.length == length) {
        return true;
    }
    const char after = cursor->rest.at[length];
    return !is_letter(after) && !is_digit(after);
}

bool family_cursor_take(struct family_cursor *cursor, const char *word)
{
    if (!next_is(cursor, word)) {
        return false;
    }
    skip(cursor, strlen(word));
    return true;
}

struct zv_slice family_cursor_word(struct family_cursor *cursor)
{
    struct zv_slice word = {0};
    return zv_slice_word(&cursor->rest, &word) ? word : (struct zv_slice){0};
}

/* ---- operators ---- */

/* What waits on the operator stack: an operator, or an opening sign. */
enum waiting_kind { WAIT_OPERATOR, WAIT_PAREN, WAIT_CALL, WAIT_INDEX, WAIT_QUESTION };

struct waiting {
    enum waiting_kind kind;
    enum family_op op;
    int rank;
    uint32_t arguments; /* WAIT_CALL: how many so far */
};

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

enum { RANK_SELECT = 1, RANK_UNARY = 8 };

struct function {
    const char *name;
    enum family_op op;
    uint32_t arguments;
};

static const struct function functions[] = {
    {"min", OP_MIN, 2},     {"max", OP_MAX, 2},       {"ceil_div", OP_CEIL, 2},
    {"align", OP_ALIGN, 2}, {"count", OP_COUNT, 1},   {"starts", OP_STARTS, 2},
    {"ends", OP_ENDS, 2},   {"has", OP_HAS, 2},       {"each", OP_EACH, 2},
    {"below", OP_BELOW, 2}, {"exists", OP_EXISTS, 1}, {"portion", OP_PORTION, 2},
};

/* Words and signs that end an expression outside parentheses. */
static const char *const enders[] = {"->", ",", "]", "bias", "if", "as", "at", "under", "else"};

struct compiler {
    struct family_cursor *cursor;
    const struct family *family;
    bool keys_only;
    struct family_step steps[FAMILY_MAX_STEPS];
    uint32_t count;
    uint32_t depth; /* values on the stack after the steps so far */
    struct waiting waiting[FAMILY_MAX_STACK];
    uint32_t open;
    bool per_layer;
    bool per_expert;
    struct zv_error *err;
};

static enum zv_status wrong(const struct compiler *compiler, const char *what)
{
    const struct zv_slice rest = compiler->cursor->rest;
    return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line, "%s, at \"%.*s\"", what,
                        (int)(rest.length < 40 ? rest.length : 40), rest.at);
}

static enum zv_status emit(struct compiler *compiler, struct family_step step)
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

static enum zv_status push(struct compiler *compiler, struct waiting waiting)
{
    if (compiler->open == FAMILY_MAX_STACK) {
        return zv_fail_line(compiler->err, ZV_E_LIMIT, compiler->cursor->line,
                            "more than %d operators and parentheses open", FAMILY_MAX_STACK);
    }
    compiler->waiting[compiler->open++] = waiting;
    return ZV_OK;
}

/* Emits waiting operators that bind at least as tight as rank. */
static enum zv_status settle(struct compiler *compiler, int rank)
{
    while (compiler->open != 0) {
        const struct waiting top = compiler->waiting[compiler->open - 1];
        if (top.kind != WAIT_OPERATOR || top.rank < rank) {
            break;
        }
        compiler->open--;
        const enum zv_status status = emit(compiler, (struct family_step){.op = top.op});
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* ---- operands ---- */

static struct zv_slice take_name(struct family_cursor *cursor, bool path)
{
    size_t length = 0;
    while (length < cursor->rest.length) {
        const char c = cursor->rest.at[length];
        if (!is_letter(c) && !is_digit(c) && c != '.' && !(path && length == 0 && c == '/')) {
            break;
        }
        length++;
    }
    const struct zv_slice name = {cursor->rest.at, length};
    skip(cursor, length);
    return name;
}

static enum zv_status take_string(struct compiler *compiler)
{
    struct family_cursor *const cursor = compiler->cursor;
    skip(cursor, 1);
    const char *const end = memchr(cursor->rest.at, '"', cursor->rest.length);
    if (end == NULL) {
        return wrong(compiler, "a text without its closing quote");
    }
    const struct zv_slice text = {cursor->rest.at, (size_t)(end - cursor->rest.at)};
    skip(cursor, text.length + 1);
    return emit(compiler, (struct family_step){.op = OP_STRING, .text = text});
}

static enum zv_status take_number(struct compiler *compiler)
{
    struct family_cursor *const cursor = compiler->cursor;
    size_t length = 0;
    while (length < cursor->rest.length && is_digit(cursor->rest.at[length])) {
        length++;
    }
    uint64_t number = 0;
    if (!zv_slice_u64((struct zv_slice){cursor->rest.at, length}, &number) || number > INT64_MAX) {
        return wrong(compiler, "a number above 2^63");
    }
    skip(cursor, length);
    return emit(compiler, (struct family_step){.op = OP_NUMBER, .number = (int64_t)number});
}

static enum zv_status take_part(struct compiler *compiler, struct zv_slice name)
{
    struct zv_slice rest = name;
    const struct zv_slice role = zv_slice_cut(&rest, '.');
    for (size_t i = 0; i < compiler->family->part_count; i++) {
        if (zv_slice_same(compiler->family->parts[i].role, role)) {
            return emit(compiler,
                        (struct family_step){.op = OP_PART, .index = (uint32_t)i, .text = rest});
        }
    }
    return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line,
                        "no part named \"%.*s\" stands above", (int)role.length, role.at);
}

/* The built-in names; false when it is none. */
static bool builtin(struct zv_slice name, struct family_step *step)
{
    static const struct {
        const char *name;
        enum family_op op;
        int64_t number;
    } names[] = {{"true", OP_NUMBER, 1}, {"false", OP_NUMBER, 0}, {"null", OP_NULL, 0},
                 {"i", OP_LAYER, 0},     {"e", OP_EXPERT, 0},     {"class", OP_CLASS, 0},
                 {"type", OP_TYPE, 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (zv_slice_equal(name, names[i].name)) {
            *step = (struct family_step){.op = names[i].op, .number = names[i].number};
            return true;
        }
    }
    return false;
}

static enum zv_status take_definition(struct compiler *compiler, struct zv_slice name)
{
    struct family_step step;
    if (builtin(name, &step)) {
        compiler->per_layer |= step.op == OP_LAYER;
        compiler->per_expert |= step.op == OP_EXPERT;
        if (compiler->keys_only && (step.op == OP_LAYER || step.op == OP_EXPERT)) {
            return wrong(compiler, "only config keys may be used here");
        }
        return emit(compiler, step);
    }
    if (compiler->keys_only) {
        return wrong(compiler, "only config keys may be used here");
    }
    if (memchr(name.at, '.', name.length) != NULL) {
        return take_part(compiler, name);
    }
    const int index = family_find_definition(compiler->family, name);
    if (index < 0) {
        return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line,
                            "\"%.*s\" is not defined above", (int)name.length, name.at);
    }
    compiler->per_layer |= compiler->family->definitions[index].value.per_layer;
    compiler->per_expert |= compiler->family->definitions[index].value.per_expert;
    return emit(compiler, (struct family_step){.op = OP_NAME, .index = (uint32_t)index});
}

/* A name: a function with its opening parenthesis, or something with a value. */
static enum zv_status take_word(struct compiler *compiler, bool *operand)
{
    const struct zv_slice name = take_name(compiler->cursor, false);
    if (compiler->cursor->rest.length != 0 && compiler->cursor->rest.at[0] == '(') {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            if (zv_slice_equal(name, functions[i].name)) {
                skip(compiler->cursor, 1);
                return push(compiler, (struct waiting){WAIT_CALL, functions[i].op, 0, 1});
            }
        }
        return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line,
                            "no function named \"%.*s\"", (int)name.length, name.at);
    }
    *operand = true;
    return take_definition(compiler, name);
}

/* Where a value may start. *operand: a value was completed. */
static enum zv_status take_operand(struct compiler *compiler, bool *operand)
{
    struct family_cursor *const cursor = compiler->cursor;
    *operand = false;
    if (family_cursor_at_end(cursor)) {
        return wrong(compiler, "an expression is cut off");
    }
    const char c = cursor->rest.at[0];
    if (c == '(') {
        skip(cursor, 1);
        return push(compiler, (struct waiting){WAIT_PAREN, OP_NULL, 0, 0});
    }
    if (c == '!' || (c == '-' && !next_is(cursor, "->"))) {
        skip(cursor, 1);
        return push(compiler,
                    (struct waiting){WAIT_OPERATOR, c == '!' ? OP_NOT : OP_MINUS, RANK_UNARY, 0});
    }
    if (is_letter(c)) {
        return take_word(compiler, operand);
    }
    *operand = true;
    if (c == '@') {
        skip(cursor, 1);
        const struct zv_slice path = take_name(cursor, true);
        if (path.length == 0) {
            return wrong(compiler, "a config key is expected after @");
        }
        return emit(compiler, (struct family_step){.op = OP_KEY, .text = path});
    }
    if (c == '"') {
        return take_string(compiler);
    }
    return is_digit(c) ? take_number(compiler) : wrong(compiler, "a value is expected");
}

/* ---- between and after values ---- */

static bool ends_here(struct compiler *compiler)
{
    if (family_cursor_at_end(compiler->cursor)) {
        return true;
    }
    for (uint32_t i = 0; i < compiler->open; i++) {
        const enum waiting_kind kind = compiler->waiting[i].kind;
        if (kind == WAIT_PAREN || kind == WAIT_CALL || kind == WAIT_INDEX) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof enders / sizeof *enders; i++) {
        if (next_is(compiler->cursor, enders[i])) {
            return true;
        }
    }
    return false;
}

static uint32_t arguments_of(enum family_op op)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].op == op) {
            return functions[i].arguments;
        }
    }
    return 0;
}

/* ")" or "]": everything since the opening sign is complete. */
static enum zv_status close(struct compiler *compiler, bool bracket)
{
    enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0) {
        return wrong(compiler, "a closing sign that nothing opened");
    }
    const struct waiting top = compiler->waiting[--compiler->open];
    if (top.kind == WAIT_QUESTION || bracket != (top.kind == WAIT_INDEX)) {
        return wrong(compiler, "parentheses that do not match");
    }
    if (top.kind == WAIT_CALL && top.arguments != arguments_of(top.op)) {
        return wrong(compiler, "a function with too few or too many arguments");
    }
    return top.kind == WAIT_PAREN ? ZV_OK : emit(compiler, (struct family_step){.op = top.op});
}

static enum zv_status take_comma(struct compiler *compiler)
{
    const enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0 || compiler->waiting[compiler->open - 1].kind != WAIT_CALL) {
        return wrong(compiler, "a comma outside a function");
    }
    compiler->waiting[compiler->open - 1].arguments++;
    return ZV_OK;
}

/* ":" turns the waiting "?" into the operator that takes three values. */
static enum zv_status take_colon(struct compiler *compiler)
{
    const enum zv_status status = settle(compiler, 0);
    if (status != ZV_OK) {
        return status;
    }
    if (compiler->open == 0 || compiler->waiting[compiler->open - 1].kind != WAIT_QUESTION) {
        return wrong(compiler, "a colon without its question mark");
    }
    compiler->waiting[compiler->open - 1] =
        (struct waiting){WAIT_OPERATOR, OP_SELECT, RANK_SELECT, 0};
    return ZV_OK;
}

/* After a value. *operand: a value is complete again (after a closing sign). */
static enum zv_status take_operator(struct compiler *compiler, bool *operand)
{
    struct family_cursor *const cursor = compiler->cursor;
    *operand = false;
    if (family_cursor_take(cursor, ")") || family_cursor_take(cursor, "]")) {
        *operand = true;
        return close(compiler, cursor->rest.at[-1] == ']');
    }
    if (family_cursor_take(cursor, "[")) {
        return push(compiler, (struct waiting){WAIT_INDEX, OP_ITEM, 0, 0});
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
            return status != ZV_OK ? status
                                   : push(compiler, (struct waiting){WAIT_OPERATOR, signs[i].op,
                                                                     signs[i].rank, 0});
        }
    }
    if (family_cursor_take(cursor, "?")) {
        const enum zv_status status = settle(compiler, RANK_SELECT + 1);
        return status != ZV_OK
                   ? status
                   : push(compiler, (struct waiting){WAIT_QUESTION, OP_SELECT, RANK_SELECT, 0});
    }
    return wrong(compiler, "an operator is expected");
}

static enum zv_status compile(struct compiler *compiler)
{
    bool operand = false;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && !(operand && ends_here(compiler))) {
        status = operand ? take_operator(compiler, &operand) : take_operand(compiler, &operand);
    }
    if (status == ZV_OK) {
        status = settle(compiler, 0);
    }
    if (status == ZV_OK && compiler->open != 0) {
        status = wrong(compiler, "an expression with something left open");
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
    struct compiler compiler = {
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
