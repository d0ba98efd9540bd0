#include <string.h>

#include "support/fail_memory.h"
#include "support/kv_duel.h"
#include "support/test.h"
#include "zirve/kv.h"

enum { KEYS = 64 };

static struct zv_kv_key keys[KEYS];

static struct zv_kv_cache *open_cache(const struct zv_kv_cache_options *options)
{
    struct zv_kv_cache *cache;
    for (uint64_t i = 0; i < KEYS; i++) {
        keys[i] = (struct zv_kv_key){i, 1};
    }
    assert_int_equal(zv_kv_cache_open(&cache, options, NULL), ZV_OK);
    return cache;
}

static uint32_t open_sequence(struct zv_kv_cache *cache)
{
    uint32_t name;
    assert_int_equal(zv_kv_sequence_open(cache, &name, NULL), ZV_OK);
    return name;
}

static struct zv_kv_grant admit(struct zv_kv_cache *cache, uint32_t name, uint64_t known,
                                uint64_t tokens)
{
    struct zv_kv_grant grant;
    const struct zv_kv_step step = {known, tokens, keys};
    assert_int_equal(zv_kv_sequence_admit(cache, name, &step, &grant, NULL), ZV_OK);
    assert_int_equal(zv_kv_cache_check(cache, NULL), ZV_OK);
    return grant;
}

static struct zv_kv_grant extend(struct zv_kv_cache *cache, uint32_t name, uint64_t known,
                                 uint64_t tokens)
{
    struct zv_kv_grant grant;
    const struct zv_kv_step step = {known, tokens, keys};
    assert_int_equal(zv_kv_sequence_extend(cache, name, &step, &grant, NULL), ZV_OK);
    assert_int_equal(zv_kv_cache_check(cache, NULL), ZV_OK);
    return grant;
}

static uint32_t held(const struct zv_kv_cache *cache)
{
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(zv_kv_cache_pool(cache), &stats);
    return stats.pages - stats.free;
}

static void a_prefix_is_found_and_the_last_token_computed(void **state)
{
    struct zv_kv_cache *const cache = open_cache(
        &(struct zv_kv_cache_options){.pool = {.pages = 10, .caching = true}, .page_tokens = 4});
    const uint32_t first = open_sequence(cache);
    const uint32_t second = open_sequence(cache);
    (void)state;
    struct zv_kv_grant grant = admit(cache, first, 12, 100);
    assert_true(grant.granted && grant.hit_tokens == 0 && grant.new_tokens == 12);
    assert_int_equal(grant.new_pages, 3);
    grant = admit(cache, second, 12, 100);
    assert_true(grant.granted && grant.hit_tokens == 8 && grant.new_tokens == 4);
    assert_int_equal(held(cache), 4);
    assert_int_equal(zv_kv_sequence_close(cache, first, NULL), ZV_OK);
    assert_int_equal(held(cache), 3);
    assert_int_equal(zv_kv_sequence_drop(cache, second, NULL), ZV_OK);
    grant = admit(cache, second, 13, 100);
    assert_int_equal(grant.hit_tokens, 12);
    zv_kv_cache_close(cache);
}

static void free_pages_among_the_hits_count(void **state)
{
    struct zv_kv_cache *const cache = open_cache(
        &(struct zv_kv_cache_options){.pool = {.pages = 4, .caching = true}, .page_tokens = 4});
    const uint32_t first = open_sequence(cache);
    const uint32_t other = open_sequence(cache);
    (void)state;
    assert_true(admit(cache, first, 12, 100).granted); /* 3 of 4 pages */
    assert_int_equal(zv_kv_sequence_close(cache, first, NULL), ZV_OK);
    assert_false(admit(cache, other, 18, 100).granted); /* 3 hits that are free and 2 new: 5 > 4 */
    assert_int_equal(held(cache), 0);
    assert_true(admit(cache, other, 16, 100).granted);
    zv_kv_cache_close(cache);
}

static void a_watermark_stays_free_beside_others(void **state)
{
    struct zv_kv_cache *const cache = open_cache(
        &(struct zv_kv_cache_options){.pool.pages = 4, .page_tokens = 1, .watermark_pages = 1});
    const uint32_t first = open_sequence(cache);
    const uint32_t second = open_sequence(cache);
    (void)state;
    assert_true(admit(cache, first, 2, 100).granted);
    assert_false(admit(cache, second, 2, 100).granted);
    assert_true(admit(cache, second, 1, 100).granted);
    assert_true(extend(cache, first, 3, 100).granted); /* those that run may use it */
    assert_false(extend(cache, first, 4, 100).granted);
    zv_kv_cache_close(cache);
}

static void the_whole_sequence_must_fit_when_asked(void **state)
{
    struct zv_kv_cache_options options = {.pool.pages = 4, .page_tokens = 1};
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        options.admit_whole = whole != 0;
        struct zv_kv_cache *const cache = open_cache(&options);
        assert_int_equal(admit(cache, open_sequence(cache), 9, 2).granted, !whole);
        zv_kv_cache_close(cache);
    }
}

static void a_fork_shares_until_it_writes(void **state)
{
    struct zv_kv_cache *const cache =
        open_cache(&(struct zv_kv_cache_options){.pool.pages = 4, .page_tokens = 4});
    const uint32_t from = open_sequence(cache);
    uint32_t to;
    size_t count;
    (void)state;
    assert_true(admit(cache, from, 6, 100).granted);
    assert_int_equal(zv_kv_sequence_fork(cache, from, &to, NULL), ZV_OK);
    assert_int_equal(held(cache), 2);
    struct zv_kv_grant grant = extend(cache, to, 7, 1);
    assert_true(grant.granted && grant.copy_count == 1 && grant.new_pages == 0);
    assert_true(grant.copies[0].from == 2 && grant.copies[0].to == 3);
    assert_int_equal(zv_kv_sequence_table(cache, to, 0, &count)[1], 3);
    grant = extend(cache, from, 7, 1);
    assert_true(grant.granted && grant.copy_count == 0);
    assert_int_equal(held(cache), 3);
    assert_int_equal(zv_kv_sequence_close(cache, from, NULL), ZV_OK);
    assert_int_equal(zv_kv_sequence_close(cache, to, NULL), ZV_OK);
    assert_int_equal(held(cache), 0);
    zv_kv_cache_close(cache);
}

/* B 16, window 32, 112 tokens: 7 pages in each group; the next step 8 and 3 and 3. */
static void a_window_gives_pages_back(void **state)
{
    struct zv_kv_cache *const cache = open_cache(&(struct zv_kv_cache_options){
        .pool.pages = 40,
        .page_tokens = 16,
        .step_tokens = 8192,
        .groups = {{ZV_KV_FULL, 0, 0}, {ZV_KV_SLIDING, 32, 0}, {ZV_KV_SLIDING, 32, 0}},
        .group_count = 3});
    const uint32_t name = open_sequence(cache);
    size_t count;
    (void)state;
    assert_true(admit(cache, name, 112, 8192).granted);
    assert_int_equal(held(cache), 21);
    assert_true(extend(cache, name, 113, 8192).granted);
    assert_int_equal(held(cache), 8 + 3 + 3);
    const uint32_t *const table = zv_kv_sequence_table(cache, name, 1, &count);
    assert_int_equal(count, 8);
    assert_int_equal(table[4], 0);
    assert_int_not_equal(table[5], 0);
    zv_kv_cache_close(cache);
}

static void a_window_needs_only_its_end_to_hit(void **state)
{
    struct zv_kv_cache *const cache =
        open_cache(&(struct zv_kv_cache_options){.pool = {.pages = 12, .caching = true},
                                                 .page_tokens = 4,
                                                 .groups = {{ZV_KV_SLIDING, 5, 0}},
                                                 .group_count = 1});
    const uint32_t first = open_sequence(cache);
    const uint32_t second = open_sequence(cache);
    size_t count;
    (void)state;
    assert_true(admit(cache, first, 24, 100).granted);
    assert_int_equal(zv_kv_sequence_close(cache, first, NULL), ZV_OK);
    const struct zv_kv_grant grant = admit(cache, second, 25, 100);
    assert_true(grant.granted && grant.hit_tokens == 24);
    const uint32_t *const table = zv_kv_sequence_table(cache, second, 0, &count);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(table[i], 0);
    }
    assert_int_equal(held(cache), 2);
    zv_kv_cache_close(cache);
}

static void a_state_is_one_page_and_chunks_end(void **state)
{
    struct zv_kv_cache *const cache = open_cache(&(struct zv_kv_cache_options){
        .pool.pages = 20,
        .page_tokens = 4,
        .groups = {{ZV_KV_STATE, 0, 0}, {ZV_KV_CHUNKED, 8, 0}, {ZV_KV_FULL, 0, 16}},
        .group_count = 3});
    const uint32_t name = open_sequence(cache);
    (void)state;
    assert_true(admit(cache, name, 15, 100).granted);
    assert_int_equal(held(cache), 1 + 4 + 1);
    assert_true(extend(cache, name, 16, 100).granted);
    assert_int_equal(held(cache), 1 + 2 + 1); /* the chunk 0 .. 7 is over */
    assert_true(extend(cache, name, 17, 100).granted);
    assert_int_equal(held(cache), 1 + 1 + 2);
    zv_kv_cache_close(cache);
}

/* 5,000 tokens in chunks of 2,048, then one by one: pages held at most, and at the end. */
static void states_are_kept_as_asked(void **state)
{
    static const struct {
        enum zv_kv_kind kind;
        uint32_t peak;
        uint32_t at_end;
        uint64_t hits; /* of the same prompt once more: tokens */
    } rows[] = {
        {ZV_KV_STATE, 1, 1, 0}, {ZV_KV_STATE_ALIGNED, 2, 1, 4608}, {ZV_KV_STATE_ALL, 5, 1, 4608}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_kv_cache *const cache =
            open_cache(&(struct zv_kv_cache_options){.pool = {.pages = 40, .caching = true},
                                                     .page_tokens = 512,
                                                     .groups = {{rows[i].kind, 0, 0}},
                                                     .group_count = 1,
                                                     .step_tokens = 2048});
        const uint32_t name = open_sequence(cache);
        uint32_t peak = 0;
        assert_true(admit(cache, name, 5000, 2048).granted);
        for (uint64_t known = 5000; known < 5010;
             known += zv_kv_sequence_computed(cache, name) == known) {
            peak = held(cache) > peak ? held(cache) : peak;
            zv_kv_cache_next_step(cache);
            assert_true(extend(cache, name, known, 2048).granted);
        }
        assert_int_equal(peak, rows[i].peak);
        assert_int_equal(held(cache), rows[i].at_end);
        zv_kv_cache_next_step(cache);
        const uint32_t again = open_sequence(cache);
        assert_int_equal(admit(cache, again, 5000, 2048).hit_tokens, rows[i].hits);
        zv_kv_cache_close(cache);
    }
}

/* Steps that cannot reach the last whole page end where a page does, or wait. */
static void aligned_states_cut_steps(void **state)
{
    struct zv_kv_cache *const cache = open_cache(
        &(struct zv_kv_cache_options){.pool = {.pages = 40, .caching = true},
                                      .page_tokens = 10,
                                      .groups = {{ZV_KV_FULL, 0, 0}, {ZV_KV_STATE_ALIGNED, 0, 0}},
                                      .group_count = 2,
                                      .step_tokens = 25});
    const uint32_t name = open_sequence(cache);
    const uint32_t other = open_sequence(cache);
    (void)state;
    struct zv_kv_grant grant = admit(cache, name, 57, 9);
    assert_false(grant.granted);
    assert_int_equal(grant.new_tokens, 0);
    zv_kv_cache_next_step(cache);
    assert_int_equal(admit(cache, name, 57, 25).new_tokens, 20);
    assert_false(admit(cache, other, 57, 25).granted); /* its state is of this very step */
    zv_kv_cache_next_step(cache);
    assert_int_equal(admit(cache, other, 57, 25).hit_tokens, 20);
    assert_int_equal(extend(cache, name, 57, 25).new_tokens, 20);
    assert_int_equal(extend(cache, name, 57, 25).new_tokens, 10);
    grant = extend(cache, name, 57, 4);
    assert_int_equal(grant.new_tokens, 4); /* behind the last whole page: as it is */
    zv_kv_cache_close(cache);
}

/* A page of the second group is two of the first: hits are whole pages of both. */
static void pages_of_different_length_have_keys(void **state)
{
    struct zv_kv_cache *const cache = open_cache(
        &(struct zv_kv_cache_options){.pool = {.pages = 40, .caching = true},
                                      .page_tokens = 2,
                                      .groups = {{ZV_KV_FULL, 0, 0}, {ZV_KV_SLIDING, 3, 4}},
                                      .group_count = 2,
                                      .step_tokens = 40});
    const uint32_t name = open_sequence(cache);
    (void)state;
    assert_int_equal(admit(cache, name, 11, 40).hit_tokens, 0);
    const uint32_t again = open_sequence(cache);
    const struct zv_kv_grant grant = admit(cache, again, 11, 40);
    assert_int_equal(grant.hit_tokens, 8); /* five pages of the first group, two of the second */
    assert_int_equal(grant.new_pages, 2 + 1);
    assert_int_equal(zv_kv_sequence_close(cache, name, NULL), ZV_OK);
    assert_int_equal(zv_kv_sequence_close(cache, again, NULL), ZV_OK);
    assert_int_equal(held(cache), 0);
    zv_kv_cache_close(cache);
}

static void refuses_what_makes_no_sense(void **state)
{
    static const struct {
        struct zv_kv_cache_options options;
        enum zv_status status;
    } rows[] = {
        {{.pool.pages = 1}, ZV_E_USAGE},
        {{.pool.pages = 0, .page_tokens = 1}, ZV_E_USAGE},
        {{.pool.pages = 1, .page_tokens = 1, .groups = {{ZV_KV_SLIDING, 0, 0}}, .group_count = 1},
         ZV_E_USAGE},
        {{.pool.pages = 1, .page_tokens = 1, .groups = {{ZV_KV_FULL, 4, 0}}, .group_count = 1},
         ZV_E_USAGE},
        {{.pool.pages = 1, .page_tokens = 1, .group_count = 17}, ZV_E_USAGE},
        {{.pool = {.pages = 1, .caching = true},
          .page_tokens = 2,
          .groups = {{ZV_KV_FULL, 0, 3}},
          .group_count = 1},
         ZV_E_UNSUPPORTED},
    };
    struct zv_kv_cache *cache;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(zv_kv_cache_open(&cache, &rows[i].options, NULL), rows[i].status);
        assert_null(cache);
    }
    cache = open_cache(&(struct zv_kv_cache_options){.pool.pages = 2, .page_tokens = 1});
    struct zv_kv_grant grant;
    struct zv_kv_step step = {1, 1, NULL};
    assert_int_equal(zv_kv_sequence_admit(cache, 0, &step, &grant, NULL), ZV_E_USAGE);
    const uint32_t name = open_sequence(cache);
    assert_int_equal(zv_kv_sequence_extend(cache, name, &step, &grant, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_sequence_admit(cache, name, &step, &grant, NULL), ZV_OK);
    assert_int_equal(zv_kv_sequence_admit(cache, name, &step, &grant, NULL), ZV_E_USAGE);
    assert_int_equal(zv_kv_sequence_extend(cache, name, &step, &grant, NULL), ZV_E_USAGE);
    step.known_tokens = UINT64_C(1) << 39; /* far more than there is: an answer, no table for it */
    step.new_tokens = step.known_tokens;
    assert_int_equal(zv_kv_sequence_extend(cache, name, &step, &grant, NULL), ZV_OK);
    assert_false(grant.granted);
    assert_int_equal(zv_kv_sequence_close(cache, name, NULL), ZV_OK);
    assert_int_equal(zv_kv_sequence_close(cache, name, NULL), ZV_E_USAGE);
    zv_kv_cache_close(cache);
}

/* One sequence after another of the same lengths: only the first may allocate, whatever the groups
 * and the order of eviction. */
static void nothing_is_allocated_once_warm(void **state)
{
    static const struct zv_kv_cache_options rows[] = {
        {.pool = {.pages = 64, .caching = true}, .page_tokens = 1},
        {.pool = {.pages = 64, .caching = true, .eviction = ZV_KV_EVICT_LFU, .kept_pages = 20},
         .page_tokens = 1},
        {.pool = {.pages = 64, .caching = true, .unkeyed_first = true},
         .page_tokens = 2,
         .groups = {{ZV_KV_FULL, 0, 0}, {ZV_KV_SLIDING, 9, 4}, {ZV_KV_STATE_ALIGNED, 0, 0}},
         .group_count = 3,
         .step_tokens = 10},
    };
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        fail_memory_start(0);
        struct zv_kv_cache *const cache = open_cache(&rows[row]);
        size_t warm = 0;
        for (int i = 0; i < 20; i++) {
            const struct zv_kv_step step = {40, 10, keys};
            struct zv_kv_grant grant;
            const uint32_t name = open_sequence(cache);
            zv_kv_cache_next_step(cache);
            assert_int_equal(zv_kv_sequence_admit(cache, name, &step, &grant, NULL), ZV_OK);
            assert_true(grant.granted);
            while (zv_kv_sequence_computed(cache, name) < 40) {
                assert_int_equal(zv_kv_sequence_extend(cache, name, &step, &grant, NULL), ZV_OK);
            }
            assert_int_equal(zv_kv_sequence_close(cache, name, NULL), ZV_OK);
            warm = i == 0 ? fail_memory.calls : warm;
            assert_int_equal(fail_memory.calls, warm);
        }
        zv_kv_cache_close(cache);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
    }
}

static enum zv_status some_calls(void)
{
    const struct zv_kv_cache_options options = {.pool = {.pages = 80, .caching = true},
                                                .page_tokens = 1};
    const struct zv_kv_step step = {40, 40, NULL};
    struct zv_kv_cache *cache;
    struct zv_kv_grant grant;
    uint32_t name = 0;
    enum zv_status status = zv_kv_cache_open(&cache, &options, NULL);
    for (int i = 0; i < 20 && status == ZV_OK; i++) {
        status = zv_kv_sequence_open(cache, &name, NULL);
        if (status == ZV_OK && i < 2) {
            status = zv_kv_sequence_admit(cache, name, &step, &grant, NULL);
        }
    }
    if (status == ZV_OK) {
        status = zv_kv_sequence_fork(cache, 0, &name, NULL);
    }
    if (cache != NULL) {
        fail_memory.fail_at = 0; /* what was there before the failure still holds */
        assert_int_equal(zv_kv_cache_check(cache, NULL), ZV_OK);
    }
    zv_kv_cache_close(cache);
    return status;
}

static void survives_a_failure_of_each_allocation(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        fail_memory_start(n);
        const enum zv_status status = some_calls();
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
}

static void keeps_its_rules_under_any_calls(void **state)
{
    uint64_t random = UINT64_C(0x2545F4914F6CDD1D);
    uint8_t data[2048];
    (void)state;
    memset(&kv_duel_count, 0, sizeof kv_duel_count);
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < sizeof data; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            data[i] = (uint8_t)(random >> 32);
        }
        const char *const wrong = kv_cache_duel(data, sizeof data);
        assert_string_equal(wrong != NULL ? wrong : "", "");
    }
    assert_true(kv_duel_count.granted > 10000);
    assert_true(kv_duel_count.refused > 1000);
    assert_true(kv_duel_count.hits > 1000);
    assert_true(kv_duel_count.copies > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefix_is_found_and_the_last_token_computed),
        cmocka_unit_test(free_pages_among_the_hits_count),
        cmocka_unit_test(a_watermark_stays_free_beside_others),
        cmocka_unit_test(the_whole_sequence_must_fit_when_asked),
        cmocka_unit_test(a_fork_shares_until_it_writes),
        cmocka_unit_test(a_window_gives_pages_back),
        cmocka_unit_test(a_window_needs_only_its_end_to_hit),
        cmocka_unit_test(a_state_is_one_page_and_chunks_end),
        cmocka_unit_test(states_are_kept_as_asked),
        cmocka_unit_test(aligned_states_cut_steps),
        cmocka_unit_test(pages_of_different_length_have_keys),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(nothing_is_allocated_once_warm),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
        cmocka_unit_test(keeps_its_rules_under_any_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
