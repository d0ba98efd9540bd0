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

/* The programs in the order in which their procedures win. */
struct gathered {
    struct step_program *at[STEP_MAX_PROGRAMS];
    size_t count;
};

static enum zv_status add_program(const struct zv_step *step, struct gathered *to,
                                  struct zv_slice text, struct zv_slice file, struct zv_error *err)
{
    if (to->count == STEP_MAX_PROGRAMS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d programs of a step", STEP_MAX_PROGRAMS);
    }
    struct step_program *const program = zv_arena_alloc(step->arena, sizeof *program);
    if (program == NULL) {
        return zv_fail_memory(err, "a step's program");
    }
    to->at[to->count++] = program;
    return step_program_parse(program, text, file, step->arena, err);
}

static size_t place_of(const struct gathered *programs, struct zv_slice file)
{
    size_t at = 0;
    while (at < programs->count && !zv_slice_same(programs->at[at]->file, file)) {
        at++;
    }
    return at;
}

static enum zv_status add_named(const struct zv_step *step, struct gathered *to,
                                struct zv_slice name, size_t *place, struct zv_error *err)
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
    *place = place_of(to, file);
    return *place < to->count ? ZV_OK : add_program(step, to, text, file, err);
}

/* Puts the program at `from` behind the one at `to`. */
static void move_behind(struct gathered *programs, size_t from, size_t to)
{
    struct step_program *const moved = programs->at[from];
    memmove(&programs->at[from], &programs->at[from + 1],
            (to - from) * sizeof(struct step_program *));
    programs->at[to] = moved;
}

/*
 * What the programs so far ask for, and what that asks for: each behind all that use it, so that
 * they may replace its procedures. The habit and the family stay in front; in a circle nothing
 * moves any more after as many rounds as there are programs.
 */
static enum zv_status add_used(const struct zv_step *step, struct gathered *programs,
                               struct zv_error *err)
{
    enum { IN_FRONT = 2 };
    size_t rounds = 0;
    for (size_t i = 0; i < programs->count; i++) {
        const struct step_program *const program = programs->at[i];
        bool moves = false;
        for (size_t k = 0; k < program->use_count; k++) {
            size_t place = 0;
            const enum zv_status status = add_named(step, programs, program->uses[k], &place, err);
            if (status != ZV_OK) {
                return status;
            }
            if (place >= IN_FRONT && place < i && rounds < STEP_MAX_PROGRAMS) {
                move_behind(programs, place, i);
                moves = true;
                break;
            }
        }
        if (moves) {
            rounds++;
            i = IN_FRONT - 1; /* all over again behind those in front */
        }
    }
    return ZV_OK;
}

static bool is_empty(const struct step_program *program)
{
    return program->procedure_count == 0 && program->use_count == 0;
}

static enum zv_status gather(const struct zv_step *step, struct zv_slice habit, struct gathered *to,
                             struct zv_error *err)
{
    const struct family *const family = step->scope->family;
    size_t place;
    enum zv_status status = add_named(step, to, habit, &place, err);
    if (status == ZV_OK) {
        status = add_program(step, to, family->text, family->file, err);
    }
    const struct step_program *const own = status == ZV_OK ? to->at[to->count - 1] : NULL;
    if (own != NULL && is_empty(own)) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "%.*s does not say what the model does in a step (no [step …] sections, "
                       "docs/STEP.md)",
                       (int)family->file.length, family->file.at);
    }
    return status == ZV_OK ? add_used(step, to, err) : status;
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
    if (model->quant.method != ZV_QUANT_NONE) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "the weights are quantised (%.*s, quantization_config), and no program says "
                       "what a step does with them: state the model they were made from, with "
                       "--set quantize=... where the framework knows it",
                       (int)model->quant.name.length, model->quant.name.at);
    }
    step->link.family = step->scope->family;
    struct gathered programs = {.count = 0};
    enum zv_status status = gather(step, habit, &programs, err);
    for (size_t i = 0; status == ZV_OK && i < programs.count; i++) {
        status = step_link_add(&step->link, programs.at[i], err);
    }
    return status == ZV_OK ? step_link_finish(&step->link, err) : status;
}

/* ---- running ---- */

/* "--optimizer lamb: the step knows no such optimizer; it knows adamw, sgd"; "--set clip=x: …" */
static enum zv_status refuse(struct zv_error *err, const struct zv_step_setting *setting,
                             const char *what, const char *known)
{
    const bool by_name = setting->option == NULL || strcmp(setting->option, "--set") == 0;
    return zv_fail(err, ZV_E_USAGE, "%s %.*s%s%.*s: %s \"%.*s\"%s%s",
                   setting->option != NULL ? setting->option : "set",
                   by_name ? (int)setting->name.length : 0, setting->name.at, by_name ? "=" : "",
                   (int)setting->value.length, setting->value.at, what, (int)setting->name.length,
                   setting->name.at, known[0] != 0 ? "; it knows " : "", known);
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
    memcpy(result->outside, run->outside, sizeof result->outside);
    result->outside_count = run->outside_count;
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
    run->spell = request->spell;
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
        const struct family_scope *const tower = family_scopes_tower(step->model->scopes);
        result->not_run = tower != NULL ? tower->part->role : zv_slice_of("");
    }
    zv_allocator_close(run->engine.allocator);
    zv_arena_free(&arena);
    return status;
}
