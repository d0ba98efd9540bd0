#include "cli/estimate_session.h"

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/estimate_options.h"
#include "cli/in_use.h"
#include "cli/output.h"
#include "estimate/weights_as.h"

int session_exit_code(enum zv_verdict verdict)
{
    static const int codes[] = {[ZV_FITS] = 0, [ZV_FITS_NOT] = 1, [ZV_CANNOT_TELL] = 6};
    return codes[verdict];
}

enum zv_status session_open_card(struct session *session, const char *name,
                                 struct zv_capacity *capacity, struct zv_error *err)
{
    const size_t digits = strspn(name, "0123456789");
    if (digits != 0 && name[digits] == 'x' && name[digits + 1] != 0) {
        return zv_fail(err, ZV_E_USAGE,
                       "card '%s': name the card once, and give how many share the job: --tp, --pp "
                       "or --dp, --gpus for llama.cpp",
                       name);
    }
    enum zv_status status = ZV_OK;
    if (!session->has_cards) {
        status = card_files_open(&session->cards, &session->arena, err);
        session->has_cards = status == ZV_OK;
    }
    if (status == ZV_OK) {
        status = zv_capacity_of(&session->cards.table, name, capacity, &session->arena, err);
    }
    if (status == ZV_OK && capacity->card == NULL) {
        output_note("%s is taken literally; a real card of that name allows less or more", name);
    }
    return status;
}

enum zv_status session_open(struct session *session, const struct arguments *args,
                            struct zv_error *err)
{
    const char *const items = arguments_value(args, "items");
    *session = (struct session){0};
    enum zv_status status =
        estimate_job(&session->job, &session->command, args, &session->arena, err);
    if (status == ZV_OK && items != NULL) {
        status = zv_file_open(&session->items, items, err);
        if (status == ZV_OK) {
            status = estimate_items_file(&session->job, zv_file_slice(&session->items), err);
            (void)zv_fail_where(err, items);
        }
    }
    if (status == ZV_OK) {
        status = option_in_use(args, &session->in_use_bytes, err);
    }
    return status;
}

/* "Qwen/Qwen2.5-7B" as a pasted command line has it: a name on a hub, when no file is called so. */
static bool is_hub_name(const char *path)
{
    const char *const slash = strchr(path, '/');
    return slash != NULL && slash != path && path[0] != '.' && path[0] != '~' && slash[1] != 0 &&
           strchr(slash + 1, '/') == NULL && access(path, F_OK) != 0;
}

enum zv_status session_open_model(struct session *session, const struct arguments *args,
                                  struct zv_error *err)
{
    const struct zv_job *const job = &session->job;
    const char *path = args->operand_count != 0 ? args->operands[0] : NULL;
    if (args->operand_count > 1) {
        return zv_fail(err, ZV_E_USAGE, "one model at a time: %s and %s", args->operands[0],
                       args->operands[1]);
    }
    if (path == NULL && job->serve.model_path.length != 0) {
        path =
            zv_arena_copy(&session->arena, job->serve.model_path.at, job->serve.model_path.length);
    }
    if (path == NULL) {
        return zv_fail(err, ZV_E_USAGE,
                       "expected a model (a folder, .gguf, .safetensors or config.json), or "
                       "--parameters and --bits");
    }
    if (is_hub_name(path)) {
        (void)zv_fail(err, ZV_E_NOT_FOUND,
                      "no such file, and names on a hub are not looked up: give the folder with "
                      "its files%s",
                      session->command.program.length != 0 ? " as MODEL beside --command" : "");
        return zv_fail_where(err, path);
    }
    enum zv_status status =
        zv_model_open(&session->stored, &session->model_files, path, &session->arena, err);
    if (status == ZV_OK && job->runtime == ZV_RUNTIME_NONE &&
        session->stored.source == ZV_SOURCE_GGUF && job->task == ZV_TASK_SERVE) {
        session->job.runtime = ZV_RUNTIME_LLAMACPP; /* what reads such a file */
        output_note("a GGUF file: llama.cpp's rules are taken; --runtime names another");
    }
    if (status == ZV_OK) {
        status = zv_weights_loaded(&session->model, &session->stored, job, &session->arena, err);
    }
    if (status == ZV_OK) {
        status = extra_models_open(&session->extras, job, args, &session->arena, err);
    }
    return status != ZV_OK
               ? status
               : zv_runtime_resolve(&session->rules, job->runtime, job->runtime_version,
                                    arguments_has(args, "assume"), &session->arena, err);
}

enum zv_status session_weights(struct session *session, struct zv_grid_model *to,
                               struct zv_error *err)
{
    struct zv_error cause = {0};
    struct zv_model *const model = zv_arena_alloc(&session->arena, sizeof *model);
    if (model == NULL) {
        return zv_fail_memory(err, "a model");
    }
    const enum zv_status status =
        zv_weights_as(model, &session->stored, zv_slice_of(to->name), &session->arena, &cause);
    if (status == ZV_OK) {
        to->model = model;
        return ZV_OK;
    }
    to->why = zv_arena_copy(&session->arena, cause.text, strlen(cause.text));
    return to->why == NULL || status == ZV_E_NOMEM ? zv_fail_memory(err, "a model") : ZV_OK;
}

const struct zv_runtime_rules *session_rules(const struct session *session)
{
    return session->job.runtime != ZV_RUNTIME_NONE ? &session->rules : NULL;
}

struct zv_question session_question(const struct session *session)
{
    struct zv_question question = {
        .input = {.model = &session->model,
                  .unquantised = &session->stored,
                  .job = &session->job,
                  .rules = session_rules(session)},
        .capacity = session->has_card ? &session->capacity : NULL,
        .in_use_bytes = session->in_use_bytes,
    };
    extra_models_set(&session->extras, &question.input);
    return question;
}

void session_notes(const struct session *session)
{
    const struct zv_runtime_rules *const rules = session_rules(session);
    if (rules != NULL && rules->note[0] != 0) {
        output_note("%s", rules->note);
    }
    for (size_t i = 0; i < session->command.extra_count; i++) {
        const struct zv_command_extra *const extra = &session->command.extras[i];
        if (extra->matters) {
            output_note("option %.*s: %s", (int)extra->name.length, extra->name.at, extra->why);
        }
    }
}

void session_close(struct session *session)
{
    zv_model_close(session->model_files);
    extra_models_close(&session->extras);
    if (session->items.data != NULL) {
        zv_file_close(&session->items);
    }
    card_files_close(&session->cards);
    zv_arena_free(&session->arena);
}
