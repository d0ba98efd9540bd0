/* zirve estimate: the verb, and the plain answer: one job, at most one card. */
#include "base/fail.h"
#include "cli/estimate_options.h"
#include "cli/estimate_verb.h"
#include "cli/verbs.h"
#include "report/report_estimate.h"

static enum zv_status one_value(struct session *session, const struct arguments *args,
                                struct zv_error *err)
{
    struct count_list sequences = {.values = {session->job.serve.sequences}, .count = 1};
    const enum zv_status status = arguments_counts(args, "concurrency", &sequences, err);
    session->job.serve.sequences = sequences.values[0];
    if (status == ZV_OK && sequences.count > 1) {
        return zv_fail(err, ZV_E_USAGE, "--concurrency: several values need figures by hand");
    }
    return status;
}

static enum zv_status estimate_model(struct session *session, const struct arguments *args,
                                     struct output *out, struct zv_error *err)
{
    struct zv_answer answer;
    enum zv_status status = one_value(session, args, err);
    if (status == ZV_OK) {
        status = session_open_model(session, args, err);
    }
    if (status == ZV_OK) {
        const struct zv_question question = session_question(session);
        status = zv_question_answer(&answer, &question, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    session_notes(session);
    if (answer.judged) {
        out->exit_code = session_exit_code(answer.fit.verdict);
    }
    const struct report_estimate report = {
        .estimate = &answer.estimate,
        .model = &session->model,
        .job = &session->job,
        .rules = session_rules(session),
        .capacity = session->has_card ? &session->capacity : NULL,
        .fit = &answer.fit,
        .limits = &answer.limits,
        .verbose = arguments_has(args, "verbose"),
    };
    if (out->json) {
        report_estimate_json(&out->sink, &report);
    } else {
        report_estimate_text(&out->sink, &out->style, &report);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    enum zv_status status = session_open(&session, args, err);
    if (status == ZV_OK) {
        status = session_open_card(&session, arguments_value(args, "card"), err);
    }
    if (status == ZV_OK) {
        status = estimate_is_by_numbers(args) ? estimate_numbers(&session, args, out, err)
                                              : estimate_model(&session, args, out, err);
    }
    session_close(&session);
    return status;
}

const struct verb verb_estimate = {
    .name = "estimate",
    .question = "what should it need?",
    .usage = "[options] MODEL | --parameters N --bits B",
    .about =
        "Calculates the GPU memory of a job from a model's files, whose headers alone are read, "
        "and "
        "says of each figure how it is known. MODEL is a folder as Hugging Face lays it out, a "
        ".gguf, "
        "a .safetensors or a config.json. Totals are brackets: at least what is known, expected "
        "with "
        "assumptions, plus what is unknown. With --card it says whether that fits; exit status 0 "
        "fits, 1 does not, 6 cannot tell.",
    .examples =
        "  zirve estimate ./Qwen2.5-7B --context 8192 --concurrency 4 --card 4090\n"
        "  zirve estimate model.gguf --runtime llama.cpp --context 32k --card \"RTX 3090\"\n"
        "  zirve estimate --command \"vllm serve ./Qwen2.5-7B --max-model-len 8192\" --card L40S\n"
        "  zirve estimate ./Llama-3.1-8B --task train --lora-rank 16 --seq-length 2048\n"
        "  zirve estimate --parameters 7000000000 --bits 16 --reserve-gib 4\n"
        "  zirve estimate --layers 32 --kv-heads 8 --head-dim 128 --context 8192 --sequences 1,4\n",
    .options = estimate_options,
    .option_count = ESTIMATE_OPTION_COUNT,
    .run = run,
};
