#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "step/op_table.h"
#include "step/program_frame.h"
#include "step/program_parameters.h"

/* ---- failures ---- */

void step_blame(struct step_run *run, struct step_place place)
{
    struct zv_error *const err = run->err;
    if (err == NULL || err->status == ZV_OK || err->line != 0 || err->where[0] != 0) {
        return;
    }
    char text[sizeof err->text];
    (void)snprintf(text, sizeof text, "column %u: %.480s", place.column, err->text);
    memcpy(err->text, text, sizeof text);
    err->line = place.line;
    const struct zv_slice file = run->frame != NULL ? run->frame->procedure->file : zv_slice_of("");
    (void)snprintf(err->where, sizeof err->where, "%.*s", (int)file.length, file.at);
}

struct step_value step_run_fail(struct step_run *run, const struct step_expression *at,
                                enum zv_status status, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    step_fail(&run->engine, status, "%s", text);
    step_blame(run, at->place);
    return (struct step_value){.kind = STEP_IS_NONE};
}

const char *step_kind_name(enum step_value_kind kind)
{
    static const char *const names[] = {"none",       "a number",  "a fraction",
                                        "a text",     "a type",    "a tensor",
                                        "a list",     "an object", "a parameter or module",
                                        "a procedure"};
    return names[kind];
}

/* What is at work from here on. */
static void step_label(struct step_run *run, uint32_t what)
{
    run->engine.label = (run->engine.label & ~(uint32_t)STEP_LABEL_WHAT) | (what + 1);
}

struct zv_slice step_label_name(uint32_t label)
{
    static const char *const signs[] = {"+", "-", "*", "/"};
    const uint32_t what = label & STEP_LABEL_WHAT;
    if (what > STEP_LABEL_ARITHMETIC && what <= STEP_LABEL_ARITHMETIC + 4) {
        return zv_slice_of(signs[what - STEP_LABEL_ARITHMETIC - 1]);
    }
    if (what == 0) {
        return zv_slice_of("");
    }
    return zv_slice_of(what <= step_operation_count
                           ? step_operations[what - 1].name
                           : step_unary_name((uint32_t)(what - 1 - step_operation_count)));
}

/* ---- numbers ---- */

bool step_is_true(const struct step_value *value)
{
    return value->kind == STEP_IS_TEXT     ? value->text.length != 0
           : value->kind == STEP_IS_NUMBER ? value->number != 0
                                           : value->kind != STEP_IS_NONE;
}

static struct step_value compute(struct step_run *run, const struct step_expression *x, int64_t a,
                                 int64_t b)
{
    int64_t result = 0;
    bool ok = true;
    switch (x->operator) {
    case STEP_PLUS:
        ok = !__builtin_add_overflow(a, b, &result);
        break;
    case STEP_MINUS:
        ok = !__builtin_sub_overflow(a, b, &result);
        break;
    case STEP_TIMES:
        ok = !__builtin_mul_overflow(a, b, &result);
        break;
    case STEP_OVER:
    case STEP_FLOOR:
    case STEP_MODULO:
        if (b <= 0) {
            return step_run_fail(run, x, ZV_E_SYNTAX, "a division by %lld", (long long)b);
        }
        if (x->operator== STEP_OVER && a % b != 0) {
            return step_run_fail(run, x, ZV_E_SYNTAX, "%lld / %lld leaves a remainder",
                                 (long long)a, (long long)b);
        }
        result =
            x->operator== STEP_MODULO ? ((a % b) + b) % b : a / b -(a % b != 0 && a < 0 ? 1 : 0);
        break;
    case STEP_LESS:
        result = a < b;
        break;
    case STEP_LESS_EQUAL:
        result = a <= b;
        break;
    case STEP_MORE:
        result = a > b;
        break;
    case STEP_MORE_EQUAL:
        result = a >= b;
        break;
    case STEP_EQUAL:
        result = a == b;
        break;
    case STEP_NOT_EQUAL:
        result = a != b;
        break;
    case STEP_AND:
    case STEP_OR:
    case STEP_NOT:
        break;
    }
    return ok ? step_number(result)
              : step_run_fail(run, x, ZV_E_OVERFLOW, "a number of more than 63 bits");
}

/* ---- operators ---- */

static bool same_value(const struct step_value *a, const struct step_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind == STEP_IS_TEXT   ? zv_slice_same(a->text, b->text)
           : a->kind == STEP_IS_PATH ? a->path == b->path
                                     : a->number == b->number;
}

static struct step_value of_tensors(struct step_run *run, const struct step_expression *x,
                                    const struct step_value *a, const struct step_value *b)
{
    struct step_engine *const e = &run->engine;
    struct step_tensor *const left = step_tensor_of(a);
    struct step_tensor *const right = step_tensor_of(b);
    const struct step_value *const both[2] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        if (step_tensor_of(both[i]) == NULL && both[i]->kind != STEP_IS_NUMBER &&
            both[i]->kind != STEP_IS_SCALAR) {
            return step_run_fail(run, x, ZV_E_SYNTAX, "the %s operand is %s, not a tensor",
                                 i == 0 ? "left" : "right", step_kind_name(both[i]->kind));
        }
    }
    struct step_tensor *result = NULL;
    step_label(run, STEP_LABEL_ARITHMETIC + x->operator);
    if (x->operator== STEP_PLUS) {
        result = step_op_add(e, left, right);
    } else if (x->operator== STEP_MINUS) {
        result = step_op_sub(e, left, right);
    } else if (x->operator== STEP_TIMES) {
        result = step_op_mul(e, left, right);
    } else if (x->operator== STEP_OVER) {
        result = step_op_div(e, left, right);
    } else {
        return step_run_fail(run, x, ZV_E_SYNTAX, "tensors have + - * / only");
    }
    step_blame(run, x->place);
    return step_value_of(result);
}

/* NOLINTBEGIN(misc-no-recursion): an expression is a tree, whose depth the parser limits */
static struct step_value binary(struct step_run *run, const struct step_expression *x)
{
    struct step_value a = step_evaluate(run, x->first);
    const bool decides = x->operator== STEP_AND || x->operator== STEP_OR;
    if (decides && step_ok(&run->engine)) {
        const bool left = step_is_true(&a);
        step_value_drop(run, &a);
        if (left == (x->operator== STEP_OR)) {
            return step_number(left);
        }
        a = step_evaluate(run, x->first->next);
        const bool right = step_is_true(&a);
        step_value_drop(run, &a);
        return step_number(right);
    }
    struct step_value b = step_ok(&run->engine) ? step_evaluate(run, x->first->next)
                                                : (struct step_value){.kind = STEP_IS_NONE};
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_ok(&run->engine)) {
        const bool equality = x->operator== STEP_EQUAL || x->operator== STEP_NOT_EQUAL;
        if (a.kind == STEP_IS_NUMBER && b.kind == STEP_IS_NUMBER) {
            result = compute(run, x, a.number, b.number);
        } else if (equality) {
            result = step_number(same_value(&a, &b) == (x->operator== STEP_EQUAL));
        } else if (step_tensor_of(&a) == NULL && step_tensor_of(&b) == NULL &&
                   (a.kind == STEP_IS_SCALAR || b.kind == STEP_IS_SCALAR)) {
            result.kind = STEP_IS_SCALAR;
        } else {
            result = of_tensors(run, x, &a, &b);
        }
    }
    step_value_drop(run, &a);
    step_value_drop(run, &b);
    return result;
}

static struct step_value unary(struct step_run *run, const struct step_expression *x)
{
    struct step_value a = step_evaluate(run, x->first);
    struct step_value result = {.kind = STEP_IS_NONE};
    if (!step_ok(&run->engine)) {
        step_value_drop(run, &a);
        return result;
    }
    if (x->operator== STEP_NOT) {
        result = step_number(!step_is_true(&a));
    } else if (a.kind == STEP_IS_NUMBER) {
        result = step_number(-a.number);
    } else if (a.kind == STEP_IS_SCALAR) {
        result = a;
    } else if (step_tensor_of(&a) != NULL) {
        result = step_value_of(step_op_unary(
            &run->engine, (uint32_t)step_unary_index(zv_slice_of("neg")), step_tensor_of(&a)));
    } else {
        result = step_run_fail(run, x, ZV_E_SYNTAX, "minus of %s", step_kind_name(a.kind));
    }
    step_value_drop(run, &a);
    return result;
}

/* ---- lists ---- */

static struct step_value list(struct step_run *run, const struct step_expression *x)
{
    struct step_list *const to = step_list_new(run, x->count);
    for (const struct step_expression *item = x->first;
         to != NULL && item != NULL && step_ok(&run->engine); item = item->next) {
        (void)step_list_add(run, to, step_evaluate(run, item));
    }
    return step_list_value(to);
}

/* The entry of a list that x[index] names; NULL with the error set. */
struct step_value *step_entry(struct step_run *run, const struct step_expression *x,
                              const struct step_value *of, int64_t index)
{
    if (of->kind != STEP_IS_LIST) {
        (void)step_run_fail(run, x, ZV_E_SYNTAX, "%s has no entries", step_kind_name(of->kind));
        return NULL;
    }
    index += index < 0 ? of->list->count : 0;
    if (index < 0 || index >= of->list->count) {
        (void)step_run_fail(run, x, ZV_E_SYNTAX, "entry %lld of a list of %u", (long long)index,
                            of->list->count);
        return NULL;
    }
    return &of->list->items[index];
}

static struct step_value item(struct step_run *run, const struct step_expression *x)
{
    struct step_value of = step_evaluate(run, x->first);
    struct step_value index = step_evaluate(run, x->first->next);
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_ok(&run->engine)) {
        if (index.kind != STEP_IS_NUMBER) {
            (void)step_run_fail(run, x, ZV_E_SYNTAX, "an index must be a number");
        } else {
            const struct step_value *const at = step_entry(run, x, &of, index.number);
            result = at != NULL ? step_value_hold(*at) : result;
        }
    }
    step_value_drop(run, &of);
    step_value_drop(run, &index);
    return result;
}

/* ---- calls ---- */

static size_t evaluate_arguments(struct step_run *run, const struct step_expression *x,
                                 struct step_value to[STEP_MAX_ARGUMENTS])
{
    size_t count = 0;
    for (const struct step_expression *item = x->first; item != NULL && step_ok(&run->engine);
         item = item->next) {
        to[count++] = step_evaluate(run, item);
    }
    return count;
}

static struct step_value run_operation(struct step_run *run, const struct step_expression *x)
{
    const struct step_operation *const operation = &step_operations[x->index];
    struct step_value args[STEP_MAX_ARGUMENTS] = {{.kind = STEP_IS_NONE}};
    struct step_value result = {.kind = STEP_IS_NONE};
    const bool lenient_before = run->lenient;
    run->lenient |=
        operation->run == step_op_exists; /* the one that may ask for what is not there */
    const size_t count = evaluate_arguments(run, x, args);
    run->lenient = lenient_before;
    if (step_ok(&run->engine) && step_check_arguments(run, x, operation, args, count)) {
        struct step_call call = {run, &run->engine, args, count, x};
        step_label(run, x->index);
        result = operation->run(&call);
        step_blame(run, x->place);
    }
    for (size_t i = 0; i < count; i++) {
        step_value_drop(run, &args[i]);
    }
    return result;
}

static struct step_value run_unary(struct step_run *run, const struct step_expression *x)
{
    struct step_value args[STEP_MAX_ARGUMENTS] = {{.kind = STEP_IS_NONE}};
    struct step_value result = {.kind = STEP_IS_NONE};
    const size_t count = evaluate_arguments(run, x, args);
    if (step_ok(&run->engine)) {
        if (count == 0 || step_tensor_of(&args[0]) == NULL) {
            (void)step_run_fail(run, x, ZV_E_SYNTAX, "%.*s takes a tensor", (int)x->text.length,
                                x->text.at);
        } else {
            step_label(run, (uint32_t)step_operation_count + x->index);
            result = step_value_of(step_op_unary(&run->engine, x->index, step_tensor_of(&args[0])));
            step_blame(run, x->place);
        }
    }
    for (size_t i = 0; i < count; i++) {
        step_value_drop(run, &args[i]);
    }
    return result;
}

static struct step_value run_procedure(struct step_run *run, const struct step_expression *x)
{
    struct step_value args[STEP_MAX_ARGUMENTS] = {{.kind = STEP_IS_NONE}};
    const size_t count = evaluate_arguments(run, x, args);
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_ok(&run->engine)) {
        result = step_call_module(run, x->index, args, count, x);
    }
    for (size_t i = 0; i < count; i++) {
        step_value_drop(run, &args[i]);
    }
    return result;
}

struct step_value step_evaluate(struct step_run *run, const struct step_expression *x)
{
    switch (x->kind) {
    case STEP_NUMBER:
        return step_number(x->number);
    case STEP_SCALAR:
        return (struct step_value){.kind = STEP_IS_SCALAR};
    case STEP_TEXT:
        return (struct step_value){.kind = STEP_IS_TEXT, .text = x->text};
    case STEP_NAME:
        return step_name_value(run, x);
    case STEP_SETTING:
        return step_setting_value(run, x);
    case STEP_LIST:
        return list(run, x);
    case STEP_CALL:
        return x->meaning == STEP_OPERATION  ? run_operation(run, x)
               : x->meaning == STEP_UNARY_OP ? run_unary(run, x)
                                             : run_procedure(run, x);
    case STEP_ITEM:
        return item(run, x);
    case STEP_MEMBER: {
        struct step_value of = step_evaluate(run, x->first);
        const struct step_value result = step_ok(&run->engine)
                                             ? step_member(run, x, &of, x->text)
                                             : (struct step_value){.kind = STEP_IS_NONE};
        step_value_drop(run, &of);
        return result;
    }
    case STEP_UNARY:
        return unary(run, x);
    case STEP_BINARY:
        return binary(run, x);
    case STEP_SELECT: {
        struct step_value condition = step_evaluate(run, x->first);
        const bool holds = step_is_true(&condition);
        step_value_drop(run, &condition);
        return step_ok(&run->engine)
                   ? step_evaluate(run, holds ? x->first->next : x->first->next->next)
                   : (struct step_value){.kind = STEP_IS_NONE};
    }
    case STEP_DEFAULT: {
        const struct step_value value = step_evaluate(run, x->first);
        return value.kind != STEP_IS_NONE || !step_ok(&run->engine)
                   ? value
                   : step_evaluate(run, x->first->next);
    }
    }
    return (struct step_value){.kind = STEP_IS_NONE};
}
/* NOLINTEND(misc-no-recursion) */
