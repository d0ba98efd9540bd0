#include "cli/explain_advise.h"

#include "base/fail.h"
#include "base/file.h"
#include "cli/estimate_options.h"
#include "cli/estimate_session.h"
#include "cli/input_file.h"
#include "cli/job_input.h"
#include "cli/record_options.h"
#include "cli/verbs.h"
#include "explain/cause.h"
#include "report/report_overflow.h"
#include "trace/open.h"

struct advising {
    struct zv_arena arena;
    struct zv_overflow overflow;
    struct job_input job;
    struct session session;
    struct zv_record_options record;
    struct arguments estimate; /* what the job file stands for */
    struct zv_advice advice;
    bool has_model; /* of the job: an estimate can be made */
    bool has_advice;
};

/* The stack of the request that failed, and why it did. */
static enum zv_status read_record(struct advising *advising, struct zv_slice text,
                                  struct zv_error *err)
{
    struct zv_overflow *const to = &advising->overflow;
    struct zv_record record = {0};
    struct zv_heap heap;
    struct zv_cause cause;
    *to = (struct zv_overflow){.phase = ZV_PHASES};
    enum zv_status status = zv_record_open(&record, text, &advising->record, err);
    if (status == ZV_OK && !record.has_oom) {
        status = zv_fail(err, ZV_E_USAGE, "no request failed in this record");
    }
    if (status == ZV_OK) {
        status = zv_cause_make(&cause, &heap, &record, advising->record.capacity_bytes,
                               &advising->arena, err);
    }
    if (status == ZV_OK) {
        const struct zv_trace *const trace = &record.trace;
        to->memory_named = true;
        to->has_message = true;
        to->message.kind_known = true;
        to->message.kind = cause.kind;
        to->message.requested = (struct zv_printed){true, cause.requested_bytes, 0};
        for (uint32_t at = zv_record_device(&record)->events[record.last_oom].stack; at != 0;
             at = trace->stacks[at].outer) {
            const struct zv_trace_frame *const frame = &trace->frames[trace->stacks[at].frame];
            const struct zv_slice name = zv_trace_text(trace, frame->name);
            const enum zv_phase phase =
                zv_phase_of_function(name, zv_trace_text(trace, frame->file));
            if (zv_phase_ruling(phase, to->phase) != to->phase) {
                to->phase = phase;
                to->told_by = zv_arena_print(&advising->arena, "in %.*s",
                                             (int)(name.length < 120 ? name.length : 120), name.at);
            }
        }
    }
    zv_record_close(&record);
    return status;
}

static enum zv_status read_operand(struct advising *advising, const char *path,
                                   struct zv_error *err)
{
    struct zv_file file = {0};
    enum zv_status status = input_file_open(&file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice text = zv_file_slice(&file);
    const bool record = !zv_overflow_is_result(text) && zv_trace_is(text);
    struct zv_error cause = {0};
    status = record ? read_record(advising, text, &cause) : ZV_E_SYNTAX;
    if (status == ZV_E_SYNTAX) { /* a log may begin like a record: a line of {...} */
        status = zv_overflow_read(&advising->overflow, text, &advising->arena, err);
        if (status == ZV_OK && record && !advising->overflow.memory_named) {
            status = ZV_E_SYNTAX;
        }
    }
    if (status != ZV_OK && err->status == ZV_OK) {
        *err = cause;
    }
    zv_file_close(&file);
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, path);
}

static enum zv_status read_phase(struct advising *advising, const struct arguments *args,
                                 struct zv_error *err)
{
    const char *const phase = arguments_value(args, "phase");
    struct zv_overflow *const overflow = &advising->overflow;
    if (phase != NULL) {
        overflow->told_by = "--phase";
        return zv_phase_parse(zv_slice_of(phase), &overflow->phase)
                   ? ZV_OK
                   : zv_fail(err, ZV_E_USAGE,
                             "--phase %s: expected load, prefill, generation, forward, backward, "
                             "update, evaluation or export",
                             phase);
    }
    if (!overflow->memory_named) {
        (void)zv_fail(err, ZV_E_UNSUPPORTED,
                      "nothing in it says that memory ran out (--phase tells where it did)");
        return zv_fail_where(err, args->operands[0]);
    }
    return ZV_OK;
}

/* What an estimate of the job says each lever frees in that phase. */
static enum zv_status ask_job(struct advising *advising, const struct arguments *args,
                              struct zv_error *err)
{
    const char *const path = arguments_value(args, "job");
    if (path == NULL || advising->overflow.phase == ZV_PHASES) {
        return ZV_OK;
    }
    struct session *const session = &advising->session;
    const struct zv_phase_facts *const facts = &zv_phase_facts[advising->overflow.phase];
    advising->estimate = (struct arguments){.verb = &verb_estimate};
    enum zv_status status = job_input_open(&advising->job, path, err);
    if (status == ZV_OK) {
        status = job_input_apply(&advising->job, &advising->estimate, err);
    }
    if (status == ZV_OK && advising->job.file.model_path == NULL) {
        output_note("%s names no model: figures by hand have nothing to change", path);
        return ZV_OK;
    }
    advising->has_model = status == ZV_OK;
    if (status == ZV_OK) {
        status = session_open(session, &advising->estimate, err);
    }
    if (status == ZV_OK) {
        status = estimate_check(&session->job, &advising->estimate, err);
    }
    if (status == ZV_OK) {
        status = session_open_model(session, &advising->estimate, err);
    }
    if (status == ZV_OK && facts->in_ledger) {
        struct zv_question question = session_question(session);
        question.instant = session->job.task == ZV_TASK_TRAIN ? facts->trains : facts->serves;
        status = zv_advise(&advising->advice, &question, &advising->arena, err);
        advising->has_advice = status == ZV_OK;
    }
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, path);
}

enum zv_status explain_advise(const struct arguments *args, struct output *out,
                              struct zv_error *err)
{
    static struct advising advising;
    enum zv_status status = record_options_read(args, &advising.record, &advising.arena, err);
    status = status == ZV_OK ? read_operand(&advising, args->operands[0], err) : status;
    if (status == ZV_OK) {
        status = read_phase(&advising, args, err);
    }
    if (status == ZV_OK) {
        status = ask_job(&advising, args, err);
    }
    if (status == ZV_OK) {
        const struct report_overflow report = {.overflow = &advising.overflow,
                                               .advice =
                                                   advising.has_advice ? &advising.advice : NULL,
                                               .has_model = advising.has_model};
        out->exit_code = advising.overflow.phase == ZV_PHASES ? 6 : 0;
        if (out->json) {
            report_overflow_json(&out->sink, &report);
        } else {
            report_overflow_text(&out->sink, &out->style, &report);
        }
    }
    session_close(&advising.session);
    job_input_close(&advising.job);
    zv_arena_free(&advising.arena);
    return status;
}
