/* What a name, a member or a setting of the language stands for. */
#include "base/fail.h"
#include "step/program_frame.h"
#include "step/program_parameters.h"

/* A tensor or module under prefix; what is not there although its module is, is none. */
static bool look_under(struct step_run *run, struct zv_slice prefix, struct zv_slice name,
                       struct step_value *to)
{
    struct step_path *const path = step_path_under(run, prefix, name);
    *to = (struct step_value){.kind = path != NULL ? STEP_IS_PATH : STEP_IS_NONE, .path = path};
    struct zv_slice module = name;
    while (module.length != 0 && module.at[module.length - 1] != '.') {
        module.length--;
    }
    if (path != NULL || module.length == 0) {
        return path != NULL;
    }
    module.length--;
    return step_path_under(run, prefix, module) != NULL;
}

/* Under the procedure's prefix, or else from the root of the part that is run, or of the model. */
static struct step_value path_value(struct step_run *run, const struct step_expression *x)
{
    const struct zv_slice root = run->scope != NULL ? run->scope->prefix : zv_slice_of("");
    struct step_value found;
    if (look_under(run, run->prefix, x->text, &found) || look_under(run, root, x->text, &found) ||
        look_under(run, zv_slice_of(""), x->text, &found) || run->lenient) {
        return found;
    }
    return step_run_fail(run, x, ZV_E_SYNTAX,
                         "%.*s is no variable, no value of the family, and no tensor begins with "
                         "%.*s%.*s",
                         (int)x->text.length, x->text.at, (int)run->prefix.length, run->prefix.at,
                         (int)x->text.length, x->text.at);
}

/* As deep as a name has dots. */
/* NOLINTNEXTLINE(misc-no-recursion) */
struct step_value step_member(struct step_run *run, const struct step_expression *x,
                              const struct step_value *of, struct zv_slice name)
{
    if (of->kind == STEP_IS_OBJECT) {
        struct zv_slice rest = name;
        const struct step_value *const at =
            step_object_at(run, of->list, zv_slice_cut(&rest, '.'), false);
        static const struct step_value nothing = {.kind = STEP_IS_NONE};
        return rest.length != 0 ? step_member(run, x, at != NULL ? at : &nothing, rest)
               : at != NULL     ? step_value_hold(*at)
                                : nothing;
    }
    if (of->kind != STEP_IS_PATH) {
        return step_run_fail(run, x, ZV_E_SYNTAX, "%s has no .%.*s", step_kind_name(of->kind),
                             (int)name.length, name.at);
    }
    return step_path_value(step_path_under(run, of->path->name, name));
}

static struct step_value fact(struct step_run *run, const struct step_expression *x)
{
    const struct model_value *const value = &run->scope->values[x->index];
    if (value->kind == VALUE_INTEGER) {
        return step_number(value->number);
    }
    if (value->kind == VALUE_TEXT) {
        return (struct step_value){.kind = STEP_IS_TEXT, .text = value->text};
    }
    if (value->kind == VALUE_BAD) {
        return step_run_fail(run, x, ZV_E_SYNTAX, "%.*s: %.*s", (int)x->text.length, x->text.at,
                             (int)value->text.length, value->text.at);
    }
    return (struct step_value){.kind = STEP_IS_NONE};
}

struct step_value step_name_value(struct step_run *run, const struct step_expression *x)
{
    switch (x->meaning) {
    case STEP_LOCAL: {
        const struct step_value *const local = &run->frame->locals[x->index];
        return x->rest.length != 0 ? step_member(run, x, local, x->rest) : step_value_hold(*local);
    }
    case STEP_LAYER:
        return step_number(run->layer);
    case STEP_CONSTANT:
        return x->index == 0 ? (struct step_value){.kind = STEP_IS_NONE}
                             : step_number(x->index - 1);
    case STEP_DTYPE:
        return (struct step_value){.kind = STEP_IS_DTYPE, .number = x->index};
    case STEP_FACT:
        return fact(run, x);
    case STEP_PROCEDURE:
        return (struct step_value){.kind = STEP_IS_PROCEDURE, .number = x->index};
    case STEP_PATH:
        return path_value(run, x);
    case STEP_UNKNOWN:
    case STEP_OPERATION:
    case STEP_UNARY_OP:
        break;
    }
    return step_run_fail(run, x, ZV_E_BUG, "a name without a meaning");
}

struct step_value step_setting_value(struct step_run *run, const struct step_expression *x)
{
    const struct step_link_setting *const of = &run->link->settings[x->index];
    if (of->value.length == 0) {
        char how[80] = "";
        if (run->spell != NULL) {
            run->spell(x->text, how, sizeof how);
        }
        return step_run_fail(run, x, ZV_E_USAGE, "the step needs %.*s: state it%s%s",
                             (int)x->text.length, x->text.at, how[0] != 0 ? " with " : "", how);
    }
    step_setting_put(&run->asked, x->index);
    return run->settings[x->index];
}
