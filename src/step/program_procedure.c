/* Calling a procedure: its frame, where in the model it is (prefix and layer), and what becomes of
 * its variables. Calls in each other are counted, STEP_MAX_DEPTH at most. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "step/program_frame.h"

/* ---- where a procedure is ---- */

struct step_position step_position_of(const struct step_run *run)
{
    return (struct step_position){run->prefix, run->layer};
}

bool step_set_layer(struct step_run *run, int64_t layer)
{
    if (run->layer == layer) {
        return true;
    }
    run->layer = layer;
    run->engine.label = (run->engine.label & STEP_LABEL_WHAT) | (uint32_t)(layer + 1)
                                                                    << STEP_LABEL_LAYER;
    if (run->scope == NULL || layer < 0) {
        return true;
    }
    run->scope->layer = layer;
    const enum zv_status status = family_define(run->scope, FAMILY_EACH_LAYER, run->err);
    return status == ZV_OK || step_fail(&run->engine, status, "a layer's values");
}

bool step_position_set(struct step_run *run, struct step_position position)
{
    run->prefix = position.prefix;
    return step_set_layer(run, position.layer);
}

/* The number that a procedure was called with, -1 when it has none of that name. */
static int64_t number_given(const struct step_frame *frame, struct zv_slice name)
{
    for (uint32_t i = 0; frame != NULL && i < frame->procedure->parameters; i++) {
        if (zv_slice_same(frame->procedure->locals[i], name) &&
            frame->locals[i].kind == STEP_IS_NUMBER) {
            return frame->locals[i].number;
        }
    }
    return -1;
}

bool step_spell_prefix(struct step_run *run, const struct step_pattern *pattern,
                       char to[STEP_NAME_LIMIT], struct zv_slice *prefix)
{
    size_t length = 0;
    struct zv_slice rest = pattern->text;
    if (run->scope != NULL && run->scope->prefix.length != 0) {
        length = run->scope->prefix.length;
        memcpy(to, run->scope->prefix.at, length);
    }
    while (rest.length != 0 && length < STEP_NAME_LIMIT - 1) {
        if (rest.at[0] != '{') {
            to[length++] = rest.at[0];
            rest = (struct zv_slice){rest.at + 1, rest.length - 1};
            continue;
        }
        struct zv_slice hole = {rest.at + 1, rest.length - 1};
        rest = hole;
        hole = zv_slice_cut(&rest, '}');
        int written = 0;
        const int index =
            run->scope != NULL ? family_find_definition(run->scope->family, hole) : -1;
        const int64_t given = number_given(run->frame, hole);
        if (given >= 0) {
            written = snprintf(to + length, STEP_NAME_LIMIT - length, "%lld", (long long)given);
        } else if (zv_slice_equal(hole, "i")) {
            written =
                snprintf(to + length, STEP_NAME_LIMIT - length, "%lld", (long long)run->layer);
        } else if (index >= 0) {
            const struct model_value *const value = &run->scope->values[index];
            written = value->kind == VALUE_TEXT
                          ? snprintf(to + length, STEP_NAME_LIMIT - length, "%.*s",
                                     (int)value->text.length, value->text.at)
                          : snprintf(to + length, STEP_NAME_LIMIT - length, "%lld",
                                     (long long)value->number);
        } else {
            return step_fail(&run->engine, ZV_E_SYNTAX,
                             "{%.*s} is no value of the family and no number that is given",
                             (int)hole.length, hole.at);
        }
        length += written > 0 ? (size_t)written : 0;
    }
    if (length >= STEP_NAME_LIMIT - 1) {
        return step_fail(&run->engine, ZV_E_LIMIT, "a name of more than %d bytes", STEP_NAME_LIMIT);
    }
    *prefix = (struct zv_slice){to, length};
    return true;
}

/* ---- calls ---- */

static bool enter(struct step_run *run, uint32_t index, size_t count,
                  const struct step_expression *at)
{
    const struct step_procedure *const procedure = run->link->procedures[index];
    if (count != procedure->parameters) {
        (void)step_run_fail(run, at, ZV_E_SYNTAX, "%.*s takes %u arguments, not %zu",
                            (int)procedure->name.length, procedure->name.at, procedure->parameters,
                            count);
        return false;
    }
    if (run->active[index] || run->depth == STEP_MAX_DEPTH) {
        (void)step_run_fail(run, at, ZV_E_SYNTAX, "%.*s calls itself", (int)procedure->name.length,
                            procedure->name.at);
        return false;
    }
    return true;
}

/* A variable of a procedure that is stopped: Python's traceback holds its frame. */
static void wreck(struct step_run *run, struct step_value value)
{
    if (value.kind == STEP_IS_NONE) {
        return;
    }
    if (run->wreck_count == run->wreck_capacity) {
        const size_t capacity =
            run->wreck_capacity == 0 ? STEP_MAX_LOCALS : run->wreck_capacity * 2;
        struct step_value *const more = zv_memory_resize(run->wreck, capacity * sizeof *more);
        if (more == NULL) {
            run->engine.stopped = false;
            step_fail(&run->engine, ZV_E_NOMEM, "no host memory for a checkpoint");
            step_value_drop(run, &value);
            return;
        }
        run->wreck = more;
        run->wreck_capacity = capacity;
    }
    run->wreck[run->wreck_count++] = value;
}

void step_wreck_drop(struct step_run *run)
{
    for (size_t i = 0; i < run->wreck_count; i++) {
        step_value_drop(run, &run->wreck[i]);
    }
    run->wreck_count = 0;
}

/* Variables die in the order in which they appear, then a module's arguments. */
static void leave(struct step_run *run, struct step_frame *frame,
                  const struct step_value *arguments)
{
    const struct step_procedure *const procedure = frame->procedure;
    const bool stopped = run->engine.stopped;
    for (uint32_t i = 0; i < procedure->local_count; i++) {
        if (stopped) {
            wreck(run, frame->locals[i]);
        } else {
            step_value_drop(run, &frame->locals[i]);
        }
    }
    for (uint32_t i = 0; stopped && procedure->is_module && i < procedure->parameters; i++) {
        wreck(run, step_value_hold(arguments[i]));
    }
}

struct step_value step_call_procedure(struct step_run *run, uint32_t index,
                                      struct step_value *arguments, size_t count,
                                      const struct step_expression *at)
{
    const struct step_procedure *const procedure = run->link->procedures[index];
    if (!enter(run, index, count, at)) {
        return (struct step_value){.kind = STEP_IS_NONE};
    }
    struct step_frame frame; /* of 64 variables only as many are made as there are */
    frame.procedure = procedure;
    frame.result = (struct step_value){.kind = STEP_IS_NONE};
    memset(frame.locals, 0, procedure->local_count * sizeof *frame.locals);
    for (size_t i = 0; i < count; i++) {
        frame.locals[i] = step_value_hold(arguments[i]);
        if (!procedure->is_module) { /* a function's arguments are its own */
            step_value_drop(run, &arguments[i]);
        }
    }
    struct step_frame *const outer = run->frame;
    const struct zv_slice prefix_before = run->prefix;
    char prefix[STEP_NAME_LIMIT];
    run->frame = &frame;
    run->active[index] = true;
    run->depth++;
    if (!procedure->at.given || step_spell_prefix(run, &procedure->at, prefix, &run->prefix)) {
        step_run_body(run, procedure->body);
    }
    step_blame(run, procedure->place);
    run->depth--;
    run->active[index] = false;
    leave(run, &frame, arguments);
    run->prefix = prefix_before;
    run->frame = outer;
    return frame.result;
}
