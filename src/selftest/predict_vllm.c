/*
 * vLLM: blocks, tokens and concurrency out of a row's facts, given the memory that vLLM measured
 * to be free. That figure is printed to two decimals, so a prediction is a range: "exact" means
 * that the measured count lies in it.
 */
#include "base/checked.h"
#include "estimate/cache.h"
#include "selftest/checks.h"
#include "selftest/facts.h"

struct run {
    struct facts facts;
    struct zv_runtime_rules rules;
    bool dated;
    struct zv_vllm_request request;
    struct zv_vllm_cache cache;
    uint64_t tp, pp;
    bool has_length; /* max_model_len is recorded */
    bool has_available;
    struct measured available;
    const char *missing;         /* why nothing can be predicted */
    const char *request_missing; /* why blocks of a request cannot */
    const char *basis;
};

static uint64_t number_of(const struct zv_row *row, const char *name, uint64_t otherwise)
{
    uint64_t value = otherwise;
    (void)zv_row_u64(&row->settings, name, &value);
    return value;
}

/* The cache's element type: what was asked for, else that of the run, else 16 bits. */
static enum zv_dtype cache_type(const struct zv_row *row)
{
    struct zv_slice text = zv_row_text(&row->settings, "kv_cache_dtype");
    if (text.length == 0 || zv_slice_equal(text, "auto")) {
        text = zv_row_text(&row->settings, "dtype");
    }
    if (text.length == 0) {
        text = zv_row_text(&row->config, "dtype");
    }
    return text.length != 0 ? zv_dtype_parse(text) : ZV_DTYPE_BF16;
}

static void read_available(struct run *run, const struct zv_row *row)
{
    const struct zv_row_fields *const measured = &row->measured;
    run->has_available =
        measured_read(zv_row_text(measured, "kv"), ZV_UNIT_COUNT, true, &run->available) ||
        measured_after(zv_row_text(measured, "profile"), "kv_cache_size=", true, &run->available);
}

/* What a sliding layer holds for one request depends on the tokens a step may add. */
static const char *request_unknown(const struct run *run, const struct zv_row *row)
{
    if (!run->has_length) {
        return "max_model_len is not recorded";
    }
    if (!run->facts.sliding || !run->request.hybrid_groups) {
        return NULL;
    }
    if (zv_row_find(&row->settings, "max_num_batched_tokens") == NULL) {
        return "max_num_batched_tokens, which widens a window, is not recorded";
    }
    return run->rules.token_form.value == ZV_TOKENS_BY_CONCURRENCY
               ? "what a window keeps for steps in flight changed between versions: not in the "
                 "table"
               : NULL;
}

static bool open_run(struct run *run, struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    *run = (struct run){.basis = "given the measured free memory"};
    if (!facts_read(&run->facts, row, checks->arena) ||
        facts_rules(&run->rules, &run->dated, row, ZV_RUNTIME_VLLM, checks->arena, NULL) != ZV_OK) {
        checks->out_of_memory = true;
        return false;
    }
    run->tp = number_of(row, "tp", 1);
    run->pp = number_of(row, "pp", 1);
    run->request.block_tokens =
        number_of(row, "block", number_of(row, "block_size", run->rules.block_default.value));
    run->has_length = zv_row_u64(&row->settings, "max_model_len", &run->request.max_tokens);
    run->request.batched_tokens =
        number_of(row, "max_num_batched_tokens", run->rules.batched_default_large.value);
    run->request.hybrid_groups = run->rules.hybrid_groups.value != 0;
    run->request.form.k = cache_type(row);
    run->request.form.v = run->request.form.k;
    run->request.form.conv_state = ZV_DTYPE_BF16;
    run->request.form.scan_state = ZV_DTYPE_BF16;
    run->request.form.mla = ZV_MLA_LATENT;
    run->request.form.tp = run->tp <= UINT32_MAX ? (uint32_t)run->tp : 1;
    read_available(run, row);
    run->missing = run->facts.missing;
    if (run->missing == NULL && zv_slice_contains(row->model, "inferred")) {
        run->missing = "the model was inferred from the figure itself: no independent check";
    }
    if (run->missing == NULL &&
        zv_cache_vllm(&run->cache, run->facts.layers, run->facts.layer_count, &run->request,
                      NULL) != ZV_OK) {
        run->missing = "the cache's pages cannot be calculated";
    }
    run->request_missing = run->missing != NULL ? run->missing : request_unknown(run, row);
    return true;
}

/* Blocks that the printed memory allows; of a pipeline the fewest over its stages. */
static bool block_range(const struct run *run, uint64_t *low, uint64_t *high)
{
    if (!run->has_available) {
        return false;
    }
    *low = zv_cache_vllm_blocks(&run->cache, run->available.low);
    *high = zv_cache_vllm_blocks(&run->cache, run->available.high);
    return true;
}

static void check_blocks(struct checks *checks, const struct run *run)
{
    static const char *const fields[] = {"gpu_blocks", "num_blocks"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint64_t measured;
        uint64_t low;
        uint64_t high;
        const struct zv_slice text = zv_row_text(&checks->row->measured, fields[i]);
        if (!zv_row_u64(&checks->row->measured, fields[i], &measured)) {
            continue;
        }
        if (run->missing != NULL) {
            check_skip(checks, "gpu_blocks", text, run->missing);
        } else if (!block_range(run, &low, &high)) {
            check_skip(checks, "gpu_blocks", text, "the memory left for the cache is not recorded");
        } else {
            check_count(checks, "gpu_blocks", (struct counted){"blocks", measured, low, high, 0},
                        run->basis);
        }
    }
}

static uint64_t tokens_for(const struct run *run, uint64_t blocks)
{
    return zv_cache_vllm_tokens(&run->cache, blocks, run->request.max_tokens,
                                (enum zv_token_form)run->rules.token_form.value);
}

static void check_tokens(struct checks *checks, const struct run *run)
{
    uint64_t measured;
    uint64_t low;
    uint64_t high;
    const struct zv_slice text = zv_row_text(&checks->row->measured, "kv_tokens");
    if (!zv_row_u64(&checks->row->measured, "kv_tokens", &measured) || run->pp > 1) {
        return;
    }
    const bool by_length = run->rules.token_form.value == ZV_TOKENS_BY_CONCURRENCY;
    if (run->missing != NULL) {
        check_skip(checks, "kv_tokens", text, run->missing);
    } else if (!block_range(run, &low, &high)) {
        check_skip(checks, "kv_tokens", text, "the memory left for the cache is not recorded");
    } else if (by_length && run->request_missing != NULL) {
        check_skip(checks, "kv_tokens", text, run->request_missing);
    } else {
        check_count(
            checks, "kv_tokens",
            (struct counted){"tokens", measured, tokens_for(run, low), tokens_for(run, high), 0},
            run->basis);
    }
}

/* "15.88x": hundredths. From the memory when it is recorded, else from the measured tokens. */
static void check_concurrency(struct checks *checks, const struct run *run)
{
    const struct zv_slice text = zv_row_text(&checks->row->measured, "max_concurrency");
    struct zv_slice number = text;
    number = zv_slice_cut(&number, 'x');
    uint64_t measured;
    uint64_t low;
    uint64_t high;
    uint64_t tokens;
    const char *basis = run->basis;
    if (!zv_slice_fixed(number, 2, &measured) || run->pp > 1) {
        return;
    }
    if (run->request_missing != NULL || run->cache.blocks_per_request == 0) {
        check_skip(checks, "max_concurrency", text,
                   run->request_missing != NULL ? run->request_missing : "there is no cache");
        return;
    }
    if (!block_range(run, &low, &high)) {
        if (!zv_row_u64(&checks->row->measured, "kv_tokens", &tokens) || run->cache.groups != 1) {
            check_skip(checks, "max_concurrency", text,
                       "the memory left for the cache is not recorded");
            return;
        }
        low = tokens / run->cache.block_tokens;
        high = low;
        basis = "given the printed tokens";
    }
    /* Engine 0 divides tokens by the length, engine 1 blocks by the blocks of a request. */
    const bool by_blocks = run->rules.engine.value != 0;
    const uint64_t per = by_blocks ? run->cache.blocks_per_request : run->request.max_tokens;
    const uint64_t times = by_blocks ? 1 : run->cache.block_tokens;
    uint64_t least;
    uint64_t most;
    if (zv_mul_div(low * times, 200, per, &least) && zv_mul_div(high * times, 200, per, &most)) {
        check_count(checks, "max_concurrency",
                    (struct counted){"requests", measured, (least + 1) / 2, (most + 1) / 2, 2},
                    basis);
    }
}

/* Host blocks for swapping, of vLLM itself: swap space / block. */
static void check_cpu_blocks(struct checks *checks, const struct run *run)
{
    uint64_t measured;
    const struct zv_slice text = zv_row_text(&checks->row->measured, "cpu_blocks");
    if (!zv_row_u64(&checks->row->measured, "cpu_blocks", &measured)) {
        return;
    }
    const uint64_t swap = run->rules.swap_default_bytes.value;
    if (run->missing != NULL || swap == 0 || !zv_slice_equal(checks->row->runtime, "vLLM")) {
        check_skip(checks, "cpu_blocks", text,
                   run->missing != NULL ? run->missing : "the swap space is not recorded");
        return;
    }
    const uint64_t blocks = zv_cache_vllm_blocks(&run->cache, swap);
    check_count(checks, "cpu_blocks", (struct counted){"blocks", measured, blocks, blocks, 0},
                "the default swap space");
}

/* "0.95 GiB KV cache is needed": of one request of the longest length. */
static void check_needed(struct checks *checks, const struct run *run)
{
    const struct zv_slice error = zv_row_text(&checks->row->measured, "error");
    struct measured figure;
    if (!zv_slice_contains(error, "KV cache is needed") ||
        !measured_read(error, ZV_UNIT_COUNT, true, &figure)) {
        return;
    }
    if (run->request_missing != NULL) {
        check_skip(checks, "kv_needed", error, run->request_missing);
    } else {
        check_bytes(checks, "kv_needed", &figure, run->cache.request_bytes, "");
    }
}

/* "kv_8192": what one request of that many tokens takes. "page": of one layer. */
static void check_sizes(struct checks *checks, const struct run *run)
{
    struct measured figure;
    if (run->missing != NULL) {
        return;
    }
    if (measured_read(zv_row_text(&checks->row->measured, "kv_8192"), ZV_UNIT_COUNT, true,
                      &figure)) {
        struct zv_vllm_request request = run->request;
        struct zv_vllm_cache cache;
        request.max_tokens = 8192;
        if (zv_cache_vllm(&cache, run->facts.layers, run->facts.layer_count, &request, NULL) ==
            ZV_OK) {
            check_bytes(checks, "kv_request", &figure, cache.request_bytes, "8192 tokens");
        }
    }
    if (measured_read(zv_row_text(&checks->row->measured, "page"), ZV_UNIT_COUNT, true, &figure)) {
        check_bytes(checks, "page", &figure, run->cache.page_bytes, "");
    }
}

/*
 * A pipeline of two: the first stages of an uneven split get the layers that are over, except that
 * the last stage, which also holds the head, gets none (vllm/distributed/utils.py).
 */
static void check_pipeline(struct checks *checks, const struct run *run)
{
    static const char *const stages[] = {"kv_rank1_rank0", "kv_rank3_rank2"};
    uint64_t measured;
    uint64_t low = UINT64_MAX;
    uint64_t high = UINT64_MAX;
    if (run->pp != 2 || run->missing != NULL ||
        !zv_row_u64(&checks->row->measured, "kv_tokens", &measured)) {
        return;
    }
    const size_t total = run->facts.layer_count;
    for (size_t i = 0; i < 2; i++) {
        const size_t layers = i == 0 ? total - total / 2 : total / 2;
        struct measured available;
        struct zv_vllm_cache cache;
        if (!measured_read(zv_row_text(&checks->row->measured, stages[i]), ZV_UNIT_COUNT, true,
                           &available) ||
            zv_cache_vllm(&cache, run->facts.layers, layers, &run->request, NULL) != ZV_OK) {
            check_skip(checks, "kv_tokens", zv_row_text(&checks->row->measured, "kv_tokens"),
                       "the memory left for the cache is not recorded for each stage");
            return;
        }
        const uint64_t least = zv_cache_vllm_blocks(&cache, available.low);
        const uint64_t most = zv_cache_vllm_blocks(&cache, available.high);
        low = least < low ? least : low;
        high = most < high ? most : high;
    }
    check_count(
        checks, "kv_tokens",
        (struct counted){"tokens", measured, tokens_for(run, low), tokens_for(run, high), 0},
        "the fewest over the stages, given the measured free memory");
}

/* Unquantised weights on one card; what a rotary table adds is not in the row. */
static void check_weights(struct checks *checks, const struct run *run)
{
    const struct zv_row *const row = checks->row;
    struct measured figure;
    uint64_t parameters;
    uint64_t bytes;
    const char *const profile = "weights memory: ";
    if (!measured_read(zv_row_text(&row->measured, "weights"), ZV_UNIT_COUNT, true, &figure) &&
        !measured_after(zv_row_text(&row->measured, "profile"), profile, true, &figure)) {
        return;
    }
    struct zv_slice dtype = zv_row_text(&row->settings, "dtype");
    dtype = dtype.length != 0 ? dtype : zv_row_text(&row->config, "dtype");
    const char *missing = NULL;
    if (!zv_row_u64(&row->config, "params", &parameters) || dtype.length == 0) {
        missing = "parameters or their type are not recorded";
    } else if (run->tp != 1 || run->pp != 1) {
        missing = "how the tensors are split needs the model's tensors";
    } else if (zv_row_text(&row->settings, "quantization").length != 0) {
        missing = "which weights are quantised needs the model's tensors";
    } else if (!zv_dtype_bytes(zv_dtype_parse(dtype), parameters, &bytes)) {
        missing = "the element type is not known";
    }
    if (missing != NULL) {
        check_skip(checks, "weights", figure.number, missing);
    } else {
        check_bytes(checks, "weights", &figure, bytes,
                    "parameters alone: the rotary table's length is not recorded");
    }
}

/* total x utilisation, as printed; the total is printed to two decimals. */
static void check_usable(struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    struct measured figure;
    struct measured total;
    uint64_t millionths;
    uint64_t low;
    uint64_t high;
    if (measured_read(zv_row_text(&row->measured, "usable"), ZV_UNIT_COUNT, true, &figure) &&
        (measured_read(zv_row_text(&row->settings, "total"), ZV_UNIT_COUNT, true, &total) ||
         measured_read(zv_row_text(&row->settings, "gpu"), ZV_UNIT_COUNT, true, &total)) &&
        zv_slice_fixed(zv_row_text(&row->settings, "gpu_memory_utilization"), 6, &millionths) &&
        total.decimals >= 2 && zv_mul_div(total.low, millionths, 1000000, &low) &&
        zv_mul_div(total.high, millionths, 1000000, &high)) {
        check_byte_range(checks, "usable", &figure, low, high, "given the printed total");
    }
}

static void skip_rest(struct checks *checks)
{
    static const struct {
        const char *field;
        const char *item;
        const char *reason;
    } rest[] = {
        {"activation", "activation_peak", "a peak of the profile run: needs the step engine"},
        {"non_torch", "non_torch", "what CUDA and libraries take: measured, not calculated"},
        {"cuda_graph", "cuda_graph", "what graph capture takes: measured, not calculated"},
        {"cuda_graph_est", "cuda_graph", "what graph capture takes: measured, not calculated"},
        {"cudagraph_est", "cuda_graph", "what graph capture takes: measured, not calculated"},
        {"gpu_blocks_before", "gpu_blocks", "the memory left for the cache is not recorded"},
        {"gpu_blocks_after", "gpu_blocks", "the memory left for the cache is not recorded"},
        {"kv_tokens_with_cudagraph_estimate", "kv_tokens", "the model's layers are not recorded"},
        {"kv_tokens_without", "kv_tokens", "the model's layers are not recorded"},
        {"kv_tokens_0.20", "kv_tokens", "the model's layers are not recorded"},
        {"kv_tokens_0.21", "kv_tokens", "the model's layers are not recorded"},
        {"oom", "oom", "an allocation that failed: nothing to predict"},
    };
    const struct zv_row_fields *const measured = &checks->row->measured;
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        const struct zv_slice text = zv_row_text(measured, rest[i].field);
        if (text.length != 0) {
            check_skip(checks, rest[i].item, text, rest[i].reason);
        }
    }
    if (zv_row_find(measured, "kv") != NULL) {
        check_skip(checks, "kv_available", zv_row_text(measured, "kv"),
                   "what is left of a measured total: an identity, not a prediction");
    }
    if (zv_row_find(measured, "profile") != NULL) {
        check_skip(checks, "activation_peak", zv_row_text(measured, "profile"),
                   "a peak of the profile run: needs the step engine");
    }
}

void predict_vllm(struct checks *checks)
{
    struct run run;
    if (!open_run(&run, checks)) {
        return;
    }
    check_blocks(checks, &run);
    check_tokens(checks, &run);
    check_pipeline(checks, &run);
    check_concurrency(checks, &run);
    check_cpu_blocks(checks, &run);
    check_needed(checks, &run);
    check_sizes(checks, &run);
    check_weights(checks, &run);
    check_usable(checks);
    skip_rest(checks);
}
