#include "step/program_link.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "step/op_table.h"
#include "step/program_run.h"

struct linker {
    struct step_link *link;
    struct zv_error *err;
    struct step_procedure *procedure;
};

static enum zv_status wrong_at(const struct linker *linker, struct step_place place,
                               enum zv_status status, const char *what, struct zv_slice name)
{
    (void)zv_fail_line(linker->err, status, place.line, "column %u: %.*s: %s", place.column,
                       (int)name.length, name.at, what);
    (void)zv_fail_in(linker->err, linker->procedure->file);
    return status;
}

int step_link_procedure(const struct step_link *link, struct zv_slice name)
{
    for (size_t i = 0; i < link->procedure_count; i++) {
        if (zv_slice_same(link->procedures[i]->name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int step_link_setting(const struct step_link *link, struct zv_slice name)
{
    for (size_t i = 0; i < link->setting_count; i++) {
        if (zv_slice_same(link->settings[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static enum zv_status add_setting(struct step_link *link, const struct step_link_setting *setting,
                                  int *index, struct zv_error *err)
{
    *index = step_link_setting(link, setting->name);
    if (*index >= 0) {
        return ZV_OK;
    }
    if (link->setting_count == STEP_MAX_SETTINGS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings of a step", STEP_MAX_SETTINGS);
    }
    *index = (int)link->setting_count;
    link->settings[link->setting_count++] = *setting;
    return ZV_OK;
}

static bool is_among(struct zv_slice list, char separator, struct zv_slice value)
{
    while (list.length != 0) {
        struct zv_slice one = zv_slice_trim(zv_slice_cut(&list, separator));
        if (one.length != 0 && one.at[0] == '"') { /* the last closing quote is cut off already */
            one = (struct zv_slice){one.at + 1, one.length - 1};
            one = zv_slice_cut(&one, '"');
        }
        if (zv_slice_same(one, value)) {
            return true;
        }
    }
    return false;
}

/* The programs' values of a setting, of those that name more than one. */
static const struct step_setting *next_choices(const struct step_link *link, struct zv_slice name,
                                               size_t *program)
{
    while (*program < link->program_count) {
        const struct step_program *const of = link->programs[(*program)++];
        for (size_t i = 0; i < of->setting_count; i++) {
            const struct step_setting *const setting = &of->settings[i];
            if (zv_slice_same(setting->name, name) &&
                (setting->others.length != 0 ||
                 (setting->value.length != 0 &&
                  memchr(setting->value.at, '|', setting->value.length) != NULL))) {
                return setting;
            }
        }
    }
    return NULL;
}

static bool is_among_words(const char *const words[3], struct zv_slice value)
{
    for (int i = 0; i < 3; i++) {
        if (zv_slice_equal(value, words[i])) {
            return true;
        }
    }
    return false;
}

/* What a single default says of the other values: a switch is true or false, a number a number, a
 * type a type; none and words say nothing but that no number is negative. NULL: that value is one
 * of those. */
static const char *kind_missed(struct zv_slice initial, struct zv_slice value)
{
    static const char *const switches[3] = {"false", "true", "true"};
    static const char *const types[3] = {"bf16", "f16", "f32"};
    uint64_t whole;
    double number;
    const bool is_whole = zv_slice_u64(value, &whole) && whole <= INT64_MAX;
    const bool is_number = is_whole || zv_slice_double(value, &number);
    if (is_among_words(switches, initial)) {
        return is_among_words(switches, value) ? NULL : "false, true";
    }
    if (is_among_words(types, initial)) {
        return is_among_words(types, value) ? NULL : "bf16, f16, f32";
    }
    if (zv_slice_u64(initial, &whole) || (is_number && !zv_slice_double(initial, &number))) {
        return is_whole ? NULL : "whole numbers below 2^63";
    }
    if (zv_slice_double(initial, &number)) {
        return is_whole || (zv_slice_double(value, &number) && number >= 0) ? NULL
                                                                            : "numbers from 0 on";
    }
    return value.length != 0 ? NULL : "words";
}

/* The first program's value of a setting; empty: it must be stated. */
static struct zv_slice initial_of(const struct step_link *link, struct zv_slice name)
{
    for (size_t i = 0; i < link->program_count; i++) {
        for (size_t k = 0; k < link->programs[i]->setting_count; k++) {
            if (zv_slice_same(link->programs[i]->settings[k].name, name)) {
                return link->programs[i]->settings[k].value;
            }
        }
    }
    return (struct zv_slice){NULL, 0};
}

/* Whether a program names this value. */
static bool is_named(const struct step_setting *choices, struct zv_slice value)
{
    uint64_t whole;
    double fraction;
    return is_among(choices->value, '|', value) || is_among(choices->others, ',', value) ||
           (zv_slice_u64(value, &whole) && whole <= INT64_MAX &&
            is_among(choices->others, ',', zv_slice_of("number"))) ||
           (zv_slice_double(value, &fraction) && fraction >= 0 &&
            is_among(choices->others, ',', zv_slice_of("decimal")));
}

bool step_link_allows(const struct step_link *link, size_t setting, struct zv_slice value,
                      char *known, size_t size)
{
    const struct zv_slice name = link->settings[setting].name;
    const struct zv_slice initial = initial_of(link, name);
    const bool cut_short = value.length != 0 && value.at[value.length - 1] == '|';
    size_t program = 0;
    const struct step_setting *choices = next_choices(link, name, &program);
    struct zv_slice rest = value;
    if (choices == NULL) {
        const char *missed = NULL;
        while (missed == NULL && rest.length != 0) {
            missed = kind_missed(initial, zv_slice_trim(zv_slice_cut(&rest, '|')));
        }
        missed = missed == NULL && cut_short ? "values between |" : missed;
        (void)snprintf(known, size, "%s", missed != NULL ? missed : "");
        return missed == NULL;
    }
    bool all = false;
    for (; choices != NULL && !all; choices = next_choices(link, name, &program)) {
        all = !cut_short;
        for (rest = value; all && rest.length != 0;) {
            all = is_named(choices, zv_slice_trim(zv_slice_cut(&rest, '|')));
        }
        (void)snprintf(known, size, "%.*s%s%.*s", (int)choices->value.length, choices->value.at,
                       choices->others.length != 0 ? ", " : "", (int)choices->others.length,
                       choices->others.at);
    }
    return all;
}

enum zv_status step_link_add(struct step_link *link, const struct step_program *program,
                             struct zv_error *err)
{
    if (link->program_count == STEP_MAX_PROGRAMS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d programs of a step", STEP_MAX_PROGRAMS);
    }
    link->programs[link->program_count++] = program;
    for (size_t i = 0; i < program->procedure_count; i++) {
        if (step_link_procedure(link, program->procedures[i].name) >= 0) {
            continue;
        }
        if (link->procedure_count == STEP_MAX_LINKED) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d procedures of a step", STEP_MAX_LINKED);
        }
        link->procedures[link->procedure_count++] = &program->procedures[i];
    }
    for (size_t i = 0; i < program->setting_count; i++) {
        const struct step_link_setting setting = {.name = program->settings[i].name,
                                                  .value = program->settings[i].value,
                                                  .basis = program->settings[i].basis,
                                                  .file = program->file,
                                                  .place = program->settings[i].place};
        int index;
        const enum zv_status status = add_setting(link, &setting, &index, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* ---- meanings ---- */

static int local_of(const struct step_procedure *procedure, struct zv_slice name)
{
    for (uint32_t i = 0; i < procedure->local_count; i++) {
        if (zv_slice_same(procedure->locals[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool take(struct step_expression *x, enum step_meaning meaning, int index)
{
    if (index >= 0) {
        x->meaning = meaning;
        x->index = (uint32_t)index;
    }
    return index >= 0;
}

static int constant_of(struct zv_slice name)
{
    static const char *const names[] = {"none", "false", "true"};
    for (int i = 0; i < 3; i++) {
        if (zv_slice_equal(name, names[i])) {
            return i;
        }
    }
    return -1;
}

static int dtype_of(struct zv_slice name)
{
    static const char *const names[] = {"f64", "f32", "f16", "bf16", "i64",
                                        "i32", "i8",  "u8",  "bool", "c64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (zv_slice_equal(name, names[i])) {
            return (int)zv_dtype_parse(name);
        }
    }
    return -1;
}

/* A variable comes first, then the language's words, the family's values, tensors. */
static void name_meaning(struct linker *linker, struct step_expression *x)
{
    const struct step_link *const link = linker->link;
    struct zv_slice rest = x->text;
    const struct zv_slice first = zv_slice_cut(&rest, '.');
    x->rest = rest;
    if (take(x, STEP_LOCAL, local_of(linker->procedure, first))) {
        return;
    }
    x->meaning = STEP_PATH;
    if (rest.length != 0) {
        return;
    }
    if (zv_slice_equal(first, "i")) {
        x->meaning = STEP_LAYER;
        return;
    }
    (void)(take(x, STEP_CONSTANT, constant_of(first)) || take(x, STEP_DTYPE, dtype_of(first)) ||
           (link->family != NULL &&
            take(x, STEP_FACT, family_find_definition(link->family, first))));
}

static int operation_of(struct zv_slice name)
{
    for (size_t i = 0; i < step_operation_count; i++) {
        if (zv_slice_equal(name, step_operations[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

/* What a framework's program asks for and nobody says is the model's to say. */
static enum zv_status missing(const struct linker *linker, const struct step_expression *x)
{
    const struct family *const family = linker->link->family;
    char what[256];
    if (family == NULL || !zv_slice_starts(linker->procedure->file, "steps/")) {
        return wrong_at(linker, x->place, ZV_E_SYNTAX,
                        "no operation and no procedure has this name", x->text);
    }
    (void)snprintf(what, sizeof what, "this program asks it of the model, and %.*s does not say it",
                   (int)(family->file.length < 128 ? family->file.length : 128), family->file.at);
    return wrong_at(linker, x->place, ZV_E_UNSUPPORTED, what, x->text);
}

static enum zv_status call_meaning(struct linker *linker, struct step_expression *x)
{
    if (take(x, STEP_OPERATION, operation_of(x->text)) ||
        take(x, STEP_UNARY_OP, step_unary_index(x->text)) ||
        take(x, STEP_PROCEDURE, step_link_procedure(linker->link, x->text))) {
        return ZV_OK;
    }
    return missing(linker, x);
}

static enum zv_status setting_meaning(struct linker *linker, struct step_expression *x)
{
    const struct step_link_setting setting = {
        .name = x->text, .file = linker->procedure->file, .place = x->place};
    int index;
    const enum zv_status status = add_setting(linker->link, &setting, &index, linker->err);
    if (status == ZV_OK) {
        x->index = (uint32_t)index;
    }
    return status;
}

/* The first argument of checkpoint and map is the name of a procedure; others take more. */
static enum zv_status procedure_arguments(struct linker *linker, const struct step_expression *x)
{
    if (x->meaning != STEP_OPERATION) {
        return ZV_OK;
    }
    struct step_expression *argument = x->first;
    for (const char *letter = step_operations[x->index].takes; *letter != 0 && argument != NULL;
         letter++) {
        if (*letter == '?') {
            continue;
        }
        if ((*letter == 'P' || *letter == 'Q') && argument->kind == STEP_NAME &&
            !take(argument, STEP_PROCEDURE, step_link_procedure(linker->link, argument->text))) {
            if (*letter == 'P') {
                return wrong_at(linker, argument->place, ZV_E_SYNTAX, "no procedure has this name",
                                argument->text);
            }
            argument->meaning = STEP_CONSTANT; /* none */
        }
        argument = argument->next;
    }
    return ZV_OK;
}

/* NOLINTBEGIN(misc-no-recursion): blocks and expressions are trees, whose depth the parser limits
 */
static enum zv_status expression(struct linker *linker, struct step_expression *x)
{
    enum zv_status status = ZV_OK;
    for (; status == ZV_OK && x != NULL; x = x->next) {
        if (x->kind == STEP_NAME && x->meaning == STEP_UNKNOWN) {
            name_meaning(linker, x);
        } else if (x->kind == STEP_CALL) {
            status = call_meaning(linker, x);
            status = status == ZV_OK ? procedure_arguments(linker, x) : status;
        } else if (x->kind == STEP_SETTING) {
            status = setting_meaning(linker, x);
        }
        if (status == ZV_OK) {
            status = expression(linker, x->first);
        }
    }
    return status;
}

static enum zv_status statements(struct linker *linker, struct step_statement *s)
{
    enum zv_status status = ZV_OK;
    for (; status == ZV_OK && s != NULL; s = s->next) {
        struct step_expression *const parts[3] = {s->targets, s->value, s->condition};
        for (size_t i = 0; status == ZV_OK && i < 3; i++) {
            status = expression(linker, parts[i]);
        }
        if (status == ZV_OK) {
            status = statements(linker, s->body);
        }
        if (status == ZV_OK) {
            status = statements(linker, s->otherwise);
        }
    }
    return status;
}
/* NOLINTEND(misc-no-recursion) */

enum zv_status step_link_finish(struct step_link *link, struct zv_error *err)
{
    struct linker linker = {link, err, NULL};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < link->procedure_count; i++) {
        linker.procedure = link->procedures[i];
        if (operation_of(linker.procedure->name) >= 0 ||
            step_unary_index(linker.procedure->name) >= 0) {
            return wrong_at(&linker, linker.procedure->place, ZV_E_SYNTAX,
                            "an operation has this name", linker.procedure->name);
        }
        status = statements(&linker, linker.procedure->body);
    }
    return status;
}
