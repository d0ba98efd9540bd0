#include "cli/kv_options.h"

#include <string.h>

#include "base/fail.h"
#include "cli/verbs.h"

static const char trace[] = "Trace";
static const char memory[] = "Model and card";
static const char policies[] = "Policies";
static const char answer[] = "Answer";

const struct option_spec kv_options[KV_OPTION_COUNT] = {
    {trace, "columns", NULL, "ROLE=NAME,...",
     "columns of a CSV: arrival=when,prompt=in,output=out; the rest is told by known names",
     OPTION_VALUE},
    {trace, "time-unit", NULL, "UNIT",
     "of arrivals that are plain numbers: s (default), ms, us, ns", OPTION_VALUE},
    {trace, "limit", NULL, "N", "the first N requests only", OPTION_VALUE},
    {trace, "data", NULL, "DIR", "verify: the folder with the traces (.)", OPTION_VALUE},

    {memory, "model", NULL, "MODEL", "a folder, .gguf, .safetensors or config.json", OPTION_VALUE},
    {memory, "card", "gpu", "NAME|SIZE", "a card's name, or a size taken literally (24GB)",
     OPTION_VALUE},
    {memory, "pages", "num-gpu-blocks-override", "N",
     "pages by hand, of the first --block-size, instead of a model and a card", OPTION_VALUE},
    {memory, "runtime", NULL, "vllm[@VERSION]", "whose rules: vLLM, newest known by default",
     OPTION_VALUE},
    {memory, "assume", NULL, NULL, "an unknown version: use the rules of the nearest known one",
     OPTION_FLAG},
    {memory, "context", "max-model-len max-context context-length", "TOKENS[,...]",
     "most tokens of one request, prompt and answer; longer ones are refused", OPTION_VALUE},
    {memory, "dtype", "torch-dtype", "TYPE", "type to load and compute in", OPTION_VALUE},
    {memory, "quantization", "quant", "METHOD", "weights as if quantised", OPTION_VALUE},
    {memory, "kv-cache-dtype", NULL, "TYPE[,...]", "type of cached keys and values: auto,fp8",
     OPTION_VALUE},
    {memory, "tp", "tensor-parallel-size tp-size", "N[,...]", "cards that share each layer",
     OPTION_VALUE},
    {memory, "pp", "pipeline-parallel-size pp-size", "N", "pipeline stages", OPTION_VALUE},
    {memory, "gpu-memory-utilization", NULL, "FRACTION",
     "share of the card that the runtime may use", OPTION_VALUE},
    {memory, "in-use", NULL, "BYTES", "what others use of the card", OPTION_VALUE},
    {memory, "enforce-eager", NULL, NULL, "no CUDA graphs", OPTION_FLAG},

    {policies, "block-size", "page-size", "TOKENS[,...]", "tokens of a page (16)", OPTION_VALUE},
    {policies, "prefix-cache", "enable-prefix-caching", "on|off|both",
     "paged with prefix caching where the trace has hashes (both)", OPTION_VALUE},
    {policies, "rules", NULL, "before-2026|after-2026",
     "vLLM's scheduler before its changes of 2026 (a request is admitted when its first chunk "
     "fits) or after (its whole prompt must; pages without a key are reused first)",
     OPTION_VALUE},
    {policies, "watermark-pages", NULL, "N", "pages that admission leaves free (0)", OPTION_VALUE},
    {policies, "max-num-seqs", NULL, "N", "requests that run at once, at most", OPTION_VALUE},
    {policies, "max-num-batched-tokens", NULL, "TOKENS", "tokens of one step", OPTION_VALUE},
    {policies, "batch", NULL, "N", "requests of a static batch (8)", OPTION_VALUE},
    {policies, "cache-size", NULL, "N",
     "ids of 512 tokens for the comparison of prefix policies (as many as the pages hold)",
     OPTION_VALUE},
    {policies, "paged-only", NULL, NULL, "leave out the contiguous and static policies",
     OPTION_FLAG},

    {answer, "search", NULL, "concurrency",
     "the most requests at once of which none of this trace is pre-empted", OPTION_VALUE},
    {answer, "occupancy", NULL, NULL, "a line of occupancy over time below each policy",
     OPTION_FLAG},
    {answer, "html", NULL, "FILE", "occupancy over time as one HTML file to look at", OPTION_VALUE},
    {answer, "verbose", "v", NULL, "verify: every row, not only those that differ", OPTION_FLAG},
};

/* Options that zirve estimate has too. */
static const char *const shared[] = {"runtime",      "assume",
                                     "dtype",        "quantization",
                                     "pp",           "gpu-memory-utilization",
                                     "in-use",       "enforce-eager",
                                     "max-num-seqs", "max-num-batched-tokens",
                                     "card"};

static enum zv_status read_values(struct kv_values *to, const struct arguments *args,
                                  const char *name, struct zv_arena *arena, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(arguments_value(args, name));
    *to = (struct kv_values){.count = 0};
    do {
        const struct zv_slice value = zv_slice_trim(zv_slice_cut(&rest, ','));
        if (to->count == KV_MAX_VALUES) {
            return zv_fail(err, ZV_E_USAGE, "--%s: at most %d values", name, (int)KV_MAX_VALUES);
        }
        to->at[to->count] = zv_arena_copy(arena, value.at, value.length);
        if (to->at[to->count++] == NULL) {
            return zv_fail_memory(err, "options");
        }
    } while (rest.length != 0);
    return ZV_OK;
}

static enum zv_status read_columns(struct zv_request_trace_options *to,
                                   const struct arguments *args, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(arguments_value(args, "columns"));
    while (rest.length != 0) {
        struct zv_slice name = zv_slice_cut(&rest, ',');
        const struct zv_slice role = zv_slice_cut(&name, '=');
        if (zv_slice_equal(role, "arrival")) {
            to->arrival_column = name;
        } else if (zv_slice_equal(role, "prompt")) {
            to->prompt_column = name;
        } else if (zv_slice_equal(role, "output")) {
            to->output_column = name;
        } else {
            return zv_fail(err, ZV_E_USAGE,
                           "--columns %.*s: expected arrival=NAME, prompt=NAME or output=NAME",
                           (int)(role.length < 80 ? role.length : 80), role.at);
        }
    }
    return ZV_OK;
}

static enum zv_status read_words(struct kv_settings *to, const struct arguments *args,
                                 struct zv_error *err)
{
    static const char *const units[] = {"s", "ms", "us", "ns", NULL};
    static const char *const caching[] = {"on", "off", "both", NULL};
    static const char *const rules[] = {"before-2026", "after-2026", NULL};
    static const char *const searches[] = {"concurrency", NULL};
    unsigned unit = 0;
    unsigned cache = 2;
    unsigned rule = 0;
    unsigned search = 0;
    enum zv_status status = arguments_choice(args, "time-unit", units, &unit, err);
    if (status == ZV_OK) {
        status = arguments_choice(args, "prefix-cache", caching, &cache, err);
    }
    if (status == ZV_OK) {
        status = arguments_choice(args, "rules", rules, &rule, err);
    }
    if (status == ZV_OK) {
        status = arguments_choice(args, "search", searches, &search, err);
    }
    to->input.options.unit = (enum zv_time_unit)unit;
    to->with_prefixes = cache != 1;
    to->without_prefixes = cache != 0;
    to->rules = arguments_has(args, "rules") ? (int)rule : -1;
    to->searches = arguments_has(args, "search");
    to->paged_only = arguments_has(args, "paged-only");
    return status;
}

static enum zv_status read_counts(struct kv_settings *to, const struct arguments *args,
                                  struct zv_error *err)
{
    const struct {
        const char *name;
        uint64_t *to;
        uint64_t most;
    } counts[] = {{"limit", &to->input.limit, UINT64_MAX},
                  {"pages", &to->pages, KV_MAX_PAGES},
                  {"watermark-pages", &to->watermark_pages, ZV_KV_MAX_PAGES},
                  {"max-num-seqs", &to->max_sequences, 1 << 20},
                  {"max-num-batched-tokens", &to->step_tokens, UINT64_C(1) << 40},
                  {"batch", &to->batch, 1 << 20},
                  {"cache-size", &to->cache_ids, UINT64_C(1) << 28}};
    enum zv_status status = arguments_counts(args, "block-size", &to->blocks, err);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && status == ZV_OK; i++) {
        status = arguments_u64(args, counts[i].name, counts[i].to, err);
        if (status == ZV_OK && arguments_has(args, counts[i].name) &&
            (*counts[i].to > counts[i].most ||
             (*counts[i].to == 0 && strcmp(counts[i].name, "watermark-pages") != 0))) {
            status =
                zv_fail(err, ZV_E_USAGE, "--%s %s: expected 1 to %llu", counts[i].name,
                        arguments_value(args, counts[i].name), (unsigned long long)counts[i].most);
        }
    }
    return status;
}

enum zv_status kv_settings_of(struct kv_settings *to, const struct arguments *args,
                              struct zv_arena *arena, struct zv_error *err)
{
    *to = (struct kv_settings){.batch = 8, .blocks = {{16}, 1}};
    to->path = args->operands[0];
    enum zv_status status = read_counts(to, args, err);
    if (status == ZV_OK) {
        status = read_words(to, args, err);
    }
    if (status == ZV_OK) {
        status = read_columns(&to->input.options, args, err);
    }
    if (status == ZV_OK) {
        status = read_values(&to->kv_dtypes, args, "kv-cache-dtype", arena, err);
    }
    if (status == ZV_OK) {
        status = read_values(&to->tps, args, "tp", arena, err);
    }
    if (status == ZV_OK) {
        status = read_values(&to->contexts, args, "context", arena, err);
    }
    if (status == ZV_OK &&
        to->kv_dtypes.count * to->tps.count * to->contexts.count > KV_MAX_SCENARIOS) {
        status = zv_fail(err, ZV_E_USAGE,
                         "more than %d combinations of --kv-cache-dtype, --tp "
                         "and --context",
                         (int)KV_MAX_SCENARIOS);
    }
    if (status == ZV_OK && (to->pages != 0) == arguments_has(args, "model")) {
        status = zv_fail(err, ZV_E_USAGE,
                         "expected --model and --card, or --pages by hand, to say how much memory "
                         "there is");
    }
    if (status == ZV_OK && arguments_has(args, "model") != arguments_has(args, "card")) {
        status = zv_fail(err, ZV_E_USAGE, "--model and --card go together");
    }
    return status;
}

static void give(struct arguments *to, const char *name, const char *value)
{
    const struct option_spec *const spec = option_find(&verb_estimate, zv_slice_of(name));
    if (spec != NULL && to->given_count < ARGUMENTS_MAX) {
        to->given[to->given_count++] = (struct given_option){spec, value, name};
    }
}

enum zv_status kv_estimate_arguments(struct arguments *to, const struct arguments *args,
                                     const char *kv_dtype, const char *tp, const char *context,
                                     struct zv_error *err)
{
    const struct {
        const char *name;
        const char *value;
    } varied[] = {{"kv-cache-dtype", kv_dtype}, {"tp", tp}, {"context", context}};
    *to = (struct arguments){.verb = &verb_estimate, .operand_count = 1};
    to->operands[0] = arguments_value(args, "model");
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if (arguments_has(args, shared[i])) {
            give(to, shared[i], arguments_value(args, shared[i]));
        }
    }
    if (!arguments_has(args, "runtime")) {
        give(to, "runtime", "vllm");
    }
    for (size_t i = 0; i < sizeof varied / sizeof varied[0]; i++) {
        if (varied[i].value[0] != 0) {
            give(to, varied[i].name, varied[i].value);
        }
    }
    return to->operands[0] != NULL ? ZV_OK : zv_fail(err, ZV_E_USAGE, "expected --model");
}
