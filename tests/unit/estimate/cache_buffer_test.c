#include "estimate/cache_buffer.h"

#include "model/dtype.h"
#include "support/test.h"

enum { LAYERS = 3 };

static uint64_t extra_of(enum zv_buffer_kind kind, const struct zv_layer *layer, enum zv_dtype k,
                         enum zv_mla_form mla)
{
    const struct zv_layer layers[LAYERS] = {*layer, *layer, *layer};
    const struct zv_cache_form form = {.k = k, .v = k, .mla = mla};
    uint64_t bytes = UINT64_MAX;
    assert_int_equal(zv_cache_buffer_extra(&bytes, kind, layers, LAYERS, &form, NULL), ZV_OK);
    return bytes;
}

static const struct zv_layer heads = {
    .attention = ZV_ATTENTION_HEADS, .heads = 64, .kv_heads = 4, .head_dim_k = 128};
static const struct zv_layer latent = {.attention = ZV_ATTENTION_LATENT,
                                       .heads = 128,
                                       .kv_heads = 128,
                                       .head_dim_k = 192,
                                       .latent_rank = 512,
                                       .rope_dim = 64};

/* 384 values of q8_0 are 408 bytes, 448 are 476, 320 are 340: each in whole 128. */
static void quantised_rows_are_padded_on_a_card(void **state)
{
    (void)state;
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &heads, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT),
        LAYERS * 512);
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &latent, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT),
        LAYERS * 512);
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &latent, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_PER_HEAD),
        LAYERS * 384);
    assert_int_equal(extra_of(ZV_BUFFER_CUDA, &heads, ZV_DTYPE_F16, ZV_MLA_LATENT), 0);
}

static void nothing_to_pad(void **state)
{
    (void)state;
    struct zv_layer layer = heads;
    layer.head_dim_k = 512;
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &layer, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT), 0);
    layer = heads;
    layer.shares_cache = true;
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &layer, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT), 0);
    layer = heads;
    layer.attention = ZV_ATTENTION_NONE;
    assert_int_equal(
        extra_of(ZV_BUFFER_CUDA, &layer, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT), 0);
}

static void host_buffers_align_their_start(void **state)
{
    (void)state;
    assert_int_equal(
        extra_of(ZV_BUFFER_HOST, &heads, zv_dtype_parse(zv_slice_of("q8_0")), ZV_MLA_LATENT), 32);
    assert_int_equal(extra_of(ZV_BUFFER_HOST, &heads, ZV_DTYPE_F16, ZV_MLA_LATENT), 32);
}

static void types_without_a_size(void **state)
{
    (void)state;
    const struct zv_cache_form form = {.k = ZV_DTYPE_UNKNOWN, .v = ZV_DTYPE_F16};
    uint64_t bytes;
    assert_int_equal(zv_cache_buffer_extra(&bytes, ZV_BUFFER_CUDA, &heads, 1, &form, NULL),
                     ZV_E_UNSUPPORTED);
    struct zv_layer odd = heads;
    odd.head_dim_k = 100; /* what is missing to 512 is no whole number of blocks */
    const struct zv_cache_form q8 = {.k = zv_dtype_parse(zv_slice_of("q8_0")),
                                     .v = zv_dtype_parse(zv_slice_of("q8_0"))};
    assert_int_equal(zv_cache_buffer_extra(&bytes, ZV_BUFFER_CUDA, &odd, 1, &q8, NULL),
                     ZV_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantised_rows_are_padded_on_a_card),
        cmocka_unit_test(nothing_to_pad),
        cmocka_unit_test(host_buffers_align_their_start),
        cmocka_unit_test(types_without_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
