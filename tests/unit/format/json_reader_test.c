#include "format/json_reader.h"

#include <string.h>

#include "support/test.h"

struct drip {
    const char *text;
    size_t left;
    size_t step;
};

static ptrdiff_t drip_read(void *source, unsigned char *to, size_t size)
{
    struct drip *const drip = source;
    size_t count = drip->left < drip->step ? drip->left : drip->step;
    count = count < size ? count : size;
    memcpy(to, drip->text, count);
    drip->text += count;
    drip->left -= count;
    return (ptrdiff_t)count;
}

/* Writes the tokens as one letter each; '!' marks an error. */
static void letters(const char *text, size_t step, char out[static 64])
{
    struct drip drip = {.text = text, .left = strlen(text), .step = step};
    struct zv_json_reader reader;
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 1 << 20), ZV_OK);
    size_t n = 0;
    while (n < 62) {
        const enum zv_json_token token = zv_json_next(&reader);
        out[n++] = ".!{}[]ksntf0"[token];
        if (token == ZV_JSON_END || token == ZV_JSON_ERROR) {
            break;
        }
    }
    out[n] = 0;
    zv_json_close(&reader);
}

static void test_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"{}", "{}."},
        {"[1, 2.5e3,\"a\\\"b\" ,true,false,null]", "[nnstf0]."},
        {"{\"a\" : {\"b\":[]}}", "{k{k[]}}."},
        {"[1 2]", "[n!"},
        {"[1,]", "[n!"},
        {"{\"a\":}", "{k!"},
        {"{\"a\"}", "{!"},
        {"[", "[!"},
        {"", "!"},
        {"\"\n\"", "!"},
        {"1 2", "n!"},
        {"]", "!"},
        {"[}", "[!"},
        {"[01]", "[!"},
        {"[1.]", "[!"},
        {"[-]", "[!"},
        {"[+1]", "[!"},
        {"[-0.5E+2]", "[n]."},
        {"[\"\\x\"]", "[!"},
        {"[\"\\u00e9\"]", "[s]."},
        {"[\"\xc3\xa9\"]", "[s]."},
        {"[\"\xc0\x80\"]", "[!"},
        {"[\"\xed\xa0\x80\"]", "[!"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t step = 1; step < 8; step++) {
            char got[64];
            letters(rows[i].text, step, got);
            assert_string_equal(got, rows[i].want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
