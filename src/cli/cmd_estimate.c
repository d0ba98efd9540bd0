/* zirve estimate: the verb, and the plain answer: one job, at most one card. */
#include <string.h>

#include "base/fail.h"
#include "cli/estimate_options.h"
#include "cli/estimate_verb.h"
#include "cli/job_input.h"
#include "cli/step_settings.h"
#include "cli/verbs.h"
#include "report/report_estimate.h"

/* A list is for the table that crosses them; figures by hand take lists of their own. */
static enum zv_status check_ways(const struct arguments *args, struct zv_error *err)
{
    static const char *const axes[] = {"context",    "concurrency",  "micro-batch",
                                       "seq-length", "quantization", "card"};
    static const char *const ways[] = {"grid", "search", "advise"};
    const bool by_hand = estimate_is_by_numbers(args);
    const bool grid = arguments_has(args, "grid");
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        const char *const value = arguments_value(args, axes[i]);
        if (!grid && !by_hand && value != NULL && strchr(value, ',') != NULL) {
            return zv_fail(err, ZV_E_USAGE, "--%s %s: several values make a table: add --grid",
                           axes[i], value);
        }
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (by_hand && arguments_has(args, ways[i])) {
            return zv_fail(err, ZV_E_USAGE,
                           "--%s needs a model: figures by hand have nothing to "
                           "vary",
                           ways[i]);
        }
    }
    if (grid && (arguments_has(args, "search") || arguments_has(args, "advise"))) {
        return zv_fail(err, ZV_E_USAGE, "--grid is a table of its own: without --search, --advise");
    }
    return ZV_OK;
}

/* Sets the job to the largest value that goes in; when none does, to the smallest. */
static enum zv_status search(struct session *session, const struct arguments *args,
                             struct zv_search *search, struct zv_error *err)
{
    enum { BATCH = ZV_DIMENSION_SEQ_LENGTH + 1 }; /* what is at once, served or trained */
    static const char *const names[] = {"context",    "concurrency", "micro-batch",
                                        "seq-length", "batch",       NULL};
    unsigned dimension = 0;
    enum zv_status status = arguments_choice(args, "search", names, &dimension, err);
    if (dimension == BATCH) {
        dimension = session->job.task == ZV_TASK_TRAIN ? ZV_DIMENSION_MICRO_BATCH
                                                       : ZV_DIMENSION_CONCURRENCY;
    }
    if (status == ZV_OK && !session->has_card) {
        status = zv_fail(err, ZV_E_USAGE, "--search needs --card: what should it fit?");
    }
    if (status == ZV_OK && arguments_has(args, names[dimension])) {
        status = zv_fail(err, ZV_E_USAGE, "--search %s finds the largest: leave out --%s",
                         names[dimension], names[dimension]);
    }
    if (status == ZV_OK) {
        const struct zv_question question = session_question(session);
        status = zv_search_run(search, &question, (enum zv_dimension)dimension, err);
    }
    if (status == ZV_OK) {
        zv_dimension_set(search->dimension, &session->job, search->value);
    }
    return status;
}

static void report(const struct session *session, const struct arguments *args, struct output *out,
                   struct report_estimate *report)
{
    report->model = &session->model;
    report->stored = &session->stored;
    report->job = &session->job;
    report->rules = session_rules(session);
    report->capacity = session->has_card ? &session->capacity : NULL;
    report->verbose = arguments_has(args, "verbose");
    if (out->json) {
        report_estimate_json(&out->sink, report);
    } else {
        report_estimate_text(&out->sink, &out->style, report);
    }
}

static enum zv_status estimate_model(struct session *session, const struct arguments *args,
                                     struct output *out, struct zv_error *err)
{
    struct zv_answer answer;
    struct zv_search found;
    struct zv_advice advice;
    const bool searches = arguments_has(args, "search");
    const bool advises = arguments_has(args, "advise");
    enum zv_status status = session_open_model(session, args, err);
    if (status == ZV_OK && searches) {
        status = search(session, args, &found, err);
    }
    const struct zv_question question = session_question(session);
    if (status == ZV_OK) {
        status = zv_question_answer(&answer, &question, &session->arena, err);
    }
    if (status == ZV_OK && advises) {
        status = zv_advise(&advice, &question, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    session_notes(session);
    if (answer.judged) {
        out->exit_code = session_exit_code(answer.fit.verdict);
    }
    report(session, args, out,
           &(struct report_estimate){.estimate = &answer.estimate,
                                     .fit = &answer.fit,
                                     .limits = &answer.limits,
                                     .search = searches ? &found : NULL,
                                     .advice = advises ? &advice : NULL});
    return ZV_OK;
}

static enum zv_status answer(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    const char *const card = arguments_value(args, "card");
    const bool grid = arguments_has(args, "grid");
    enum zv_status status =
        arguments_has(args, "framework") ? step_settings_check(args, err) : check_ways(args, err);
    if (status == ZV_OK) {
        status = session_open(&session, args, err);
    }
    if (status == ZV_OK) {
        status = estimate_check(&session.job, args, err);
    }
    if (status == ZV_OK && card != NULL && !grid) {
        status = session_open_card(&session, card, &session.capacity, err);
        session.has_card = status == ZV_OK;
    }
    if (status == ZV_OK && arguments_has(args, "framework")) {
        status = estimate_step(&session, args, out, err);
    } else if (status == ZV_OK && arguments_has(args, "from-log")) {
        status = estimate_log(&session, args, out, err);
    } else if (status == ZV_OK && grid) {
        status = estimate_grid(&session, args, out, err);
    } else if (status == ZV_OK && estimate_is_by_numbers(args)) {
        status = estimate_numbers(&session, args, out, err);
    } else if (status == ZV_OK) {
        status = estimate_model(&session, args, out, err);
    }
    session_close(&session);
    return status;
}

/* A job file stands for the options it sets. */
static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct job_input input;
    static struct arguments with_file;
    if (args->operand_count != 1 || !job_input_is(args->operands[0])) {
        return answer(args, out, err);
    }
    input = (struct job_input){0};
    with_file = *args;
    enum zv_status status = job_input_open(&input, args->operands[0], err);
    if (status == ZV_OK) {
        status = job_input_apply(&input, &with_file, err);
    }
    if (status == ZV_OK) {
        status = answer(&with_file, out, err);
    }
    job_input_close(&input);
    return status;
}

const struct verb verb_estimate = {
    .name = "estimate",
    .question = "what should it need?",
    .usage = "[options] MODEL | JOB.yaml | --parameters N --bits B | --from-log FILE [MODEL]",
    .about =
        "Calculates the GPU memory of a job from a model's files, whose headers alone are read, "
        "and "
        "says of each figure how it is known. MODEL is a folder as Hugging Face lays it out, a "
        ".gguf, "
        "a .safetensors or a config.json; a job file (zirve record init writes one) stands for "
        "the options it sets. Totals are brackets: at least what is known, expected "
        "with "
        "assumptions, plus what is unknown. With --card it says whether that fits; exit status 0 "
        "fits, 1 does not, 6 cannot tell.",
    .examples =
        "  zirve estimate ./Qwen2.5-7B --context 8192 --concurrency 4 --card 4090\n"
        "  zirve estimate model.gguf --runtime llama.cpp --context 32k --card \"RTX 3090\"\n"
        "  zirve estimate --command \"vllm serve ./Qwen2.5-7B --max-model-len 8192\" --card L40S\n"
        "  zirve estimate ./Llama-3.1-8B --task train --lora-rank 16 --seq-length 2048\n"
        "  zirve estimate ./Llama-3.1-8B --task train --framework torchtune --micro-batch 2 "
        "--seq-length 2048 --card A100-80GB\n"
        "  zirve estimate ./Qwen3-8B --framework generate --seq-length 6144 --set generate=2048\n"
        "  zirve estimate ./Qwen2.5-7B --context 4k,32k --concurrency 1,16 --card 4090,L40S "
        "--grid\n"
        "  zirve estimate ./Qwen2.5-7B --concurrency 4 --card 4090 --search context --advise\n"
        "  zirve estimate --from-log server.log ./model.gguf\n"
        "  zirve estimate --parameters 7000000000 --bits 16 --reserve-gib 4\n"
        "  zirve estimate --layers 32 --kv-heads 8 --head-dim 128 --context 8192 --sequences 1,4\n",
    .options = estimate_options,
    .option_count = ESTIMATE_OPTION_COUNT,
    .run = run,
};
