#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/card_files.h"
#include "cli/estimate_options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/report_estimate.h"

/* What one run of the verb holds open. */
struct session {
    struct zv_arena arena;
    struct card_files cards;
    struct zv_file items;
    struct zv_model_files *model_files;
    struct zv_job job;
    struct zv_command command;
    struct zv_runtime_rules rules;
    struct zv_capacity capacity;
    bool has_card;
    struct zv_fit_limits limits;
};

static void set_exit_code(struct output *out, enum zv_verdict verdict)
{
    static const int codes[] = {[ZV_FITS] = 0, [ZV_FITS_NOT] = 1, [ZV_CANNOT_TELL] = 6};
    if (codes[verdict] > out->exit_code) {
        out->exit_code = codes[verdict];
    }
}

static enum zv_status find_card(struct session *session, const struct arguments *args,
                                struct zv_error *err)
{
    const char *const card = arguments_value(args, "card");
    session->limits.fraction_millionths = 1000000;
    enum zv_status status = arguments_bytes(args, "in-use", &session->limits.in_use_bytes, err);
    if (status != ZV_OK || card == NULL) {
        return status;
    }
    status = card_files_open(&session->cards, &session->arena, err);
    if (status == ZV_OK) {
        status =
            zv_capacity_of(&session->cards.table, card, &session->capacity, &session->arena, err);
    }
    session->has_card = status == ZV_OK;
    if (session->has_card && session->capacity.card == NULL) {
        output_note("%s is taken literally; a real card of that name allows less or more", card);
    }
    return status;
}

/* ---- by hand ---- */

/* "16,8,4" → values; one value when the option is not given. */
static enum zv_status read_list(const struct arguments *args, const char *name, uint64_t fallback,
                                uint64_t *values, size_t *count, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(arguments_value(args, name));
    *count = 0;
    if (rest.length == 0) {
        values[(*count)++] = fallback;
        return ZV_OK;
    }
    while (rest.length != 0) {
        const struct zv_slice one = zv_slice_trim(zv_slice_cut(&rest, ','));
        if (*count == REPORT_MAX_FORMATS || !count_parse(one, &values[*count]) ||
            values[*count] == 0) {
            return zv_fail(err, ZV_E_USAGE, "--%s %s: expected whole numbers above 0, at most %d",
                           name, arguments_value(args, name), REPORT_MAX_FORMATS);
        }
        (*count)++;
    }
    return ZV_OK;
}

static enum zv_status read_numbers(struct zv_numbers *numbers, const struct session *session,
                                   const struct arguments *args, struct zv_error *err)
{
    *numbers = (struct zv_numbers){.kv_bits = 16};
    const struct {
        const char *name;
        uint64_t *to;
    } rows[] = {
        {"parameters", &numbers->parameters},  {"layers", &numbers->layers},
        {"kv-heads", &numbers->kv_heads},      {"head-dim", &numbers->head_dim},
        {"context", &numbers->context_tokens}, {"kv-bits", &numbers->kv_bits},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum zv_status status = arguments_u64(args, rows[i].name, rows[i].to, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (numbers->layers != 0 &&
        (numbers->kv_heads == 0 || numbers->head_dim == 0 || numbers->context_tokens == 0)) {
        return zv_fail(err, ZV_E_USAGE,
                       "a KV cache by hand needs --layers, --kv-heads, --head-dim and --context");
    }
    for (size_t i = 0; i < session->job.item_count; i++) {
        numbers->reserve_bytes += session->job.items[i].bytes;
    }
    return ZV_OK;
}

static enum zv_status run_numbers(struct session *session, const struct arguments *args,
                                  struct output *out, struct zv_error *err)
{
    static struct report_numbers report;
    uint64_t bits[REPORT_MAX_FORMATS];
    uint64_t sequences[REPORT_MAX_FORMATS];
    size_t bit_count = 0;
    size_t sequence_count = 0;
    struct zv_numbers numbers;
    report = (struct report_numbers){.capacity = session->has_card ? &session->capacity : NULL};
    enum zv_status status = read_numbers(&numbers, session, args, err);
    if (status == ZV_OK) {
        status = read_list(args, "bits", 16, bits, &bit_count, err);
    }
    if (status == ZV_OK) {
        status = read_list(args, "concurrency", 1, sequences, &sequence_count, err);
    }
    for (size_t i = 0; status == ZV_OK && i < bit_count * sequence_count; i++) {
        if (report.count == REPORT_MAX_FORMATS) {
            return zv_fail(err, ZV_E_USAGE, "more than %d combinations", REPORT_MAX_FORMATS);
        }
        numbers.bits = bits[i / sequence_count];
        numbers.sequences = sequences[i % sequence_count];
        struct zv_ledger *const ledger = &report.ledgers[report.count];
        ledger->arena = &session->arena;
        report.numbers[report.count] = numbers;
        status = zv_numbers_ledger(&numbers, ledger, err);
        if (status == ZV_OK && session->has_card) {
            status = zv_fit_judge(&report.fits[report.count], ledger, &session->capacity,
                                  &session->limits, err);
            set_exit_code(out, report.fits[report.count].verdict);
        }
        report.count++;
    }
    if (status == ZV_OK && out->json) {
        report_numbers_json(&out->sink, &report);
    } else if (status == ZV_OK) {
        report_numbers_text(&out->sink, &out->style, &report);
    }
    return status;
}

/* ---- from a model ---- */

static void note_extras(const struct zv_command *command)
{
    for (size_t i = 0; i < command->extra_count; i++) {
        const struct zv_command_extra *const extra = &command->extras[i];
        if (extra->matters) {
            output_note("option %.*s: %s", (int)extra->name.length, extra->name.at, extra->why);
        }
    }
}

static enum zv_status open_model(struct session *session, const struct arguments *args,
                                 struct zv_model *model, struct zv_error *err)
{
    const char *path = args->operand_count != 0 ? args->operands[0] : NULL;
    if (args->operand_count > 1) {
        return zv_fail(err, ZV_E_USAGE, "one model at a time: %s and %s", args->operands[0],
                       args->operands[1]);
    }
    if (path == NULL && session->job.serve.model_path.length != 0) {
        path = zv_arena_copy(&session->arena, session->job.serve.model_path.at,
                             session->job.serve.model_path.length);
    }
    if (path == NULL) {
        return zv_fail(err, ZV_E_USAGE,
                       "expected a model (a folder, .gguf, .safetensors or config.json), or "
                       "--parameters and --bits");
    }
    return zv_model_open(model, &session->model_files, path, &session->arena, err);
}

static enum zv_status run_model(struct session *session, const struct arguments *args,
                                struct output *out, struct zv_error *err)
{
    struct zv_model model;
    struct zv_estimate estimate;
    struct zv_fit fit = {0};
    enum zv_status status = open_model(session, args, &model, err);
    if (status == ZV_OK) {
        status =
            zv_runtime_resolve(&session->rules, session->job.runtime, session->job.runtime_version,
                               arguments_has(args, "assume"), &session->arena, err);
    }
    const struct zv_estimate_input input = {
        .model = &model,
        .job = &session->job,
        .rules = session->job.runtime != ZV_RUNTIME_NONE ? &session->rules : NULL,
        .capacity_bytes = session->has_card ? session->capacity.low : 0,
    };
    if (status == ZV_OK) {
        status = zv_estimate_run(&estimate, &input, &session->arena, err);
    }
    if (status == ZV_OK && session->has_card) {
        session->limits.fraction_millionths = estimate.fraction_millionths;
        status = zv_fit_judge(&fit, &estimate.ledger, &session->capacity, &session->limits, err);
        set_exit_code(out, fit.verdict);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (input.rules != NULL && session->rules.note[0] != 0) {
        output_note("%s", session->rules.note);
    }
    note_extras(&session->command);
    const struct report_estimate report = {
        .estimate = &estimate,
        .model = &model,
        .job = &session->job,
        .rules = input.rules,
        .capacity = session->has_card ? &session->capacity : NULL,
        .fit = &fit,
        .limits = &session->limits,
        .verbose = arguments_has(args, "verbose"),
    };
    if (out->json) {
        report_estimate_json(&out->sink, &report);
    } else {
        report_estimate_text(&out->sink, &out->style, &report);
    }
    return ZV_OK;
}

static enum zv_status read_sequences(struct session *session, const struct arguments *args,
                                     struct zv_error *err)
{
    uint64_t sequences[REPORT_MAX_FORMATS];
    size_t count = 0;
    if (!arguments_has(args, "concurrency")) {
        return ZV_OK;
    }
    const enum zv_status status = read_list(args, "concurrency", 1, sequences, &count, err);
    session->job.serve.sequences = sequences[0];
    if (status == ZV_OK && count > 1) {
        return zv_fail(err, ZV_E_USAGE, "--concurrency: several values need figures by hand");
    }
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    session = (struct session){0};
    const char *const items = arguments_value(args, "items");
    enum zv_status status = estimate_job(&session.job, &session.command, args, &session.arena, err);
    if (status == ZV_OK && items != NULL) {
        status = zv_file_open(&session.items, items, err);
        if (status == ZV_OK) {
            status = estimate_items_file(&session.job, zv_file_slice(&session.items), err);
            (void)zv_fail_where(err, items);
        }
    }
    if (status == ZV_OK) {
        status = find_card(&session, args, err);
    }
    if (status == ZV_OK && estimate_is_by_numbers(args)) {
        status = run_numbers(&session, args, out, err);
    } else if (status == ZV_OK) {
        status = read_sequences(&session, args, err);
        status = status == ZV_OK ? run_model(&session, args, out, err) : status;
    }
    zv_model_close(session.model_files);
    if (session.items.data != NULL) {
        zv_file_close(&session.items);
    }
    card_files_close(&session.cards);
    zv_arena_free(&session.arena);
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
