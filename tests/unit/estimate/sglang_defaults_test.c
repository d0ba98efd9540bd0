#include "estimate/sglang_defaults.h"

#include "support/test.h"

static struct zv_sglang_defaults defaults_of(enum zv_fraction_form form, uint64_t card_mib,
                                             uint64_t tp)
{
    const struct zv_sglang_plan plan = {.card_mib = card_mib, .tp = tp, .pp = 1, .dp = 1};
    return zv_sglang_defaults_of(form, &plan);
}

/* The first two are what servers logged: H100 (81559 MiB) 0.835, H200 (143771 MiB) 0.907. */
static void fraction_follows_chunk_and_graphs(void **state)
{
    (void)state;
    static const struct {
        uint64_t card_mib, tp, chunk, graphs, fraction;
    } cases[] = {
        {81559, 1, 8192, 256, 835000},   {143771, 1, 8192, 256, 907000},
        {81559, 4, 8192, 512, 824000},   {24564, 1, 2048, 24, 847000},
        {16376, 1, 2048, 8, 772000},     {46068, 2, 4096, 32, 849000},
        {183359, 8, 16384, 512, 852000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct zv_sglang_defaults got =
            defaults_of(ZV_FRACTION_BY_SIZES, cases[i].card_mib, cases[i].tp);
        assert_int_equal(got.chunk_tokens, cases[i].chunk);
        assert_int_equal(got.graph_batch, cases[i].graphs);
        assert_int_equal(got.fraction, cases[i].fraction);
    }
}

static void a_given_chunk_changes_what_is_kept_free(void **state)
{
    (void)state;
    struct zv_sglang_plan plan = {
        .card_mib = 81559, .tp = 1, .pp = 1, .dp = 1, .chunk_tokens = 2048};
    struct zv_sglang_defaults got = zv_sglang_defaults_of(ZV_FRACTION_BY_SIZES, &plan);
    assert_int_equal(got.chunk_tokens, 2048);
    assert_int_equal(got.fraction, 874000); /* 10 GiB, the least on cards above 60 GiB */
    plan.chunk_tokens = 65536;
    got = zv_sglang_defaults_of(ZV_FRACTION_BY_SIZES, &plan);
    assert_int_equal(got.fraction, 0); /* more kept free than there is */
}

static void attention_by_data_keeps_more_free(void **state)
{
    (void)state;
    const struct zv_sglang_plan plan = {
        .card_mib = 143771, .tp = 8, .pp = 1, .dp = 8, .dp_attention = true};
    const struct zv_sglang_defaults got = zv_sglang_defaults_of(ZV_FRACTION_BY_SIZES, &plan);
    assert_int_equal(got.graph_batch, 512);
    assert_int_equal(got.fraction, 769000); /* 33280 MiB kept free */
}

static void older_forms(void **state)
{
    (void)state;
    assert_int_equal(defaults_of(ZV_FRACTION_BY_CARD, 81559, 1).fraction, 874000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_CARD, 24564, 1).fraction, 879000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_CARD, 24564, 1).chunk_tokens, 2048);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_CARD, 143771, 8).fraction, 886000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_CARD, 183359, 8).fraction, 821000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_TP, 81559, 1).fraction, 880000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_TP, 81559, 2).fraction, 870000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_TP, 0, 16).fraction, 790000);
    assert_int_equal(defaults_of(ZV_FRACTION_BY_TP, 24564, 1).chunk_tokens, 2048);
}

static void a_card_that_is_not_known(void **state)
{
    (void)state;
    const struct zv_sglang_defaults got = defaults_of(ZV_FRACTION_BY_SIZES, 0, 1);
    assert_int_equal(got.chunk_tokens, 4096);
    assert_int_equal(got.fraction, 880000);
}

static void absurd_sizes_are_cut(void **state)
{
    (void)state;
    const struct zv_sglang_plan plan = {.card_mib = UINT64_MAX,
                                        .tp = UINT64_MAX,
                                        .pp = UINT64_MAX,
                                        .dp = UINT64_MAX,
                                        .dp_attention = true,
                                        .chunk_tokens = UINT64_MAX};
    assert_true(zv_sglang_defaults_of(ZV_FRACTION_BY_CARD, &plan).fraction <= 1000000);
    assert_true(zv_sglang_defaults_of(ZV_FRACTION_BY_SIZES, &plan).fraction <= 1000000);
    assert_true(zv_sglang_defaults_of(ZV_FRACTION_BY_TP, &plan).fraction <= 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fraction_follows_chunk_and_graphs),
        cmocka_unit_test(a_given_chunk_changes_what_is_kept_free),
        cmocka_unit_test(attention_by_data_keeps_more_free),
        cmocka_unit_test(older_forms),
        cmocka_unit_test(a_card_that_is_not_known),
        cmocka_unit_test(absurd_sizes_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
