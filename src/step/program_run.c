#include "step/program_run.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/memory.h"
#include "step/program_frame.h"

enum outcome { GOES_ON, RETURNS, FAILS };

static enum outcome run_block(struct step_run *run, const struct step_statement *s);

/* Whether a statement may run, or a loop's next round: false after an error, and when there were so
 * many that nobody waits for the end. */
static bool goes_on(struct step_run *run, struct step_place at)
{
    if (step_ok(&run->engine) && run->statements++ == STEP_MAX_STATEMENTS) {
        step_fail(&run->engine, ZV_E_LIMIT,
                  "more than %" PRIu64 " statements are run: fewer steps, micro-batches or rounds",
                  STEP_MAX_STATEMENTS);
        step_blame(run, at);
    }
    return step_ok(&run->engine);
}

/* NOLINTBEGIN(misc-no-recursion): blocks are a tree */
/* ---- statements ---- */

static void assign_item(struct step_run *run, const struct step_expression *target,
                        struct step_value value)
{
    struct step_value of = step_evaluate(run, target->first);
    struct step_value index = step_evaluate(run, target->first->next);
    struct step_value *const at = step_ok(&run->engine) && index.kind == STEP_IS_NUMBER
                                      ? step_entry(run, target, &of, index.number)
                                      : NULL;
    if (at != NULL) {
        step_value_drop(run, at);
        *at = value;
    } else {
        step_value_drop(run, &value);
    }
    step_value_drop(run, &of);
    step_value_drop(run, &index);
}

/* object.name = value */
static void assign_member(struct step_run *run, const struct step_expression *target,
                          struct step_value value)
{
    const struct step_value *of =
        target->meaning == STEP_LOCAL ? &run->frame->locals[target->index] : NULL;
    struct zv_slice rest = target->rest;
    struct zv_slice name = zv_slice_cut(&rest, '.');
    while (of != NULL && of->kind == STEP_IS_OBJECT && rest.length != 0) {
        of = step_object_at(run, of->list, name, false);
        name = zv_slice_cut(&rest, '.');
    }
    struct step_value *const at =
        of != NULL && of->kind == STEP_IS_OBJECT ? step_object_at(run, of->list, name, true) : NULL;
    if (at != NULL) {
        struct step_value old = *at;
        *at = value;
        step_value_drop(run, &old);
        return;
    }
    (void)step_run_fail(run, target, ZV_E_SYNTAX, "%.*s cannot be assigned to: %s is no object",
                        (int)target->text.length, target->text.at,
                        of != NULL ? step_kind_name(of->kind) : "what it is in");
    step_value_drop(run, &value);
}

static void assign(struct step_run *run, const struct step_expression *target,
                   struct step_value value)
{
    if (target->kind == STEP_ITEM) {
        assign_item(run, target, value);
        return;
    }
    if (target->meaning != STEP_LOCAL || target->rest.length != 0) {
        assign_member(run, target, value);
        return;
    }
    struct step_value *const local = &run->frame->locals[target->index];
    struct step_value old = *local;
    *local = value;
    step_value_drop(run, &old);
}

/* a, b = list: the list is gone before the variables' old values are */
static void assign_several(struct step_run *run, const struct step_statement *s,
                           struct step_value value)
{
    if (value.kind != STEP_IS_LIST || value.list->count != s->target_count) {
        (void)step_run_fail(run, s->value, ZV_E_SYNTAX, "%u variables for %s of %u",
                            s->target_count, step_kind_name(value.kind),
                            value.kind == STEP_IS_LIST ? value.list->count : 1);
        step_value_drop(run, &value);
        return;
    }
    struct step_value items[STEP_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < s->target_count; i++) {
        items[i] = step_value_hold(value.list->items[i]);
    }
    step_value_drop(run, &value);
    uint32_t at = 0;
    for (const struct step_expression *t = s->targets; t != NULL; t = t->next) {
        assign(run, t, items[at++]);
    }
}

static enum outcome run_count(struct step_run *run, const struct step_statement *s)
{
    struct step_value count = step_evaluate(run, s->value);
    if (step_ok(&run->engine) && count.kind != STEP_IS_NUMBER) {
        (void)step_run_fail(run, s->value, ZV_E_SYNTAX, "a count must be a number, not %s",
                            step_kind_name(count.kind));
    }
    const bool layers = s->targets->meaning == STEP_LAYER;
    const int64_t before = run->layer;
    enum outcome outcome = GOES_ON;
    for (int64_t k = 0; outcome == GOES_ON && k < count.number && goes_on(run, s->place); k++) {
        if (layers) {
            (void)step_set_layer(run, k);
        } else {
            assign(run, s->targets, step_number(k));
        }
        outcome = run_block(run, s->body);
    }
    if (layers && step_ok(&run->engine)) {
        (void)step_set_layer(run, before);
    }
    step_value_drop(run, &count);
    return step_ok(&run->engine) ? outcome : FAILS;
}

static enum outcome run_each(struct step_run *run, const struct step_statement *s)
{
    struct step_value of = step_evaluate(run, s->value);
    if (step_ok(&run->engine) && of.kind != STEP_IS_LIST) {
        (void)step_run_fail(run, s->value, ZV_E_SYNTAX, "%s has no entries",
                            step_kind_name(of.kind));
    }
    enum outcome outcome = GOES_ON;
    for (uint32_t k = 0; step_ok(&run->engine) && outcome == GOES_ON && k < of.list->count &&
                         goes_on(run, s->place);
         k++) {
        assign(run, s->targets, step_value_hold(of.list->items[k]));
        outcome = run_block(run, s->body);
    }
    step_value_drop(run, &of);
    return step_ok(&run->engine) ? outcome : FAILS;
}

/* no_grad(), inference(), evaluating(), autocast(type), purpose("states"), stream("gather"),
 * host(true) */
static enum outcome run_with(struct step_run *run, const struct step_statement *s)
{
    struct step_engine *const e = &run->engine;
    const struct step_engine before = *e;
    struct step_value what = step_evaluate(run, s->value);
    enum outcome outcome = step_ok(e) ? run_block(run, s->body) : FAILS;
    step_value_drop(run, &what);
    e->grad_enabled = before.grad_enabled;
    e->inference_mode = before.inference_mode;
    e->evaluating = before.evaluating;
    e->purpose = before.purpose;
    e->stream = before.stream;
    e->on_host = before.on_host;
    e->autocast = before.autocast;
    if (e->autocast_depth != before.autocast_depth) {
        e->autocast_depth = before.autocast_depth;
        if (e->autocast_depth == 0) {
            step_autocast_clear(e);
            e->autocast_cache = false;
        }
    }
    return outcome;
}

static enum outcome run_statement(struct step_run *run, const struct step_statement *s)
{
    switch (s->kind) {
    case STEP_ASSIGN: {
        const struct step_value value = step_evaluate(run, s->value);
        if (!step_ok(&run->engine)) {
            struct step_value lost = value;
            step_value_drop(run, &lost);
        } else if (s->target_count == 1) {
            assign(run, s->targets, value);
        } else {
            assign_several(run, s, value);
        }
        break;
    }
    case STEP_EVALUATE: {
        struct step_value value = step_evaluate(run, s->value);
        step_value_drop(run, &value);
        break;
    }
    case STEP_RETURN:
        if (s->value != NULL) {
            run->frame->result = step_evaluate(run, s->value);
        }
        return step_ok(&run->engine) ? RETURNS : FAILS;
    case STEP_DELETE:
        for (const struct step_expression *t = s->targets; t != NULL; t = t->next) {
            step_value_drop(run, &run->frame->locals[t->index]);
        }
        break;
    case STEP_IF: {
        struct step_value condition = step_evaluate(run, s->value);
        const bool holds = step_is_true(&condition);
        step_value_drop(run, &condition);
        return step_ok(&run->engine) ? run_block(run, holds ? s->body : s->otherwise) : FAILS;
    }
    case STEP_COUNT:
        return run_count(run, s);
    case STEP_EACH:
        return run_each(run, s);
    case STEP_WITH:
        return run_with(run, s);
    }
    return step_ok(&run->engine) ? GOES_ON : FAILS;
}

static enum outcome run_block(struct step_run *run, const struct step_statement *s)
{
    enum outcome outcome = GOES_ON;
    for (; s != NULL && outcome == GOES_ON; s = s->next) {
        if (s->condition != NULL) {
            struct step_value condition = step_evaluate(run, s->condition);
            const bool holds = step_is_true(&condition);
            step_value_drop(run, &condition);
            if (!holds && step_ok(&run->engine)) {
                continue;
            }
        }
        outcome = goes_on(run, s->place) ? run_statement(run, s) : FAILS;
    }
    return outcome;
}

void step_run_body(struct step_run *run, const struct step_statement *body)
{
    (void)run_block(run, body);
}
/* NOLINTEND(misc-no-recursion) */

/* ---- beginning and end ---- */

static struct step_value setting_value(struct zv_slice text)
{
    struct zv_slice rest = text;
    text = zv_slice_trim(zv_slice_cut(&rest, '|')); /* of several the first */
    uint64_t number;
    double fraction;
    if (zv_slice_u64(text, &number) && number <= INT64_MAX) {
        return step_number((int64_t)number);
    }
    if (zv_slice_double(text, &fraction)) {
        return fraction == 0 ? step_number(0) : (struct step_value){.kind = STEP_IS_SCALAR};
    }
    if (zv_slice_equal(text, "true") || zv_slice_equal(text, "false")) {
        return step_number(zv_slice_equal(text, "true"));
    }
    if (zv_slice_equal(text, "none")) {
        return (struct step_value){.kind = STEP_IS_NONE};
    }
    const enum zv_dtype dtype = zv_dtype_parse(text);
    if (dtype != ZV_DTYPE_UNKNOWN && dtype < ZV_DTYPE_GGML) {
        return (struct step_value){.kind = STEP_IS_DTYPE, .number = (int64_t)dtype};
    }
    return (struct step_value){.kind = STEP_IS_TEXT, .text = text};
}

enum zv_status step_run_begin(struct step_run *run, const struct zv_model *model)
{
    run->layer = -1;
    run->engine.arena = run->arena;
    run->engine.err = run->err;
    step_engine_begin(&run->engine);
    for (size_t i = 0; i < run->link->setting_count; i++) {
        run->settings[i] = setting_value(run->link->settings[i].value);
    }
    for (size_t i = 0; model != NULL && i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        for (uint64_t k = 0; k < zv_tensor_copies(tensor); k++) {
            char text[ZV_TENSOR_NAME];
            const struct zv_tensor copy = zv_tensor_copy(tensor, (uint32_t)k, text);
            struct step_path *const path = step_path_make(run, copy.name);
            if (path == NULL) {
                return run->engine.status;
            }
            path->declared = tensor;
        }
    }
    return ZV_OK;
}

void step_run_end(struct step_run *run)
{
    step_engine_end(&run->engine);
    zv_strmap_free(&run->paths);
    zv_memory_free(run->path_list);
    zv_memory_free(run->trained);
    zv_memory_free(run->wreck);
    run->wreck = NULL;
    run->path_list = NULL;
    run->trained = NULL;
}

enum zv_status step_run_call(struct step_run *run, const char *procedure)
{
    const int index = step_link_procedure(run->link, zv_slice_of(procedure));
    if (index < 0) {
        return zv_fail(run->err, ZV_E_NOT_FOUND, "no program has the procedure %s", procedure);
    }
    static const struct step_expression outside = {.kind = STEP_CALL};
    struct step_value none[1] = {{.kind = STEP_IS_NONE}};
    struct step_value result = step_call_procedure(run, (uint32_t)index, none, 0, &outside);
    step_value_drop(run, &result);
    return run->engine.status;
}
