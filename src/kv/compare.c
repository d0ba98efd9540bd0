#include "kv/compare.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "kv/waste.h"

/* A trace without the requests that are too long. */
struct filtered {
    struct zv_request_trace trace;
    uint64_t context_tokens;
    uint64_t limit;
    uint64_t read;
    uint64_t refused;
    uint64_t replicas; /* only every so many-th request, from replica on */
    uint64_t replica;
    uint64_t accepted;
};

static enum zv_status next_filtered(void *context, struct zv_request *request, bool *more,
                                    struct zv_error *err)
{
    struct filtered *const filtered = context;
    *more = false;
    while (filtered->limit == 0 || filtered->read < filtered->limit) {
        const enum zv_status status = zv_request_trace_next(&filtered->trace, request, more, err);
        if (status != ZV_OK || !*more) {
            return status;
        }
        filtered->read++;
        const bool fits =
            filtered->context_tokens == 0 ||
            request->prompt_tokens + request->output_tokens <= filtered->context_tokens;
        if (fits && filtered->accepted++ % filtered->replicas == filtered->replica) {
            return ZV_OK;
        }
        filtered->refused += !fits;
        *more = false;
    }
    return ZV_OK;
}

static enum zv_status open_filtered(struct filtered *filtered, const struct zv_kv_input *input,
                                    struct zv_request_source *source, struct zv_error *err)
{
    *filtered = (struct filtered){
        .context_tokens = input->context_tokens, .limit = input->limit, .replicas = 1};
    *source = (struct zv_request_source){next_filtered, filtered};
    return zv_request_trace_open(&filtered->trace, input->bytes, &input->options, err);
}

static void add_request(struct zv_kv_facts *to, const struct zv_request *request)
{
    to->requests++;
    to->prompt_tokens += request->prompt_tokens;
    to->output_tokens += request->output_tokens;
    to->longest_prompt = zv_larger(to->longest_prompt, request->prompt_tokens);
    to->longest_output = zv_larger(to->longest_output, request->output_tokens);
    to->longest = zv_larger(to->longest, request_slots(request));
    to->with_ids += request->id_count != 0;
    to->last_ticks = request->arrival_ticks;
}

enum zv_status zv_kv_facts_of(struct zv_kv_facts *to, const struct zv_kv_input *input,
                              struct zv_error *err)
{
    struct filtered filtered;
    struct zv_request_source source;
    struct zv_request request;
    bool more = true;
    *to = (struct zv_kv_facts){0};
    enum zv_status status = open_filtered(&filtered, input, &source, err);
    while (status == ZV_OK) {
        status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK || !more) {
            break;
        }
        add_request(to, &request);
    }
    to->refused = filtered.refused;
    zv_request_trace_close(&filtered.trace);
    if (status == ZV_OK && filtered.read == 0) {
        status = zv_fail(err, ZV_E_SYNTAX, "a trace without requests");
    }
    return status;
}

static enum zv_status run_layout(struct zv_kv_run *run, struct zv_request_source source,
                                 struct zv_error *err)
{
    switch (run->layout) {
    case ZV_KV_CONTIGUOUS:
        return kv_serve_contiguous(&run->result, source, &run->options, err);
    case ZV_KV_STATIC:
        run->result = (struct kv_serve){0};
        return kv_waste_static(&run->result.figures, source, run->batch, err);
    case ZV_KV_PAGED:
        break;
    }
    return kv_serve_paged(&run->result, source, &run->options, err);
}

static bool is_largest(const char *name)
{
    return zv_slice_starts(zv_slice_of(name), "peak") || strcmp(name, "last_step") == 0;
}

/* One more replica's figures into those of all, which are the same in the same order. */
static void combine(struct kv_figures *to, const struct kv_figures *one)
{
    for (size_t i = 0; i < one->count; i++) {
        if (i == to->count) {
            kv_figures_add(to, one->at[i].name, one->at[i].value);
        } else if (is_largest(one->at[i].name)) {
            to->at[i].value = zv_larger(to->at[i].value, one->at[i].value);
        } else {
            to->at[i].value += one->at[i].value;
        }
    }
}

static uint64_t replicas_of(const struct zv_kv_input *input)
{
    return input->replicas != 0 ? input->replicas : 1;
}

enum zv_status zv_kv_run(struct zv_kv_run *run, const struct zv_kv_input *input,
                         struct zv_error *err)
{
    struct kv_serve all = {.figures = {.count = 0}};
    enum zv_status status = ZV_OK;
    for (uint64_t i = 0; i < replicas_of(input) && status == ZV_OK; i++) {
        struct filtered filtered;
        struct zv_request_source source;
        status = open_filtered(&filtered, input, &source, err);
        filtered.replicas = replicas_of(input);
        filtered.replica = i;
        status = status == ZV_OK ? run_layout(run, source, err) : status;
        zv_request_trace_close(&filtered.trace);
        if (status == ZV_OK) {
            all.occupancy = i == 0 ? run->result.occupancy : all.occupancy;
            combine(&all.figures, &run->result.figures);
        }
    }
    run->result = all;
    return status;
}

static enum zv_status prefixes_of(struct kv_figures *to, enum kv_prefix_policy policy,
                                  uint64_t capacity, const struct zv_kv_input *input,
                                  struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    *to = (struct kv_figures){0};
    for (uint64_t i = 0; i < replicas_of(input) && status == ZV_OK; i++) {
        struct filtered filtered;
        struct zv_request_source source;
        struct kv_figures one = {0};
        status = open_filtered(&filtered, input, &source, err);
        filtered.replicas = replicas_of(input);
        filtered.replica = i;
        status = status == ZV_OK ? kv_prefix_run(&one, source, policy, capacity, err) : status;
        zv_request_trace_close(&filtered.trace);
        combine(to, &one);
    }
    return status;
}

enum zv_status zv_kv_prefixes(struct kv_figures to[KV_PREFIX_COUNT], uint64_t capacity,
                              const struct zv_kv_input *input, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (int policy = 0; policy < KV_PREFIX_COUNT && status == ZV_OK; policy++) {
        status = prefixes_of(&to[policy], (enum kv_prefix_policy)policy, capacity, input, err);
    }
    return status;
}

uint64_t zv_kv_figure(const struct kv_figures *figures, const char *name)
{
    const uint64_t *const value = kv_figures_find(figures, zv_slice_of(name));
    return value != NULL ? *value : 0;
}

static enum zv_status preemptions_of(struct zv_kv_run *run, uint32_t sequences,
                                     const struct zv_kv_input *input, struct zv_kv_search *search,
                                     uint64_t *preemptions, struct zv_error *err)
{
    run->options.max_sequences = sequences;
    search->simulated++;
    const enum zv_status status = zv_kv_run(run, input, err);
    *preemptions = zv_kv_figure(&run->result.figures, "preemptions");
    return status;
}

enum zv_status zv_kv_search_run(struct zv_kv_search *to, struct zv_kv_run *run,
                                const struct zv_kv_input *input, struct zv_error *err)
{
    uint32_t low = 0; /* none is pre-empted */
    uint32_t high = 1;
    uint64_t preemptions = 0;
    *to = (struct zv_kv_search){0};
    enum zv_status status = preemptions_of(run, high, input, to, &preemptions, err);
    while (status == ZV_OK && preemptions == 0 && !to->at_limit) {
        low = high;
        to->at_limit = zv_kv_figure(&run->result.figures, "peak_running") < high || high >= 1 << 19;
        high *= 2;
        if (!to->at_limit) {
            status = preemptions_of(run, high, input, to, &preemptions, err);
        }
    }
    to->preemptions = preemptions;
    while (status == ZV_OK && !to->at_limit && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        status = preemptions_of(run, middle, input, to, &preemptions, err);
        if (preemptions == 0) {
            low = middle;
        } else {
            high = middle;
            to->preemptions = preemptions;
        }
    }
    to->value = low;
    if (status == ZV_OK && to->at_limit) {
        to->value = (uint32_t)zv_kv_figure(&run->result.figures, "peak_running");
    }
    return status == ZV_OK && low != 0 ? preemptions_of(run, low, input, to, &preemptions, err)
                                       : status;
}
