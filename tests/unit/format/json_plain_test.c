#include "format/json_plain.h"

#include <stdlib.h>
#include <string.h>

#include "format/json_reader.h"
#include "support/test.h"

/* Reads text from memory of exactly its length: how far; 0 when it is left to the reader of JSON.
 */
static size_t read(const char *text, size_t length, size_t *key, size_t *value)
{
    char *const exact = malloc(length + 1);
    struct zv_json_plain pair;
    size_t taken = 0;
    assert_non_null(exact);
    memcpy(exact + 1, text, length);
    if (zv_json_plain_pair(&pair, exact + 1, exact + 1 + length)) {
        taken = (size_t)(pair.end - exact) - 1;
        *key = pair.key.length;
        *value = pair.value.length;
    }
    free(exact);
    return taken;
}

static void test_pairs(void **state)
{
    static const struct {
        const char *text;
        size_t taken, key, value;
    } rows[] = {
        {",\"a\":\"bc\"", 9, 1, 2},
        {",\n    \"model.layers.0.weight\": \"model-00001.safetensors\"\n  }", 56, 21, 23},
        {",\"\":\"\",", 6, 0, 0},
        {"\"a\":\"b\"", 0, 0, 0},
        {",\"a\" :\"b\"", 0, 0, 0},
        {",\"a\":  \"b\"", 0, 0, 0},
        {",\t\"a\":\"b\"", 0, 0, 0},
        {",,\"a\":\"b\"", 0, 0, 0},
        {",\"a\":1", 0, 0, 0},
        {",\"a\\n\":\"b\"", 0, 0, 0},
        {",\"a\":\"\xc3\xa9\"", 0, 0, 0},
        {",\"a\":\"\x1f\"", 0, 0, 0},
        {",\"0123456789abcdef\x7f\":\"b\"", 24, 17, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t key = 0;
        size_t value = 0;
        assert_int_equal(read(rows[i].text, strlen(rows[i].text), &key, &value), rows[i].taken);
        assert_int_equal(key, rows[i].key);
        assert_int_equal(value, rows[i].value);
        for (size_t length = 0; length < rows[i].taken; length++) {
            assert_int_equal(read(rows[i].text, length, &key, &value), 0);
        }
    }
}

/* Behind a jump the reader goes on as if it had read what was jumped over. */
static void test_jump(void **state)
{
    static const char text[] =
        "{\"m\":{\"a\":\"b\",\"c\":\"d\",\"e\":\"f\",\"g\":\"h\",\"i\":\"j\"},\"n\":[1]}";
    (void)state;
    for (size_t window = 16; window < 2 * sizeof text; window += 7) {
        for (size_t jumped = 0; jumped < 5; jumped++) {
            struct zv_slice rest = {text, sizeof text - 1};
            struct zv_json_reader reader;
            assert_int_equal(zv_json_open(&reader, zv_read_slice, &rest, window, 64), ZV_OK);
            for (int i = 0; i < 5; i++) { /* to "b" */
                assert_int_not_equal(zv_json_next(&reader), ZV_JSON_ERROR);
            }
            zv_json_jump(&reader, reader.offset + 3 + 8 * jumped);
            for (size_t i = jumped; i < 4; i++) {
                assert_int_equal(zv_json_next(&reader), ZV_JSON_KEY);
                assert_int_equal(reader.text[0], 'c' + 2 * (int)i);
                assert_int_equal(reader.offset, 14 + 8 * i);
                assert_int_equal(zv_json_next(&reader), ZV_JSON_STRING);
            }
            assert_int_equal(zv_json_next(&reader), ZV_JSON_OBJECT_END);
            assert_int_equal(zv_json_next(&reader), ZV_JSON_KEY);
            assert_int_equal(reader.text[0], 'n');
            assert_true(zv_json_skip(&reader, 0));
            assert_int_equal(zv_json_next(&reader), ZV_JSON_END);
            zv_json_close(&reader);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_jump),
    };
    return cmocka_run_group_tests_name("json_plain", tests, NULL, NULL);
}
