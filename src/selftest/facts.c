#include "selftest/facts.h"

#include <string.h>

static uint32_t get(const struct zv_row *row, const char *name)
{
    uint64_t value = 0;
    (void)zv_row_u64(&row->config, name, &value);
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static uint32_t either(uint32_t a, uint32_t b)
{
    return a != 0 ? a : b;
}

/* The attention of one full layer, by whichever facts the row has. */
static struct zv_layer full_layer(const struct zv_row *row)
{
    struct zv_layer layer = {.attention = ZV_ATTENTION_HEADS};
    const uint32_t dim = either(get(row, "head_dim"), get(row, "head_dim_full"));
    layer.kv_heads = either(get(row, "kv_heads"), get(row, "kv_heads_full"));
    layer.heads = either(get(row, "heads"), layer.kv_heads);
    if (layer.kv_heads == 0 && zv_slice_equal(row->arch, "deepseek2")) {
        layer.kv_heads = layer.heads; /* latent attention unfolds into as many K and V heads */
    }
    layer.head_dim_k = either(get(row, "head_dim_k"), dim);
    layer.head_dim_v = either(get(row, "head_dim_v"), either(dim, layer.head_dim_k));
    if (layer.head_dim_k == 0 && layer.heads != 0 && get(row, "hidden") % layer.heads == 0) {
        layer.head_dim_k = get(row, "hidden") / layer.heads;
        layer.head_dim_v = layer.head_dim_k;
    }
    if (layer.head_dim_k == 0 || layer.kv_heads == 0) { /* the widths of a cache row suffice */
        layer.kv_heads = 1;
        layer.head_dim_k = get(row, "n_embd_k_gqa");
        layer.head_dim_v = get(row, "n_embd_v_gqa");
    }
    layer.latent_rank = get(row, "kv_lora_rank");
    layer.rope_dim = get(row, "qk_rope_head_dim");
    layer.index_dim = get(row, "index_head_dim");
    if (layer.latent_rank != 0 && layer.rope_dim != 0) {
        layer.attention = ZV_ATTENTION_LATENT;
    }
    return layer;
}

static struct zv_layer sliding_layer(const struct zv_row *row, const struct zv_layer *full,
                                     uint32_t window)
{
    struct zv_layer layer = *full;
    layer.kv_heads = either(get(row, "kv_heads_swa"), layer.kv_heads);
    layer.head_dim_k = either(get(row, "head_dim_swa"), layer.head_dim_k);
    layer.head_dim_v = either(get(row, "head_dim_swa"), layer.head_dim_v);
    layer.window = window;
    return layer;
}

static struct zv_layer state_layer(const struct zv_row *row)
{
    const uint32_t groups = get(row, "ssm_n_group");
    return (struct zv_layer){.state = groups != 0 ? ZV_STATE_MAMBA2 : ZV_STATE_MAMBA1,
                             .d_conv = get(row, "ssm_d_conv"),
                             .d_inner = get(row, "ssm_d_inner"),
                             .d_state = get(row, "ssm_d_state"),
                             .state_groups = groups};
}

/* "1:1 (12 SWA,12 full)", "3:1", "5 SWA:1 full": sliding layers for each full one. */
static bool pattern_of(struct zv_slice text, uint32_t *sliding, uint32_t *full)
{
    struct zv_slice left = zv_slice_cut(&text, ':');
    uint64_t a;
    uint64_t b;
    struct zv_slice word;
    if (!zv_slice_word(&left, &word) || !zv_slice_u64(word, &a) || !zv_slice_word(&text, &word) ||
        !zv_slice_u64(word, &b) || a == 0 || b == 0 || a > 64 || b > 64) {
        return false;
    }
    *sliding = (uint32_t)a;
    *full = (uint32_t)b;
    return true;
}

/* How many layers of each sort the row names. */
struct shape {
    uint32_t layers;
    uint32_t states;
    uint32_t sliding;
    uint32_t window;
};

static const char *shape_of(struct shape *to, const struct zv_row *row)
{
    uint32_t ratio = 0;
    uint32_t full = 0;
    const struct zv_slice pattern = zv_row_find(&row->config, "swa_pattern") != NULL
                                        ? zv_row_text(&row->config, "swa_pattern")
                                        : zv_row_text(&row->config, "pattern");
    const uint32_t attention = get(row, "attn_layers");
    to->states = get(row, "recurrent_layers");
    to->layers = either(get(row, "layers"), attention + to->states);
    to->window = either(get(row, "n_swa"), get(row, "sliding_window"));
    to->sliding = get(row, "swa_layers");
    if (to->layers == 0) {
        return "the number of layers is not recorded";
    }
    if (to->layers > FACTS_MAX_LAYERS || to->states > to->layers || to->sliding > to->layers) {
        return "the numbers of layers contradict one another";
    }
    if (attention != 0 && attention + to->states != to->layers) {
        return "which of the layers keep a cache is not recorded";
    }
    if (pattern_of(pattern, &ratio, &full)) {
        /* repeating groups of ratio sliding and full others; a cut last group begins with sliding
         */
        for (uint32_t i = 0; i < to->layers; i++) {
            to->sliding += i % (ratio + full) < ratio;
        }
    }
    return NULL;
}

static void fill(struct facts *to, const struct zv_row *row, const struct shape *shape)
{
    const struct zv_layer full = full_layer(row);
    const struct zv_layer sliding = sliding_layer(row, &full, shape->window);
    const struct zv_layer state = state_layer(row);
    to->layer_count = shape->layers;
    to->sliding = shape->sliding != 0 && shape->window != 0;
    to->latent = full.attention == ZV_ATTENTION_LATENT;
    for (uint32_t i = 0; i < shape->layers; i++) {
        to->layers[i] = i < shape->states                    ? state
                        : i < shape->states + shape->sliding ? sliding
                                                             : full;
    }
    if (shape->states != 0) {
        to->states = state.d_conv != 0 && state.d_inner != 0 && state.d_state != 0;
        to->state_missing =
            to->states ? NULL : "the sizes of the recurrent states are not recorded";
    }
}

static const char *width_missing(const struct zv_row *row, const struct shape *shape)
{
    const struct zv_layer full = full_layer(row);
    if (shape->states == shape->layers) {
        return NULL;
    }
    if (full.attention == ZV_ATTENTION_HEADS && (full.head_dim_k == 0 || full.head_dim_v == 0)) {
        return "KV heads or head sizes are not recorded";
    }
    return NULL;
}

bool facts_read(struct facts *to, const struct zv_row *row, struct zv_arena *arena)
{
    struct shape shape = {0};
    *to = (struct facts){0};
    /* A model of states only: "mamba" rows name no recurrent layers. */
    to->missing = shape_of(&shape, row);
    if (to->missing == NULL && shape.states == 0 && get(row, "ssm_d_inner") != 0 &&
        get(row, "kv_heads") == 0 && get(row, "n_embd_k_gqa") == 0) {
        shape.states = shape.layers;
    }
    if (to->missing == NULL) {
        to->missing = width_missing(row, &shape);
    }
    to->layers = zv_arena_array(arena, FACTS_MAX_LAYERS, sizeof *to->layers);
    if (to->layers == NULL) {
        return false;
    }
    if (shape.layers != 0 && shape.layers <= FACTS_MAX_LAYERS && shape.states <= shape.layers) {
        fill(to, row, &shape);
    }
    return true;
}

/* Words that may be a version, without brackets around them. */
static struct zv_slice strip(struct zv_slice word)
{
    while (word.length != 0 && strchr("(),;", word.at[0]) != NULL) {
        word.at++;
        word.length--;
    }
    while (word.length != 0 && strchr("(),;", word.at[word.length - 1]) != NULL) {
        word.length--;
    }
    return word;
}

enum zv_status facts_rules(struct zv_runtime_rules *rules, bool *dated, const struct zv_row *row,
                           enum zv_runtime_kind kind, struct zv_arena *arena, struct zv_error *err)
{
    struct zv_slice rest = row->version;
    struct zv_slice word;
    *dated = false;
    while (zv_slice_word(&rest, &word)) {
        word = strip(word);
        if (word.length != 0 &&
            (zv_is_digit(word.at[0]) || word.at[0] == 'b' || word.at[0] == 'v') &&
            zv_runtime_resolve(rules, kind, word, false, arena, NULL) == ZV_OK) {
            *dated = true;
            return ZV_OK;
        }
    }
    return zv_runtime_resolve(rules, kind, (struct zv_slice){0}, false, arena, err);
}

bool facts_yes_no(const struct zv_row_fields *fields, const char *name, bool *to)
{
    const struct zv_slice text = zv_row_text(fields, name);
    if (zv_slice_equal(text, "1") || zv_slice_equal(text, "on") || zv_slice_equal(text, "true") ||
        zv_slice_ends(text, "->on")) {
        *to = true;
        return true;
    }
    if (zv_slice_equal(text, "0") || zv_slice_equal(text, "off") || zv_slice_equal(text, "false")) {
        *to = false;
        return true;
    }
    return false;
}
