/* zirve estimate --framework: a training step, run op by op. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/estimate_verb.h"
#include "cli/result_file.h"
#include "cli/step_settings.h"
#include "estimate/search.h"
#include "report/report_step.h"

/* What kernels see of the card. */
static enum zv_status find_kernels(struct session *session, struct step_card *to,
                                   const char **basis, struct zv_error *err)
{
    const struct zv_card *const card = session->has_card ? session->capacity.card : NULL;
    const bool known = zv_step_card_of(to, card);
    *basis = known && card != NULL
                 ? zv_arena_copy(&session->arena, card->name.at, card->name.length)
                 : "an A100 (no --card, or one whose kernels are not known)";
    return *basis != NULL ? ZV_OK : zv_fail_memory(err, "a card's name");
}

static void write_op(void *context, const struct step_event *event)
{
    struct zv_sink *const sink = context;
    if (event->is_use) { /* that work is done at once (docs/STEP.md) */
        return;
    }
    if (event->is_free) {
        zv_sink_print(sink, "f %" PRIu64 "\n", event->id);
    } else {
        zv_sink_print(sink, "a %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", event->id, event->bytes,
                      event->stream);
    }
}

/* A program that is open, and what is asked of it. */
struct ready {
    struct zv_step step;
    struct step_settings settings;
    struct zv_step_request request;
    struct zv_step_search found;
};

static void limit_search(struct zv_step_search *found, uint64_t declared_tokens)
{
    const bool tokens = zv_slice_equal(found->setting, "tokens");
    found->from = tokens ? 2 : 1;
    found->limit = !tokens                ? ZV_SEARCH_MAX_SEQUENCES
                   : declared_tokens != 0 ? declared_tokens
                                          : ZV_SEARCH_MAX_TOKENS;
}

/* The largest value that goes in, which the answer is then about. */
static enum zv_status search(struct ready *ready, const struct session *session,
                             const struct arguments *args, struct zv_error *err)
{
    static char text[24];
    struct step_settings *const settings = &ready->settings;
    struct zv_step_search *const found = &ready->found;
    enum zv_status status = step_settings_search(args, &found->setting, err);
    if (status == ZV_OK && !session->has_card) {
        status = zv_fail(err, ZV_E_USAGE, "--search needs --card: what should it fit?");
    }
    for (size_t i = 0; status == ZV_OK && i < settings->count; i++) {
        if (zv_slice_same(settings->at[i].name, found->setting)) {
            status = zv_fail(err, ZV_E_USAGE, "--search %s finds the largest: leave out %s",
                             arguments_value(args, "search"), settings->at[i].option);
        }
    }
    if (status == ZV_OK && settings->count == STEP_SETTINGS_MAX) {
        status = zv_fail(err, ZV_E_LIMIT, "more than %d settings of a step", STEP_SETTINGS_MAX);
    }
    if (status == ZV_OK) {
        limit_search(found, session->stored.max_context);
        status = zv_step_find_largest(&ready->step, &ready->request, found, err);
    }
    if (status == ZV_OK) {
        (void)snprintf(text, sizeof text, "%" PRIu64, found->value);
        settings->at[settings->count++] =
            (struct zv_step_setting){found->setting, zv_slice_of(text), "--search"};
        ready->request.setting_count = settings->count;
    }
    return status;
}

/* Peaks and levers; the trace is of the highest peak's run. */
static enum zv_status run(const struct zv_step *step, const struct arguments *args,
                          const struct zv_step_request *request, struct report_step *report,
                          struct zv_error *err)
{
    static struct zv_step_peak peak;
    static struct zv_step_advice advice;
    struct result_file trace = {.file = NULL};
    struct zv_step_request traced = *request;
    enum zv_status status = result_file_open(&trace, arguments_value(args, "trace"), err);
    if (status == ZV_OK && arguments_has(args, "trace")) {
        zv_sink_text(&trace.sink,
                     "# calculated by zirve estimate --framework: what a step asks for, "
                     "not a recording\n");
        traced.on_event = write_op;
        traced.context = &trace.sink;
    }
    if (status == ZV_OK) {
        status = zv_step_peak(step, &traced, &peak, err);
    }
    if (status == ZV_OK) {
        status = zv_step_levers(step, &traced, &peak, &advice, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&trace, err);
    }
    result_file_close(&trace);
    report->peak = &peak;
    report->advice = &advice;
    return status;
}

static enum zv_status answer(struct session *session, const struct arguments *args,
                             struct output *out, struct zv_error *err)
{
    static struct ready ready;
    struct zv_step_request *const request = &ready.request;
    *request = (struct zv_step_request){.model = &session->stored,
                                        .habit = zv_slice_of(arguments_value(args, "framework")),
                                        .settings = ready.settings.at,
                                        .spell = step_settings_spell,
                                        .allocator = {.capacity_bytes = session->has_card
                                                                            ? session->capacity.low
                                                                            : UINT64_C(1) << 47,
                                                      .baseline_bytes = session->in_use_bytes,
                                                      .conf = arguments_value(args, "alloc-conf")}};
    struct report_step report = {.model = &session->stored,
                                 .habit = request->habit,
                                 .card = &request->card,
                                 .capacity = session->has_card ? &session->capacity : NULL,
                                 .conf = request->allocator.conf,
                                 .settings = ready.settings.at,
                                 .verbose = arguments_has(args, "verbose")};
    enum zv_status status = find_kernels(session, &request->card, &report.card_basis, err);
    if (status == ZV_OK) {
        status = zv_step_open(&ready.step, &session->stored, request->habit, &session->arena, err);
    }
    if (status == ZV_OK && arguments_has(args, "task") && session->job.task != ZV_TASK_TRAIN &&
        step_link_setting(&ready.step.link, zv_slice_of("generate")) < 0) {
        status = zv_fail(err, ZV_E_USAGE, "--framework %s trains: --task train, or no --task",
                         arguments_value(args, "framework"));
    }
    if (status == ZV_OK) {
        status = step_settings_read(&ready.settings, args, &ready.step, err);
        request->setting_count = ready.settings.count;
    }
    if (status == ZV_OK && arguments_has(args, "search")) {
        ready.found = (struct zv_step_search){.found = false};
        status = search(&ready, session, args, err);
        report.search = &ready.found;
    }
    if (status == ZV_OK) {
        status = run(&ready.step, args, request, &report, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    report.setting_count = ready.settings.count;
    if (session->has_card) {
        out->exit_code = report.peak->low.out_of_memory    ? 1
                         : report.peak->high.out_of_memory ? 6
                                                           : 0;
    }
    if (out->json) {
        report_step_json(&out->sink, &report);
    } else {
        report_step_text(&out->sink, &out->style, &report);
    }
    return ZV_OK;
}

enum zv_status estimate_step(struct session *session, const struct arguments *args,
                             struct output *out, struct zv_error *err)
{
    const enum zv_status status = session_open_model(session, args, err);
    return status == ZV_OK ? answer(session, args, out, err) : status;
}
