#include "kv/budget.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

static bool is_of_phase(const struct zv_item *item, const char *phase)
{
    return item->phase == NULL || (phase != NULL && strcmp(item->phase, phase) == 0);
}

static bool is_taken_off(const struct zv_item *item, int scope)
{
    return item->scope == scope && !item->reclaimable && strcmp(item->group, "cache") != 0;
}

/* What a stage holds beside its cache, in its largest phase. */
static enum zv_status total_without_cache(const struct zv_ledger *ledger, int scope,
                                          struct zv_arena *arena, struct zv_total *total,
                                          struct zv_error *err)
{
    struct zv_ledger rest = {.arena = arena};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < ledger->count && status == ZV_OK; i++) {
        if (is_taken_off(&ledger->items[i], scope)) {
            status = zv_ledger_add(&rest, &ledger->items[i], err);
        }
    }
    return status == ZV_OK ? zv_ledger_total(&rest, scope, total, err) : status;
}

static enum zv_status fullest_stage(const struct zv_ledger *ledger, struct zv_arena *arena,
                                    int *scope, struct zv_total *total, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < ledger->group_count && status == ZV_OK; i++) {
        struct zv_total one;
        status = total_without_cache(ledger, (int)i, arena, &one, err);
        if (status == ZV_OK && (i == 0 || one.expected > total->expected)) {
            *total = one;
            *scope = (int)i;
        }
    }
    return status;
}

static enum zv_status list_terms(struct zv_kv_budget *to, const struct zv_ledger *ledger, int scope,
                                 const char *phase, struct zv_error *err)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (!is_taken_off(item, scope) || !is_of_phase(item, phase)) {
            continue;
        }
        if (to->term_count == ZV_KV_MAX_TERMS) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d terms", (int)ZV_KV_MAX_TERMS);
        }
        to->terms[to->term_count++] = (struct zv_kv_term){item->name, item->quantity};
        to->unknown_count += item->quantity.known == ZV_UNKNOWN;
    }
    return ZV_OK;
}

/* One group of pages for each group of layers. */
static enum zv_status set_groups(struct zv_kv_budget *to, struct zv_error *err)
{
    const struct zv_vllm_cache *const pages = &to->geometry;
    for (size_t i = 0; i < pages->kind_count; i++) {
        const struct zv_vllm_kind *const kind = &pages->kinds[i];
        const enum zv_kv_kind reach = kind->is_state      ? ZV_KV_STATE
                                      : kind->window == 0 ? ZV_KV_FULL
                                      : kind->chunked     ? ZV_KV_CHUNKED
                                                          : ZV_KV_SLIDING;
        for (uint64_t g = 0; g < kind->groups; g++) {
            if (to->group_count == ZV_KV_MAX_GROUPS) {
                return zv_fail(err, ZV_E_UNSUPPORTED, "more than %d groups of layers",
                               (int)ZV_KV_MAX_GROUPS);
            }
            to->groups[to->group_count++] =
                (struct zv_kv_group){reach, kind->window, kind->block_tokens};
        }
        uint64_t bytes = 0;
        if (!zv_mul(kind->layers, kind->token_bytes, &bytes) ||
            !zv_add(to->token_bytes, bytes, &to->token_bytes)) {
            return zv_fail(err, ZV_E_OVERFLOW, "a token's cache passes 2^64 bytes");
        }
    }
    return ZV_OK;
}

static void set_pages(struct zv_kv_budget *to, const struct zv_estimate *estimate,
                      const struct zv_runtime_rules *rules)
{
    uint64_t pages = estimate->pool.blocks;
    to->has_null_page = rules->null_block.known && rules->null_block.value != 0;
    pages -= to->has_null_page && pages != 0;
    to->pages = pages < ZV_KV_MAX_PAGES ? pages : ZV_KV_MAX_PAGES;
    to->slots = to->token_bytes != 0 ? to->cache_bytes / to->token_bytes : 0;
    to->tokens = estimate->pool.tokens;
    to->context_tokens = estimate->context_tokens;
    to->step_tokens = estimate->step_tokens;
    to->admit_whole = rules->admit_whole.known && rules->admit_whole.value != 0;
    to->unkeyed_first = rules->unkeyed_first.known && rules->unkeyed_first.value != 0;
}

enum zv_status zv_kv_budget_of(struct zv_kv_budget *to, const struct zv_question *question,
                               struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_runtime_rules *const rules = question->input.rules;
    struct zv_answer answer;
    struct zv_total taken = {0};
    int scope = 0;
    *to = (struct zv_kv_budget){0};
    to->runtime = question->input.job->runtime;
    if ((to->runtime != ZV_RUNTIME_VLLM && to->runtime != ZV_RUNTIME_SGLANG) || rules == NULL) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "the memory that %s leaves to pages: only vLLM's and SGLang's is known",
                       zv_runtime_name(to->runtime));
    }
    enum zv_status status = zv_question_answer(&answer, question, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_estimate *const estimate = &answer.estimate;
    if (to->runtime == ZV_RUNTIME_SGLANG) {
        return budget_sglang(to, question, estimate, err);
    }
    if (!estimate->pool.known || estimate->pages.page_bytes == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "this model keeps nothing in pages, or its file does "
                       "not say what its layers keep");
    }
    status = fullest_stage(&estimate->ledger, arena, &scope, &taken, err);
    if (status == ZV_OK) {
        status = list_terms(to, &estimate->ledger, scope, taken.phase, err);
    }
    to->capacity_bytes = question->capacity->low;
    to->fraction_millionths = estimate->fraction_millionths;
    to->budget_bytes = estimate->pool.budget_bytes;
    to->cache_bytes = estimate->pool.cache_bytes;
    to->geometry = estimate->pages;
    if (taken.expected > to->budget_bytes) {
        to->missing_bytes = taken.expected - to->budget_bytes;
    }
    if (status == ZV_OK) {
        status = set_groups(to, err);
    }
    if (status == ZV_OK) {
        set_pages(to, estimate, rules);
    }
    return status;
}

static bool any_slides(const struct zv_model *model)
{
    for (size_t i = 0; i < model->layer_count; i++) {
        if (model->layers[i].window != 0) {
            return true;
        }
    }
    return false;
}

enum zv_status zv_kv_set_window(struct zv_model *model, uint64_t tokens, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct zv_layer *const layers = zv_arena_array(arena, model->layer_count, sizeof *layers);
    const bool some = any_slides(model);
    if (layers == NULL) {
        return zv_fail_memory(err, "layers");
    }
    for (size_t i = 0; i < model->layer_count; i++) {
        layers[i] = model->layers[i];
        if (layers[i].attention != ZV_ATTENTION_NONE && (layers[i].window != 0 || !some)) {
            layers[i].window = tokens;
            layers[i].chunked = layers[i].chunked && tokens != 0;
        }
    }
    model->layers = layers;
    return ZV_OK;
}

uint32_t zv_kv_kept_pages(const struct zv_kv_keep *keep, const struct zv_kv_budget *budget,
                          const struct zv_kv_cache_options *cache)
{
    uint64_t pages = 0;
    if (keep->bytes != 0 && budget != NULL && budget->geometry.block_bytes != 0) {
        pages = keep->bytes / budget->geometry.block_bytes;
    } else if (keep->ids != 0) {
        const uint64_t groups = cache->group_count != 0 ? cache->group_count : 1;
        if (!zv_mul_div(keep->ids, 512 * groups, cache->page_tokens, &pages)) {
            return 0;
        }
    } else {
        return 0;
    }
    pages = pages != 0 ? pages : 1;
    return pages < cache->pool.pages ? (uint32_t)pages : 0;
}
