/* Whether an operation can take what it is given. */
#include "step/program_frame.h"

#define KIND(kind) (1U << STEP_IS_##kind)

/* The letters of struct step_operation.takes; any other takes whatever comes. */
static const struct letter {
    char letter;
    bool takes_tensor; /* whatever holds one: a tensor, a parameter */
    unsigned kinds;
    const char *name;
} letters[] = {
    {'T', true, 0, "a tensor"},
    {'O', true, KIND(NONE), "a tensor or none"},
    {'N', true, KIND(NUMBER) | KIND(SCALAR), "a tensor or a number"},
    {'i', false, KIND(NUMBER), "a whole number"},
    {'n', false, KIND(NUMBER) | KIND(SCALAR), "a number"},
    {'d', false, KIND(DTYPE), "a type"},
    {'s', false, KIND(TEXT), "a text"},
    {'L', false, KIND(LIST), "a list"},
    {'P', false, KIND(PROCEDURE), "a procedure"},
    {'Q', false, KIND(PROCEDURE) | KIND(NONE), "a procedure"},
    {'B', false, KIND(OBJECT), "an object"},
    {'M', false, KIND(PATH), "a parameter or module"},
};

static const struct letter *row_of(char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].letter == letter) {
            return &letters[i];
        }
    }
    return NULL;
}

static bool suits(const struct letter *row, const struct step_value *value)
{
    return row == NULL || (row->kinds >> value->kind & 1) != 0 ||
           (row->takes_tensor && step_tensor_of(value) != NULL);
}

bool step_check_arguments(struct step_run *run, const struct step_expression *x,
                          const struct step_operation *operation, const struct step_value *args,
                          size_t count)
{
    size_t at = 0;
    bool optional = false;
    for (const char *letter = operation->takes; *letter != 0; letter++) {
        if (*letter == '?') {
            optional = true;
            continue;
        }
        if (*letter == '*') {
            return true;
        }
        const struct letter *const row = row_of(*letter);
        const bool left_out = at >= count || args[at].kind == STEP_IS_NONE;
        if ((at >= count && !optional) ||
            (at < count && !suits(row, &args[at]) && !(optional && left_out))) {
            (void)step_run_fail(run, x, ZV_E_SYNTAX, "%s: argument %zu must be %s%s%s",
                                operation->name, at + 1, row != NULL ? row->name : "a value",
                                at < count ? ", it is " : "",
                                at < count ? step_kind_name(args[at].kind) : "");
            return false;
        }
        at++;
    }
    if (at < count) {
        (void)step_run_fail(run, x, ZV_E_SYNTAX, "%s takes %zu arguments, not %zu", operation->name,
                            at, count);
    }
    return at >= count;
}
