/* Figures by hand: the mission's own, rounding of bits, and what passes 2^64. */
#include "estimate/estimate.h"
#include "support/test.h"

static void weights(void **state)
{
    static const struct {
        uint64_t parameters, bits, bytes;
        enum zv_status status;
    } rows[] = {
        {7000000000, 16, 14000000000, ZV_OK},
        {7000000000, 8, 7000000000, ZV_OK},
        {7000000000, 4, 3500000000, ZV_OK},
        {1, 1, 1, ZV_OK},
        {9, 3, 4, ZV_OK}, /* 27 bits */
        {0, 16, 0, ZV_OK},
        {UINT64_MAX, 8, UINT64_MAX, ZV_OK},
        {UINT64_MAX, 9, 0, ZV_E_OVERFLOW},
        {7, UINT64_MAX, 0, ZV_E_OVERFLOW},
        {8, UINT64_MAX, UINT64_MAX, ZV_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_numbers numbers = {.parameters = rows[i].parameters, .bits = rows[i].bits};
        uint64_t bytes = 0;
        assert_int_equal(zv_numbers_weights(&numbers, &bytes, NULL), rows[i].status);
        assert_int_equal(bytes, rows[i].bytes);
    }
}

static void caches(void **state)
{
    static const struct {
        struct zv_numbers numbers;
        uint64_t bytes;
        enum zv_status status;
    } rows[] = {
        {{.layers = 32,
          .kv_heads = 8,
          .head_dim = 128,
          .context_tokens = 8192,
          .kv_bits = 16,
          .sequences = 1},
         UINT64_C(1) << 30,
         ZV_OK},
        {{.layers = 32,
          .kv_heads = 8,
          .head_dim = 128,
          .context_tokens = 8192,
          .kv_bits = 16,
          .sequences = 4},
         UINT64_C(4) << 30,
         ZV_OK},
        {{.layers = 1,
          .kv_heads = 1,
          .head_dim = 1,
          .context_tokens = 1,
          .kv_bits = 3,
          .sequences = 1},
         1,
         ZV_OK},
        {{.layers = UINT64_MAX,
          .kv_heads = 1,
          .head_dim = 1,
          .context_tokens = 1,
          .kv_bits = 1,
          .sequences = 1},
         0,
         ZV_E_OVERFLOW},
        {{.layers = 1,
          .kv_heads = UINT64_MAX,
          .head_dim = 1,
          .context_tokens = 1,
          .kv_bits = 1,
          .sequences = 1},
         0,
         ZV_E_OVERFLOW},
        {{.layers = 1,
          .kv_heads = 1,
          .head_dim = 1 << 20,
          .context_tokens = UINT64_C(1) << 44,
          .kv_bits = 1,
          .sequences = 1},
         0,
         ZV_E_OVERFLOW},
        {{.layers = 1,
          .kv_heads = 1,
          .head_dim = 1,
          .context_tokens = 1,
          .kv_bits = 16,
          .sequences = UINT64_MAX / 2},
         0,
         ZV_E_OVERFLOW},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes = 0;
        assert_int_equal(zv_numbers_cache(&rows[i].numbers, &bytes, NULL), rows[i].status);
        assert_int_equal(bytes, rows[i].bytes);
    }
}

/* Below 8 bits nothing says how a format is really stored: the figure is an assumption. */
static void few_bits_are_assumed(void **state)
{
    (void)state;
    for (uint64_t bits = 4; bits <= 8; bits += 4) {
        struct zv_arena arena = {0};
        struct zv_ledger ledger = {.arena = &arena};
        const struct zv_numbers numbers = {.parameters = 1000, .bits = bits, .reserve_bytes = 77};
        struct zv_total total;
        assert_int_equal(zv_numbers_ledger(&numbers, &ledger, NULL), ZV_OK);
        assert_int_equal(zv_ledger_total(&ledger, 0, &total, NULL), ZV_OK);
        assert_int_equal(total.expected, 1000 * bits / 8 + 77);
        assert_int_equal(total.at_least, bits < 8 ? 0 : 1000);
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights),
        cmocka_unit_test(caches),
        cmocka_unit_test(few_bits_are_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
