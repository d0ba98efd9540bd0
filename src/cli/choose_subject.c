#include "cli/choose_subject.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "cli/estimate_options.h"
#include "cli/estimate_verb.h"
#include "cli/verbs.h"
#include "decide/sheet.h"

static enum zv_status take_ledger(struct zv_required *required, const struct zv_ledger *ledger,
                                  struct zv_error *err)
{
    for (size_t i = 0; i < ledger->group_count; i++) {
        struct zv_total total;
        const enum zv_status status = zv_ledger_total(ledger, (int)i, &total, err);
        if (status != ZV_OK) {
            return status;
        }
        required->devices += ledger->groups[i].count;
        if (!required->known || total.expected > required->expected) {
            required->known = true;
            required->expected = total.expected;
            required->at_least = total.at_least;
            required->unknown = total.unknown;
        }
    }
    return ZV_OK;
}

/* The same answer as zirve estimate JOB gives. */
static enum zv_status estimate(struct choose_subject *subject, struct session *session,
                               const struct arguments *args, struct zv_error *err)
{
    struct zv_required *const required = &subject->required;
    struct count_list bits = {.values = {16}, .count = 1};
    if (estimate_is_by_numbers(args)) {
        struct zv_numbers numbers;
        struct zv_ledger ledger = {.arena = &session->arena};
        enum zv_status status = estimate_read_numbers(&numbers, session, args, err);
        if (status == ZV_OK) {
            status = arguments_counts(args, "bits", &bits, err);
        }
        numbers.bits = bits.values[0];
        numbers.sequences = session->job.serve.sequences != 0 ? session->job.serve.sequences : 1;
        if (status == ZV_OK) {
            status = zv_numbers_ledger(&numbers, &ledger, err);
        }
        return status == ZV_OK ? take_ledger(required, &ledger, err) : status;
    }
    struct zv_answer answer;
    enum zv_status status = session_open_model(session, args, err);
    if (status == ZV_OK) {
        const struct zv_question question = session_question(session);
        status = zv_question_answer(&answer, &question, &session->arena, err);
    }
    if (status == ZV_OK) {
        required->fraction_millionths = answer.estimate.fraction_millionths;
        status = take_ledger(required, &answer.estimate.ledger, err);
    }
    return status;
}

static enum zv_status require_job(struct choose_subject *subject, struct zv_error *err)
{
    static struct session session;
    static struct arguments args;
    struct zv_required *const required = &subject->required;
    args = (struct arguments){.verb = &verb_estimate};
    enum zv_status status = job_input_apply(&subject->input, &args, err);
    const bool nothing = subject->input.file.model_path == NULL && !estimate_is_by_numbers(&args);
    required->source =
        nothing ? "the job names no model and no parameters" : "calculated from the job file";
    if (status != ZV_OK || nothing) {
        required->devices = 1;
        return status;
    }
    status = session_open(&session, &args, err);
    if (status == ZV_OK) {
        status = estimate_check(&session.job, &args, err);
    }
    if (status == ZV_OK) {
        status = estimate(subject, &session, &args, err);
    }
    session_close(&session);
    return status;
}

static enum zv_status open_job(struct choose_subject *subject, const char *path, int32_t today,
                               struct zv_error *err)
{
    enum zv_status status = job_input_open(&subject->input, path, err);
    if (status != ZV_OK) {
        return status;
    }
    subject->has_job = true;
    const struct zv_yaml_value *const root = subject->input.file.root;
    status = zv_needs_read(&subject->needs, zv_yaml_find(root, "needs"),
                           zv_yaml_find(root, "quality"), today, err);
    if (status == ZV_OK) {
        status = zv_evidence_read(&subject->evidence, zv_yaml_find(root, "evidence"), path,
                                  &subject->arena, err);
    }
    if (status == ZV_OK) {
        status = zv_variations_read(&subject->required, zv_yaml_find(root, "margin"), err);
    }
    if (status == ZV_OK) {
        status = require_job(subject, err);
    }
    return status;
}

static enum zv_status open_ledger(struct choose_subject *subject, const char *path,
                                  struct zv_error *err)
{
    struct zv_file file = {0};
    enum zv_status status = zv_file_open(&file, path, err);
    if (status == ZV_OK) {
        status = zv_required_read(&subject->required, zv_file_slice(&file), &subject->arena, err);
        zv_file_close(&file);
    }
    if (status == ZV_OK) {
        subject->required.source = "calculated, from the kept estimate";
        status = zv_needs_read(&subject->needs, NULL, NULL, 0, err);
    }
    return status;
}

/* A record stands for itself: its own job, evidence and estimate, all as they were put in. */
static enum zv_status open_record(struct choose_subject *subject, const char *path, int32_t today,
                                  struct zv_error *err)
{
    static struct zv_content content;
    struct zv_job_record record;
    enum zv_status status = zv_job_record_read(&record, path, &subject->arena, err);
    if (status == ZV_OK) {
        status = zv_content_read(&content, &record, &subject->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    subject->has_job = true;
    subject->input.file = content.job;
    subject->input.path = path;
    subject->evidence = content.evidence;
    subject->required = content.required;
    status = zv_needs_read(&subject->needs, zv_yaml_find(content.job.root, "needs"),
                           zv_yaml_find(content.job.root, "quality"), today, err);
    if (status == ZV_OK && !subject->required.known && content.job.by_hand) {
        subject->required.devices = 0;
        status = require_job(subject, err);
    }
    return status;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum zv_status choose_subject_open(struct choose_subject *subject, const char *path, int32_t today,
                                   struct zv_error *err)
{
    subject->required.fraction_millionths = 1000000;
    const enum zv_status status = job_input_is(path) ? open_job(subject, path, today, err)
                                  : is_folder(path)  ? open_record(subject, path, today, err)
                                                     : open_ledger(subject, path, err);
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}

enum zv_status choose_subject_evidence(struct choose_subject *subject, const char *path,
                                       struct zv_error *err)
{
    struct zv_file file = {0};
    const struct zv_yaml_value *root;
    struct zv_slice schema = {0};
    enum zv_status status = zv_file_open(&file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    status = zv_yaml_read(&root, zv_file_slice(&file), &subject->arena, err);
    zv_file_close(&file);
    if (status == ZV_OK && (!zv_yaml_text(zv_yaml_find(root, "schema"), &schema) ||
                            !zv_slice_equal(schema, "zirve.evidence/1"))) {
        status = zv_yaml_fail(root, err, ZV_E_UNSUPPORTED,
                              "expected 'schema: zirve.evidence/1' and a list 'evidence'");
    }
    if (status == ZV_OK) {
        status = zv_evidence_read(&subject->evidence, zv_yaml_find(root, "evidence"), path,
                                  &subject->arena, err);
    }
    (void)zv_fail_where(err, path);
    return status;
}

void choose_subject_close(struct choose_subject *subject)
{
    job_input_close(&subject->input);
    zv_arena_free(&subject->arena);
}
