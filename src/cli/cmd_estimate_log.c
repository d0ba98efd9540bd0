/* zirve estimate --from-log: a runtime's start log, alone or beside a model. */
#include <string.h>

#include "base/fail.h"
#include "cli/estimate_verb.h"
#include "estimate/from_log.h"
#include "report/report_estimate.h"

/* What one run keeps: results live in the session's arena. */
struct log_run {
    struct zv_file file;
    struct zv_log log;
    struct zv_answer answer;
    struct zv_from_log from;
    bool has_model;
};

static enum zv_status check_options(const struct arguments *args, struct zv_error *err)
{
    static const char *const others[] = {"grid", "search", "advise", "parameters", "layers"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (arguments_has(args, others[i])) {
            return zv_fail(err, ZV_E_USAGE, "--from-log and --%s: one or the other", others[i]);
        }
    }
    return ZV_OK;
}

static enum zv_status read_log(struct log_run *run, struct session *session, const char *path,
                               struct zv_error *err)
{
    enum zv_status status = zv_file_open(&run->file, path, err);
    if (status == ZV_OK) {
        status = zv_log_read(&run->log, zv_file_slice(&run->file), &session->arena, err);
        (void)zv_fail_where(err, strcmp(path, "-") == 0 ? "standard input" : path);
    }
    if (status == ZV_OK) {
        zv_log_fill_job(&session->job, &run->log);
    }
    return status;
}

/* A log may come from a version that we have no rules of: those of the newest are used then. */
static void settle_version(struct session *session)
{
    struct zv_job *const job = &session->job;
    const struct zv_slice version = job->runtime_version;
    if (version.length != 0 && zv_runtime_resolve(&session->rules, job->runtime, version, false,
                                                  &session->arena, NULL) != ZV_OK) {
        output_note("no rules of version %.*s: those of the newest known one are used",
                    (int)(version.length < 60 ? version.length : 60), version.at);
        job->runtime_version = (struct zv_slice){0};
    }
}

/* A log of another model makes every comparison meaningless. */
static void note_other_model(const struct zv_log *log, const struct zv_model *model)
{
    const unsigned long long layers = log->layers.value;
    if (log->layers.found && model->layer_count != 0 && layers != model->layer_count) {
        output_note("the log is of a model of %llu layers, the one given has %zu: another model?",
                    layers, model->layer_count);
    } else if (log->hidden.found && model->hidden != 0 && log->hidden.value != model->hidden) {
        output_note("the log is of a model of width %llu, the one given has %llu: another model?",
                    (unsigned long long)log->hidden.value, (unsigned long long)model->hidden);
    }
}

static enum zv_status calculate(struct log_run *run, struct session *session,
                                const struct arguments *args, struct zv_error *err)
{
    settle_version(session);
    enum zv_status status = session_open_model(session, args, err);
    if (status == ZV_OK) {
        const struct zv_question question = session_question(session);
        status = zv_question_answer(&run->answer, &question, &session->arena, err);
    }
    return status;
}

static enum zv_status judge(struct log_run *run, const struct session *session,
                            struct zv_error *err)
{
    const struct zv_log *const log = &run->log;
    run->answer.limits = (struct zv_fit_limits){
        .in_use_bytes = session->in_use_bytes,
        .fraction_millionths =
            log->memory_fraction.found ? log->memory_fraction.value : UINT64_C(1000000),
    };
    return zv_fit_judge(&run->answer.fit, &run->from.estimate.ledger, &session->capacity,
                        &run->answer.limits, err);
}

static void show(const struct log_run *run, const struct session *session,
                 const struct arguments *args, struct output *out, bool judged)
{
    const struct report_estimate report = {
        .estimate = &run->from.estimate,
        .model = run->has_model ? &session->model : NULL,
        .job = &session->job,
        .rules = run->has_model ? session_rules(session) : NULL,
        .capacity = judged ? &session->capacity : NULL,
        .fit = &run->answer.fit,
        .limits = &run->answer.limits,
        .log = &run->from,
        .verbose = arguments_has(args, "verbose"),
    };
    if (out->json) {
        report_estimate_json(&out->sink, &report);
    } else {
        report_estimate_text(&out->sink, &out->style, &report);
    }
    out->exit_code = judged ? session_exit_code(run->answer.fit.verdict) : 0;
    if (out->exit_code == 0 && (!run->log.complete || run->log.failed)) {
        out->exit_code = 6;
    }
}

enum zv_status estimate_log(struct session *session, const struct arguments *args,
                            struct output *out, struct zv_error *err)
{
    static struct log_run run;
    run = (struct log_run){.has_model = args->operand_count != 0 || arguments_has(args, "command")};
    enum zv_status status = check_options(args, err);
    if (status == ZV_OK) {
        status = read_log(&run, session, arguments_value(args, "from-log"), err);
    }
    if (status == ZV_OK && run.has_model) {
        status = calculate(&run, session, args, err);
    }
    if (status == ZV_OK) {
        const struct zv_log_input input = {
            .log = &run.log,
            .calculated = run.has_model ? &run.answer.estimate : NULL,
            .rules = run.has_model ? session_rules(session) : NULL,
        };
        status = zv_from_log(&run.from, &input, &session->arena, err);
    }
    const bool judged = session->has_card && run.from.estimate.ledger.group_count != 0;
    if (status == ZV_OK && judged) {
        status = judge(&run, session, err);
    }
    if (status == ZV_OK && run.has_model) {
        session_notes(session);
        note_other_model(&run.log, &session->model);
    }
    if (status == ZV_OK) {
        show(&run, session, args, out, judged);
    }
    if (run.file.data != NULL) {
        zv_file_close(&run.file);
    }
    return status;
}
