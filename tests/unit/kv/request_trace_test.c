#include "kv/request_trace.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "support/fail_memory.h"
#include "support/test.h"

enum { MOST = 8 };

struct requests {
    struct zv_request at[MOST];
    size_t count;
};

static enum zv_status read_all(struct requests *to, struct zv_slice input,
                               const struct zv_request_trace_options *options, struct zv_error *err)
{
    struct zv_request_trace trace;
    bool more = true;
    to->count = 0;
    enum zv_status status = zv_request_trace_open(&trace, input, options, err);
    while (status == ZV_OK && to->count < MOST) {
        status = zv_request_trace_next(&trace, &to->at[to->count], &more, err);
        if (status != ZV_OK || !more) {
            break;
        }
        to->count++;
    }
    zv_request_trace_close(&trace);
    return status;
}

static void reads_every_format(void **state)
{
    static const struct {
        const char *text;
        uint64_t arrival; /* of the second request */
        uint64_t prompt;
        uint64_t output;
    } rows[] = {
        {"TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
         "2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8",
         520000, 3180, 8},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n"
         "2024-02-28T23:59:59.5Z,1,1\n\n2024-03-01 02:00:00+02:00,2,3\n",
         864005000000, 2, 3},
        {"num_prefill_tokens,num_decode_tokens,pd_ratio\n5,6,0.8\n7,8,0.9\n", 0, 7, 8},
        {"arrived_at,num_prefill_tokens,num_decode_tokens\n1.5e-05,5,6\n0.25,7.0,8\n", 2499850, 7,
         8},
        {"\xEF\xBB\xBF\"output\", \"prompt\" ,arrival\n1,2,10\n3,4,\"10.00000019\"\n", 1, 4, 3},
        {"{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 4, \"hash_ids\": [0]}\n"
         "{\"output_length\":4,\"x\":{\"y\":[1,{}]},\"input_length\":600,\"timestamp\":3,"
         "\"hash_ids\":[0,9]}",
         30000, 600, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct requests got;
        struct zv_error err = {0};
        assert_int_equal(read_all(&got, zv_slice_of(rows[i].text), NULL, &err), ZV_OK);
        assert_string_equal(err.text, "");
        assert_int_equal(got.count, 2);
        assert_int_equal(got.at[0].arrival_ticks, 0);
        assert_int_equal(got.at[1].arrival_ticks, rows[i].arrival);
        assert_int_equal(got.at[1].prompt_tokens, rows[i].prompt);
        assert_int_equal(got.at[1].output_tokens, rows[i].output);
    }
}

static void columns_and_units_can_be_named(void **state)
{
    const struct zv_request_trace_options options = {.arrival_column = zv_slice_of("when"),
                                                     .prompt_column = zv_slice_of("in"),
                                                     .output_column = zv_slice_of("out"),
                                                     .unit = ZV_TIME_MS};
    struct requests got;
    struct zv_error err = {0};
    (void)state;
    assert_int_equal(read_all(&got, zv_slice_of("out,when,in\n1,5,2\n3,7.5,4\n"), &options, NULL),
                     ZV_OK);
    assert_int_equal(got.at[1].arrival_ticks, 25000);
    assert_int_equal(got.at[1].prompt_tokens, 4);
    assert_int_equal(read_all(&got, zv_slice_of("out,in\n1,2\n"), &options, &err), ZV_E_SYNTAX);
    assert_string_equal(err.text, "no column when in 'out,in'");
}

static void names_the_line_of_what_is_wrong(void **state)
{
    static const struct {
        const char *text;
        enum zv_status status;
        uint64_t line;
        const char *says;
    } rows[] = {
        {"", ZV_E_SYNTAX, 0, "an empty trace"},
        {"\n \n", ZV_E_SYNTAX, 0, "an empty trace"},
        {"a,b\n1,2\n", ZV_E_SYNTAX, 1, "no known column for the prompt tokens"},
        {"prompt,output\n1,2\n0,2\n", ZV_E_SYNTAX, 3, "a prompt of 0 tokens"},
        {"prompt,output\n1,0\n", ZV_E_SYNTAX, 2, "an answer of 0 tokens"},
        {"prompt,output\n1,-2\n", ZV_E_SYNTAX, 2, "output '-2': expected a whole number"},
        {"prompt,output\n1\n", ZV_E_SYNTAX, 2, "output '': expected a whole number"},
        {"prompt,output\n1,99999999999999999999\n", ZV_E_SYNTAX, 2, "expected a whole number"},
        {"prompt,output\n16777217,1\n", ZV_E_LIMIT, 2, "at most 16777216"},
        {"arrival,prompt,output\n2,1,1\n1,1,1\n", ZV_E_SYNTAX, 3, "sort the trace by time"},
        {"arrival,prompt,output\nsoon,1,1\n", ZV_E_SYNTAX, 2, "arrival 'soon'"},
        {"arrival,prompt,output\n-1,1,1\n", ZV_E_SYNTAX, 2, "arrival '-1'"},
        {"arrival,prompt,output\n9e30,1,1\n", ZV_E_SYNTAX, 2, "arrival '9e30'"},
        {"arrival,prompt,output\n2024-13-01 00:00:00,1,1\n", ZV_E_SYNTAX, 2, "arrival '2024-13"},
        {"{\"input_length\": 3}\n", ZV_E_SYNTAX, 1, "expected \"input_length\" and"},
        {"{\"input_length\": 3, \"output_length\": 1}\n[]\n", ZV_E_SYNTAX, 2, "one JSON object"},
        {"{\"input_length\": 3, \"output_length\": 1} 7\n", ZV_E_SYNTAX, 1, "JSON"},
        {"{\"input_length\": 1.5, \"output_length\": 1}\n", ZV_E_SYNTAX, 1, "expected a whole"},
        {"{\"input_length\": 513, \"output_length\": 1, \"hash_ids\": [1]}\n", ZV_E_SYNTAX, 1,
         "1 hash_ids for 513 tokens"},
        {"{\"input_length\": 3, \"output_length\": 1, \"hash_ids\": [9223372036854775808]}\n",
         ZV_E_LIMIT, 1, "below 2^63"},
        {"{\"input_length\": 3, \"output_length\": 1, \"hash_ids\": 5}\n", ZV_E_SYNTAX, 1,
         "expected an array"},
        {"{\"timestamp\": 99999999999999999, \"input_length\": 3, \"output_length\": 1}\n",
         ZV_E_SYNTAX, 1, "2^62 ticks"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct requests got;
        struct zv_error err = {0};
        assert_int_equal(read_all(&got, zv_slice_of(rows[i].text), NULL, &err), rows[i].status);
        assert_int_equal(err.line, rows[i].line);
        assert_non_null(strstr(err.text, rows[i].says));
    }
}

static const char sample[] =
    "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 4, \"hash_ids\": [0]}\n"
    "{\"timestamp\": 5, \"input_length\": 600, \"output_length\": 4, \"hash_ids\": [0, 77]}\n";

static void reads_compressed_traces(void **state)
{
    unsigned char packed[512];
    struct requests got;
    (void)state;
    const size_t size = ZSTD_compress(packed, sizeof packed, sample, sizeof sample - 1, 3);
    assert_false(ZSTD_isError(size));
    assert_int_equal(read_all(&got, (struct zv_slice){(char *)packed, size}, NULL, NULL), ZV_OK);
    assert_int_equal(got.count, 2);
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    char copy[sizeof sample];
    memcpy(copy, sample, sizeof sample);
    stream.next_in = (Bytef *)copy;
    stream.avail_in = sizeof sample - 1;
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t length = stream.total_out;
    (void)deflateEnd(&stream);
    assert_int_equal(read_all(&got, (struct zv_slice){(char *)packed, length}, NULL, NULL), ZV_OK);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.at[1].id_count, 2);
    for (size_t cut = 2; cut < length; cut++) {
        assert_int_not_equal(read_all(&got, (struct zv_slice){(char *)packed, cut}, NULL, NULL),
                             ZV_OK);
    }
}

static void every_prefix_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < sizeof sample; cut++) {
        struct requests got;
        struct zv_error err = {0};
        const enum zv_status status = read_all(&got, (struct zv_slice){sample, cut}, NULL, &err);
        const bool whole = cut != 0 && (sample[cut - 1] == '}' || sample[cut - 1] == '\n');
        assert_int_equal(status == ZV_OK, whole);
    }
}

static void survives_a_failure_of_each_allocation(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct requests got;
        fail_memory_start(n);
        const enum zv_status status = read_all(&got, zv_slice_of(sample), NULL, NULL);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_format),
        cmocka_unit_test(columns_and_units_can_be_named),
        cmocka_unit_test(names_the_line_of_what_is_wrong),
        cmocka_unit_test(reads_compressed_traces),
        cmocka_unit_test(every_prefix_is_read_or_refused),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
