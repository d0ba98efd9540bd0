#include "format/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

/* A file with this header and data_bytes bytes of data, in memory of exactly its length. */
static struct zv_slice make_file(const char *json, size_t data_bytes)
{
    const uint64_t length = strlen(json);
    const size_t size = sizeof length + (size_t)length + data_bytes;
    char *const file = calloc(1, size != 0 ? size : 1);
    assert_non_null(file);
    memcpy(file, &length, sizeof length);
    memcpy(file + sizeof length, json, (size_t)length);
    return (struct zv_slice){file, size};
}

static void drop_file(struct zv_slice file)
{
    union {
        const char *from;
        char *to;
    } data = {file.at};
    free(data.to);
}

static const char sample[] =
    "{\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[8,20]},"
    "\"__metadata__\":{\"format\":\"pt\",\"n\\u006fte\":\"a\\\"b\"},"
    "\"a\\u0062\":{\"shape\":[],\"later\":{\"x\":[1]},\"data_offsets\":[0,8],\"dtype\":\"I64\"},"
    "\"e\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[8,8]},"
    "\"f\":{\"dtype\":\"F4\",\"shape\":[2,3],\"data_offsets\":[20,23]},"
    "\"n\":{\"dtype\":\"X9\",\"shape\":[5],\"data_offsets\":[23,30]}}  ";
enum { SAMPLE_DATA = 30 };

static void test_sample(void **state)
{
    (void)state;
    const struct zv_slice input = make_file(sample, SAMPLE_DATA);
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_safetensors file;
    assert_int_equal(zv_safetensors_read(&file, input, &arena, &err), ZV_OK);
    assert_int_equal(file.header_bytes, 8 + sizeof sample - 1);
    assert_int_equal(file.data_bytes, SAMPLE_DATA);
    assert_int_equal(file.tensor_count, 5);
    const struct zv_safetensors_tensor *const b = &file.tensors[0];
    assert_true(zv_slice_equal(b->name, "b"));
    assert_true(zv_slice_equal(b->dtype, "BF16"));
    assert_int_equal(b->bits, 16);
    assert_int_equal(b->dims, 2);
    assert_int_equal(b->shape[1], 3);
    assert_int_equal(b->elements, 6);
    assert_int_equal(b->bytes, 12);
    assert_int_equal(b->data_offset, file.header_bytes + 8);
    assert_int_equal(b->header_offset, 8 + 1);
    assert_true(b->name.at > input.at && b->name.at < input.at + input.length);
    assert_true(zv_slice_equal(file.tensors[1].name, "ab"));
    assert_int_equal(file.tensors[1].elements, 1);
    assert_int_equal(file.tensors[2].bytes, 0);
    assert_int_equal(file.tensors[3].bits, 4);
    assert_int_equal(file.tensors[4].bits, 0);
    assert_int_equal(file.tensors[4].bytes, 7);
    assert_int_equal(file.metadata_count, 2);
    assert_true(zv_slice_equal(file.metadata[1].key, "note"));
    assert_true(zv_slice_equal(file.metadata[1].value, "a\"b"));
    zv_arena_free(&arena);
    drop_file(input);
}

static void test_headers(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        size_t data;
        enum zv_status status;
        const char *says;
    } rows[] = {
        {"{}", 0, ZV_OK, ""},
        {" {} ", 0, ZV_OK, ""},
        {"{\"__metadata__\":{}}", 0, ZV_OK, ""},
        {"{}", 1, ZV_E_SYNTAX, "1 bytes follow the last tensor"},
        {"", 0, ZV_E_SYNTAX, "unexpected end"},
        {"[]", 0, ZV_E_SYNTAX, "expected an object"},
        {"{} {}", 0, ZV_E_SYNTAX, "expected ','"},
        {"{\"a\":1}", 0, ZV_E_SYNTAX, "an object that describes a tensor"},
        {"{\"a\":{}}", 0, ZV_E_SYNTAX, "dtype, shape and data_offsets"},
        {"{\"__metadata__\":[]}", 0, ZV_E_SYNTAX, "an object of strings"},
        {"{\"__metadata__\":{\"a\":1}}", 0, ZV_E_SYNTAX, "a string"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, ZV_E_SYNTAX, "__metadata__ once"},
        {"{\"a\":{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,1]}}", 1, ZV_E_SYNTAX, "dtype"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1, ZV_E_SYNTAX, "list"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1.0],\"data_offsets\":[0,1]}}", 1, ZV_E_SYNTAX,
         "whole number"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1, ZV_E_SYNTAX,
         "whole number"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, ZV_OK,
         ""},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1,
         ZV_E_LIMIT, "more than 8"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, ZV_E_SYNTAX,
         "two data_offsets"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]}}", 1, ZV_E_LIMIT,
         "more than 2"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1,
         ZV_E_SYNTAX, "once"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,0]}}", 1, ZV_E_SYNTAX,
         "ends at 0 before"},
        {"{\"a\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, ZV_E_SYNTAX,
         "has 1 bytes, its shape and dtype need 16 bits"},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, ZV_E_SYNTAX,
         "12 bits"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
         ZV_E_OVERFLOW, "64 bits"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[18446744073709551616],\"data_offsets\":[0,0]}}", 0,
         ZV_E_SYNTAX, "2^64"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976],\"data_offsets\":[0,0]}}", 0,
         ZV_E_OVERFLOW, "64 bits"},
        {"{\"a\":{\"dtype\":\"X\",\"shape\":[1],\"data_offsets\":[0,18446744073709551615]}}", 0,
         ZV_E_SYNTAX, "truncated"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 1, ZV_E_SYNTAX,
         "describes 2 bytes of data after byte 61, there are 1"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, ZV_E_SYNTAX,
         "after a hole that begins at 0"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
         3, ZV_E_SYNTAX, "inside another that ends at 2"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[1,1]}}",
         3, ZV_E_SYNTAX, "inside another"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
         "\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
         0, ZV_E_SYNTAX, "\"a\" is there twice"},
        {"{\"\\u0000\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, ZV_E_SYNTAX,
         "NUL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_slice input = make_file(rows[i].json, rows[i].data);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        assert_int_equal(zv_safetensors_read(&file, input, &arena, &err), rows[i].status);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("%s: \"%s\" says no \"%s\"", rows[i].json, err.text, rows[i].says);
        }
        assert_int_equal(err.has_offset, rows[i].status != ZV_OK);
        assert_true(err.offset <= input.length);
        zv_arena_free(&arena);
        drop_file(input);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {3, (uint64_t)ZV_SAFETENSORS_MAX_HEADER + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char text[10] = {0, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
        memcpy(text, &lengths[i], 8);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        assert_int_equal(zv_safetensors_read(&file, (struct zv_slice){text, 10}, &arena, &err),
                         ZV_E_SYNTAX);
        assert_int_equal(err.offset, 0);
        const struct zv_slice claimed = {text, SIZE_MAX}; /* refused before it is looked at */
        err = (struct zv_error){0};
        if (lengths[i] == lengths[1]) {
            assert_int_equal(zv_safetensors_read(&file, claimed, &arena, &err), ZV_E_LIMIT);
        }
        zv_arena_free(&arena);
    }
}

static void test_every_prefix(void **state)
{
    (void)state;
    const struct zv_slice input = make_file(sample, SAMPLE_DATA);
    for (size_t length = 0; length < input.length; length++) {
        char *const exact = malloc(length + 1);
        assert_non_null(exact);
        memcpy(exact, input.at, length);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        assert_int_equal(zv_safetensors_read(&file, (struct zv_slice){exact, length}, &arena, &err),
                         ZV_E_SYNTAX);
        assert_true(err.has_offset && err.offset <= length);
        zv_arena_free(&arena);
        free(exact);
    }
    drop_file(input);
}

static void test_every_allocation(void **state)
{
    (void)state;
    const struct zv_slice input = make_file(sample, SAMPLE_DATA);
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        fail_memory_start(n);
        const enum zv_status status = zv_safetensors_read(&file, input, &arena, &err);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        assert_int_equal(err.status, status);
        if (fail_memory.failed == 0) {
            break;
        }
    }
    drop_file(input);
}

/* Many tensors, named from the last to the first when reversed. */
static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 20000, ENTRY = 80 };
    for (int reversed = 0; reversed < 2; reversed++) {
        char *const json = malloc((size_t)COUNT * ENTRY);
        assert_non_null(json);
        size_t length = 0;
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned k = reversed ? COUNT - 1 - i : i;
            length += (size_t)snprintf(
                json + length, ENTRY,
                "%c\"t%u\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[%u,%u]}",
                i == 0 ? '{' : ',', k, 2 * k, 2 * k + 2);
        }
        memcpy(json + length, "}", 2);
        const struct zv_slice input = make_file(json, 2 * (size_t)COUNT);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_safetensors file;
        fail_memory_start(0);
        assert_int_equal(zv_safetensors_read(&file, input, &arena, &err), ZV_OK);
        assert_int_equal(file.tensor_count, COUNT);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(fail_memory.peak < (size_t)COUNT * 600 + 204800);
        drop_file(input);
        free(json);
    }
}

/* Names of the files read before are no longer free. */
static void test_parts(void **state)
{
    static const struct {
        const char *json;
        enum zv_status status;
        const char *says;
    } rows[] = {
        {"{\"a.0\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", ZV_OK, ""},
        {"{\"a.1\":{\"dtype\":\"X1\",\"shape\":[],\"data_offsets\":[0,1]}}", ZV_OK, ""},
        {"{\"\\u0061.1\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", ZV_E_SYNTAX,
         "tensor \"a.1\" is in another file of the model too"},
        {"{\"a.2\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},\"a.2\":{}}", ZV_E_SYNTAX,
         "tensor \"a.2\" is there twice"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    (void)state;
    struct zv_slice inputs[ROWS];
    struct zv_arena arena = {0};
    struct zv_name_set names = {0};
    for (size_t i = 0; i < ROWS; i++) {
        struct zv_error err = {0};
        struct zv_safetensors file;
        inputs[i] = make_file(rows[i].json, 1);
        assert_int_equal(zv_safetensors_read_part(&file, inputs[i], &names, &arena, &err),
                         rows[i].status);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_int_equal(err.has_offset, rows[i].status != ZV_OK);
        if (rows[i].status == ZV_OK) {
            assert_int_equal(file.tensors[0].place.pattern, 0);
            assert_int_equal(file.tensors[0].place.number, i);
            assert_int_equal(file.tensors[0].type != 0, i == 0);
        }
    }
    zv_name_set_free(&names);
    zv_arena_free(&arena);
    for (size_t i = 0; i < ROWS; i++) {
        drop_file(inputs[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
