#include "model/family_evaluate.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "model/family_expression.h"

static struct model_value bad(const char *why, const struct model_value *from)
{
    return model_value_bad(why, from);
}

static bool missing(const struct model_value *value)
{
    return value->kind == VALUE_ABSENT || value->kind == VALUE_NULL;
}

static const char *why_no_number(const struct model_value *value)
{
    switch (value->kind) {
    case VALUE_ABSENT:
        return "is missing";
    case VALUE_NULL:
        return "is null where a number belongs";
    case VALUE_TEXT:
        return "is text where a number belongs";
    case VALUE_LIST:
        return "is a list where a number belongs";
    case VALUE_OBJECT:
        return "is an object where a number belongs";
    case VALUE_INTEGER:
    case VALUE_BAD:
        break;
    }
    return "is no number";
}

static struct model_value as_number(struct model_value value)
{
    return value.kind == VALUE_INTEGER || value.kind == VALUE_BAD
               ? value
               : bad(why_no_number(&value), &value);
}

/* The number, with the key and place of the first operand that has one. */
static struct model_value result(int64_t number, const struct model_value *a,
                                 const struct model_value *b)
{
    const struct model_value *const from = a->has_offset ? a : b;
    struct model_value value = model_value_integer(number);
    value.key = from->key;
    value.offset = from->offset;
    value.has_offset = from->has_offset;
    return value;
}

static struct model_value divide(enum family_op op, const struct model_value *a,
                                 const struct model_value *b)
{
    if (b->number == 0) {
        return bad("is 0 and something is divided by it", b);
    }
    if (a->number < 0 || b->number < 0) {
        return bad("is negative and takes part in a division", a->number < 0 ? a : b);
    }
    const int64_t rest = a->number % b->number;
    if (op == OP_MOD) {
        return result(rest, a, b);
    }
    if (op == OP_DIV && rest != 0) {
        return bad("is not divisible by what it is divided by", a);
    }
    return result(a->number / b->number + (op == OP_CEIL && rest != 0), a, b);
}

static struct model_value align(const struct model_value *a, const struct model_value *b)
{
    const struct model_value steps = divide(OP_CEIL, a, b);
    int64_t number;
    if (steps.kind == VALUE_BAD) {
        return steps;
    }
    return __builtin_mul_overflow(steps.number, b->number, &number)
               ? bad("leads to a number above 2^63", a)
               : result(number, a, b);
}

/* The whole part of a times a fraction, as int(a * b) in Python; nothing without a fraction. */
static struct model_value portion(const struct model_value *a, const struct model_value *b)
{
    if (b->kind == VALUE_ABSENT || b->kind == VALUE_NULL) {
        return *b;
    }
    if (a->kind != VALUE_INTEGER || (b->kind != VALUE_INTEGER && !b->has_fraction)) {
        return a->kind == VALUE_BAD ? *a : bad("is no number to take a portion by", b);
    }
    const double part = (double)a->number * (b->has_fraction ? b->fraction : (double)b->number);
    return part > -9e18 && part < 9e18 ? result((int64_t)part, a, b)
                                       : bad("leads to a number above 2^63", b);
}

static bool compute(enum family_op op, int64_t a, int64_t b, int64_t *to)
{
    switch ((int)op) {
    case OP_MUL:
        return !__builtin_mul_overflow(a, b, to);
    case OP_ADD:
        return !__builtin_add_overflow(a, b, to);
    case OP_SUB:
        return !__builtin_sub_overflow(a, b, to);
    case OP_LESS:
        *to = a < b;
        break;
    case OP_LESS_EQUAL:
        *to = a <= b;
        break;
    case OP_MORE:
        *to = a > b;
        break;
    case OP_MORE_EQUAL:
        *to = a >= b;
        break;
    case OP_MIN:
        *to = a < b ? a : b;
        break;
    default: /* OP_MAX */
        *to = a > b ? a : b;
        break;
    }
    return true;
}

static struct model_value arithmetic(enum family_op op, struct model_value a, struct model_value b)
{
    a = as_number(a);
    b = as_number(b);
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD) {
        return a.kind == VALUE_BAD ? a : b;
    }
    if (op == OP_DIV || op == OP_FLOOR || op == OP_MOD || op == OP_CEIL) {
        return divide(op, &a, &b);
    }
    if (op == OP_ALIGN) {
        return align(&a, &b);
    }
    int64_t number = 0;
    return compute(op, a.number, b.number, &number) ? result(number, &a, &b)
                                                    : bad("leads to a number above 2^63", &a);
}

static bool same(const struct model_value *a, const struct model_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == VALUE_TEXT) {
        return zv_slice_same(a->text, b->text);
    }
    return a->kind == VALUE_INTEGER ? a->number == b->number : missing(a);
}

static struct model_value truth(bool is)
{
    return model_value_integer(is);
}

static bool text_edge(enum family_op op, struct zv_slice text, struct zv_slice part)
{
    if (text.length < part.length) {
        return false;
    }
    const size_t skipped = op == OP_ENDS ? text.length - part.length : 0;
    return memcmp(text.at + skipped, part.at, part.length) == 0;
}

static struct model_value has(const struct family_scope *scope, const struct model_value *list,
                              const struct model_value *what)
{
    if (list->kind == VALUE_TEXT && what->kind == VALUE_TEXT) {
        return truth(what->text.length == 0 || memmem(list->text.at, list->text.length,
                                                      what->text.at, what->text.length) != NULL);
    }
    const uint64_t count = list->kind == VALUE_LIST ? scope->keys.count(&scope->keys, list) : 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct model_value item = scope->keys.item(&scope->keys, list, i);
        if (same(&item, what)) {
            return truth(true);
        }
    }
    return truth(false);
}

/* How many numbers of a list are smaller. */
static struct model_value below(const struct family_scope *scope, const struct model_value *list,
                                struct model_value than)
{
    than = as_number(than);
    if (list->kind != VALUE_LIST || than.kind == VALUE_BAD) {
        return list->kind != VALUE_LIST ? bad("is no list", list) : than;
    }
    const uint64_t count = scope->keys.count(&scope->keys, list);
    int64_t smaller = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct model_value one = scope->keys.item(&scope->keys, list, i);
        smaller += one.kind == VALUE_INTEGER && one.number < than.number;
    }
    return model_value_integer(smaller);
}

/* One entry of a list, or one character of a text. */
static struct model_value item(const struct family_scope *scope, const struct model_value *list,
                               struct model_value index)
{
    if (list->kind != VALUE_LIST && list->kind != VALUE_TEXT) {
        return missing(list) ? *list : bad("is no list", list);
    }
    index = as_number(index);
    if (index.kind == VALUE_BAD) {
        return index;
    }
    const uint64_t count =
        list->kind == VALUE_TEXT ? list->text.length : scope->keys.count(&scope->keys, list);
    if (index.number < 0 || (uint64_t)index.number >= count) {
        return bad("has fewer entries than there are layers", list);
    }
    if (list->kind == VALUE_TEXT) {
        return model_value_text((struct zv_slice){list->text.at + index.number, 1});
    }
    return scope->keys.item(&scope->keys, list, (uint64_t)index.number);
}

static struct model_value logic(const struct family_scope *scope, enum family_op op,
                                const struct model_value *a, const struct model_value *b)
{
    const bool left = model_value_true(&scope->keys, a);
    if (a->kind == VALUE_BAD) {
        return *a;
    }
    if (op == OP_AND ? !left : left) {
        return truth(left); /* the other side does not matter, not even a BAD one */
    }
    return b->kind == VALUE_BAD ? *b : truth(model_value_true(&scope->keys, b));
}

static struct model_value two(const struct family_scope *scope, enum family_op op,
                              const struct model_value *a, const struct model_value *b)
{
    switch ((int)op) {
    case OP_DEFAULT:
        return a->kind == VALUE_ABSENT ? *b : *a;
    case OP_ELSE:
        return missing(a) ? *b : *a;
    case OP_AND:
    case OP_OR:
        return logic(scope, op, a, b);
    case OP_ITEM:
        return item(scope, a, *b);
    case OP_BELOW:
        return a->kind == VALUE_BAD ? *a : below(scope, a, *b);
    case OP_PORTION:
        return portion(a, b);
    case OP_EACH: /* one value for all layers, or a list with one for each */
        return a->kind == VALUE_LIST ? item(scope, a, *b) : *a;
    default:
        break;
    }
    if (op == OP_EQUAL || op == OP_NOT_EQUAL || op == OP_HAS || op == OP_STARTS || op == OP_ENDS) {
        if (a->kind == VALUE_BAD || b->kind == VALUE_BAD) {
            return a->kind == VALUE_BAD ? *a : *b;
        }
        if (op == OP_HAS) {
            return has(scope, a, b);
        }
        if (op == OP_EQUAL || op == OP_NOT_EQUAL) {
            return truth(same(a, b) == (op == OP_EQUAL));
        }
        return truth(a->kind == VALUE_TEXT && b->kind == VALUE_TEXT &&
                     text_edge(op, a->text, b->text));
    }
    return arithmetic(op, *a, *b);
}

static struct model_value one(const struct family_scope *scope, enum family_op op,
                              struct model_value a)
{
    if (op == OP_EXISTS) {
        return truth(!missing(&a));
    }
    if (a.kind == VALUE_BAD) {
        return a;
    }
    if (op == OP_NOT) {
        return truth(!model_value_true(&scope->keys, &a));
    }
    if (op == OP_COUNT) {
        return model_value_integer(a.kind == VALUE_LIST || a.kind == VALUE_OBJECT
                                       ? (int64_t)scope->keys.count(&scope->keys, &a)
                                   : a.kind == VALUE_TEXT ? (int64_t)a.text.length
                                                          : 0);
    }
    const struct model_value zero = model_value_integer(0); /* OP_MINUS */
    return arithmetic(OP_SUB, zero, a);
}

static enum family_when when_of(const struct family_expression *value)
{
    return value->per_expert ? FAMILY_EACH_EXPERT
                             : (value->per_layer ? FAMILY_EACH_LAYER : FAMILY_ONCE);
}

static struct model_value of_part(const struct family_scope *scope, const struct family_step *step)
{
    const struct family_scope *const part = scope->parts[step->index];
    const int index = part != NULL ? family_find_definition(part->family, step->text) : -1;
    if (index < 0 || when_of(&part->family->definitions[index].value) != FAMILY_ONCE) {
        return (struct model_value){.kind = VALUE_ABSENT, .key = step->text};
    }
    return part->values[index];
}

static struct model_value operand(const struct family_scope *scope, const struct family_step *step)
{
    switch ((int)step->op) {
    case OP_NUMBER:
        return model_value_integer(step->number);
    case OP_STRING:
        return model_value_text(step->text);
    case OP_KEY:
        return scope->keys.find(&scope->keys, step->text);
    case OP_NAME:
        return scope->values[step->index];
    case OP_PART:
        return of_part(scope, step);
    case OP_LAYER:
        return model_value_integer(scope->layer);
    case OP_EXPERT:
        return model_value_integer(scope->expert);
    case OP_CLASS:
        return model_value_text(scope->class_name);
    case OP_TYPE:
        return model_value_text(scope->type);
    default: /* OP_NULL */
        return (struct model_value){.kind = VALUE_NULL};
    }
}

struct model_value family_evaluate(const struct family_expression *expression,
                                   const struct family_scope *scope)
{
    struct model_value stack[FAMILY_MAX_STACK] = {{0}}; /* the parser has counted its depth */
    size_t depth = 0;
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct family_step *const step = &expression->steps[i];
        const size_t taken = family_op_takes(step->op);
        depth -= taken;
        struct model_value *const at = &stack[depth++];
        switch (taken) {
        case 0:
            *at = operand(scope, step);
            break;
        case 1:
            *at = one(scope, step->op, at[0]);
            break;
        case 2:
            *at = two(scope, step->op, &at[0], &at[1]);
            break;
        default:
            if (at[0].kind != VALUE_BAD) {
                *at = model_value_true(&scope->keys, &at[0]) ? at[1] : at[2];
            }
            break;
        }
    }
    return depth != 0 ? stack[0] : (struct model_value){.kind = VALUE_ABSENT};
}

enum zv_status family_complain(const struct model_value *value, struct zv_slice what,
                               const char *why, struct zv_error *err)
{
    char text[320];
    const bool keyed = value->key.length != 0;
    const struct zv_slice about = keyed ? value->key : what;
    if (keyed) {
        (void)snprintf(text, sizeof text, "%.*s %s (needed for %.*s)", (int)about.length, about.at,
                       why, (int)what.length, what.at);
    } else {
        (void)snprintf(text, sizeof text, "%.*s %s", (int)about.length, about.at, why);
    }
    return value->has_offset ? zv_fail_at(err, ZV_E_SYNTAX, value->offset, "%s", text)
                             : zv_fail(err, ZV_E_SYNTAX, "%s", text);
}

enum zv_status family_count(const struct model_value *value, struct zv_slice what, uint64_t limit,
                            uint64_t *to, struct zv_error *err)
{
    const struct model_value number = as_number(*value);
    if (number.kind == VALUE_BAD) {
        char why[200];
        (void)snprintf(why, sizeof why, "%.*s", (int)number.text.length, number.text.at);
        return family_complain(&number, what, why, err);
    }
    if (number.number < 0) {
        return family_complain(&number, what, "is negative", err);
    }
    if ((uint64_t)number.number > limit) {
        char why[80];
        (void)snprintf(why, sizeof why, "is %lld, more than %llu", (long long)number.number,
                       (unsigned long long)limit);
        return family_complain(&number, what, why, err);
    }
    *to = (uint64_t)number.number;
    return ZV_OK;
}

static enum zv_status require(const struct family_scope *scope,
                              const struct family_definition *definition, struct zv_error *err)
{
    const struct model_value value = family_evaluate(&definition->value, scope);
    if (value.kind == VALUE_BAD) {
        uint64_t ignored;
        return family_count(&value, definition->message, 1, &ignored, err);
    }
    if (model_value_true(&scope->keys, &value)) {
        return ZV_OK;
    }
    return zv_fail(err, ZV_E_SYNTAX, "%.*s", (int)definition->message.length,
                   definition->message.at);
}

enum zv_status family_define(struct family_scope *scope, enum family_when when,
                             struct zv_error *err)
{
    const struct family *const family = scope->family;
    for (size_t i = 0; i < family->definition_count; i++) {
        const struct family_definition *const definition = &family->definitions[i];
        if (when_of(&definition->value) != when) {
            continue;
        }
        if (definition->name.length != 0) {
            scope->values[i] = family_evaluate(&definition->value, scope);
            continue;
        }
        const enum zv_status status = require(scope, definition, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}
