/* LoRA adapters that are served: slots of a fixed rank (vLLM, SGLang) or their own bytes. */
#include "base/checked.h"
#include "estimate/extras.h"

typedef unsigned long long ull;

struct slots {
    uint64_t count;
    uint64_t rank;
    uint64_t value_bytes;
};

/* The largest rank of an adapter: lora_A is [rank, inputs]. */
static uint64_t adapter_rank(const struct zv_model *adapter)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < adapter->tensor_count; i++) {
        const struct zv_tensor *const tensor = &adapter->tensors[i];
        if (tensor->dims == 2 && zv_slice_contains(tensor->name, "lora_A") &&
            tensor->shape[0] > rank) {
            rank = tensor->shape[0];
        }
    }
    return rank;
}

/* The ranks that vLLM allows (LoRAConfig.MaxLoRARanks). */
static uint64_t allowed_rank(uint64_t rank)
{
    static const uint64_t ranks[] = {1, 8, 16, 32, 64, 128, 256, 320, 512};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        if (rank <= ranks[i]) {
            return ranks[i];
        }
    }
    return rank;
}

static void slots_of(struct build *build, const struct serve_sizes *sizes, struct slots *slots)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    const bool vllm = build->in->job->runtime == ZV_RUNTIME_VLLM;
    uint64_t need = 0;
    for (size_t i = 0; i < build->in->adapter_count; i++) {
        const uint64_t rank = adapter_rank(&build->in->adapters[i]);
        need = rank > need ? rank : need;
    }
    slots->value_bytes = sizes->value_bytes;
    slots->count = serve->max_loras;
    slots->rank = serve->max_lora_rank;
    if (slots->count == 0) {
        slots->count = vllm ? 1 : 8;
        build_assume(build, "adapters in one batch: %llu, the runtime's default",
                     (ull)slots->count);
    }
    if (slots->rank == 0 && vllm) {
        slots->rank = need > 16 ? allowed_rank(need) : 16;
        build_assume(build, "rank of an adapter slot: %llu, %s", (ull)slots->rank,
                     need > 16 ? "what the adapters need (--max-lora-rank)"
                               : "the runtime's default");
    } else if (slots->rank == 0) {
        slots->rank = need;
        build_assume(build, "rank of an adapter slot: %llu, the largest of the adapters",
                     (ull)need);
    } else if (slots->rank < need) {
        build_invalid(build, "an adapter of rank %llu is refused: its slots hold rank %llu",
                      (ull)need, (ull)slots->rank);
    }
}

/* Values of A and B of one linear layer and one unit of rank, on one rank of tensor parallelism: A
 * is whole unless the inputs are cut, B is cut with the outputs. */
static uint64_t linear_values(const struct build *build, const struct zv_tensor *tensor)
{
    const uint64_t tp = build->plan.tp;
    const struct zv_model *const model = build->in->model;
    uint64_t outputs = tensor->shape[0];
    uint64_t inputs = tensor->shape[1];
    if (tensor->split == ZV_SPLIT_COLUMNS) {
        inputs = zv_ceil_div(inputs, tp);
    } else if (tensor->split == ZV_SPLIT_ROWS) {
        outputs = zv_ceil_div(outputs, tp);
    } else if (tensor->split == ZV_SPLIT_KV_HEADS && tensor->layer >= 0) {
        const uint64_t heads = model->layers[tensor->layer].kv_heads;
        outputs = zv_ceil_div(outputs, heads != 0 && heads < tp ? heads : tp);
    }
    return inputs + outputs;
}

static void add_slots(struct build *build, const struct slots *slots, int stage)
{
    const struct zv_model *const model = build->in->model;
    uint64_t values = 0;
    uint64_t linears = 0;
    for (size_t i = 0; i < model->tensor_count && build->status == ZV_OK; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        const bool taken = tensor->part == ZV_PART_ATTENTION || tensor->part == ZV_PART_MLP ||
                           tensor->part == ZV_PART_SHARED_EXPERT;
        if (!taken || !tensor->linear || tensor->metadata || tensor->dims != 2 ||
            plan_stage_of(&build->plan, model, tensor) != stage) {
            continue;
        }
        const uint64_t copies = zv_tensor_copies(tensor);
        values = build_sum(build, values, build_mul(build, linear_values(build, tensor), copies));
        linears += copies;
    }
    const uint64_t rows = build_mul(build, slots->count, slots->rank);
    build_add(
        build,
        (struct build_item){build->plan.scopes[stage], "lora.slots", "LoRA slots", "weights", NULL},
        build_mul(build, build_mul(build, rows, values), slots->value_bytes), ZV_ASSUMED,
        "%llu slots x rank %llu x %llu inputs and outputs of %llu linear layers x %llu B, "
        "filled or not; routed experts and vocabulary not counted",
        (ull)slots->count, (ull)slots->rank, (ull)values, (ull)linears, (ull)slots->value_bytes);
}

static uint64_t adapters_bytes(struct build *build)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < build->in->adapter_count; i++) {
        bytes = build_sum(build, bytes, extras_model_bytes(build, &build->in->adapters[i]));
    }
    return bytes;
}

void extras_adapters(struct build *build, const struct serve_sizes *sizes)
{
    const struct zv_job *const job = build->in->job;
    const size_t count = build->in->adapter_count;
    const bool slotted = job->runtime == ZV_RUNTIME_VLLM || job->runtime == ZV_RUNTIME_SGLANG;
    if (build->status != ZV_OK || (count == 0 && (!slotted || job->serve.max_loras == 0))) {
        return;
    }
    if (!slotted) {
        for (size_t i = 0; i < build->plan.stages; i++) {
            build_add(build,
                      (struct build_item){build->plan.scopes[i], "lora.weights", "LoRA adapters",
                                          "weights", NULL},
                      adapters_bytes(build), build->plan.stages == 1 ? ZV_CALCULATED : ZV_ASSUMED,
                      "%zu adapter%s, as stored%s", count, count == 1 ? "" : "s",
                      build->plan.stages == 1 ? "" : "; at most all of it on one card");
        }
        return;
    }
    struct slots slots;
    slots_of(build, sizes, &slots);
    for (int stage = 0; stage < (int)build->plan.stages; stage++) {
        add_slots(build, &slots, stage);
    }
    if (count != 0) {
        build_add(build,
                  (struct build_item){ZV_SCOPE_HOST, "lora.host", "LoRA adapters, host copies",
                                      "weights", NULL},
                  build_mul(build, adapters_bytes(build), build->plan.tp), ZV_ASSUMED,
                  "%zu adapter%s as stored, in each of %u processes", count, count == 1 ? "" : "s",
                  build->plan.tp);
    }
}
