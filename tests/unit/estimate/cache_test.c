/* Cells, states, llama.cpp's and SGLang's caches, against figures worked out by hand or printed by
 * the runtimes; every product that can pass 2^64 does so here once. */
#include "estimate/cache.h"

#include "support/test.h"

enum { MAX_LAYERS = 64 };
#define HUGE_COUNT UINT32_MAX

static const struct zv_cache_form half = {
    .k = ZV_DTYPE_F16,
    .v = ZV_DTYPE_F16,
    .conv_state = ZV_DTYPE_F32,
    .scan_state = ZV_DTYPE_F32,
    .mla = ZV_MLA_LATENT,
};

static const struct zv_layer llama = {
    .attention = ZV_ATTENTION_HEADS,
    .heads = 32,
    .kv_heads = 8,
    .head_dim_k = 128,
    .head_dim_v = 128,
};
static const struct zv_layer deepseek = {
    .attention = ZV_ATTENTION_LATENT,
    .heads = 128,
    .kv_heads = 128,
    .head_dim_k = 192,
    .head_dim_v = 128,
    .latent_rank = 512,
    .rope_dim = 64,
    .index_dim = 128,
};
static const struct zv_layer mamba1 = {
    .state = ZV_STATE_MAMBA1, .d_conv = 4, .d_inner = 5120, .d_state = 16};
static const struct zv_layer mamba2 = {
    .state = ZV_STATE_MAMBA2, .d_conv = 4, .d_inner = 5120, .d_state = 128, .state_groups = 1};
static const struct zv_layer delta = {.state = ZV_STATE_DELTA,
                                      .d_conv = 4,
                                      .key_heads = 16,
                                      .key_head_dim = 128,
                                      .state_heads = 32,
                                      .state_head_dim = 128};

static void cells(void **state)
{
    const enum zv_dtype q8_0 = zv_dtype_parse(zv_slice_of("q8_0"));
    const enum zv_dtype q4_0 = zv_dtype_parse(zv_slice_of("q4_0"));
    const struct {
        const struct zv_layer *layer;
        struct zv_cache_form form;
        struct zv_cache_cell cell;
    } rows[] = {
        {&llama, half, {.k = 2048, .v = 2048}},
        {&llama, {.k = q8_0, .v = q4_0}, {.k = 1088, .v = 576}},
        {&llama, {.k = ZV_DTYPE_F16, .v = ZV_DTYPE_F16, .tp = 4}, {.k = 512, .v = 512}},
        /* beyond the KV heads they are replicated: one each */
        {&llama, {.k = ZV_DTYPE_F16, .v = ZV_DTYPE_F16, .tp = 16}, {.k = 256, .v = 256}},
        {&deepseek, half, {.k = 1152, .index = 256}},
        {&deepseek,
         {.k = ZV_DTYPE_F16, .v = ZV_DTYPE_F16, .mla = ZV_MLA_LATENT_AND_COPY},
         {.k = 1152, .v = 1024, .index = 256}},
        {&deepseek,
         {.k = ZV_DTYPE_F16, .v = ZV_DTYPE_F16, .mla = ZV_MLA_PER_HEAD},
         {.k = 49152, .v = 32768}},
        {&deepseek,
         {.k = ZV_DTYPE_F16,
          .mla = ZV_MLA_LATENT,
          .latent_token_bytes = 656,
          .index_token_bytes = 132},
         {.k = 656, .index = 132}},
        {&mamba1, half, {.conv = 3 * 5120 * 4, .scan = 16 * 5120 * 4}},
        {&mamba2, half, {.conv = 3 * (5120 + 2 * 128) * 4, .scan = 128 * 5120 * 4}},
        {&delta, half, {.conv = 3 * (2 * 2048 + 4096) * 4, .scan = 32 * 128 * 128 * 4}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_cache_cell cell;
        assert_int_equal(zv_cache_cell_of(&cell, rows[i].layer, &rows[i].form, NULL), ZV_OK);
        assert_int_equal(cell.k, rows[i].cell.k);
        assert_int_equal(cell.v, rows[i].cell.v);
        assert_int_equal(cell.index, rows[i].cell.index);
        assert_int_equal(cell.conv, rows[i].cell.conv);
        assert_int_equal(cell.scan, rows[i].cell.scan);
    }
}

static void cells_that_pass_2_64(void **state)
{
    const struct zv_layer rows[] = {
        {.attention = ZV_ATTENTION_HEADS,
         .heads = 1,
         .kv_heads = HUGE_COUNT,
         .head_dim_k = HUGE_COUNT,
         .head_dim_v = 1},
        {.state = ZV_STATE_MAMBA1, .d_conv = HUGE_COUNT, .d_inner = HUGE_COUNT, .d_state = 1},
        {.state = ZV_STATE_MAMBA2, .d_conv = 2, .state_groups = HUGE_COUNT, .d_state = HUGE_COUNT},
        {.state = ZV_STATE_MAMBA2,
         .d_conv = HUGE_COUNT,
         .d_inner = HUGE_COUNT,
         .state_groups = HUGE_COUNT},
        {.state = ZV_STATE_DELTA, .d_conv = 2, .key_heads = HUGE_COUNT, .key_head_dim = HUGE_COUNT},
        {.state = ZV_STATE_DELTA,
         .state_heads = HUGE_COUNT,
         .key_head_dim = HUGE_COUNT,
         .state_head_dim = HUGE_COUNT},
        {.state = ZV_STATE_DELTA,
         .d_conv = HUGE_COUNT,
         .state_heads = 1 << 20,
         .state_head_dim = 1 << 20},
        {.state = ZV_STATE_CONV, .d_conv = HUGE_COUNT, .d_inner = HUGE_COUNT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_cache_cell cell;
        assert_int_equal(zv_cache_cell_of(&cell, &rows[i], &half, NULL), ZV_E_OVERFLOW);
    }
}

static void rows_of_no_whole_blocks_are_refused(void **state)
{
    const struct zv_layer narrow = {.attention = ZV_ATTENTION_HEADS,
                                    .heads = 1,
                                    .kv_heads = 1,
                                    .head_dim_k = 80,
                                    .head_dim_v = 80};
    const struct zv_cache_form form = {.k = zv_dtype_parse(zv_slice_of("q8_0"))};
    struct zv_cache_cell cell;
    (void)state;
    assert_int_equal(zv_cache_cell_of(&cell, &narrow, &form, NULL), ZV_E_UNSUPPORTED);
}

/* full: plain layers; sliding: layers with the window, after them. */
static size_t stack(struct zv_layer layers[MAX_LAYERS], const struct zv_layer *one, size_t full,
                    size_t sliding, uint64_t window)
{
    for (size_t i = 0; i < full + sliding; i++) {
        layers[i] = *one;
        layers[i].window = i < full ? 0 : window;
    }
    return full + sliding;
}

static void llamacpp_caches(void **state)
{
    const struct zv_layer gemma = {.attention = ZV_ATTENTION_HEADS,
                                   .heads = 8,
                                   .kv_heads = 4,
                                   .head_dim_k = 256,
                                   .head_dim_v = 256};
    const struct {
        const struct zv_layer *layer;
        size_t full, sliding;
        struct zv_llamacpp_request request;
        uint64_t cells, swa_cells, bytes, swa_bytes, states;
    } rows[] = {
        /* 32 layers, 8 heads of 128, f16, 8192 tokens: 1 GiB */
        {&llama,
         32,
         0,
         {.n_ctx = 8192, .n_seq = 1, .multiple = 256},
         8192,
         0,
         UINT64_C(1) << 30,
         0,
         0},
        {&llama, 1, 0, {.n_ctx = 1000, .n_seq = 1, .multiple = 256}, 1024, 0, 1024 * 4096, 0, 0},
        {&llama, 1, 0, {.n_ctx = 1000, .n_seq = 1, .multiple = 0}, 1000, 0, 1000 * 4096, 0, 0},
        /* one stream a sequence, each padded; without padding rounded down */
        {&llama, 1, 0, {.n_ctx = 8193, .n_seq = 4, .multiple = 256}, 9216, 0, 9216 * 4096, 0, 0},
        {&llama, 1, 0, {.n_ctx = 8193, .n_seq = 4, .multiple = 1}, 8192, 0, 8192 * 4096, 0, 0},
        {&llama,
         1,
         0,
         {.n_ctx = 8196, .n_seq = 4, .multiple = 256},
         4 * 2304,
         0,
         4 * 2304 * 4096,
         0,
         0},
        /* gemma 2: 13 sliding layers of window 4096 and a micro-batch of 512: 4608 cells */
        {&gemma,
         13,
         13,
         {.n_ctx = 32768, .n_seq = 1, .n_ubatch = 512, .iswa = true, .multiple = 256},
         32768,
         4608,
         UINT64_C(13) * 32768 * 4096,
         UINT64_C(13) * 4608 * 4096,
         0},
        {&gemma,
         0,
         13,
         {.n_ctx = 32768,
          .n_seq = 1,
          .n_ubatch = 512,
          .iswa = true,
          .swa_full = true,
          .multiple = 256},
         32768,
         32768,
         0,
         UINT64_C(13) * 32768 * 4096,
         0},
        /* unified: the windows of all sequences in one stream */
        {&gemma,
         0,
         1,
         {.n_ctx = 32768,
          .n_seq = 4,
          .n_ubatch = 512,
          .iswa = true,
          .unified = true,
          .multiple = 256},
         32768,
         16896,
         0,
         UINT64_C(16896) * 4096,
         0},
        /* no iSWA: everything is kept */
        {&gemma, 0, 1, {.n_ctx = 8192, .n_seq = 1, .multiple = 256}, 8192, 0, 8192 * 4096, 0, 0},
        /* DeepSeek: 576 values of 2 B, and the indexer's key, in 61 layers */
        {&deepseek,
         61,
         0,
         {.n_ctx = 16384, .n_seq = 1, .multiple = 256},
         16384,
         0,
         UINT64_C(61) * 16384 * (1152 + 256),
         0,
         0},
        {&mamba1,
         64,
         0,
         {.n_ctx = 256, .n_seq = 2, .multiple = 256},
         512,
         0,
         0,
         0,
         UINT64_C(64) * 2 * 19 * 5120 * 4},
        /* two snapshots beside the current state */
        {&mamba1,
         1,
         0,
         {.n_ctx = 256, .n_seq = 1, .n_rs_seq = 2, .multiple = 256},
         256,
         0,
         0,
         0,
         UINT64_C(3) * 19 * 5120 * 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_layer layers[MAX_LAYERS];
        struct zv_llamacpp_request request = rows[i].request;
        struct zv_llamacpp_cache cache;
        const size_t count = stack(layers, rows[i].layer, rows[i].full, rows[i].sliding, 4096);
        request.form = half;
        assert_int_equal(zv_cache_llamacpp(&cache, layers, count, &request, NULL), ZV_OK);
        assert_int_equal(cache.cells, rows[i].cells);
        assert_int_equal(cache.swa_cells, rows[i].swa_cells);
        assert_int_equal(cache.k + cache.v, rows[i].bytes);
        assert_int_equal(cache.swa_k + cache.swa_v, rows[i].swa_bytes);
        assert_int_equal(cache.conv + cache.scan, rows[i].states);
    }
}

static void llamacpp_caches_that_pass_2_64(void **state)
{
    const struct {
        const struct zv_layer *layer;
        uint64_t window;
        struct zv_llamacpp_request request;
    } rows[] = {
        {&llama, 0, {.n_ctx = UINT64_MAX, .n_seq = 1, .multiple = 256}},
        {&llama, 0, {.n_ctx = UINT64_MAX / 2, .n_seq = 1, .multiple = 256}},
        {&mamba1, 0, {.n_ctx = 4096, .n_seq = UINT64_MAX, .multiple = 256}},
        {&mamba1, 0, {.n_ctx = 1, .n_seq = 1, .n_rs_seq = UINT64_MAX, .multiple = 1}},
        {&mamba1, 0, {.n_ctx = 1, .n_seq = 2, .n_rs_seq = UINT64_MAX / 2 + 1, .multiple = 1}},
        {&mamba1, 0, {.n_ctx = 1, .n_seq = 1, .n_rs_seq = UINT64_MAX / 8, .multiple = 1}},
        {&llama,
         UINT64_MAX,
         {.n_ctx = 8192, .n_seq = 2, .unified = true, .iswa = true, .multiple = 256}},
        {&llama,
         UINT64_MAX,
         {.n_ctx = 8192, .n_seq = 1, .n_ubatch = 512, .iswa = true, .multiple = 256}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_layer layer = *rows[i].layer;
        struct zv_llamacpp_request request = rows[i].request;
        struct zv_llamacpp_cache cache;
        layer.window = rows[i].window;
        request.form = half;
        assert_int_equal(zv_cache_llamacpp(&cache, &layer, 1, &request, NULL), ZV_E_OVERFLOW);
    }
}

static void sglang_pools(void **state)
{
    struct zv_layer layers[MAX_LAYERS];
    const struct zv_cache_form packed = {.k = ZV_DTYPE_F8_E4M3,
                                         .mla = ZV_MLA_LATENT,
                                         .latent_token_bytes = 656,
                                         .index_token_bytes = 132};
    struct zv_sglang_cache cache;
    (void)state;
    size_t count = stack(layers, &llama, 32, 0, 0);
    assert_int_equal(
        zv_cache_sglang(&cache, layers, count, &(struct zv_sglang_request){100000, 1, half}, NULL),
        ZV_OK);
    assert_int_equal(cache.slots, 100001);
    assert_int_equal(cache.k, UINT64_C(100001) * 32 * 2048);
    assert_int_equal(cache.v, cache.k);
    count = stack(layers, &deepseek, 61, 0, 0);
    assert_int_equal(
        zv_cache_sglang(&cache, layers, count, &(struct zv_sglang_request){64, 64, packed}, NULL),
        ZV_OK);
    assert_int_equal(cache.k, UINT64_C(128) * 61 * 656);
    assert_int_equal(cache.index, UINT64_C(128) * 61 * 132);
    assert_int_equal(
        zv_cache_sglang(&cache, layers, 1, &(struct zv_sglang_request){UINT64_MAX, 1, half}, NULL),
        ZV_E_OVERFLOW);
    assert_int_equal(zv_cache_sglang(&cache, layers, 1,
                                     &(struct zv_sglang_request){UINT64_MAX / 4, 1, half}, NULL),
                     ZV_E_OVERFLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells),
        cmocka_unit_test(cells_that_pass_2_64),
        cmocka_unit_test(rows_of_no_whole_blocks_are_refused),
        cmocka_unit_test(llamacpp_caches),
        cmocka_unit_test(llamacpp_caches_that_pass_2_64),
        cmocka_unit_test(sglang_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
