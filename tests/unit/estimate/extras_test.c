/* What serving holds beside the model, on a model of two small layers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "estimate/estimate.h"
#include "support/test.h"

enum { HIDDEN = 64, HEADS = 4, KV_HEADS = 2, HEAD_DIM = 16, FFN = 128, VOCAB = 100 };

#define TENSOR(text, rows, columns, at, of, cut)                                                   \
    {                                                                                              \
        .name = {text, sizeof text - 1}, .dtype = ZV_DTYPE_BF16, .dims = 2,                        \
        .shape = {rows, columns}, .elements = (rows) * (columns), .bytes = 2 * (rows) * (columns), \
        .layer = at, .part = of, .split = cut, .linear = true                                      \
    }

static const struct zv_tensor tensors[] = {
    TENSOR("embed_tokens.weight", VOCAB, HIDDEN, -1, ZV_PART_EMBEDDING, ZV_SPLIT_ROWS),
    TENSOR("layers.0.q_proj.weight", 64, 64, 0, ZV_PART_ATTENTION, ZV_SPLIT_ROWS),
    TENSOR("layers.0.k_proj.weight", 32, 64, 0, ZV_PART_ATTENTION, ZV_SPLIT_KV_HEADS),
    TENSOR("layers.0.o_proj.weight", 64, 64, 0, ZV_PART_ATTENTION, ZV_SPLIT_COLUMNS),
    TENSOR("layers.1.up_proj.weight", 128, 64, 1, ZV_PART_MLP, ZV_SPLIT_ROWS),
    TENSOR("layers.2.eh_proj.weight", 64, 128, -1, ZV_PART_DRAFT, ZV_SPLIT_NONE),
    TENSOR("visual.patch.weight", 32, 32, -1, ZV_PART_VISION, ZV_SPLIT_NONE),
    TENSOR("visual.merger.weight", 64, 32, -1, ZV_PART_PROJECTOR, ZV_SPLIT_NONE),
};

static const struct zv_tensor adapter_tensors[] = {
    TENSOR("layers.0.q_proj.lora_A.weight", 4, 64, -1, ZV_PART_ADAPTER, ZV_SPLIT_NONE),
    TENSOR("layers.0.q_proj.lora_B.weight", 64, 4, -1, ZV_PART_ADAPTER, ZV_SPLIT_NONE),
};

static const struct zv_layer plain[] = {
    {.attention = ZV_ATTENTION_HEADS,
     .heads = HEADS,
     .kv_heads = KV_HEADS,
     .head_dim_k = HEAD_DIM,
     .head_dim_v = HEAD_DIM,
     .ffn = FFN},
    {.attention = ZV_ATTENTION_HEADS,
     .heads = HEADS,
     .kv_heads = KV_HEADS,
     .head_dim_k = HEAD_DIM,
     .head_dim_v = HEAD_DIM,
     .ffn = FFN},
};

struct setting {
    struct zv_model model;
    struct zv_layer layers[2];
    struct zv_model adapter;
    struct zv_model projector;
    struct zv_job job;
    bool with_draft;
    bool with_adapter;
    bool with_projector;
};

static void set_up(struct setting *setting)
{
    *setting = (struct setting){0};
    memcpy(setting->layers, plain, sizeof plain);
    setting->model = (struct zv_model){.dtype = ZV_DTYPE_BF16,
                                       .source = ZV_SOURCE_SAFETENSORS,
                                       .hidden = HIDDEN,
                                       .vocab = VOCAB,
                                       .max_context = 4096,
                                       .causal = true,
                                       .family_known = true,
                                       .layers = setting->layers,
                                       .layer_count = 2,
                                       .tensors = tensors,
                                       .tensor_count = sizeof tensors / sizeof tensors[0],
                                       .file_bytes = 123456};
    setting->adapter = (struct zv_model){.tensors = adapter_tensors, .tensor_count = 2};
    setting->projector = (struct zv_model){.tensors = tensors + 6, .tensor_count = 2};
    setting->job.serve.context_tokens = 32;
    setting->job.serve.sequences = 2;
}

/* ---- the cases: how the setting differs, and one item of the ledger ---- */

static void with_draft(struct setting *s)
{
    s->with_draft = true;
}

static void with_draft_tp(struct setting *s)
{
    s->with_draft = true;
    s->job.tp = 2;
}

static void with_mtp(struct setting *s)
{
    s->job.serve.draft_layers = ZV_YES;
}

static void with_adapter(struct setting *s)
{
    s->with_adapter = true;
}

static void with_slots(struct setting *s)
{
    s->with_adapter = true;
    s->job.serve.max_loras = 3;
    s->job.serve.max_lora_rank = 8;
    s->job.tp = 2;
}

static void with_projector(struct setting *s)
{
    s->with_projector = true;
}

static void with_projector_on_host(struct setting *s)
{
    s->with_projector = true;
    s->job.serve.mmproj_offload = ZV_NO;
}

static void language_only(struct setting *s)
{
    s->job.serve.language_only = ZV_YES;
}

static void with_cross(struct setting *s)
{
    s->layers[0].cross = s->layers[1].cross = true;
    s->model.max_source = 20;
    s->model.encoder_layers = plain;
    s->model.encoder_layer_count = 2;
    s->model.encoder_hidden = HIDDEN;
}

static void with_cross_unknown(struct setting *s)
{
    s->layers[0].cross = true;
}

static void embedding_model(struct setting *s)
{
    s->model.causal = false;
}

static void with_offload(struct setting *s)
{
    s->job.serve.cpu_offload_bytes = 9000;
    s->job.tp = 2;
}

static void no_mmap(struct setting *s)
{
    s->job.serve.mmap = ZV_NO;
}

enum { ABSENT = -1, UNKNOWN = -2 };

static const struct {
    const char *runtime;
    void (*change)(struct setting *setting);
    const char *id;
    int scope;
    long long bytes;
} cases[] = {
    /* two layers x 32 tokens x 2 sequences x (K + V of 2 heads x 16) x 2 B */
    {"vllm@0.11.0", with_draft, "draft.kv_cache", 0, 2 * 32 * 2 * 2 * 32 * 2},
    {"vllm@0.11.0", with_draft_tp, "draft.kv_cache", 0, 2 * 32 * 2 * 2 * 16 * 2},
    {"vllm@0.11.0", with_draft, "draft.weights", 0, 2 * 27904},
    /* 256 cells for each sequence, f16, its own compute buffer: (vocabulary + hidden) x 512 x 4 */
    {"llama.cpp@b8101", with_draft, "draft.kv_cache", 0, 2 * 512 * 2 * 32 * 2},
    {"llama.cpp@b8101", with_draft, "draft.compute_buffer", 0, 164 * 512 * 4},
    {"vllm@0.11.0", NULL, "weights.draft", 0, ABSENT},
    {"vllm@0.11.0", with_mtp, "weights.draft", 0, 2 * 64 * 128},
    {"vllm@0.11.0", with_mtp, "draft.kv_cache", 0, 32 * 2 * 2 * 32 * 2},
    {"transformers@4.57.6", with_mtp, "weights.draft", 0, ABSENT},
    {"llama.cpp@b8101", NULL, "weights.draft", 0, ABSENT},
    {"llama.cpp@b9512", NULL, "weights.draft", 0, 2 * 64 * 128},
    {"llama.cpp@b10507", NULL, "weights.draft", 0, ABSENT},
    {"llama.cpp@b10507", with_mtp, "weights.draft", 0, 2 * 64 * 128},
    {"transformers@4.57.6", with_adapter, "lora.weights", 0, 2 * 512},
    {"transformers@4.57.6", with_adapter, "lora.slots", 0, ABSENT},
    /* one slot of rank 16: inputs and outputs of q, k, o, up */
    {"vllm@0.11.0", with_adapter, "lora.slots", 0, 16 * (128 + 96 + 128 + 192) * 2},
    /* tp 2: outputs of q, k and up are cut, inputs of o */
    {"vllm@0.11.0", with_slots, "lora.slots", 0, 3 * 8 * (96 + 80 + 96 + 128) * 2},
    {"vllm@0.11.0", with_slots, "lora.host", ZV_SCOPE_HOST, 2 * 2 * 512},
    {"sglang", with_adapter, "lora.slots", 0, 8 * 4 * (128 + 96 + 128 + 192) * 2},
    {"llama.cpp@b8101", with_projector, "projector.weights", 0, 2 * (1024 + 2048)},
    {"llama.cpp@b8101", with_projector, "projector.compute_buffer", 0, UNKNOWN},
    {"llama.cpp@b8101", with_projector_on_host, "projector.weights", ZV_SCOPE_HOST,
     2 * (1024 + 2048)},
    {"vllm@0.11.0", NULL, "weights.vision", 0, 2 * 1024},
    {"vllm@0.11.0", NULL, "activations.encoder", 0, UNKNOWN},
    {"vllm@0.11.0", language_only, "weights.vision", 0, ABSENT},
    {"vllm@0.11.0", language_only, "activations.encoder", 0, ABSENT},
    {"transformers@4.57.6", with_cross, "kv_cache.cross", 0, 2 * 20 * 2 * 64 * 2},
    {"transformers@4.57.6", with_cross, "encoder_output", 0, 20 * 64 * 2 * 2},
    {"vllm@0.11.0", with_cross, "kv_cache.cross", 0, 2 * 32 * 2 * 64 * 2},
    {"llama.cpp@b8101", with_cross, "kv_cache.cross", 0, ABSENT},
    {"llama.cpp@b8101", with_cross, "encoder_output", ZV_SCOPE_HOST, 20 * 64 * 2 * 4},
    {"transformers@4.57.6", with_cross_unknown, "kv_cache.cross", 0, UNKNOWN},
    {"transformers@4.57.6", embedding_model, "kv_cache", 0, ABSENT},
    /* layer 0: q 4096 + k 2048 + o 4096 B a rank: the third passes 9000 */
    {"vllm@0.11.0", with_offload, "weights.offloaded", ZV_SCOPE_HOST, 2 * 10240},
    {"vllm@0.11.0", with_offload, "weights.attention", 0, ABSENT},
    {"vllm@0.6.6", NULL, "swap_space", ZV_SCOPE_HOST, 4294967296},
    {"vllm@0.11.0", NULL, "swap_space", ZV_SCOPE_HOST, ABSENT},
    {"vllm@0.11.0", NULL, "load.file_pages", ZV_SCOPE_HOST, 123456},
    {"llama.cpp@b8101", no_mmap, "load.file_pages", ZV_SCOPE_HOST, ABSENT},
    {"llama.cpp@b8101", no_mmap, "load.staging", ZV_SCOPE_HOST, 2 * 64 * 128},
    {"llama.cpp@b8101", NULL, "host_compute_buffer", ZV_SCOPE_HOST, (256 + 64) * 512 * 4},
    {"none", NULL, "load.file_pages", ZV_SCOPE_HOST, ABSENT},
};

static const struct zv_item *find(const struct zv_ledger *ledger, const char *id, int scope)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (strcmp(ledger->items[i].id, id) == 0 && ledger->items[i].scope == scope) {
            return &ledger->items[i];
        }
    }
    return NULL;
}

static void estimate(struct zv_estimate *to, struct setting *setting, const char *runtime,
                     struct zv_arena *arena)
{
    static struct zv_runtime_rules rules;
    struct zv_error err = {0};
    assert_true(zv_runtime_parse(zv_slice_of(runtime), &setting->job.runtime,
                                 &setting->job.runtime_version));
    if (zv_runtime_resolve(&rules, setting->job.runtime, setting->job.runtime_version, false, arena,
                           &err) != ZV_OK) {
        fail_msg("%s: %s", runtime, err.text);
    }
    const struct zv_estimate_input input = {
        .model = &setting->model,
        .job = &setting->job,
        .rules = setting->job.runtime != ZV_RUNTIME_NONE ? &rules : NULL,
        .draft = setting->with_draft ? &setting->model : NULL,
        .projector = setting->with_projector ? &setting->projector : NULL,
        .adapters = setting->with_adapter ? &setting->adapter : NULL,
        .adapter_count = setting->with_adapter ? 1 : 0,
    };
    if (zv_estimate_run(to, &input, arena, &err) != ZV_OK) {
        fail_msg("%s: %s", runtime, err.text);
    }
}

static void test_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct setting setting;
        static struct zv_estimate result;
        struct zv_arena arena = {0};
        set_up(&setting);
        if (cases[i].change != NULL) {
            cases[i].change(&setting);
        }
        estimate(&result, &setting, cases[i].runtime, &arena);
        const struct zv_item *const item = find(&result.ledger, cases[i].id, cases[i].scope);
        const long long got = item == NULL ? ABSENT
                              : item->quantity.known == ZV_UNKNOWN
                                  ? UNKNOWN
                                  : (long long)item->quantity.bytes;
        if (got != cases[i].bytes) {
            fail_msg("row %zu, %s, %s: %lld, expected %lld", i, cases[i].runtime, cases[i].id, got,
                     cases[i].bytes);
        }
        zv_arena_free(&arena);
    }
}

/* Pages that the system may drop are in no total. */
static void test_reclaimable(void **state)
{
    (void)state;
    static struct setting setting;
    static struct zv_estimate result;
    struct zv_arena arena = {0};
    struct zv_total total;
    set_up(&setting);
    estimate(&result, &setting, "vllm@0.11.0", &arena);
    const struct zv_item *const pages = find(&result.ledger, "load.file_pages", ZV_SCOPE_HOST);
    assert_true(pages != NULL && pages->reclaimable);
    assert_int_equal(zv_ledger_total(&result.ledger, ZV_SCOPE_HOST, &total, NULL), ZV_OK);
    assert_int_equal(total.expected, 0);
    assert_int_equal(total.unknown, 1);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_reclaimable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
