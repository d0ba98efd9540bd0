/* One step of one sequence: which pages it needs, whether they are there, and taking them. */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "kv/page_cache.h"

/* Entries a table lacks for this many tokens. */
static inline uint64_t lacking(const struct zv_kv_group *group, const struct page_table *table,
                               uint64_t tokens)
{
    if (group->kind != ZV_KV_STATE && tokens <= table->count * group->page_tokens) {
        return 0;
    }
    const uint64_t pages = group_pages(group, tokens);
    return pages > table->count ? pages - table->count : 0;
}

/* Pages of these entries: of aligned states the last one alone, the others stay empty. */
static inline uint64_t pages_of(const struct zv_kv_group *group, uint64_t entries)
{
    return group->kind == ZV_KV_STATE_ALIGNED ? entries != 0 : entries;
}

static uint64_t lacking_all(const struct zv_kv_cache *cache, const struct sequence *sequence,
                            uint64_t tokens)
{
    uint64_t sum = 0;
    for (size_t g = 0; g < cache->group_count; g++) {
        const struct zv_kv_group *const group = &cache->groups[g];
        sum += pages_of(group, lacking(group, &sequence->tables[g], tokens));
    }
    return sum;
}

/* Appends what each table lacks; the pool has enough. */
static enum zv_status grow_tables(struct zv_kv_cache *cache, struct sequence *sequence,
                                  uint64_t tokens, struct zv_kv_grant *grant, struct zv_error *err)
{
    for (size_t g = 0; g < cache->group_count; g++) {
        struct page_table *const table = &sequence->tables[g];
        const uint64_t entries = lacking(&cache->groups[g], table, tokens);
        const uint64_t more = pages_of(&cache->groups[g], entries);
        if (entries != more) {
            memset(table->pages + table->count, 0, (entries - more) * sizeof *table->pages);
            table->count += entries - more;
        }
        if (more != 0 && !zv_kv_pool_take(cache->pool, table->pages + table->count, more)) {
            return zv_fail(err, ZV_E_BUG, "pages that were counted are gone");
        }
        table->count += more;
        grant->grown[g] = (uint32_t)more;
        grant->new_pages += (uint32_t)more;
    }
    return ZV_OK;
}

static enum zv_status reserve_tables(const struct zv_kv_cache *cache, struct sequence *sequence,
                                     uint64_t tokens, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t g = 0; g < cache->group_count && status == ZV_OK; g++) {
        status = cache_reserve(&sequence->tables[g], group_pages(&cache->groups[g], tokens), err);
    }
    return status;
}

/* A key for a group's page, unless it is not kept, or a fork has given it one. */
static enum zv_status publish_page(struct zv_kv_cache *cache, size_t group, uint32_t page,
                                   const struct zv_kv_key *key, struct zv_error *err)
{
    if (page == 0 || (cache->forked && zv_kv_pool_has_key(cache->pool, page))) {
        return ZV_OK;
    }
    if (cache->published_in != NULL) {
        cache->published_in[page] = cache->step;
    }
    return zv_kv_pool_publish(cache->pool, page, key, (uint32_t)group, err);
}

/* Keys for the pages that tokens fill. */
static enum zv_status publish(struct zv_kv_cache *cache, struct sequence *sequence,
                              const struct zv_kv_key *keys, uint64_t tokens, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t g = 0; g < cache->group_count; g++) {
        const struct zv_kv_group *const group = &cache->groups[g];
        struct page_table *const table = &sequence->tables[g];
        const uint64_t full = group->kind == ZV_KV_STATE ? 0 : tokens / group->page_tokens;
        for (; table->published < full && status == ZV_OK; table->published++) {
            status = publish_page(cache, g, table->pages[table->published],
                                  key_of(cache, group, keys, table->published), err);
        }
    }
    return status;
}

/* ---- admission ---- */

static uint64_t free_among_hits(const struct zv_kv_cache *cache, const struct sequence *sequence)
{
    uint64_t free = 0;
    for (size_t g = 0; g < cache->group_count; g++) {
        const struct page_table *const table = &sequence->tables[g];
        for (size_t i = table->first; i < table->count; i++) {
            free += zv_kv_pool_uses(cache->pool, table->pages[i]) == 0;
        }
    }
    return free;
}

static uint64_t kept_hits(const struct zv_kv_cache *cache, const struct sequence *sequence)
{
    uint64_t kept = 0;
    for (size_t g = 0; g < cache->group_count; g++) {
        kept += sequence->tables[g].count - sequence->tables[g].first;
    }
    return kept;
}

static bool has_room(const struct zv_kv_cache *cache, const struct sequence *sequence,
                     const struct zv_kv_step *step, uint64_t tokens)
{
    const uint64_t free = zv_kv_pool_free_count(cache->pool);
    const uint64_t beside =
        free_among_hits(cache, sequence) + (cache->started != 0 ? cache->watermark_pages : 0);
    if (cache->admit_whole) {
        const uint64_t whole = zv_kv_cache_need(cache, step->known_tokens);
        const uint64_t kept = kept_hits(cache, sequence);
        if (whole > kept && whole - kept + beside > free) {
            return false;
        }
    }
    return lacking_all(cache, sequence, tokens) + beside <= free;
}

/* Whether a state among the hits is of this very step: it is not there to be read yet. */
static bool is_of_this_step(const struct zv_kv_cache *cache, const struct sequence *sequence)
{
    bool fresh = false;
    for (size_t g = 0; g < cache->group_count && cache->step != 0; g++) {
        const struct page_table *const table = &sequence->tables[g];
        if (keeps_states(&cache->groups[g]) && table->count != 0) {
            fresh = fresh || cache->published_in[table->pages[table->count - 1]] == cache->step;
        }
    }
    return fresh;
}

static void forget_tables(const struct zv_kv_cache *cache, struct sequence *sequence)
{
    for (size_t g = 0; g < cache->group_count; g++) {
        sequence->tables[g].count = 0;
        sequence->tables[g].first = 0;
        sequence->tables[g].published = 0;
    }
}

static enum zv_status share_hits(struct zv_kv_cache *cache, const struct sequence *sequence,
                                 struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t g = 0; g < cache->group_count; g++) {
        const struct page_table *const table = &sequence->tables[g];
        for (size_t i = table->first; i < table->count && status == ZV_OK; i++) {
            status = zv_kv_pool_share(cache->pool, table->pages[i], err);
        }
    }
    return status;
}

static enum zv_status check_step(const struct sequence *sequence, const struct zv_kv_step *step,
                                 uint32_t name, bool started, struct zv_error *err)
{
    if (sequence == NULL) {
        return cache_no_sequence(name, err);
    }
    if (sequence->started != started) {
        return zv_fail(err, ZV_E_USAGE, "sequence %u has %s pages", name, started ? "no" : "its");
    }
    if (step->known_tokens <= sequence->computed || step->new_tokens == 0 ||
        step->known_tokens > UINT64_C(1) << 40) {
        return zv_fail(err, ZV_E_USAGE, "sequence %u: nothing to compute in this step", name);
    }
    return ZV_OK;
}

/* Whether a step needs more pages in one group than there are: tables are not made for that. */
static bool is_too_long(const struct zv_kv_cache *cache, uint64_t hits, uint64_t tokens)
{
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(cache->pool, &stats);
    for (size_t g = 0; g < cache->group_count; g++) {
        const uint64_t pages = group_pages(&cache->groups[g], tokens);
        if (cache->groups[g].kind != ZV_KV_STATE_ALIGNED && pages > hits &&
            pages - hits > stats.pages) {
            return true;
        }
    }
    return false;
}

/*
 * Tokens of a step from computed on. With aligned states a step that does not reach the last whole
 * page of what is known ends on a page's boundary, and one that would pass it ends there.
 */
static uint64_t step_tokens(const struct zv_kv_cache *cache, const struct zv_kv_step *step,
                            uint64_t computed)
{
    const uint64_t more = zv_smaller(step->known_tokens - computed, step->new_tokens);
    if (cache->aligned_tokens == 0 || !cache->caching) {
        return more;
    }
    const uint64_t last = step->known_tokens - step->known_tokens % cache->aligned_tokens;
    if (computed + more < last) {
        return more - more % cache->aligned_tokens;
    }
    return computed < last ? last - computed : more;
}

enum zv_status zv_kv_sequence_admit(struct zv_kv_cache *cache, uint32_t name,
                                    const struct zv_kv_step *step, struct zv_kv_grant *grant,
                                    struct zv_error *err)
{
    struct sequence *const sequence = cache_sequence(cache, name);
    enum zv_status status = check_step(sequence, step, name, false, err);
    grant->granted = false;
    grant->new_pages = 0;
    if (status != ZV_OK) {
        return status;
    }
    const bool keyed = cache->caching && step->keys != NULL;
    const uint64_t limit = (step->known_tokens - 1) / cache->page_tokens;
    const uint64_t hits = keyed && limit != 0 ? match_length(cache, step->keys, limit) : 0;
    const uint64_t computed = hits * cache->page_tokens;
    const uint64_t more = step_tokens(cache, step, computed);
    grant->hit_tokens = computed;
    grant->new_tokens = more;
    grant->copy_count = 0;
    if (more == 0 || is_too_long(cache, hits, computed + more)) {
        return ZV_OK;
    }
    status = reserve_tables(cache, sequence, computed + more, err);
    if (status == ZV_OK && hits != 0) {
        match_fill(cache, sequence, step->keys, hits);
    }
    if (status != ZV_OK || is_of_this_step(cache, sequence) ||
        !has_room(cache, sequence, step, computed + more)) {
        forget_tables(cache, sequence);
        return status;
    }
    status = share_hits(cache, sequence, err);
    sequence->started = true;
    sequence->computed = computed + more;
    cache->started++;
    if (status == ZV_OK) {
        status = grow_tables(cache, sequence, computed + more, grant, err);
    }
    if (status == ZV_OK && keyed) {
        status = publish(cache, sequence, step->keys, computed + more, err);
    }
    grant->granted = status == ZV_OK;
    return status;
}

/* ---- extension ---- */

/* Pages that fell out of the window, the newest first. */
static enum zv_status give_back(struct zv_kv_cache *cache, struct sequence *sequence,
                                struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t g = 0; g < cache->group_count && status == ZV_OK; g++) {
        struct page_table *const table = &sequence->tables[g];
        const uint64_t skipped =
            zv_smaller(group_skipped(&cache->groups[g], sequence->computed), table->count);
        if (skipped <= table->first) {
            continue;
        }
        status = zv_kv_pool_free_reversed(cache->pool, table->pages + table->first,
                                          skipped - table->first, err);
        for (; table->first < skipped; table->first++) {
            table->pages[table->first] = 0;
        }
    }
    return status;
}

/* The page that the step writes to first, when others use it too; NULL else. */
static uint32_t *shared_page(const struct zv_kv_cache *cache, struct sequence *sequence,
                             size_t group)
{
    const struct zv_kv_group *const kind = &cache->groups[group];
    struct page_table *const table = &sequence->tables[group];
    const uint64_t at = kind->kind == ZV_KV_STATE ? 0 : sequence->computed / kind->page_tokens;
    if (at >= table->count || zv_kv_pool_uses(cache->pool, table->pages[at]) < 2) {
        return NULL;
    }
    return &table->pages[at];
}

static uint64_t count_shared(const struct zv_kv_cache *cache, struct sequence *sequence)
{
    uint64_t count = 0;
    for (size_t g = 0; g < cache->group_count; g++) {
        count += shared_page(cache, sequence, g) != NULL;
    }
    return count;
}

static enum zv_status copy_shared(struct zv_kv_cache *cache, struct sequence *sequence,
                                  struct zv_kv_grant *grant, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t g = 0; g < cache->group_count && status == ZV_OK; g++) {
        uint32_t *const page = shared_page(cache, sequence, g);
        if (page == NULL) {
            continue;
        }
        struct zv_kv_copy *const copy = &grant->copies[grant->copy_count++];
        *copy = (struct zv_kv_copy){.group = (uint32_t)g, .from = *page};
        if (!zv_kv_pool_take(cache->pool, &copy->to, 1)) {
            return zv_fail(err, ZV_E_BUG, "pages that were counted are gone");
        }
        *page = copy->to;
        status = zv_kv_pool_free(cache->pool, &copy->from, 1, err);
    }
    return status;
}

enum zv_status zv_kv_sequence_extend(struct zv_kv_cache *cache, uint32_t name,
                                     const struct zv_kv_step *step, struct zv_kv_grant *grant,
                                     struct zv_error *err)
{
    struct sequence *const sequence = cache_sequence(cache, name);
    enum zv_status status = check_step(sequence, step, name, true, err);
    grant->granted = false;
    grant->new_pages = 0;
    grant->hit_tokens = 0;
    grant->copy_count = 0;
    if (status == ZV_OK && (cache->group_count > 1 || cache->groups[0].kind != ZV_KV_FULL)) {
        status = give_back(cache, sequence, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    const uint64_t more = step_tokens(cache, step, sequence->computed);
    const uint64_t tokens = sequence->computed + more;
    const uint64_t copies = cache->forked ? count_shared(cache, sequence) : 0;
    const uint64_t need = lacking_all(cache, sequence, tokens) + copies;
    grant->new_tokens = more;
    if (more == 0 || need > zv_kv_pool_free_count(cache->pool)) {
        return ZV_OK;
    }
    if (need != 0) {
        status = reserve_tables(cache, sequence, tokens, err);
        if (status == ZV_OK && copies != 0) {
            status = copy_shared(cache, sequence, grant, err);
        }
        if (status == ZV_OK) {
            status = grow_tables(cache, sequence, tokens, grant, err);
        }
    }
    if (status == ZV_OK && cache->caching && step->keys != NULL) {
        status = publish(cache, sequence, step->keys, tokens, err);
    }
    if (status == ZV_OK) {
        sequence->computed = tokens;
        grant->granted = true;
    }
    return status;
}
