#include "cli/kv_options.h"

#include <string.h>

#include "base/fail.h"
#include "base/units.h"
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
    {memory, "runtime", NULL, "vllm|sglang[@VERSION]",
     "whose memory rules: vLLM, newest known by default; steps are vLLM's in any case",
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
    {memory, "replicas", NULL, "N[,...]",
     "copies of all this, each with cards of its own: requests are dealt to them in turn",
     OPTION_VALUE},
    {memory, "window", NULL, "TOKENS|none[,...]",
     "what if layers that slide saw so many tokens, or all layers where none slides", OPTION_VALUE},
    {memory, "gpu-memory-utilization", NULL, "FRACTION",
     "share of the card that the runtime may use", OPTION_VALUE},
    {memory, "in-use", NULL, "BYTES", "what others use of the card", OPTION_VALUE},
    {memory, "enforce-eager", NULL, NULL, "no CUDA graphs", OPTION_FLAG},

    {policies, "block-size", "page-size", "TOKENS[,...]", "tokens of a page (16; SGLang 1)",
     OPTION_VALUE},
    {policies, "prefix-cache", "enable-prefix-caching", "on|off|both",
     "paged with prefix caching where the trace has hashes (both)", OPTION_VALUE},
    {policies, "eviction", NULL, "queue|lru|lfu|fifo[,...]",
     "which page loses its prefix first: vLLM's queue, which pages without one are in too, or the "
     "least recently used, least often used, oldest",
     OPTION_VALUE},
    {policies, "rules", NULL, "before-2026|after-2026",
     "vLLM's scheduler before its changes of 2026 (a request is admitted when its first chunk "
     "fits) or after (its whole prompt must; pages without a key are reused first)",
     OPTION_VALUE},
    {policies, "watermark-pages", NULL, "N", "pages that admission leaves free (0)", OPTION_VALUE},
    {policies, "max-num-seqs", NULL, "N", "requests that run at once, at most", OPTION_VALUE},
    {policies, "max-num-batched-tokens", NULL, "TOKENS", "tokens of one step", OPTION_VALUE},
    {policies, "batch", NULL, "N", "requests of a static batch (8)", OPTION_VALUE},
    {policies, "mamba-cache-mode", NULL, "align|all|none",
     "recurrent states that prefix caching finds again: where a step ends on a page's boundary "
     "(align), at each boundary, or none",
     OPTION_VALUE},
    {policies, "cache-size", NULL, "N|BYTES",
     "what prefix caching keeps that nobody uses, at most: blocks of 512 tokens, or 8GiB (all that "
     "pages hold)",
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
    static const char *const states[] = {"align", "all", "none", NULL};
    static const enum zv_kv_kind kinds[] = {ZV_KV_STATE_ALIGNED, ZV_KV_STATE_ALL, ZV_KV_STATE};
    unsigned state = 0;
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
    if (status == ZV_OK) {
        status = arguments_choice(args, "mamba-cache-mode", states, &state, err);
    }
    to->states = kinds[state];
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
                  {"batch", &to->batch, 1 << 20}};
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

/* "2000" blocks of 512 tokens, or "8GiB". */
static enum zv_status read_cache_size(struct kv_settings *to, const struct arguments *args,
                                      struct zv_error *err)
{
    const char *const value = arguments_value(args, "cache-size");
    if (value == NULL) {
        return ZV_OK;
    }
    if (zv_count_parse(zv_slice_of(value), &to->cache_ids) && to->cache_ids != 0 &&
        to->cache_ids <= UINT64_C(1) << 28) {
        return ZV_OK;
    }
    to->cache_ids = 0;
    if (!zv_bytes_parse(zv_slice_of(value), &to->cache_bytes) || to->cache_bytes == 0) {
        return zv_fail(err, ZV_E_USAGE,
                       "--cache-size %s: expected 1 to 2^28 blocks of 512 tokens, or bytes (8GiB)",
                       value);
    }
    return arguments_has(args, "model")
               ? ZV_OK
               : zv_fail(err, ZV_E_USAGE,
                         "--cache-size %s: bytes need --model and --card, which say what a page "
                         "takes",
                         value);
}

static enum zv_status read_evictions(struct kv_settings *to, const struct arguments *args,
                                     struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(arguments_value(args, "eviction"));
    to->eviction_count = rest.length == 0;
    while (rest.length != 0) {
        const struct zv_slice word = zv_slice_trim(zv_slice_cut(&rest, ','));
        unsigned order = 0;
        while (order <= ZV_KV_EVICT_FIFO &&
               !zv_slice_equal(word, zv_kv_eviction_name((enum zv_kv_eviction)order))) {
            order++;
        }
        if (order > ZV_KV_EVICT_FIFO || to->eviction_count == KV_MAX_VALUES) {
            return zv_fail(err, ZV_E_USAGE, "--eviction %s: expected some of queue, lru, lfu, fifo",
                           arguments_value(args, "eviction"));
        }
        to->evictions[to->eviction_count++] = (enum zv_kv_eviction)order;
    }
    return ZV_OK;
}

static const struct {
    const char *option;
    const char *word;
} dimensions[KV_DIMENSION_COUNT] = {[KV_CACHE_DTYPE] = {"kv-cache-dtype", "cache"},
                                    [KV_TP] = {"tp", "tp"},
                                    [KV_CONTEXT] = {"context", "context"},
                                    [KV_WINDOW] = {"window", "window"},
                                    [KV_REPLICAS] = {"replicas", "replicas"}};

const char *kv_dimension_option(enum kv_dimension dimension)
{
    return dimensions[dimension].option;
}

const char *kv_dimension_word(enum kv_dimension dimension)
{
    return dimensions[dimension].word;
}

size_t kv_scenario_count(const struct kv_settings *settings)
{
    size_t count = 1;
    for (int d = 0; d < KV_DIMENSION_COUNT; d++) {
        count *= settings->varied[d].count;
    }
    return count;
}

void kv_scenario_values(const struct kv_settings *settings, size_t index,
                        const char *values[KV_DIMENSION_COUNT])
{
    for (int d = KV_DIMENSION_COUNT - 1; d >= 0; d--) {
        values[d] = settings->varied[d].at[index % settings->varied[d].count];
        index /= settings->varied[d].count;
    }
}

bool kv_window_parse(const char *value, uint64_t *tokens)
{
    *tokens = 0;
    return strcmp(value, "none") == 0 || (zv_count_parse(zv_slice_of(value), tokens) &&
                                          *tokens != 0 && *tokens <= UINT64_C(1) << 40);
}

static enum zv_status read_varied(struct kv_settings *to, const struct arguments *args,
                                  struct zv_arena *arena, struct zv_error *err)
{
    for (int d = 0; d < KV_DIMENSION_COUNT; d++) {
        const enum zv_status status =
            read_values(&to->varied[d], args, dimensions[d].option, arena, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    for (size_t i = 0; arguments_has(args, "window") && i < to->varied[KV_WINDOW].count; i++) {
        uint64_t tokens;
        if (!kv_window_parse(to->varied[KV_WINDOW].at[i], &tokens)) {
            return zv_fail(err, ZV_E_USAGE, "--window %s: expected tokens, or none",
                           to->varied[KV_WINDOW].at[i]);
        }
    }
    for (size_t i = 0; arguments_has(args, "replicas") && i < to->varied[KV_REPLICAS].count; i++) {
        uint64_t count;
        if (!zv_count_parse(zv_slice_of(to->varied[KV_REPLICAS].at[i]), &count) || count == 0 ||
            count > KV_MAX_REPLICAS) {
            return zv_fail(err, ZV_E_USAGE, "--replicas %s: expected 1 to %d",
                           to->varied[KV_REPLICAS].at[i], (int)KV_MAX_REPLICAS);
        }
    }
    return kv_scenario_count(to) <= KV_MAX_SCENARIOS
               ? ZV_OK
               : zv_fail(err, ZV_E_USAGE,
                         "more than %d combinations of --kv-cache-dtype, --tp, --context, --window "
                         "and --replicas",
                         (int)KV_MAX_SCENARIOS);
}

enum zv_status kv_settings_of(struct kv_settings *to, const struct arguments *args,
                              struct zv_arena *arena, struct zv_error *err)
{
    *to = (struct kv_settings){.batch = 8, .blocks = {{16}, 1}};
    to->path = args->operands[0];
    to->blocks_given = arguments_has(args, "block-size");
    enum zv_status status = read_counts(to, args, err);
    status = status == ZV_OK ? read_words(to, args, err) : status;
    status = status == ZV_OK ? read_columns(&to->input.options, args, err) : status;
    status = status == ZV_OK ? read_cache_size(to, args, err) : status;
    status = status == ZV_OK ? read_evictions(to, args, err) : status;
    status = status == ZV_OK ? read_varied(to, args, arena, err) : status;
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
                                     const char *const values[KV_DIMENSION_COUNT],
                                     struct zv_error *err)
{
    static const enum kv_dimension of_estimate[] = {KV_CACHE_DTYPE, KV_TP, KV_CONTEXT};
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
    for (size_t i = 0; i < sizeof of_estimate / sizeof of_estimate[0]; i++) {
        const char *const value = values[of_estimate[i]];
        if (value[0] != 0) {
            give(to, dimensions[of_estimate[i]].option, value);
        }
    }
    return to->operands[0] != NULL ? ZV_OK : zv_fail(err, ZV_E_USAGE, "expected --model");
}
