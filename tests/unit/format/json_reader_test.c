#include "format/json_reader.h"

#include <string.h>

#include "support/fail_memory.h"
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
static void letters(const char *text, size_t step, bool nonfinite, char out[static 64])
{
    struct drip drip = {.text = text, .left = strlen(text), .step = step};
    struct zv_json_reader reader;
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 1 << 20), ZV_OK);
    reader.allow_nonfinite = nonfinite;
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
            letters(rows[i].text, step, false, got);
            assert_string_equal(got, rows[i].want);
        }
    }
}

static void test_nonfinite(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *strict;
        const char *python;
    } rows[] = {
        {"[NaN,Infinity,-Infinity,-1]", "[!", "[nnnn]."},
        {"-Infinity", "!", "n."},
        {"[-Inf]", "[!", "[!"},
        {"[Nan]", "[!", "[!"},
        {"[-]", "[!", "[!"},
        {"-", "!", "!"},
        {"[-0,+Infinity]", "[n!", "[n!"},
        {"{\"a\":NaN}", "{k!", "{kn}."},
        {"{NaN:1}", "{!", "{!"},
        {"NaNa", "!", "n!"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t step = 1; step < 12; step++) {
            char got[64];
            letters(rows[i].text, step, false, got);
            assert_string_equal(got, rows[i].strict);
            letters(rows[i].text, step, true, got);
            assert_string_equal(got, rows[i].python);
        }
    }
}

/* Strings and numbers of all lengths around the window and the eight bytes of a step. */
static void test_lengths(void **state)
{
    (void)state;
    for (size_t length = 0; length < 70; length++) {
        for (size_t step = 1; step < 20; step++) {
            char text[160];
            size_t at = 0;
            text[at++] = '[';
            text[at++] = '"';
            memset(text + at, 'a', length);
            at += length;
            memcpy(text + at, "\\\"\xc3\xa9\" , ", 9);
            at += 7 + 1;
            memset(text + at, '7', length + 1);
            at += length + 1;
            text[at++] = ']';
            struct drip drip = {.text = text, .left = at, .step = step};
            struct zv_json_reader reader;
            assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 1 << 20), ZV_OK);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_ARRAY_BEGIN);
            assert_int_equal(reader.offset, 0);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_STRING);
            assert_int_equal(reader.offset, 1);
            assert_int_equal(reader.length, length + 4);
            assert_memory_equal(reader.text, text + 2, length + 4);
            assert_true(reader.has_escape);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_NUMBER);
            assert_int_equal(reader.offset, length + 10);
            assert_int_equal(reader.length, length + 1);
            assert_memory_equal(reader.text, text + length + 10, length + 1);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_ARRAY_END);
            assert_int_equal(reader.offset, at - 1);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_END);
            zv_json_close(&reader);
        }
    }
}

/* Every byte value at every place of a string: only some need a second look. */
static void test_bytes(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < 18; place++) {
            char text[] = "\"aaaaaaaaaaaaaaaaaa\"";
            text[1 + place] = (char)byte;
            struct drip drip = {.text = text, .left = sizeof text - 1, .step = 64};
            struct zv_json_reader reader;
            assert_int_equal(zv_json_open(&reader, drip_read, &drip, 64, 64), ZV_OK);
            const enum zv_json_token want =
                byte < 0x20 || byte >= 0x80 || byte == '\\' ? ZV_JSON_ERROR : ZV_JSON_STRING;
            assert_int_equal(zv_json_next(&reader), want);
            if (want == ZV_JSON_STRING) {
                assert_int_equal(reader.length, byte == '"' ? place : 18);
            }
            zv_json_close(&reader);
        }
    }
}

static ptrdiff_t broken_read(void *source, unsigned char *to, size_t size)
{
    (void)source;
    (void)to;
    (void)size;
    return -1;
}

static void test_refusals(void **state)
{
    (void)state;
    struct zv_json_reader reader;
    struct drip drip = {
        .text = "\"0123456789012345678901234567890123456789\"", .left = 42, .step = 5};
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 32), ZV_OK);
    assert_int_equal(zv_json_next(&reader), ZV_JSON_ERROR);
    assert_int_equal(reader.err.status, ZV_E_LIMIT);
    assert_int_equal(zv_json_next(&reader), ZV_JSON_ERROR); /* stays */
    zv_json_close(&reader);
    assert_int_equal(zv_json_open(&reader, broken_read, NULL, 16, 32), ZV_OK);
    assert_int_equal(zv_json_next(&reader), ZV_JSON_ERROR);
    assert_int_equal(reader.err.status, ZV_E_IO);
    zv_json_close(&reader);
    fail_memory_start(1);
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 32), ZV_E_NOMEM);
    zv_json_close(&reader);
    fail_memory_start(2);
    drip = (struct drip){.text = "\"0123456789012345678\"", .left = 21, .step = 5};
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 32), ZV_OK);
    assert_int_equal(zv_json_next(&reader), ZV_JSON_ERROR);
    assert_int_equal(reader.err.status, ZV_E_NOMEM);
    zv_json_close(&reader);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

/* How a text ends, token by token or with everything from a depth on skipped. */
static struct zv_error end_of(const char *text, size_t length, size_t step, int skip_below)
{
    struct drip drip = {.text = text, .left = length, .step = step};
    struct zv_json_reader reader;
    enum zv_json_token token;
    assert_int_equal(zv_json_open(&reader, drip_read, &drip, 16, 1 << 20), ZV_OK);
    do {
        token = zv_json_next(&reader);
        if (skip_below != 0 && token != ZV_JSON_ERROR && reader.depth >= skip_below &&
            !zv_json_skip(&reader, skip_below - 1)) {
            break;
        }
    } while (token != ZV_JSON_END && token != ZV_JSON_ERROR);
    const struct zv_error err = reader.err;
    zv_json_close(&reader);
    return err;
}

static void check_skip(const char *text, size_t length)
{
    static const size_t steps[] = {1000, 7, 1};
    const struct zv_error want = end_of(text, length, 1000, 0);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (int below = 1; below <= 3; below++) {
            const struct zv_error got = end_of(text, length, steps[i], below);
            if (got.status != want.status || got.offset != want.offset ||
                strcmp(got.text, want.text) != 0) {
                fail_msg("below %d, step %zu: %s at %d, not %s at %d: %.*s", below, steps[i],
                         got.text, (int)got.offset, want.text, (int)want.offset, (int)length, text);
            }
        }
    }
}

/* Skipping refuses what reading refuses, at the same byte: every prefix, every byte changed. */
static void test_skip(void **state)
{
    (void)state;
    static const char sample[] =
        "{\"a\": [1, -2.5e+3, 0, \"x\\u00e9\\n\", \"\xc3\xa9\"],\n\t\"bcdefghijklmnopqrstuv\": "
        "{\"c\" : "
        "{}, \"d\":[ ]  ,\"e\":[[],{\"f\":null}]},\"g\":true,\r\n     \"h\":false, \"i\": 10}";
    static const unsigned char others[] = {0,   1,   ' ', '"', '\\', ',', ':', '{',  '}',
                                           '[', ']', '0', '-', 'e',  't', 'z', 0x80, 0xc3};
    char text[sizeof sample];
    check_skip(sample, sizeof sample - 1);
    for (size_t length = 0; length < sizeof sample; length++) {
        check_skip(sample, length);
    }
    for (size_t at = 0; at + 1 < sizeof sample; at++) {
        for (size_t i = 0; i < sizeof others; i++) {
            memcpy(text, sample, sizeof sample);
            text[at] = (char)others[i];
            check_skip(text, sizeof sample - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_nonfinite),
        cmocka_unit_test(test_lengths),  cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_skip),
    };
    return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
