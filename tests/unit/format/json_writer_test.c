#include "format/json_writer.h"

#include <string.h>

#include "base/buffer.h"
#include "support/test.h"

struct output {
    struct zv_buffer buffer;
    struct zv_sink sink;
    struct zv_json_writer json;
};

static void start(struct output *output)
{
    *output = (struct output){.buffer.limit = 1 << 20};
    output->sink = zv_buffer_sink(&output->buffer);
    output->json.sink = &output->sink;
}

static void finish(struct output *output, const char *want)
{
    zv_json_finish(&output->json);
    assert_false(output->sink.failed);
    assert_int_equal(output->sink.written, strlen(want));
    assert_string_equal(output->buffer.data, want);
    zv_buffer_free(&output->buffer);
}

static void test_layout(void **state)
{
    (void)state;
    struct output output;
    start(&output);
    struct zv_json_writer *const json = &output.json;
    zv_json_begin_object(json);
    zv_json_write_key(json, "a");
    zv_json_write_u64(json, UINT64_MAX);
    zv_json_write_key(json, "b");
    zv_json_begin_array(json);
    zv_json_write_i64(json, INT64_MIN);
    zv_json_write_bool(json, true);
    zv_json_write_bool(json, false);
    zv_json_write_null(json);
    zv_json_write_string(json, NULL);
    zv_json_begin_object(json);
    zv_json_end_object(json);
    zv_json_begin_array(json);
    zv_json_end_array(json);
    zv_json_end_array(json);
    zv_json_write_key(json, "c");
    zv_json_write_number(json, zv_slice_of("1.50e3"));
    zv_json_end_object(json);
    finish(&output, "{\n"
                    "  \"a\": 18446744073709551615,\n"
                    "  \"b\": [\n"
                    "    -9223372036854775808,\n"
                    "    true,\n"
                    "    false,\n"
                    "    null,\n"
                    "    null,\n"
                    "    {},\n"
                    "    []\n"
                    "  ],\n"
                    "  \"c\": 1.50e3\n"
                    "}\n");
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *want;
    } rows[] = {
        {"", 0, "\"\"\n"},
        {NULL, 0, "\"\"\n"},
        {"plain /text", 11, "\"plain /text\"\n"},
        {"\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\"\n"},
        {"\x00\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\"\n"},
        {"\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"\n"},
        {"\xc2\x9b\xe2\x80\xae", 5, "\"\\u009b\\u202e\"\n"}, /* controls of a terminal */
        {"a\xff", 2, "\"a\xef\xbf\xbd\"\n"},
        {"\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n"},                 /* cut off */
        {"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n"},                 /* overlong */
        {"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n"}, /* surrogate */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct output output;
        start(&output);
        zv_json_write_slice(&output.json, (struct zv_slice){rows[i].text, rows[i].length});
        finish(&output, rows[i].want);
    }
}

static void test_doubles(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *want;
    } rows[] = {
        {0, "0\n"},          {-0.0, "-0\n"},
        {0.1, "0.1\n"},      {0.1 + 0.2, "0.30000000000000004\n"},
        {1e300, "1e+300\n"}, {4.9406564584124654e-324, "4.94065645841247e-324\n"},
        {4096, "4096\n"},    {2.0 / 3, "0.6666666666666666\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct output output;
        start(&output);
        zv_json_write_double(&output.json, rows[i].value);
        finish(&output, rows[i].want);
    }
}

static void test_full_sink(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 12; limit++) {
        struct output output;
        start(&output);
        output.buffer.limit = limit;
        zv_json_begin_array(&output.json);
        zv_json_write_string(&output.json, "abcde");
        zv_json_end_array(&output.json);
        zv_json_finish(&output.json);
        assert_true(output.sink.failed);
        assert_true(output.sink.written <= limit);
        zv_buffer_free(&output.buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_full_sink),
    };
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
