#include "model/family_model.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "model/family_scope.h"
#include "model/family_tensors.h"

/* ---- facts of one layer ---- */

struct layer_fact {
    const char *name;
    size_t offset;
    enum { FACT_U32, FACT_U64, FACT_BOOL, FACT_ATTENTION, FACT_STATE } type;
};

#define FACT(name, type)                                                                           \
    {                                                                                              \
#name, offsetof(struct zv_layer, name), type                                               \
    }

/* head_dim stands for both head_dim_k and head_dim_v; what comes later wins. */
static const struct layer_fact layer_facts[] = {
    FACT(attention, FACT_ATTENTION),
    FACT(heads, FACT_U32),
    FACT(kv_heads, FACT_U32),
    {"head_dim", offsetof(struct zv_layer, head_dim_k), FACT_U32},
    {"head_dim", offsetof(struct zv_layer, head_dim_v), FACT_U32},
    FACT(head_dim_k, FACT_U32),
    FACT(head_dim_v, FACT_U32),
    FACT(latent_rank, FACT_U32),
    FACT(rope_dim, FACT_U32),
    FACT(index_dim, FACT_U32),
    FACT(query_rank, FACT_U32),
    FACT(window, FACT_U64),
    FACT(chunked, FACT_BOOL),
    FACT(shares_cache, FACT_BOOL),
    FACT(repeats_heads, FACT_BOOL),
    FACT(cross, FACT_BOOL),
    FACT(state, FACT_STATE),
    FACT(d_conv, FACT_U32),
    FACT(d_inner, FACT_U32),
    FACT(d_state, FACT_U32),
    FACT(state_groups, FACT_U32),
    FACT(state_heads, FACT_U32),
    FACT(state_head_dim, FACT_U32),
    FACT(key_heads, FACT_U32),
    FACT(key_head_dim, FACT_U32),
    FACT(ffn, FACT_U32),
    FACT(gated, FACT_BOOL),
    FACT(experts, FACT_U32),
    FACT(experts_used, FACT_U32),
    FACT(expert_ffn, FACT_U32),
    FACT(shared_ffn, FACT_U32),
};

enum { FACT_COUNT = sizeof layer_facts / sizeof *layer_facts };

static int word_of(struct zv_slice word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (zv_slice_equal(word, words[i])) {
            return i;
        }
    }
    return -1;
}

static enum zv_status put_kind(const struct layer_fact *fact, const struct model_value *value,
                               struct zv_layer *layer, struct zv_error *err)
{
    static const char *const attentions[] = {"none", "heads", "latent"};
    static const char *const states[] = {"none", "mamba1", "mamba2", "delta", "conv"};
    const bool attention = fact->type == FACT_ATTENTION;
    const int index = value->kind != VALUE_TEXT ? -1
                      : attention               ? word_of(value->text, attentions, 3)
                                                : word_of(value->text, states, 5);
    if (value->kind == VALUE_BAD) {
        uint64_t ignored;
        return family_count(value, zv_slice_of(fact->name), 0, &ignored, err);
    }
    if (index < 0) {
        return family_complain(value, zv_slice_of(fact->name), "is no kind that is known", err);
    }
    if (attention) {
        layer->attention = (enum zv_attention_kind)index;
    } else {
        layer->state = (enum zv_state_kind)index;
    }
    return ZV_OK;
}

static enum zv_status put_fact(const struct family_scope *scope, const struct layer_fact *fact,
                               const struct model_value *value, struct zv_layer *layer,
                               struct zv_error *err)
{
    char *const to = (char *)layer + fact->offset;
    if (fact->type == FACT_ATTENTION || fact->type == FACT_STATE) {
        return put_kind(fact, value, layer, err);
    }
    if (fact->type == FACT_BOOL && value->kind != VALUE_BAD) {
        const bool is = model_value_true(&scope->keys, value);
        memcpy(to, &is, sizeof is);
        return ZV_OK;
    }
    uint64_t number = 0;
    if (value->kind != VALUE_NULL) {
        const uint64_t limit = fact->type == FACT_U32 ? UINT32_MAX : INT64_MAX;
        const enum zv_status status =
            family_count(value, zv_slice_of(fact->name), limit, &number, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (fact->type == FACT_U64) {
        memcpy(to, &number, sizeof number);
    } else {
        const uint32_t small = (uint32_t)number;
        memcpy(to, &small, sizeof small);
    }
    return ZV_OK;
}

/* What a layer without attention, state or experts does not have is 0, whatever the table says. */
static void tidy_layer(struct zv_layer *layer)
{
    if (layer->attention == ZV_ATTENTION_NONE) {
        layer->heads = layer->kv_heads = layer->head_dim_k = layer->head_dim_v = 0;
        layer->latent_rank = layer->rope_dim = layer->index_dim = layer->query_rank = 0;
        layer->window = 0;
        layer->chunked = layer->cross = layer->repeats_heads = false;
    }
    if (layer->attention == ZV_ATTENTION_HEADS) {
        layer->rope_dim = layer->query_rank = 0;
    }
    if (layer->state == ZV_STATE_NONE) {
        layer->d_conv = layer->d_inner = layer->d_state = layer->state_groups = 0;
        layer->state_heads = layer->state_head_dim = layer->key_heads = layer->key_head_dim = 0;
    }
    if (layer->experts == 0) {
        layer->experts_used = layer->expert_ffn = layer->shared_ffn = 0;
    }
}

/* Definitions of the family for each fact, -1 where it has none. */
static void find_facts(const struct family_scope *scope, int to[FACT_COUNT], bool *attends)
{
    for (size_t i = 0; i < FACT_COUNT; i++) {
        to[i] = family_find_definition(scope->family, zv_slice_of(layer_facts[i].name));
    }
    *attends = to[0] < 0 && to[1] >= 0; /* heads without a word about attention */
}

static enum zv_status count_layers(const struct model_value *value, size_t *to,
                                   struct zv_error *err)
{
    uint64_t count = 0;
    if (value == NULL) {
        *to = 0;
        return ZV_OK;
    }
    const enum zv_status status =
        family_count(value, zv_slice_of("layers"), INT64_MAX, &count, err);
    if (status != ZV_OK) {
        return status;
    }
    if (count == 0) {
        return family_complain(value, zv_slice_of("layers"), "is 0: a model has layers", err);
    }
    if (count > MODEL_MAX_LAYERS) {
        return value->has_offset
                   ? zv_fail_at(err, ZV_E_LIMIT, value->offset, "%llu layers: more than %d",
                                (unsigned long long)count, MODEL_MAX_LAYERS)
                   : zv_fail(err, ZV_E_LIMIT, "%llu layers: more than %d",
                             (unsigned long long)count, MODEL_MAX_LAYERS);
    }
    *to = (size_t)count;
    return ZV_OK;
}

static enum zv_status build_layers(struct family_scope *scope, const struct zv_layer **to,
                                   size_t *to_count, struct zv_arena *arena, struct zv_error *err)
{
    size_t count = 0;
    enum zv_status status = count_layers(family_scope_value(scope, "layers"), &count, err);
    if (status != ZV_OK || count == 0) {
        return status;
    }
    struct zv_layer *const layers = zv_arena_array(arena, count, sizeof *layers);
    if (layers == NULL) {
        return zv_fail_memory(err, "layers");
    }
    int facts[FACT_COUNT];
    bool attends;
    find_facts(scope, facts, &attends);
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        scope->layer = (int64_t)i;
        status = family_define(scope, FAMILY_EACH_LAYER, err);
        layers[i].attention = attends ? ZV_ATTENTION_HEADS : ZV_ATTENTION_NONE;
        for (size_t f = 0; status == ZV_OK && f < FACT_COUNT; f++) {
            if (facts[f] >= 0) {
                status =
                    put_fact(scope, &layer_facts[f], &scope->values[facts[f]], &layers[i], err);
            }
        }
        tidy_layer(&layers[i]);
    }
    *to = layers;
    *to_count = count;
    return status;
}

/* ---- facts of the model ---- */

static enum zv_status model_count(const struct family_scope *scope, const char *name, uint64_t *to,
                                  struct zv_error *err)
{
    const struct model_value *const value = family_scope_value(scope, name);
    if (value == NULL || value->kind == VALUE_NULL) {
        return ZV_OK;
    }
    return family_count(value, zv_slice_of(name), INT64_MAX, to, err);
}

static bool model_flag(const struct family_scope *scope, const char *name, bool otherwise)
{
    const struct model_value *const value = family_scope_value(scope, name);
    return value == NULL ? otherwise : model_value_true(&scope->keys, value);
}

static enum zv_status text_facts(struct zv_model *model, const struct family_scope *text,
                                 struct zv_error *err)
{
    enum zv_status status = model_count(text, "hidden", &model->hidden, err);
    if (status == ZV_OK) {
        status = model_count(text, "vocab", &model->vocab, err);
    }
    if (status == ZV_OK) {
        status = model_count(text, "context", &model->max_context, err);
    }
    if (status == ZV_OK) {
        status = model_count(text, "source", &model->max_source, err);
    }
    model->tied = model_flag(text, "tied", false);
    model->causal = model_flag(text, "causal", true);
    return status;
}

/* An encoder that the table describes with encoder_… definitions: all its layers are alike. */
static enum zv_status encoder_facts(struct zv_model *model, const struct family_scope *text,
                                    struct zv_arena *arena, struct zv_error *err)
{
    const struct model_value *const count_value = family_scope_value(text, "encoder_layers");
    if (count_value == NULL || count_value->kind == VALUE_NULL) {
        return ZV_OK;
    }
    size_t count = 0;
    enum zv_status status = count_layers(count_value, &count, err);
    if (status != ZV_OK || count == 0) {
        return status;
    }
    uint64_t heads = 0;
    uint64_t head_dim = 0;
    uint64_t ffn = 0;
    (void)model_count(text, "encoder_heads", &heads, NULL);
    (void)model_count(text, "encoder_head_dim", &head_dim, NULL);
    (void)model_count(text, "encoder_ffn", &ffn, NULL);
    status = model_count(text, "encoder_hidden", &model->encoder_hidden, err);
    struct zv_layer *const layers = zv_arena_array(arena, count, sizeof *layers);
    if (layers == NULL) {
        return zv_fail_memory(err, "layers");
    }
    for (size_t i = 0; i < count; i++) {
        layers[i].attention = ZV_ATTENTION_HEADS;
        layers[i].heads = layers[i].kv_heads = (uint32_t)heads;
        layers[i].head_dim_k = layers[i].head_dim_v = (uint32_t)head_dim;
        layers[i].ffn = (uint32_t)ffn;
        layers[i].gated = model_flag(text, "encoder_gated", false);
    }
    model->encoder_layers = layers;
    model->encoder_layer_count = count;
    return status;
}

/* A list with one word for each layer that has more or fewer contradicts the count of layers. */
static enum zv_status check_lists(const struct family_scope *scope, size_t layers,
                                  struct zv_error *err)
{
    static const char *const names[] = {"layer_types", "layers_block_type"};
    for (size_t i = 0; layers != 0 && i < sizeof names / sizeof *names; i++) {
        const struct model_value list = scope->keys.find(&scope->keys, zv_slice_of(names[i]));
        const uint64_t count = list.kind == VALUE_LIST ? scope->keys.count(&scope->keys, &list) : 0;
        if (list.kind == VALUE_LIST && count != layers) {
            return zv_fail_at(err, ZV_E_SYNTAX, list.offset, "%s has %llu entries for %zu layers",
                              names[i], (unsigned long long)count, layers);
        }
    }
    return ZV_OK;
}

static enum zv_status build_facts(struct zv_model *model, const struct family_scopes *scopes,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct family_scope *const text = family_scopes_text(scopes);
    struct family_scope *const tower = family_scopes_tower(scopes);
    enum zv_status status = text_facts(model, text, err);
    if (status == ZV_OK) {
        status = build_layers(text, &model->layers, &model->layer_count, arena, err);
    }
    if (status == ZV_OK) {
        status = check_lists(text, model->layer_count, err);
    }
    if (status == ZV_OK && tower != NULL) {
        status =
            build_layers(tower, &model->encoder_layers, &model->encoder_layer_count, arena, err);
        if (status == ZV_OK) {
            status = model_count(tower, "hidden", &model->encoder_hidden, err);
        }
    } else if (status == ZV_OK) {
        status = encoder_facts(model, text, arena, err);
    }
    return status;
}

enum zv_status family_model_build(struct zv_model *model, const struct family_request *request,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct family_scopes *const scopes = zv_arena_alloc(arena, sizeof *scopes);
    if (scopes == NULL) {
        return zv_fail_memory(err, "a family table");
    }
    enum zv_status status = family_scopes_open(scopes, request, arena, err);
    if (status != ZV_OK || scopes->count == 0) {
        return status;
    }
    model->family_known = true;
    model->scopes = scopes;
    status = build_facts(model, scopes, arena, err);
    if (status == ZV_OK && request->with_tensors) {
        status = family_tensors_build(model, scopes, request, arena, err);
    }
    return status;
}
