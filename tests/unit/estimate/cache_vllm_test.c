/* vLLM's groups, pages and blocks, against what its own functions give (docs/FORMULAS.md). */
#include "estimate/cache.h"
#include "support/test.h"

enum { MAX_LAYERS = 64 };
#define BUDGET (UINT64_C(40) << 30)

static const struct zv_cache_form bf16 = {.k = ZV_DTYPE_BF16,
                                          .v = ZV_DTYPE_BF16,
                                          .conv_state = ZV_DTYPE_BF16,
                                          .scan_state = ZV_DTYPE_BF16,
                                          .mla = ZV_MLA_LATENT};
static const struct zv_cache_form fp8 = {
    .k = ZV_DTYPE_F8_E4M3, .v = ZV_DTYPE_F8_E4M3, .mla = ZV_MLA_LATENT};

static size_t stack(struct zv_layer layers[MAX_LAYERS], struct zv_layer one, size_t full,
                    size_t sliding, uint64_t window)
{
    one.attention = ZV_ATTENTION_HEADS;
    one.heads = one.kv_heads;
    one.head_dim_v = one.head_dim_k;
    for (size_t i = 0; i < full + sliding; i++) {
        layers[i] = one;
        layers[i].window = i < full ? 0 : window;
    }
    return full + sliding;
}

static void groups_and_blocks(void **state)
{
    const struct {
        uint32_t kv_heads, head_dim;
        size_t full, sliding;
        const struct zv_cache_form *form;
        bool hybrid;
        uint64_t group_size, groups, blocks; /* blocks in 40 GiB; 0: not checked */
    } rows[] = {
        {8, 128, 32, 0, &bf16, true, 32, 1, 20480},   {8, 128, 32, 0, &fp8, true, 32, 1, 40960},
        {16, 128, 10, 52, &bf16, true, 10, 7, 32768}, /* gemma 3 27B */
        {8, 256, 8, 40, &bf16, true, 8, 6, 0},        /* gemma 3 12B */
        {8, 64, 12, 12, &bf16, true, 12, 2, 109226},  /* gpt-oss 20b */
        {8, 64, 13, 12, &bf16, true, 13, 2, 100824},  /* within a factor 1.5: the largest */
        {8, 64, 18, 12, &bf16, true, 12, 3, 0},       /* at 1.5 no more */
        {8, 64, 12, 12, &bf16, false, 24, 1, 54613},  /* older engines: one group */
        {1, 256, 26, 0, &bf16, true, 26, 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_layer layers[MAX_LAYERS];
        struct zv_vllm_cache cache;
        const size_t count = stack(
            layers, (struct zv_layer){.kv_heads = rows[i].kv_heads, .head_dim_k = rows[i].head_dim},
            rows[i].full, rows[i].sliding, 1024);
        const struct zv_vllm_request request = {.block_tokens = 16,
                                                .max_tokens = 8192,
                                                .batched_tokens = 2048,
                                                .hybrid_groups = rows[i].hybrid,
                                                .form = *rows[i].form};
        assert_int_equal(zv_cache_vllm(&cache, layers, count, &request, NULL), ZV_OK);
        assert_int_equal(cache.group_size, rows[i].group_size);
        assert_int_equal(cache.groups, rows[i].groups);
        assert_int_equal(cache.block_bytes, cache.page_bytes * cache.group_size);
        if (rows[i].blocks != 0) {
            assert_int_equal(zv_cache_vllm_blocks(&cache, BUDGET), rows[i].blocks);
        }
    }
}

static void blocks_of_a_request(void **state)
{
    static const struct {
        uint64_t window, max_tokens, batched;
        bool chunked;
        uint64_t blocks; /* of one group, 16 tokens each */
    } rows[] = {
        {0, 8192, 2048, false, 512},
        {0, 8193, 2048, false, 513},
        {1024, 8192, 2048, false, 193}, /* ceil((1023 + 2048) / 16) + 1 */
        {1024, 512, 2048, false, 33},   /* shorter than the window */
        {1024, 2000, 2048, false, 126},
        {8192, 1 << 20, 8192, true, 1024}, /* llama 4: a chunk and a step */
        {UINT64_MAX, 8192, 2048, false, 513},
        {1024, UINT64_MAX, UINT64_MAX, false, (UINT64_MAX >> 4) + 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_layer layers[MAX_LAYERS];
        struct zv_vllm_cache cache;
        const size_t count =
            stack(layers, (struct zv_layer){.kv_heads = 1, .head_dim_k = 1}, 0, 1, rows[i].window);
        const struct zv_vllm_request request = {.block_tokens = 16,
                                                .max_tokens = rows[i].max_tokens,
                                                .batched_tokens = rows[i].batched,
                                                .hybrid_groups = true,
                                                .form = fp8};
        layers[0].chunked = rows[i].chunked;
        const enum zv_status status = zv_cache_vllm(&cache, layers, count, &request, NULL);
        assert_int_equal(cache.blocks_per_request, rows[i].blocks);
        assert_int_equal(status, rows[i].blocks > UINT64_MAX / 32 ? ZV_E_OVERFLOW : ZV_OK);
    }
}

/* With states the attention block grows until its page holds one. */
static void hybrids_raise_the_block(void **state)
{
    const struct zv_layer layers[] = {
        {.attention = ZV_ATTENTION_HEADS,
         .heads = 8,
         .kv_heads = 8,
         .head_dim_k = 128,
         .head_dim_v = 128},
        {.state = ZV_STATE_MAMBA2, .d_conv = 4, .d_inner = 4096, .d_state = 128, .state_groups = 1},
    };
    const struct zv_vllm_request request = {.block_tokens = 16,
                                            .max_tokens = 8192,
                                            .batched_tokens = 2048,
                                            .hybrid_groups = true,
                                            .form = bf16};
    struct zv_vllm_cache cache;
    const uint64_t state_bytes = (3 * (4096 + 2 * 128) + 128 * 4096) * 2;
    (void)state;
    assert_int_equal(zv_cache_vllm(&cache, layers, 2, &request, NULL), ZV_OK);
    assert_int_equal(cache.block_tokens % 16, 0);
    assert_true(cache.page_bytes >= state_bytes);
    assert_true(cache.page_bytes - 16 * 4096 < state_bytes);
    assert_int_equal(cache.groups, 2);
    assert_int_equal(cache.blocks_per_request,
                     (8192 + cache.block_tokens - 1) / cache.block_tokens + 1);
}

static void printed_tokens(void **state)
{
    const struct zv_vllm_cache cache = {
        .block_tokens = 16, .groups = 7, .blocks_per_request = 1600, .page_bytes = 1};
    (void)state;
    assert_int_equal(zv_cache_vllm_tokens(&cache, 32768, 8192, ZV_TOKENS_BLOCKS), 524288);
    assert_int_equal(zv_cache_vllm_tokens(&cache, 32768, 8192, ZV_TOKENS_PER_GROUP), 74896);
    assert_int_equal(zv_cache_vllm_tokens(&cache, 32768, 8192, ZV_TOKENS_BY_CONCURRENCY), 167772);
    assert_int_equal(zv_cache_vllm_blocks(&cache, BUDGET), 0); /* no blocks without bytes */
}

static void what_passes_2_64(void **state)
{
    const struct zv_layer wide = {.attention = ZV_ATTENTION_HEADS,
                                  .heads = 1,
                                  .kv_heads = 1U << 31,
                                  .head_dim_k = 1U << 31,
                                  .head_dim_v = 1U << 31};
    struct zv_layer three = wide;
    const struct zv_layer state_layer = {
        .state = ZV_STATE_MAMBA1, .d_conv = 1U << 31, .d_inner = 1U << 31, .d_state = UINT32_MAX};
    const struct {
        const struct zv_layer *layer;
        struct zv_vllm_request request;
    } rows[] = {
        {&wide, {.block_tokens = 16, .max_tokens = 1, .form = fp8}},      /* a page */
        {&wide, {.block_tokens = 1, .max_tokens = 1 << 20, .form = fp8}}, /* a request */
        {&three, {.block_tokens = 1, .max_tokens = 1, .form = bf16}},     /* K and V of a row */
        {&state_layer, {.block_tokens = 16, .max_tokens = 1, .form = bf16}},
        {&wide, {.block_tokens = UINT64_MAX, .max_tokens = 1, .form = fp8}},
    };
    (void)state;
    three.head_dim_v = UINT32_MAX;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_vllm_cache cache;
        assert_int_equal(zv_cache_vllm(&cache, rows[i].layer, 1, &rows[i].request, NULL),
                         ZV_E_OVERFLOW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_blocks),       cmocka_unit_test(blocks_of_a_request),
        cmocka_unit_test(hybrids_raise_the_block), cmocka_unit_test(printed_tokens),
        cmocka_unit_test(what_passes_2_64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
