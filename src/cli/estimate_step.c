/* zirve estimate --framework: a training step, run op by op. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/estimate_verb.h"
#include "cli/result_file.h"
#include "report/report_step.h"

enum { MAX_SETTINGS = 48 };

struct settings {
    struct zv_step_setting at[MAX_SETTINGS];
    size_t count;
};

static enum zv_status add(struct settings *to, const char *name, struct zv_slice value,
                          struct zv_error *err)
{
    if (to->count == MAX_SETTINGS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings of a step", MAX_SETTINGS);
    }
    to->at[to->count++] = (struct zv_step_setting){zv_slice_of(name), value};
    return ZV_OK;
}

/* Options that mean a setting of a program, as they are written. */
static enum zv_status add_options(struct settings *to, const struct arguments *args,
                                  struct zv_error *err)
{
    static const struct {
        const char *option;
        const char *setting;
    } rows[] = {{"micro-batch", "batch"},         {"seq-length", "tokens"},
                {"accumulation", "accumulation"}, {"lora-rank", "rank"},
                {"lora-targets", "targets"},      {"dtype", "weights"},
                {"optimizer", "optimizer"}};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < sizeof rows / sizeof *rows; i++) {
        const char *const value = arguments_value(args, rows[i].option);
        if (value != NULL) {
            status = add(to, rows[i].setting, zv_slice_of(value), err);
        }
    }
    if (status == ZV_OK && arguments_has(args, "lora-rank")) {
        status = add(to, "full", zv_slice_of("false"), err);
    }
    if (status == ZV_OK && arguments_has(args, "autocast")) {
        status = add(to, "autocast", zv_slice_of("bf16"), err);
    }
    const char *const how = arguments_value(args, "checkpointing");
    if (status == ZV_OK && how != NULL) {
        if (strcmp(how, "full") != 0 && strcmp(how, "none") != 0) {
            return zv_fail(err, ZV_E_USAGE,
                           "--checkpointing %s: a step op by op knows none and "
                           "full",
                           how);
        }
        status =
            add(to, "checkpoint", zv_slice_of(strcmp(how, "full") == 0 ? "true" : "false"), err);
    }
    return status;
}

/* --set NAME=VALUE */
static enum zv_status add_set(struct settings *to, const struct arguments *args,
                              struct zv_error *err)
{
    size_t at = 0;
    for (const char *text = arguments_next(args, "set", &at); text != NULL;
         text = arguments_next(args, "set", &at)) {
        struct zv_slice value = zv_slice_of(text);
        const struct zv_slice name = zv_slice_cut(&value, '=');
        if (name.length == 0 || value.length == 0) {
            return zv_fail(err, ZV_E_USAGE, "--set %s: expected NAME=VALUE", text);
        }
        if (to->count == MAX_SETTINGS) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d settings of a step", MAX_SETTINGS);
        }
        to->at[to->count++] = (struct zv_step_setting){name, value};
    }
    return ZV_OK;
}

/* What kernels see of the card. */
static enum zv_status find_kernels(struct session *session, struct step_card *to,
                                   const char **basis, struct zv_error *err)
{
    const struct zv_card *const card = session->has_card ? session->capacity.card : NULL;
    *basis = zv_step_card_of(to, card)
                 ? zv_arena_copy(&session->arena, card->name.at, card->name.length)
                 : "an A100 (no --card, or one whose kernels are not known)";
    return *basis != NULL ? ZV_OK : zv_fail_memory(err, "a card's name");
}

static void write_op(void *context, const struct step_event *event)
{
    struct zv_sink *const sink = context;
    if (event->is_free) {
        zv_sink_print(sink, "f %" PRIu64 "\n", event->id);
    } else {
        zv_sink_print(sink, "a %" PRIu64 " %" PRIu64 " 0\n", event->id, event->bytes);
    }
}

static enum zv_status run(struct session *session, const struct arguments *args,
                          const struct settings *settings, struct output *out, struct zv_error *err)
{
    static struct zv_step step;
    static struct zv_step_peak peak;
    struct zv_step_lever levers[ZV_STEP_LEVERS];
    size_t lever_count = 0;
    struct step_card card;
    const char *basis;
    struct result_file trace = {.file = NULL};
    enum zv_status status = find_kernels(session, &card, &basis, err);
    struct zv_step_request request = {.model = &session->stored,
                                      .habit = zv_slice_of(arguments_value(args, "framework")),
                                      .settings = settings->at,
                                      .setting_count = settings->count,
                                      .card = card,
                                      .allocator = {.capacity_bytes = session->has_card
                                                                          ? session->capacity.low
                                                                          : UINT64_C(1) << 47,
                                                    .baseline_bytes = session->in_use_bytes,
                                                    .conf = arguments_value(args, "alloc-conf")}};
    if (status == ZV_OK) {
        status = zv_step_open(&step, &session->stored, request.habit, &session->arena, err);
    }
    if (status == ZV_OK) {
        status = result_file_open(&trace, arguments_value(args, "trace"), err);
    }
    if (status == ZV_OK && arguments_has(args, "trace")) {
        zv_sink_text(&trace.sink,
                     "# calculated by zirve estimate --framework: what a step asks for, "
                     "not a recording\n");
        request.on_event = write_op;
        request.context = &trace.sink;
    }
    if (status == ZV_OK) {
        status = zv_step_peak(&step, &request, &peak, err);
    }
    if (status == ZV_OK && !peak.high.out_of_memory) {
        status = zv_step_levers(&step, &request, &peak, levers, &lever_count, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&trace, err);
    }
    result_file_close(&trace);
    if (status != ZV_OK) {
        return status;
    }
    const struct report_step report = {.model = &session->stored,
                                       .habit = request.habit,
                                       .peak = &peak,
                                       .card = &card,
                                       .card_basis = basis,
                                       .capacity = session->has_card ? &session->capacity : NULL,
                                       .levers = levers,
                                       .lever_count = lever_count,
                                       .conf = request.allocator.conf,
                                       .settings = settings->at,
                                       .setting_count = settings->count};
    if (session->has_card) {
        out->exit_code = peak.low.out_of_memory ? 1 : peak.high.out_of_memory ? 6 : 0;
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
    static struct settings settings;
    settings.count = 0;
    enum zv_status status = session_open_model(session, args, err);
    if (status == ZV_OK) {
        status = add_options(&settings, args, err);
    }
    if (status == ZV_OK) {
        status = add_set(&settings, args, err);
    }
    return status == ZV_OK ? run(session, args, &settings, out, err) : status;
}
