#include "step/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"
#include "base/file.h"
#include "model/family_scope.h"
#include "step/program_run.h"

enum { PATH_LIMIT = 4096 };

/* ---- programs by name ---- */

/* The user's own file of this name, before the built-in one. */
static bool user_path(char *path, size_t size, struct zv_slice name)
{
    const char *const config = getenv("XDG_CONFIG_HOME"); /* NOLINT(concurrency-mt-unsafe) */
    const char *const home = getenv("HOME");              /* NOLINT(concurrency-mt-unsafe) */
    int length = -1;
    if (config != NULL && config[0] == '/') {
        length =
            snprintf(path, size, "%s/zirve/steps/%.*s.step", config, (int)name.length, name.at);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, size, "%s/.config/zirve/steps/%.*s.step", home, (int)name.length,
                          name.at);
    }
    return length > 0 && (size_t)length < size;
}

static enum zv_status read_user_file(const char *path, struct zv_slice *text,
                                     struct zv_arena *arena, struct zv_error *err)
{
    struct zv_file file;
    const enum zv_status status = zv_file_open_found(&file, path, err);
    if (status != ZV_OK || file.data == NULL) {
        return status;
    }
    const char *const copy = file.size <= STEP_MAX_TEXT
                                 ? zv_arena_copy(arena, (const char *)file.data, file.size)
                                 : NULL;
    *text = (struct zv_slice){copy, copy != NULL ? file.size : 0};
    zv_file_close(&file);
    return copy != NULL ? ZV_OK
                        : zv_fail(err, ZV_E_LIMIT, "%s: no program of a step is that large", path);
}

static enum zv_status find_program(struct zv_slice name, struct zv_slice *file,
                                   struct zv_slice *text, struct zv_arena *arena,
                                   struct zv_error *err)
{
    char path[PATH_LIMIT];
    *text = (struct zv_slice){NULL, 0};
    if (name.length == 0 || memchr(name.at, '/', name.length) != NULL) {
        return ZV_OK;
    }
    if (user_path(path, sizeof path, name)) {
        struct zv_error ignored = {0};
        *file = zv_slice_of(zv_arena_copy(arena, path, strlen(path)));
        const enum zv_status status = read_user_file(path, text, arena, &ignored);
        if (status == ZV_OK && text->length != 0) {
            return ZV_OK;
        }
        if (status != ZV_OK && status != ZV_E_NOT_FOUND && status != ZV_E_IO) {
            return zv_fail(err, status, "%s", ignored.text);
        }
    }
    (void)snprintf(path, sizeof path, "steps/%.*s.step", (int)name.length, name.at);
    *text = zv_data_find(path);
    *file = zv_slice_of(zv_arena_copy(arena, path, strlen(path)));
    return ZV_OK;
}

/* ---- bringing together ---- */

static enum zv_status add_program(struct zv_step *step, struct zv_slice text, struct zv_slice file,
                                  struct zv_error *err)
{
    struct step_program *const program = zv_arena_alloc(step->arena, sizeof *program);
    if (program == NULL) {
        return zv_fail_memory(err, "a step's program");
    }
    const enum zv_status status = step_program_parse(program, text, file, step->arena, err);
    return status == ZV_OK ? step_link_add(&step->link, program, err) : status;
}

static bool has_program(const struct zv_step *step, struct zv_slice file)
{
    for (size_t i = 0; i < step->link.program_count; i++) {
        if (zv_slice_same(step->link.programs[i]->file, file)) {
            return true;
        }
    }
    return false;
}

static enum zv_status add_named(struct zv_step *step, struct zv_slice name, struct zv_error *err)
{
    struct zv_slice file;
    struct zv_slice text;
    const enum zv_status status = find_program(name, &file, &text, step->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    if (text.length == 0) {
        return zv_fail(err, ZV_E_NOT_FOUND, "there is no program steps/%.*s.step", (int)name.length,
                       name.at);
    }
    return has_program(step, file) ? ZV_OK : add_program(step, text, file, err);
}

/* What the programs so far ask for, and what that asks for. */
static enum zv_status add_used(struct zv_step *step, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < step->link.program_count; i++) {
        const struct step_program *const program = step->link.programs[i];
        for (size_t k = 0; status == ZV_OK && k < program->use_count; k++) {
            status = add_named(step, program->uses[k], err);
        }
    }
    return status;
}

static bool is_empty(const struct step_program *program)
{
    return program->procedure_count == 0 && program->use_count == 0;
}

enum zv_status zv_step_open(struct zv_step *step, const struct zv_model *model,
                            struct zv_slice habit, struct zv_arena *arena, struct zv_error *err)
{
    *step = (struct zv_step){.model = model, .arena = arena};
    step->scope = model->scopes != NULL ? family_scopes_text(model->scopes) : NULL;
    if (step->scope == NULL) {
        return zv_fail(err, ZV_E_NOT_FOUND, "no table describes the model \"%.*s\"",
                       (int)model->family.length, model->family.at);
    }
    const struct family *const family = step->scope->family;
    step->link.family = family;
    enum zv_status status = add_named(step, habit, err);
    if (status == ZV_OK) {
        status = add_program(step, family->text, family->file, err);
    }
    if (status == ZV_OK && is_empty(step->link.programs[step->link.program_count - 1])) {
        return zv_fail(err, ZV_E_NOT_FOUND,
                       "%.*s does not say what the model does in a step (no [step …] sections, "
                       "docs/STEP.md)",
                       (int)family->file.length, family->file.at);
    }
    if (status == ZV_OK) {
        status = add_used(step, err);
    }
    return status == ZV_OK ? step_link_finish(&step->link, err) : status;
}

/* ---- running ---- */

/* "--optimizer lamb: the step knows no such optimizer; it knows adamw, sgd" */
static enum zv_status refuse(struct zv_error *err, const struct zv_step_setting *setting,
                             const char *what, const char *known)
{
    return zv_fail(err, ZV_E_USAGE, "%s %.*s: %s \"%.*s\"%s%s",
                   setting->option != NULL ? setting->option : "set", (int)setting->value.length,
                   setting->value.at, what, (int)setting->name.length, setting->name.at,
                   known[0] != 0 ? "; it knows " : "", known);
}

/* The link with the values that were stated; the step's own stays as it is. */
static enum zv_status state(struct step_link *link, const struct zv_step_request *request,
                            struct zv_error *err)
{
    for (size_t i = 0; i < request->setting_count; i++) {
        const int index = step_link_setting(link, request->settings[i].name);
        if (index < 0) {
            return refuse(err, &request->settings[i], "the step has no setting", "");
        }
        char known[480];
        if (!step_link_allows(link, (size_t)index, request->settings[i].value, known,
                              sizeof known)) {
            return refuse(err, &request->settings[i], "the step knows no such", known);
        }
        link->settings[index].value = request->settings[i].value;
    }
    return ZV_OK;
}

static void fill(struct zv_step_result *result, struct step_run *run)
{
    struct step_engine *const e = &run->engine;
    struct zv_memory_stats stats;
    step_phase_note(e);
    zv_allocator_get_stats(e->allocator, &stats);
    *result = (struct zv_step_result){
        .events = e->events,
        .allocations = e->allocations,
        .peak_allocated_bytes = e->peak_allocated_bytes,
        .peak_active_bytes = (uint64_t)stats.counters[ZV_STAT_ACTIVE_BYTES][ZV_STAT_ALL].peak,
        .peak_reserved_bytes = (uint64_t)stats.counters[ZV_STAT_RESERVED_BYTES][ZV_STAT_ALL].peak,
        .peak_event = e->peak_event,
        .peak_label = e->peak_label,
        .peak_in_backward = e->peak_in_backward,
        .end_allocated_bytes =
            (uint64_t)stats.counters[ZV_STAT_ALLOCATED_BYTES][ZV_STAT_ALL].current,
        .managed_bytes = e->peak_managed_bytes,
        .segments = (uint64_t)stats.counters[ZV_STAT_SEGMENT][ZV_STAT_ALL].peak,
        .trains = run->trained_count != 0,
        .out_of_memory = e->ooms != 0,
        .oom_event = e->oom_event,
        .oom_bytes = e->oom_bytes};
    memcpy(result->marks, run->marks, sizeof result->marks);
    memcpy(result->phases, e->phases, sizeof result->phases);
    result->phase_count = e->phase_count;
    result->asked = run->asked;
}

static enum zv_status run_with(struct step_run *run, const struct zv_step_request *request,
                               struct zv_step_result *result, struct zv_error *err)
{
    enum zv_status status = step_run_begin(run, request->model);
    if (status == ZV_OK) {
        status = step_run_call(run, "run");
    }
    if (run->engine.ooms != 0) { /* how the run ended is a result */
        status = ZV_OK;
    }
    if (status == ZV_OK) {
        fill(result, run);
    } else if (err != NULL && err->status == ZV_OK) {
        *err = *run->err;
    }
    step_run_end(run);
    return status;
}

enum zv_status zv_step_run(const struct zv_step *step, const struct zv_step_request *request,
                           struct zv_step_result *result, struct zv_error *err)
{
    struct step_link link = step->link;
    enum zv_status status = state(&link, request, err);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_arena arena = {0};
    struct step_run *const run = zv_arena_alloc(&arena, sizeof *run);
    if (run == NULL) {
        return zv_fail_memory(err, "a step");
    }
    run->link = &link;
    run->scope = step->scope;
    run->arena = &arena;
    run->err = zv_arena_alloc(&arena, sizeof *run->err);
    run->engine.card = request->card;
    run->engine.on_event = request->on_event;
    run->engine.context = request->context;
    run->engine.watch_event = request->watch_event;
    run->engine.on_watch = request->on_watch;
    status = zv_allocator_open(&run->engine.allocator, &request->allocator, err);
    if (status == ZV_OK && run->err == NULL) {
        status = zv_fail_memory(err, "a step");
    }
    if (status == ZV_OK) {
        status = run_with(run, request, result, err);
    }
    zv_allocator_close(run->engine.allocator);
    zv_arena_free(&arena);
    return status;
}
