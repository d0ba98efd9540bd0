/*
 * Hostile sizes: one number of a model or job at a time as large as it can be. An estimate either
 * fails and says so or is right: no product ever wraps, so more is never less.
 */
#include <string.h>

#include "estimate/question.h"
#include "support/test.h"
#include "support/tiny_model.h"

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
};

/* A number that a file or a user can set. */
struct number {
    const char *name;
    void (*set)(struct setting *setting, uint64_t value);
    uint64_t most;
};

#define OF_LAYER(field)                                                                            \
    static void set_##field(struct setting *setting, uint64_t value)                               \
    {                                                                                              \
        for (size_t i = 0; i < TINY_LAYERS; i++) {                                                 \
            setting->tiny.layers[i].field = (uint32_t)value;                                       \
        }                                                                                          \
    }
#define OF_MODEL(field)                                                                            \
    static void set_##field(struct setting *setting, uint64_t value)                               \
    {                                                                                              \
        setting->tiny.model.field = value;                                                         \
    }
#define OF_JOB(name, field)                                                                        \
    static void set_##name(struct setting *setting, uint64_t value)                                \
    {                                                                                              \
        setting->job.field = value;                                                                \
    }

OF_LAYER(heads)
OF_LAYER(kv_heads)
OF_LAYER(head_dim_k)
OF_LAYER(head_dim_v)
OF_LAYER(ffn)
OF_LAYER(d_conv)
OF_LAYER(d_inner)
OF_LAYER(d_state)
OF_LAYER(state_groups)
OF_LAYER(key_heads)
OF_LAYER(key_head_dim)
OF_LAYER(state_heads)
OF_LAYER(state_head_dim)
OF_LAYER(experts_used)
OF_LAYER(expert_ffn)
OF_LAYER(shared_ffn)
OF_MODEL(hidden)
OF_MODEL(vocab)
OF_JOB(context, serve.context_tokens)
OF_JOB(sequences, serve.sequences)
OF_JOB(micro_batch, train.micro_batch)
OF_JOB(sequence, train.sequence_tokens)

static void set_bytes(struct setting *setting, uint64_t value)
{
    setting->tiny.tensors[0].bytes = value;
    setting->tiny.tensors[0].elements = value / 2;
}

static void set_everything(struct setting *setting, uint64_t value)
{
    set_heads(setting, value);
    set_kv_heads(setting, value);
    set_head_dim_k(setting, value);
    set_head_dim_v(setting, value);
    set_d_conv(setting, value);
    set_d_inner(setting, value);
    set_d_state(setting, value);
    set_state_groups(setting, value);
    set_key_heads(setting, value);
    set_key_head_dim(setting, value);
    set_state_heads(setting, value);
    set_state_head_dim(setting, value);
}

#define NUMBER(field, most)                                                                        \
    {                                                                                              \
#field, set_##field, most                                                                  \
    }
static const struct number numbers[] = {
    NUMBER(heads, UINT32_MAX),
    NUMBER(kv_heads, UINT32_MAX),
    NUMBER(head_dim_k, UINT32_MAX),
    NUMBER(head_dim_v, UINT32_MAX),
    NUMBER(ffn, UINT32_MAX),
    NUMBER(d_conv, UINT32_MAX),
    NUMBER(d_inner, UINT32_MAX),
    NUMBER(d_state, UINT32_MAX),
    NUMBER(state_groups, UINT32_MAX),
    NUMBER(key_heads, UINT32_MAX),
    NUMBER(key_head_dim, UINT32_MAX),
    NUMBER(state_heads, UINT32_MAX),
    NUMBER(state_head_dim, UINT32_MAX),
    NUMBER(experts_used, UINT32_MAX),
    NUMBER(expert_ffn, UINT32_MAX),
    NUMBER(shared_ffn, UINT32_MAX),
    NUMBER(hidden, UINT64_MAX),
    NUMBER(vocab, UINT64_MAX),
    NUMBER(context, UINT64_MAX),
    NUMBER(sequences, UINT64_MAX),
    NUMBER(micro_batch, UINT64_MAX),
    NUMBER(sequence, UINT64_MAX),
    NUMBER(bytes, UINT64_MAX),
    NUMBER(everything, UINT32_MAX),
};

/* What a run comes to; UINT64_MAX when it says that it is too large. */
static uint64_t need(const struct setting *setting, const char *name)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_answer answer;
    struct zv_total total = {0};
    struct zv_runtime_rules rules = {.kind = setting->job.runtime};
    const struct zv_question question = {
        .input = {.model = &setting->tiny.model,
                  .job = &setting->job,
                  .rules = setting->job.runtime != ZV_RUNTIME_NONE ? &rules : NULL}};
    int scope;
    enum zv_status status = zv_question_answer(&answer, &question, &arena, &err);
    if (status == ZV_OK) {
        assert_int_equal(zv_answer_peak(&answer, &total, &scope, NULL), ZV_OK);
        assert_int_equal(zv_ledger_total(&answer.estimate.ledger, ZV_SCOPE_HOST, &total, NULL),
                         ZV_OK);
        assert_int_equal(zv_answer_peak(&answer, &total, &scope, NULL), ZV_OK);
    } else if (status != ZV_E_OVERFLOW) {
        fail_msg("%s: %s", name, err.text);
    }
    zv_arena_free(&arena);
    return status == ZV_OK ? total.expected : UINT64_MAX;
}

static void make(struct setting *setting, enum zv_state_kind kind, bool latent, bool experts)
{
    tiny_model_make(&setting->tiny);
    for (size_t i = 0; i < TINY_LAYERS; i++) {
        struct zv_layer *const layer = &setting->tiny.layers[i];
        layer->state = kind;
        layer->d_conv = layer->d_inner = layer->d_state = layer->state_groups = 2;
        layer->key_heads = layer->key_head_dim = layer->state_heads = layer->state_head_dim = 2;
        layer->gated = true;
        if (latent) {
            layer->attention = ZV_ATTENTION_LATENT;
            layer->latent_rank = layer->rope_dim = 8;
        }
        if (experts) {
            layer->experts = 4;
            layer->experts_used = layer->expert_ffn = layer->shared_ffn = 2;
        }
    }
}

static void more_is_never_less(void **state)
{
    static const struct zv_job jobs[] = {
        {.serve = {.context_tokens = 64, .sequences = 2}},
        {.serve = {.context_tokens = 64, .sequences = 2, .flash_attention = ZV_NO}},
        {.runtime = ZV_RUNTIME_LLAMACPP, .serve = {.context_tokens = 64, .sequences = 2}},
        {.runtime = ZV_RUNTIME_VLLM, .serve = {.context_tokens = 64, .sequences = 2}},
        {.runtime = ZV_RUNTIME_SGLANG, .serve = {.context_tokens = 64, .sequences = 2}},
        {.task = ZV_TASK_TRAIN,
         .train = {.micro_batch = 2, .sequence_tokens = 64, .attention = {"eager", 5}}},
        {.task = ZV_TASK_TRAIN,
         .train = {.micro_batch = 2,
                   .sequence_tokens = 64,
                   .checkpointing = ZV_CHECKPOINT_FULL,
                   .fused_loss = ZV_YES}},
        {.task = ZV_TASK_TRAIN,
         .train = {.micro_batch = 2, .sequence_tokens = 64, .lora_rank = UINT32_MAX}},
    };
    (void)state;
    for (size_t job = 0; job < sizeof jobs / sizeof jobs[0]; job++) {
        for (int kind = ZV_STATE_NONE; kind <= ZV_STATE_CONV; kind++) {
            for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
                struct setting setting = {.job = jobs[job]};
                uint64_t before = 0;
                make(&setting, (enum zv_state_kind)kind, job % 2 == 1, kind % 2 == 1);
                for (uint64_t value = 64; value <= numbers[n].most / 2; value *= 2) {
                    numbers[n].set(&setting, value);
                    const uint64_t after = need(&setting, numbers[n].name);
                    if (after < before) {
                        fail_msg("job %zu, state %d, %s %llu needs less than half of it", job, kind,
                                 numbers[n].name, (unsigned long long)value);
                    }
                    before = after;
                }
                numbers[n].set(&setting, numbers[n].most);
                assert_true(need(&setting, numbers[n].name) >= before);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_is_never_less)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
