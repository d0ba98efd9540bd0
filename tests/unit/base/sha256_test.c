#include "base/sha256.h"

#include "support/test.h"

/* The examples of FIPS 180-4. */
static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hash;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char hash[ZV_SHA256_TEXT];
        assert_int_equal(zv_sha256(hash, zv_slice_of(rows[i].text), NULL), ZV_OK);
        assert_string_equal(hash, rows[i].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
