#include "cli/kv_policies.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/output.h"

enum { DEFAULT_STEP = 8192 };

static struct zv_kv_run *add_run(struct report_kv_scenario *scenario, const char *name)
{
    if (scenario->run_count == REPORT_KV_MAX_RUNS) {
        return NULL;
    }
    (void)snprintf(scenario->runs[scenario->run_count].name, REPORT_KV_NAME, "%s", name);
    return &scenario->runs[scenario->run_count++].run;
}

static void set_steps(const struct kv_settings *settings, const struct zv_kv_budget *budget,
                      uint64_t sequences, struct kv_serve_options *to)
{
    to->step_tokens =
        budget != NULL && budget->step_tokens != 0 ? budget->step_tokens : DEFAULT_STEP;
    if (settings->step_tokens != 0) {
        to->step_tokens = settings->step_tokens;
    }
    to->max_sequences =
        (uint32_t)(settings->max_sequences != 0 ? settings->max_sequences : sequences);
}

enum zv_status kv_run_contiguous(struct kv_policies *kv, struct report_kv_scenario *scenario,
                                 uint64_t slots, uint64_t sequences, struct zv_error *err)
{
    const struct kv_settings *const settings = kv->settings;
    const uint64_t longest =
        scenario->context_tokens != 0 ? scenario->context_tokens : scenario->facts.longest;
    const char *const names[] = {"one piece: 2^n, all", "one piece: 2^n, answer",
                                 "one piece: exact"};
    char name[REPORT_KV_NAME];
    (void)snprintf(name, sizeof name, "one piece: %llu", (unsigned long long)longest);
    for (int kind = 0; kind < KV_RESERVE_COUNT; kind++) {
        struct zv_kv_run *const run = add_run(scenario, kind == 0 ? name : names[kind - 1]);
        if (run == NULL) {
            return ZV_OK;
        }
        *run = (struct zv_kv_run){.layout = ZV_KV_CONTIGUOUS};
        run->options.slots = slots;
        run->options.reservation = (struct kv_reservation){(enum kv_reserve)kind, longest};
        set_steps(settings, scenario->budget, sequences, &run->options);
        const enum zv_status status = zv_kv_run(run, &settings->input, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    (void)snprintf(name, sizeof name, "static batches of %llu",
                   (unsigned long long)settings->batch);
    struct zv_kv_run *const run = add_run(scenario, name);
    if (run == NULL) {
        return ZV_OK;
    }
    *run = (struct zv_kv_run){.layout = ZV_KV_STATIC, .batch = settings->batch};
    return zv_kv_run(run, &settings->input, err);
}

static void set_cache(const struct kv_settings *settings, const struct kv_pages *pages,
                      bool caching, struct zv_kv_cache_options *to)
{
    const struct zv_kv_budget *const budget = pages->budget;
    const bool after = settings->rules != 0;
    *to = (struct zv_kv_cache_options){.page_tokens = pages->tokens,
                                       .pool.pages = (uint32_t)pages->count,
                                       .pool.caching = caching,
                                       .watermark_pages = (uint32_t)settings->watermark_pages};
    to->admit_whole = settings->rules < 0 && budget != NULL ? budget->admit_whole : after;
    to->pool.unkeyed_first =
        caching && (settings->rules < 0 && budget != NULL ? budget->unkeyed_first : after);
    if (budget != NULL) {
        memcpy(to->groups, budget->groups, sizeof to->groups);
        to->group_count = budget->group_count;
        for (size_t i = 0; caching && i < to->group_count; i++) {
            if (to->groups[i].kind == ZV_KV_STATE) {
                to->groups[i] = (struct zv_kv_group){settings->states, 0, 0};
            }
        }
    } else if (pages->window != 0) {
        to->groups[0] = (struct zv_kv_group){ZV_KV_SLIDING, pages->window, 0};
        to->group_count = 1;
    }
}

/* order_of NULL: without prefix caching. */
static enum zv_status run_one_paged(struct kv_policies *kv, struct report_kv_scenario *scenario,
                                    const struct kv_pages *pages,
                                    const enum zv_kv_eviction *order_of, uint64_t sequences,
                                    struct zv_error *err)
{
    const bool caching = order_of != NULL;
    const enum zv_kv_eviction eviction = caching ? *order_of : ZV_KV_EVICT_QUEUE;
    const struct kv_settings *const settings = kv->settings;
    char name[REPORT_KV_NAME];
    const char *const order = eviction != ZV_KV_EVICT_QUEUE || settings->eviction_count > 1
                                  ? zv_kv_eviction_name(eviction)
                                  : "prefixes";
    (void)snprintf(name, sizeof name, "pages of %llu%s%s", (unsigned long long)pages->tokens,
                   caching ? ", " : "", caching ? order : "");
    struct zv_kv_run *const run = add_run(scenario, name);
    if (run == NULL) {
        return zv_fail(err, ZV_E_USAGE, "more than %d policies", (int)REPORT_KV_MAX_RUNS);
    }
    *run = (struct zv_kv_run){.layout = ZV_KV_PAGED};
    set_cache(settings, pages, caching, &run->options.cache);
    if (caching) {
        const struct zv_kv_keep keep = {settings->cache_ids, settings->cache_bytes};
        run->options.cache.pool.eviction = eviction;
        run->options.cache.pool.kept_pages =
            zv_kv_kept_pages(&keep, pages->budget, &run->options.cache);
    }
    set_steps(settings, pages->budget, sequences, &run->options);
    if (!settings->searches) {
        return zv_kv_run(run, &settings->input, err);
    }
    struct zv_kv_search *const search = zv_arena_alloc(kv->arena, sizeof *search);
    scenario->runs[scenario->run_count - 1].search = search;
    return search != NULL ? zv_kv_search_run(search, run, &settings->input, err)
                          : zv_fail_memory(err, "a search");
}

/* Why prefixes cannot be cached on these pages; NULL when they can. */
static const char *why_no_prefixes(const struct report_kv_scenario *scenario,
                                   const struct kv_pages *pages, enum zv_kv_kind states)
{
    const struct zv_kv_budget *const budget = pages->budget;
    if (scenario->facts.with_ids == 0) {
        return "the trace has no hashes";
    }
    if (512 % pages->tokens != 0 && pages->tokens % 512 != 0) {
        return "its hashes are of 512 tokens, which pages must divide or be a multiple of";
    }
    for (size_t i = 0; budget != NULL && i < budget->group_count; i++) {
        const struct zv_kv_group *const group = &budget->groups[i];
        if (group->kind == ZV_KV_STATE && states == ZV_KV_STATE) {
            return "recurrent states are not kept (--mamba-cache-mode none)";
        }
        if (group->kind != ZV_KV_STATE && group->page_tokens % pages->tokens != 0) {
            return "groups of layers have pages of which none is a multiple of the other";
        }
    }
    return NULL;
}

enum zv_status kv_run_paged(struct kv_policies *kv, struct report_kv_scenario *scenario,
                            const struct kv_pages *pages, uint64_t sequences, struct zv_error *err)
{
    const struct kv_settings *const settings = kv->settings;
    const char *const why = why_no_prefixes(scenario, pages, settings->states);
    enum zv_status status = ZV_OK;
    if (pages->count == 0) {
        return ZV_OK;
    }
    if (pages->count > KV_MAX_PAGES) {
        return zv_fail(err, ZV_E_LIMIT, "%llu pages of %llu tokens: at most 2^26, take larger ones",
                       (unsigned long long)pages->count, (unsigned long long)pages->tokens);
    }
    if (settings->without_prefixes || why != NULL) {
        status = run_one_paged(kv, scenario, pages, NULL, sequences, err);
    }
    for (size_t i = 0; i < settings->eviction_count && why == NULL; i++) {
        if (status == ZV_OK && settings->with_prefixes) {
            status = run_one_paged(kv, scenario, pages, &settings->evictions[i], sequences, err);
        }
    }
    if (status == ZV_OK && !settings->without_prefixes && why != NULL) {
        output_note("no prefix caching: %s", why);
    }
    return status;
}

enum zv_status kv_run_prefixes(const struct kv_policies *kv, struct report_kv_scenario *scenario,
                               uint64_t tokens, struct zv_error *err)
{
    const struct zv_kv_budget *const budget = scenario->budget;
    uint64_t ids = kv->settings->cache_ids != 0 ? kv->settings->cache_ids : tokens / 512;
    if (kv->settings->cache_bytes != 0 && budget != NULL && budget->token_bytes != 0) {
        ids = kv->settings->cache_bytes / budget->token_bytes / 512;
    }
    if (scenario->facts.with_ids != scenario->facts.requests || !kv->settings->with_prefixes ||
        scenario->facts.requests == 0 || ids == 0) {
        return ZV_OK;
    }
    ids = ids < UINT64_C(1) << 28 ? ids : UINT64_C(1) << 28;
    scenario->has_prefixes = true;
    scenario->prefix_capacity = ids;
    return zv_kv_prefixes(scenario->prefixes, ids, &kv->settings->input, err);
}
