#include "cli/job_input.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"

bool job_input_is(const char *path)
{
    const struct zv_slice name = zv_slice_of(path);
    return zv_slice_ends(name, ".yaml") || zv_slice_ends(name, ".yml");
}

enum zv_status job_input_open(struct job_input *input, const char *path, struct zv_error *err)
{
    struct zv_file file = {0};
    input->path = path;
    enum zv_status status = zv_file_open(&file, path, err);
    if (status == ZV_OK) {
        status = zv_job_file_read(&input->file, zv_file_slice(&file), &input->arena, err);
        zv_file_close(&file);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}

void job_input_close(struct job_input *input)
{
    zv_arena_free(&input->arena);
}

/* A path of the job file, from the file's folder unless it is absolute. */
static const char *beside(struct job_input *input, const char *path)
{
    const char *const slash = strrchr(input->path, '/');
    if (path[0] == '/' || slash == NULL) {
        return path;
    }
    return zv_arena_print(&input->arena, "%.*s/%s", (int)(slash - input->path), input->path, path);
}

static bool is_path(const char *option)
{
    static const char *const names[] = {"draft", "mmproj", "lora", "items", "from-log"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], option) == 0) {
            return true;
        }
    }
    return false;
}

static enum zv_status fail_setting(const struct job_input *input,
                                   const struct zv_job_setting *setting, const char *what,
                                   struct zv_error *err)
{
    const enum zv_status status = zv_fail_line(err, ZV_E_SYNTAX, setting->line, "column %u: %s: %s",
                                               setting->column, setting->option, what);
    (void)zv_fail_where(err, input->path);
    return status;
}

/* The option a setting stands for, if it is one that a job may set. */
static enum zv_status find_option(const struct job_input *input, const struct arguments *args,
                                  const struct zv_job_setting *setting,
                                  const struct option_spec **spec, struct zv_error *err)
{
    static const char *const of_the_question[] = {"grid",    "search", "advise",
                                                  "verbose", "card",   "from-log"};
    *spec = option_find(args->verb, zv_slice_of(setting->option));
    bool common = *spec == NULL;
    for (size_t i = 0; i < common_option_count; i++) {
        common = common || *spec == &common_options[i];
    }
    if (common) {
        return fail_setting(input, setting, "no option of 'zirve estimate'", err);
    }
    for (size_t i = 0; i < sizeof of_the_question / sizeof of_the_question[0]; i++) {
        if (strcmp((*spec)->name, of_the_question[i]) == 0) {
            return fail_setting(input, setting,
                                "asks something of the job: give it on the command line", err);
        }
    }
    if (((*spec)->kind == OPTION_FLAG) != (setting->value == NULL)) {
        return fail_setting(input, setting,
                            setting->value == NULL ? "expected a value" : "expected true or false",
                            err);
    }
    return ZV_OK;
}

static enum zv_status add_setting(struct job_input *input, struct arguments *args,
                                  const struct zv_job_setting *setting, size_t typed,
                                  struct zv_error *err)
{
    const struct option_spec *spec = NULL;
    const enum zv_status status = find_option(input, args, setting, &spec, err);
    const char *const searched = arguments_value(args, "search");
    if (status != ZV_OK || (searched != NULL && strcmp(searched, spec->name) == 0)) {
        return status; /* what is searched for has no value yet */
    }
    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].spec != spec || spec->kind == OPTION_LIST) {
            continue;
        }
        if (i < typed) {
            return ZV_OK; /* the command line wins */
        }
        if (spec->kind == OPTION_VALUE) {
            return fail_setting(input, setting, "is set twice in this file", err);
        }
    }
    const char *value = setting->value;
    if (value != NULL && is_path(spec->name)) {
        value = beside(input, value);
        if (value == NULL) {
            return zv_fail_memory(err, "a path");
        }
    }
    if (args->given_count == ARGUMENTS_MAX) {
        return fail_setting(input, setting, "too many options", err);
    }
    args->given[args->given_count++] = (struct given_option){spec, value, setting->option};
    return ZV_OK;
}

enum zv_status job_input_apply(struct job_input *input, struct arguments *args,
                               struct zv_error *err)
{
    const size_t typed = args->given_count;
    args->operand_count = 0;
    if (input->file.model_path != NULL) {
        args->operands[args->operand_count++] = beside(input, input->file.model_path);
        if (args->operands[0] == NULL) {
            return zv_fail_memory(err, "a path");
        }
    }
    for (size_t i = 0; i < input->file.setting_count; i++) {
        const enum zv_status status =
            add_setting(input, args, &input->file.settings[i], typed, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}
