/* The published vectors of SipHash-2-4 with 128 bits: key 00 01 .. 0f, input 00 01 .. */
#include "support/test.h"
#include "zirve/kv.h"

static const struct zv_kv_key seed = {UINT64_C(0x0706050403020100), UINT64_C(0x0F0E0D0C0B0A0908)};

static void is_the_published_function(void **state)
{
    static const struct {
        size_t size;
        struct zv_kv_key expected;
    } rows[] = {
        {0, {UINT64_C(0xE6A825BA047F81A3), UINT64_C(0x930255C71472F66D)}},
        {1, {UINT64_C(0x44AF996BD8C187DA), UINT64_C(0x45FC229B11597634)}},
    };
    unsigned char bytes[64];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)i;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_kv_key key = zv_kv_key_of_bytes(bytes, rows[i].size, seed);
        assert_true(key.low == rows[i].expected.low && key.high == rows[i].expected.high);
    }
}

static bool same(struct zv_kv_key a, struct zv_kv_key b)
{
    return a.low == b.low && a.high == b.high;
}

static void depends_on_everything_it_names(void **state)
{
    const uint32_t tokens[] = {1, 2, 3, 4, 5};
    const uint32_t others[] = {1, 2, 3, 4, 6};
    const struct zv_kv_key none = {0, 0};
    const struct zv_kv_key salt = {1, 0};
    const struct zv_kv_key key = zv_kv_key_next(NULL, tokens, 5, none, seed);
    (void)state;
    assert_true(same(key, zv_kv_key_next(NULL, tokens, 5, none, seed)));
    assert_false(same(key, zv_kv_key_next(NULL, others, 5, none, seed)));
    assert_false(same(key, zv_kv_key_next(NULL, tokens, 4, none, seed)));
    assert_false(same(key, zv_kv_key_next(&none, tokens, 5, none, seed)));
    assert_false(same(key, zv_kv_key_next(&key, tokens, 5, none, seed)));
    assert_false(same(key, zv_kv_key_next(NULL, tokens, 5, salt, seed)));
    assert_false(same(key, zv_kv_key_next(NULL, tokens, 5, none, salt)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_published_function),
        cmocka_unit_test(depends_on_everything_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
