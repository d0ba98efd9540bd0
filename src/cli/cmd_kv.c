/* zirve kv: a request trace under paging policies; zirve kv verify: rows of expected figures. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/estimate_session.h"
#include "cli/kv_policies.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_kv.h"

enum { ANSWER_NO = 1, ANSWER_PARTIAL = 6, DEFAULT_SEQUENCES = 256 };

/* One run of the verb. */
struct kv_session {
    const struct arguments *args;
    struct kv_settings settings;
    struct kv_policies policies;
    struct arguments estimate_args;
    struct session session; /* of the scenario at hand */
    struct report_kv_scenario scenarios[KV_MAX_SCENARIOS];
    size_t scenario_count;
    const char *rules;
    struct zv_arena arena;
};

static enum zv_status read_facts(struct kv_session *kv, struct report_kv_scenario *scenario,
                                 struct zv_error *err)
{
    kv->settings.input.context_tokens = scenario->context_tokens;
    return zv_kv_facts_of(&scenario->facts, &kv->settings.input, err);
}

static enum zv_status run_by_hand(struct kv_session *kv, struct report_kv_scenario *scenario,
                                  const char *const values[KV_DIMENSION_COUNT],
                                  struct zv_error *err)
{
    const struct kv_settings *const settings = &kv->settings;
    const char *const context = values[KV_CONTEXT];
    uint64_t window = 0;
    uint64_t slots = 0;
    if (!zv_mul(settings->pages, settings->blocks.values[0], &slots) || slots >> 40 != 0) {
        return zv_fail(err, ZV_E_LIMIT, "--pages and --block-size: more than 2^40 tokens");
    }
    if (context[0] != 0 && !zv_count_parse(zv_slice_of(context), &scenario->context_tokens)) {
        return zv_fail(err, ZV_E_USAGE, "--context %s: expected tokens", context);
    }
    (void)kv_window_parse(values[KV_WINDOW], &window); /* "": none */
    enum zv_status status = read_facts(kv, scenario, err);
    if (status == ZV_OK && !settings->paged_only) {
        status = kv_run_contiguous(&kv->policies, scenario, slots, DEFAULT_SEQUENCES, err);
    }
    for (size_t i = 0; i < settings->blocks.count && status == ZV_OK; i++) {
        const uint64_t tokens = settings->blocks.values[i];
        const struct kv_pages pages = {tokens, slots / tokens, NULL, window};
        status = kv_run_paged(&kv->policies, scenario, &pages, DEFAULT_SEQUENCES, err);
    }
    return status == ZV_OK ? kv_run_prefixes(&kv->policies, scenario, slots, err) : status;
}

static enum zv_status budget_for(struct kv_session *kv, uint64_t block,
                                 const struct zv_kv_budget **to, struct zv_error *err)
{
    struct zv_kv_budget *const budget = zv_arena_alloc(&kv->arena, sizeof *budget);
    if (budget == NULL) {
        return zv_fail_memory(err, "a budget");
    }
    const bool own = kv->session.job.runtime == ZV_RUNTIME_SGLANG && !kv->settings.blocks_given;
    kv->session.job.serve.block_tokens = own ? 0 : block;
    const struct zv_question question = session_question(&kv->session);
    *to = budget;
    return zv_kv_budget_of(budget, &question, &kv->arena, err);
}

static uint64_t default_sequences(const struct session *session)
{
    const struct zv_rule *const rule = &session->rules.sequences_default;
    return rule->known && rule->value != 0 && rule->value <= 1 << 20 ? rule->value
                                                                     : DEFAULT_SEQUENCES;
}

static enum zv_status run_on_card(struct kv_session *kv, struct report_kv_scenario *scenario,
                                  struct zv_error *err)
{
    const struct kv_settings *const settings = &kv->settings;
    const uint64_t sequences = default_sequences(&kv->session);
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < settings->blocks.count && status == ZV_OK; i++) {
        const struct zv_kv_budget *budget = NULL;
        status = budget_for(kv, settings->blocks.values[i], &budget, err);
        if (status != ZV_OK || budget == NULL) {
            return status;
        }
        if (i == 0) {
            scenario->budget = budget;
            scenario->context_tokens = budget->context_tokens;
            status = read_facts(kv, scenario, err);
            if (status == ZV_OK && !settings->paged_only && budget->slots != 0) {
                status = kv_run_contiguous(&kv->policies, scenario, budget->slots, sequences, err);
            }
        }
        if (status == ZV_OK) {
            const struct kv_pages pages = {budget->geometry.block_tokens, budget->pages, budget, 0};
            status = kv_run_paged(&kv->policies, scenario, &pages, sequences, err);
        }
    }
    return status == ZV_OK ? kv_run_prefixes(&kv->policies, scenario, scenario->budget->slots, err)
                           : status;
}

static const char *rules_text(struct kv_session *kv)
{
    const struct session *const session = &kv->session;
    if (session->job.runtime == ZV_RUNTIME_SGLANG) {
        return zv_arena_print(
            &kv->arena,
            "Rules: memory of SGLang %s; steps, pages and pre-emption are vLLM's, with whole "
            "prompts admitted. SGLang itself drops whole leaves of its tree of prefixes, and "
            "retracts the requests that have answered least.",
            session->rules.version);
    }
    return zv_arena_print(&kv->arena, "Rules: vLLM %s%s.", session->rules.version,
                          kv->settings.rules == 0   ? ", its scheduler before the changes of 2026"
                          : kv->settings.rules == 1 ? ", its scheduler after the changes of 2026"
                                                    : "");
}

static enum zv_status open_session(struct kv_session *kv, struct report_kv_scenario *scenario,
                                   const char *const values[KV_DIMENSION_COUNT],
                                   struct zv_error *err)
{
    struct session *const session = &kv->session;
    enum zv_status status = kv_estimate_arguments(&kv->estimate_args, kv->args, values, err);
    if (status == ZV_OK) {
        status = session_open(session, &kv->estimate_args, err);
    }
    if (status == ZV_OK) {
        status =
            session_open_card(session, arguments_value(kv->args, "card"), &session->capacity, err);
        session->has_card = status == ZV_OK;
    }
    if (status == ZV_OK) {
        status = session_open_model(session, &kv->estimate_args, err);
    }
    uint64_t window;
    if (status == ZV_OK && kv_window_parse(values[KV_WINDOW], &window)) {
        status = zv_kv_set_window(&session->model, window, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (kv->scenario_count == 0) {
        session_notes(session);
        kv->rules = rules_text(kv);
    }
    scenario->card =
        zv_arena_copy(&kv->arena, session->capacity.name.at, session->capacity.name.length);
    return scenario->card != NULL && kv->rules != NULL ? ZV_OK : zv_fail_memory(err, "a card");
}

/* "cache fp8  tp 2": the values of what has several. */
static const char *scenario_name(struct kv_session *kv,
                                 const char *const values[KV_DIMENSION_COUNT])
{
    const char *name = "";
    for (int d = 0; d < KV_DIMENSION_COUNT && name != NULL; d++) {
        if (kv->settings.varied[d].count > 1) {
            name = zv_arena_print(&kv->arena, "%s%s%s %s", name, name[0] != 0 ? "  " : "",
                                  kv_dimension_word((enum kv_dimension)d), values[d]);
        }
    }
    return name;
}

static enum zv_status run_scenario(struct kv_session *kv, size_t index, struct zv_error *err)
{
    struct kv_settings *const settings = &kv->settings;
    struct report_kv_scenario *const scenario = &kv->scenarios[kv->scenario_count];
    const char *values[KV_DIMENSION_COUNT];
    enum zv_status status = ZV_OK;
    kv_scenario_values(settings, index, values);
    *scenario = (struct report_kv_scenario){.name = scenario_name(kv, values), .replicas = 1};
    if (scenario->name == NULL) {
        return zv_fail_memory(err, "a name");
    }
    (void)zv_count_parse(zv_slice_of(values[KV_REPLICAS]), &scenario->replicas); /* "": one */
    settings->input.replicas = scenario->replicas;
    if (settings->pages != 0) {
        status = run_by_hand(kv, scenario, values, err);
    } else {
        status = open_session(kv, scenario, values, err);
        status = status == ZV_OK ? run_on_card(kv, scenario, err) : status;
        session_close(&kv->session);
    }
    kv->scenario_count++;
    return status;
}

/* Whether some paged policy serves a request at all. */
static bool serves_any(const struct kv_session *kv)
{
    for (size_t i = 0; i < kv->scenario_count; i++) {
        const struct report_kv_scenario *const scenario = &kv->scenarios[i];
        for (size_t r = 0; r < scenario->run_count; r++) {
            if (zv_kv_figure(&scenario->runs[r].run.result.figures, "completed") != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Occupancy over time as a page, when asked for. */
static enum zv_status write_page(const struct arguments *args, const struct output *out,
                                 const struct report_kv *report, struct zv_error *err)
{
    struct result_file file = {0};
    const char *const path = arguments_value(args, "html");
    if (path == NULL) {
        return ZV_OK;
    }
    enum zv_status status = result_file_open(&file, path, err);
    status = status == ZV_OK ? report_kv_html(&file.sink, &out->style, report, err) : status;
    status = status == ZV_OK ? result_file_keep(&file, err) : status;
    result_file_close(&file);
    return status;
}

static enum zv_status run_trace(struct kv_session *kv, struct output *out, struct zv_error *err)
{
    const struct kv_settings *const settings = &kv->settings;
    const size_t count = kv_scenario_count(settings);
    enum zv_status status = ZV_OK;
    kv->rules = settings->rules != 0 ? "Rules: vLLM's scheduler after its changes of 2026."
                                     : "Rules: vLLM's scheduler before its changes of 2026.";
    for (size_t i = 0; i < count && status == ZV_OK; i++) {
        status = run_scenario(kv, i, err);
    }
    if (status != ZV_OK) {
        const bool of_trace = err->line != 0 || status == ZV_E_SYNTAX;
        return of_trace && err->where[0] == 0 ? zv_fail_where(err, settings->path) : status;
    }
    const struct report_kv report = {.trace = settings->path,
                                     .rules = kv->rules,
                                     .scenarios = kv->scenarios,
                                     .count = kv->scenario_count,
                                     .occupancy = arguments_has(kv->args, "occupancy")};
    out->exit_code = serves_any(kv) ? 0 : ANSWER_NO;
    status = write_page(kv->args, out, &report, err);
    if (status != ZV_OK) {
        return status;
    }
    if (out->json) {
        report_kv_json(&out->sink, &report);
    } else {
        report_kv_text(&out->sink, &out->style, &report);
    }
    return ZV_OK;
}

static enum zv_status verify(const struct arguments *args, struct output *out, struct zv_error *err)
{
    const char *const folder = arguments_value(args, "data");
    struct zv_arena arena = {0};
    struct zv_kv_verify result;
    struct zv_file file;
    if (args->operand_count != 2) {
        return zv_fail(err, ZV_E_USAGE, "expected one FILE of rows to verify");
    }
    enum zv_status status = zv_file_open(&file, args->operands[1], err);
    if (status != ZV_OK) {
        return status;
    }
    status =
        zv_kv_verify(&result, zv_file_slice(&file), folder != NULL ? folder : ".", &arena, err);
    if (status == ZV_OK && out->json) {
        report_kv_verify_json(&out->sink, &result);
    } else if (status == ZV_OK) {
        report_kv_verify_text(&out->sink, &result, arguments_has(args, "verbose"));
    } else {
        (void)zv_fail_where(err, args->operands[1]);
    }
    if (status == ZV_OK) {
        out->exit_code = result.outcomes[ZV_KV_ROW_DIFFERS] != 0   ? ANSWER_NO
                         : result.outcomes[ZV_KV_ROW_NOT_RUN] != 0 ? ANSWER_PARTIAL
                                                                   : 0;
    }
    zv_arena_free(&arena);
    zv_file_close(&file);
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct kv_session kv;
    struct zv_file file;
    if (args->operand_count != 0 && strcmp(args->operands[0], "verify") == 0) {
        return verify(args, out, err);
    }
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one request trace ('-' for standard input)");
    }
    kv.args = args;
    kv.policies = (struct kv_policies){&kv.settings, &kv.arena};
    enum zv_status status = kv_settings_of(&kv.settings, args, &kv.arena, err);
    if (status == ZV_OK) {
        status = zv_file_open(&file, args->operands[0], err);
        if (status == ZV_OK) {
            kv.settings.input.bytes = zv_file_slice(&file);
            status = run_trace(&kv, out, err);
            zv_file_close(&file);
        }
    }
    zv_arena_free(&kv.arena);
    return status;
}

const struct verb verb_kv = {
    .name = "kv",
    .question = "how many requests fit, what does paging waste?",
    .usage = "TRACE --model MODEL --card CARD [options] | TRACE --pages N | verify FILE",
    .actions = "verify",
    .about =
        "Serves a request trace step by step, first come first served, under policies side by "
        "side: each request in one piece of memory (to the longest allowed, to powers of two, "
        "exactly), static batches, and pages as vLLM's scheduler hands them out, with and without "
        "prefix caching and groups for sliding layers. The memory is what the estimate leaves of a "
        "card, term by term. TRACE is an Azure, vidur or own CSV, or Mooncake's JSONL with hashes, "
        "plain or packed. A step takes 25 ms; all figures are integers and the same on every "
        "machine. verify runs rows of expected figures again; exit status 1 when one differs, 6 "
        "when some could not be run.",
    .examples =
        "  zirve kv trace.csv --model ./Qwen2.5-7B --card 4090\n"
        "  zirve kv trace.csv --model ./Qwen2.5-7B --card 4090 --kv-cache-dtype auto,fp8\n"
        "  zirve kv mooncake.jsonl --pages 1000 --block-size 512 --rules after-2026\n"
        "  zirve kv trace.csv --pages 2048 --block-size 16,128 --paged-only --search concurrency\n"
        "  zirve kv trace.csv --pages 1024 --html pages.html\n"
        "  zirve kv verify expected.tsv --data traces\n",
    .options = kv_options,
    .option_count = KV_OPTION_COUNT,
    .run = run,
};
