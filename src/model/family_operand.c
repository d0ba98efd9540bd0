/* Where a value may start: texts, numbers, config keys, names, and functions that open. */
#include <string.h>

#include "base/fail.h"
#include "model/family_compiler.h"

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

uint32_t family_function_takes(enum family_op op)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].op == op) {
            return functions[i].arguments;
        }
    }
    return 0;
}

static enum zv_status take_string(struct family_compiler *compiler)
{
    struct family_cursor *const cursor = compiler->cursor;
    family_cursor_skip(cursor, 1);
    const char *const end = memchr(cursor->rest.at, '"', cursor->rest.length);
    if (end == NULL) {
        return family_compile_wrong(compiler, "a text without its closing quote");
    }
    const struct zv_slice text = {cursor->rest.at, (size_t)(end - cursor->rest.at)};
    family_cursor_skip(cursor, text.length + 1);
    return family_compile_emit(compiler, (struct family_step){.op = OP_STRING, .text = text});
}

static enum zv_status take_number(struct family_compiler *compiler)
{
    struct family_cursor *const cursor = compiler->cursor;
    size_t length = 0;
    while (length < cursor->rest.length && zv_is_digit(cursor->rest.at[length])) {
        length++;
    }
    uint64_t number = 0;
    if (!zv_slice_u64((struct zv_slice){cursor->rest.at, length}, &number) || number > INT64_MAX) {
        return family_compile_wrong(compiler, "a number above 2^63");
    }
    family_cursor_skip(cursor, length);
    return family_compile_emit(compiler,
                               (struct family_step){.op = OP_NUMBER, .number = (int64_t)number});
}

static enum zv_status take_part(struct family_compiler *compiler, struct zv_slice name)
{
    struct zv_slice rest = name;
    const struct zv_slice role = zv_slice_cut(&rest, '.');
    for (size_t i = 0; i < compiler->family->part_count; i++) {
        if (zv_slice_same(compiler->family->parts[i].role, role)) {
            return family_compile_emit(
                compiler, (struct family_step){.op = OP_PART, .index = (uint32_t)i, .text = rest});
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

static enum zv_status take_definition(struct family_compiler *compiler, struct zv_slice name)
{
    struct family_step step;
    if (builtin(name, &step)) {
        compiler->per_layer |= step.op == OP_LAYER;
        compiler->per_expert |= step.op == OP_EXPERT;
        if (compiler->keys_only && (step.op == OP_LAYER || step.op == OP_EXPERT)) {
            return family_compile_wrong(compiler, "only config keys may be used here");
        }
        return family_compile_emit(compiler, step);
    }
    if (compiler->keys_only) {
        return family_compile_wrong(compiler, "only config keys may be used here");
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
    return family_compile_emit(compiler,
                               (struct family_step){.op = OP_NAME, .index = (uint32_t)index});
}

/* A name: a function with its opening parenthesis, or something with a value. */
static enum zv_status take_word(struct family_compiler *compiler, bool *operand)
{
    const struct zv_slice name = family_cursor_name(compiler->cursor, false);
    if (compiler->cursor->rest.length != 0 && compiler->cursor->rest.at[0] == '(') {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            if (zv_slice_equal(name, functions[i].name)) {
                family_cursor_skip(compiler->cursor, 1);
                return family_compile_push(
                    compiler, (struct family_waiting){WAIT_CALL, functions[i].op, 0, 1});
            }
        }
        return zv_fail_line(compiler->err, ZV_E_SYNTAX, compiler->cursor->line,
                            "no function named \"%.*s\"", (int)name.length, name.at);
    }
    *operand = true;
    return take_definition(compiler, name);
}

enum zv_status family_compile_operand(struct family_compiler *compiler, bool *operand)
{
    struct family_cursor *const cursor = compiler->cursor;
    *operand = false;
    if (family_cursor_at_end(cursor)) {
        return family_compile_wrong(compiler, "an expression is cut off");
    }
    const char c = cursor->rest.at[0];
    if (c == '(') {
        family_cursor_skip(cursor, 1);
        return family_compile_push(compiler, (struct family_waiting){WAIT_PAREN, OP_NULL, 0, 0});
    }
    if (c == '!' || (c == '-' && !family_cursor_is(cursor, "->"))) {
        family_cursor_skip(cursor, 1);
        return family_compile_push(compiler, (struct family_waiting){WAIT_OPERATOR,
                                                                     c == '!' ? OP_NOT : OP_MINUS,
                                                                     FAMILY_RANK_UNARY, 0});
    }
    if (zv_is_letter(c)) {
        return take_word(compiler, operand);
    }
    *operand = true;
    if (c == '@') {
        family_cursor_skip(cursor, 1);
        const struct zv_slice path = family_cursor_name(cursor, true);
        if (path.length == 0) {
            return family_compile_wrong(compiler, "a config key is expected after @");
        }
        return family_compile_emit(compiler, (struct family_step){.op = OP_KEY, .text = path});
    }
    if (c == '"') {
        return take_string(compiler);
    }
    return zv_is_digit(c) ? take_number(compiler)
                          : family_compile_wrong(compiler, "a value is expected");
}
