#include "format/gguf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/gguf_builder.h"
#include "support/test.h"

enum { F32 = 0, Q4_2 = 4, Q8_0 = 8, IQ4_KS = 144, UNKNOWN = 9999 };

/* Every kind of value, an array of arrays, tensors out of order and one of unknown type. */
static struct zv_slice make_sample(struct gguf_builder *gguf)
{
    gguf_begin(gguf, 3);
    gguf_key(gguf, "general.architecture", ZV_GGUF_STRING);
    gguf_put_string(gguf, "llama");
    gguf_key(gguf, "general.alignment", ZV_GGUF_U32);
    gguf_put_u32(gguf, 64);
    gguf_key(gguf, "a.u8", ZV_GGUF_U8);
    gguf_put_u8(gguf, 200);
    gguf_key(gguf, "a.i8", ZV_GGUF_I8);
    gguf_put_u8(gguf, 200);
    gguf_key(gguf, "a.i64", ZV_GGUF_I64);
    gguf_put_u64(gguf, (uint64_t)INT64_MIN);
    gguf_key(gguf, "a.u64", ZV_GGUF_U64);
    gguf_put_u64(gguf, UINT64_MAX);
    gguf_key(gguf, "a.f32", ZV_GGUF_F32);
    gguf_put(gguf, &(float){0.5F}, 4);
    gguf_key(gguf, "a.f64", ZV_GGUF_F64);
    gguf_put(gguf, &(double){(double)INFINITY}, 8);
    gguf_key(gguf, "a.bool", ZV_GGUF_BOOL);
    gguf_put_u8(gguf, 1);
    gguf_key(gguf, "tokenizer.ggml.tokens", ZV_GGUF_ARRAY);
    gguf_put_array(gguf, ZV_GGUF_STRING, 3);
    gguf_put_string(gguf, "one");
    gguf_put_string(gguf, "");
    gguf_put_string(gguf, "three");
    gguf_key(gguf, "a.nested", ZV_GGUF_ARRAY);
    gguf_put_array(gguf, ZV_GGUF_ARRAY, 2);
    gguf_put_array(gguf, ZV_GGUF_U8, 3);
    gguf_put(gguf, "\1\2\3", 3);
    gguf_put_array(gguf, ZV_GGUF_STRING, 1);
    gguf_put_string(gguf, "in");
    gguf_key(gguf, "split.no", ZV_GGUF_U32);
    gguf_put_u32(gguf, 1);
    gguf_key(gguf, "split.count", ZV_GGUF_U32);
    gguf_put_u32(gguf, 2);
    gguf_key(gguf, "split.tensors.count", ZV_GGUF_I32);
    gguf_put_u32(gguf, 7);
    gguf_tensor(gguf, "q", 3, (uint64_t[]){64, 2, 3}, Q8_0, 64); /* 6 rows of 2 blocks of 34 */
    gguf_tensor(gguf, "scalar", 0, NULL, F32, 0);
    gguf_tensor(gguf, "new", 1, (uint64_t[]){100}, UNKNOWN, 512);
    gguf_tensor(gguf, "ik", 2, (uint64_t[]){512, 3}, IQ4_KS, 640); /* 3 rows of 4 + 2 * 136 */
    return gguf_finish(gguf, 64, 640 + 828);
}

static void test_values(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    const struct zv_slice input = make_sample(&gguf);
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    assert_int_equal(file.version, 3);
    assert_int_equal(file.pair_count, 14);
    struct zv_slice text;
    uint64_t u64 = 0;
    int64_t i64 = 0;
    double real = 0;
    bool truth = false;
    assert_true(zv_gguf_string(zv_gguf_find(&file, "general.architecture"), &text));
    assert_true(zv_slice_equal(text, "llama"));
    assert_true(zv_gguf_u64(zv_gguf_find(&file, "a.u8"), &u64) && u64 == 200);
    assert_false(zv_gguf_u64(zv_gguf_find(&file, "a.i8"), &u64));
    assert_true(zv_gguf_i64(zv_gguf_find(&file, "a.i8"), &i64) && i64 == -56);
    assert_true(zv_gguf_i64(zv_gguf_find(&file, "a.i64"), &i64) && i64 == INT64_MIN);
    assert_true(zv_gguf_u64(zv_gguf_find(&file, "a.u64"), &u64) && u64 == UINT64_MAX);
    assert_false(zv_gguf_i64(zv_gguf_find(&file, "a.u64"), &i64));
    assert_true(zv_gguf_double(zv_gguf_find(&file, "a.f32"), &real) && real > 0.49 && real < 0.51);
    assert_true(zv_gguf_double(zv_gguf_find(&file, "a.i8"), &real) && real < -55.5);
    assert_false(zv_gguf_double(zv_gguf_find(&file, "a.f64"), &real));
    assert_false(zv_gguf_u64(zv_gguf_find(&file, "a.f32"), &u64));
    assert_true(zv_gguf_bool(zv_gguf_find(&file, "a.bool"), &truth) && truth);
    assert_false(zv_gguf_bool(zv_gguf_find(&file, "a.u8"), &truth));
    assert_null(zv_gguf_find(&file, "a"));
    assert_false(zv_gguf_u64(NULL, &u64));
    assert_int_equal(file.split_no, 1);
    assert_int_equal(file.split_count, 2);
    assert_int_equal(file.split_tensors, 7);
    assert_string_equal(zv_gguf_type_word(ZV_GGUF_I16), "i16");
    assert_string_equal(zv_gguf_type_word((enum zv_gguf_value_type)13), "unknown type");
    zv_arena_free(&arena);
    zv_buffer_free(&gguf.bytes);
}

static void test_walk(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    const struct zv_slice input = make_sample(&gguf);
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    static const char *const words[] = {"one", "", "three"};
    const struct zv_gguf_value *const tokens = zv_gguf_find(&file, "tokenizer.ggml.tokens");
    struct zv_gguf_walk walk = zv_gguf_walk(tokens);
    struct zv_gguf_value element;
    assert_int_equal(zv_gguf_count(tokens), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(zv_gguf_next(&walk, &element));
        assert_true(zv_slice_equal(element.bytes, words[i]));
        assert_memory_equal(input.at + element.offset + 8, words[i], strlen(words[i]));
    }
    assert_false(zv_gguf_next(&walk, &element));
    walk = zv_gguf_walk(zv_gguf_find(&file, "a.nested"));
    assert_true(zv_gguf_next(&walk, &element));
    assert_int_equal(zv_gguf_count(&element), 3);
    struct zv_gguf_walk inner = zv_gguf_walk(&element);
    uint64_t number = 0;
    for (uint64_t i = 1; i <= 3; i++) {
        struct zv_gguf_value byte;
        assert_true(zv_gguf_next(&inner, &byte) && zv_gguf_u64(&byte, &number) && number == i);
    }
    assert_true(zv_gguf_next(&walk, &element));
    assert_int_equal(element.element_type, ZV_GGUF_STRING);
    assert_false(zv_gguf_next(&walk, &element));
    walk = zv_gguf_walk(NULL);
    assert_false(zv_gguf_next(&walk, &element));
    zv_arena_free(&arena);
    zv_buffer_free(&gguf.bytes);
}

static void test_tensors(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    const struct zv_slice input = make_sample(&gguf);
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    assert_int_equal(file.alignment, 64);
    assert_int_equal(file.data_offset % 64, 0);
    assert_int_equal(file.data_end, input.length);
    static const struct {
        const char *name;
        const char *type;
        uint64_t elements;
        uint64_t bytes;
        uint64_t offset;
    } rows[] = {
        {"q", "Q8_0", 384, 408, 64},
        {"scalar", "F32", 1, 4, 0},
        {"new", NULL, 100, 128, 512},
        {"ik", "IQ4_KS", 1536, 828, 640},
    };
    assert_int_equal(file.tensor_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct zv_gguf_tensor *const tensor = &file.tensors[i];
        assert_true(zv_slice_equal(tensor->name, rows[i].name));
        if (rows[i].type == NULL) {
            assert_null(tensor->type);
        } else {
            assert_string_equal(tensor->type->name, rows[i].type);
        }
        assert_int_equal(tensor->elements, rows[i].elements);
        assert_int_equal(tensor->bytes, rows[i].bytes);
        assert_int_equal(tensor->data_offset, file.data_offset + rows[i].offset);
    }
    assert_int_equal(file.tensors[0].shape[3], 1);
    zv_arena_free(&arena);
    zv_buffer_free(&gguf.bytes);
}

struct wrong {
    const char *what;
    enum zv_status status;
    const char *says;
};

/* One wrong file each; built in the order of this list by build_wrong. */
static const struct wrong wrongs[] = {
    {"magic", ZV_E_SYNTAX, "does not begin with GGUF"},
    {"ggjt", ZV_E_UNSUPPORTED, "before GGUF"},
    {"version 1", ZV_E_UNSUPPORTED, "version 1"},
    {"version 0", ZV_E_UNSUPPORTED, "version 0 is not known"},
    {"version 4", ZV_E_UNSUPPORTED, "version 4 is not known"},
    {"big-endian", ZV_E_UNSUPPORTED, "big-endian"},
    {"2^60 tensors", ZV_E_SYNTAX, "1152921504606846976 tensors cannot be"},
    {"2^60 pairs", ZV_E_SYNTAX, "1152921504606846976 keys cannot be"},
    {"string of 2^63", ZV_E_SYNTAX, "a value does not end"},
    {"key of 2^63", ZV_E_SYNTAX, "a key does not end"},
    {"array of 2^61 u64", ZV_E_SYNTAX, "a value does not end"},
    {"array of 2^60 strings", ZV_E_SYNTAX, "a value does not end"},
    {"value type 13", ZV_E_SYNTAX, "\"k\" has a type"},
    {"element type 99", ZV_E_SYNTAX, "\"k\" has a type"},
    {"nested element type 99", ZV_E_SYNTAX, "\"k\" has a type"},
    {"too deep", ZV_E_LIMIT, "nested deeper than 8"},
    {"duplicate key", ZV_E_SYNTAX, "the key \"k\" is there twice"},
    {"alignment 0", ZV_E_SYNTAX, "no power of two"},
    {"alignment 48", ZV_E_SYNTAX, "no power of two"},
    {"alignment 2^31", ZV_E_SYNTAX, "at most 1073741824"},
    {"alignment a string", ZV_E_SYNTAX, "must be a whole number"},
    {"split 2 of 2", ZV_E_SYNTAX, "split.no is 2 of 2"},
    {"split 1 of none", ZV_E_SYNTAX, "split.no is 1 of 0"},
    {"duplicate tensor", ZV_E_SYNTAX, "the tensor \"t\" is there twice"},
    {"5 dimensions", ZV_E_SYNTAX, "5 dimensions"},
    {"dimension 0", ZV_E_SYNTAX, "dimension of 0"},
    {"2^64 elements", ZV_E_OVERFLOW, "does not fit"},
    {"2^63 elements", ZV_E_OVERFLOW, "does not fit"},
    {"2^64 bytes", ZV_E_OVERFLOW, "64 bits"},
    {"part of a block", ZV_E_SYNTAX, "no whole blocks of 32"},
    {"removed type", ZV_E_UNSUPPORTED, "Q4_2"},
    {"unaligned", ZV_E_SYNTAX, "no multiple of 32"},
    {"offset 2^64", ZV_E_OVERFLOW, "beyond 2^64"},
    {"behind the end", ZV_E_SYNTAX, "truncated: tensor \"t\" ends at byte 164, the file at 161"},
    {"overlap", ZV_E_SYNTAX, "\"u\" begins at byte 160, inside another that ends at 164"},
};

static void put_nested(struct gguf_builder *gguf, int depth)
{
    gguf_key(gguf, "k", ZV_GGUF_ARRAY);
    for (int i = 1; i < depth; i++) {
        gguf_put_array(gguf, ZV_GGUF_ARRAY, 1);
    }
    gguf_put_array(gguf, ZV_GGUF_U8, 0);
}

static bool build_wrong_start(struct gguf_builder *gguf, const char *what)
{
    char *const start = gguf->bytes.data;
    if (strcmp(what, "magic") == 0) {
        memcpy(start, "GGUX", 4);
    } else if (strcmp(what, "ggjt") == 0) {
        memcpy(start, "tjgg", 4);
    } else if (strncmp(what, "version", 7) == 0) {
        start[4] = (char)(what[8] - '0');
    } else if (strcmp(what, "big-endian") == 0) {
        memcpy(start + 4, "\0\0\0\3", 4);
    } else if (strcmp(what, "2^60 tensors") == 0) {
        gguf->tensors = UINT64_C(1) << 60;
    } else if (strcmp(what, "2^60 pairs") == 0) {
        gguf->pairs = UINT64_C(1) << 60;
    } else {
        return false;
    }
    return true;
}

static bool build_wrong_value(struct gguf_builder *gguf, const char *what)
{
    if (strcmp(what, "string of 2^63") == 0) {
        gguf_key(gguf, "k", ZV_GGUF_STRING);
        gguf_put_u64(gguf, UINT64_C(1) << 63);
    } else if (strcmp(what, "key of 2^63") == 0) {
        gguf_put_u64(gguf, UINT64_C(1) << 63);
        gguf->pairs++;
    } else if (strcmp(what, "array of 2^61 u64") == 0) {
        gguf_key(gguf, "k", ZV_GGUF_ARRAY);
        gguf_put_array(gguf, ZV_GGUF_U64, UINT64_C(1) << 61);
    } else if (strcmp(what, "array of 2^60 strings") == 0) {
        gguf_key(gguf, "k", ZV_GGUF_ARRAY);
        gguf_put_array(gguf, ZV_GGUF_STRING, UINT64_C(1) << 60);
    } else if (strcmp(what, "value type 13") == 0) {
        gguf_key(gguf, "k", (enum zv_gguf_value_type)13);
    } else if (strcmp(what, "element type 99") == 0) {
        gguf_key(gguf, "k", ZV_GGUF_ARRAY);
        gguf_put_array(gguf, (enum zv_gguf_value_type)99, 1);
    } else if (strcmp(what, "nested element type 99") == 0) {
        gguf_key(gguf, "k", ZV_GGUF_ARRAY);
        gguf_put_array(gguf, ZV_GGUF_ARRAY, 1);
        gguf_put_array(gguf, (enum zv_gguf_value_type)99, 1);
    } else if (strcmp(what, "too deep") == 0) {
        put_nested(gguf, ZV_GGUF_MAX_NESTING + 1);
    } else {
        return false;
    }
    return true;
}

static void put_setting(struct gguf_builder *gguf, const char *key, uint32_t value)
{
    gguf_key(gguf, key, ZV_GGUF_U32);
    gguf_put_u32(gguf, value);
}

static bool build_wrong_setting(struct gguf_builder *gguf, const char *what)
{
    if (strcmp(what, "duplicate key") == 0) {
        put_setting(gguf, "k", 1);
        put_setting(gguf, "k", 1);
    } else if (strcmp(what, "alignment a string") == 0) {
        gguf_key(gguf, "general.alignment", ZV_GGUF_STRING);
        gguf_put_string(gguf, "32");
    } else if (strcmp(what, "alignment 2^31") == 0) {
        put_setting(gguf, "general.alignment", UINT32_C(1) << 31);
    } else if (strncmp(what, "alignment", 9) == 0) {
        put_setting(gguf, "general.alignment", (uint32_t)strtoul(what + 10, NULL, 10));
    } else if (strcmp(what, "split 2 of 2") == 0) {
        put_setting(gguf, "split.count", 2);
        put_setting(gguf, "split.no", 2);
    } else if (strcmp(what, "split 1 of none") == 0) {
        put_setting(gguf, "split.no", 1);
    } else {
        return false;
    }
    return true;
}

/* The header of one tensor "t" of one dimension is 24 + 33 bytes: the data begins at byte 64. */
static bool build_wrong_tensor(struct gguf_builder *gguf, const char *what)
{
    static const struct {
        const char *what;
        uint32_t dims;
        uint64_t shape[5];
        uint32_t type;
        uint64_t offset;
    } rows[] = {
        {"5 dimensions", 5, {1, 1, 1, 1, 1}, F32, 0},
        {"dimension 0", 2, {1, 0}, F32, 0},
        {"2^64 elements", 2, {UINT64_C(1) << 32, UINT64_C(1) << 32}, F32, 0},
        {"2^63 elements", 1, {UINT64_C(1) << 63}, F32, 0},
        {"2^64 bytes", 1, {UINT64_C(1) << 62}, F32, 0},
        {"part of a block", 2, {33, 32}, Q8_0, 0},
        {"removed type", 1, {32}, Q4_2, 0},
        {"unaligned", 1, {1}, F32, 16},
        {"offset 2^64", 1, {1}, F32, UINT64_MAX - 31},
        {"behind the end", 1, {1}, F32, 96},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(what, rows[i].what) == 0) {
            gguf_tensor(gguf, "t", rows[i].dims, rows[i].shape, rows[i].type, rows[i].offset);
            return true;
        }
    }
    const bool overlap = strcmp(what, "overlap") == 0;
    if (overlap || strcmp(what, "duplicate tensor") == 0) {
        gguf_tensor(gguf, "t", 1, (uint64_t[]){9}, F32, 32);
        gguf_tensor(gguf, overlap ? "u" : "t", 1, (uint64_t[]){1}, F32, 64);
        return true;
    }
    return false;
}

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct gguf_builder gguf;
        gguf_begin(&gguf, 3);
        assert_true(build_wrong_start(&gguf, wrongs[i].what) ||
                    build_wrong_value(&gguf, wrongs[i].what) ||
                    build_wrong_setting(&gguf, wrongs[i].what) ||
                    build_wrong_tensor(&gguf, wrongs[i].what));
        const struct zv_slice input = gguf_finish(&gguf, 32, 97);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_gguf file;
        const enum zv_status status = zv_gguf_read(&file, input, &arena, &err);
        if (status != wrongs[i].status || strstr(err.text, wrongs[i].says) == NULL) {
            fail_msg("%s: %d, \"%s\"", wrongs[i].what, (int)status, err.text);
        }
        assert_true(err.has_offset && err.offset <= input.length);
        zv_arena_free(&arena);
        zv_buffer_free(&gguf.bytes);
    }
}

static void test_boundaries(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    gguf_begin(&gguf, 2); /* nothing at all */
    struct zv_slice input = gguf_finish(&gguf, 8, 0);
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    assert_int_equal(file.version, 2);
    assert_int_equal(file.tensor_count, 0);
    assert_int_equal(file.data_end, 24); /* the padding before no data may be missing */
    zv_buffer_free(&gguf.bytes);
    gguf_begin(&gguf, 3); /* as deep as is read */
    put_nested(&gguf, ZV_GGUF_MAX_NESTING);
    input = gguf_finish(&gguf, 32, 0);
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    assert_int_equal(zv_gguf_count(zv_gguf_find(&file, "k")), 1);
    zv_buffer_free(&gguf.bytes);
    zv_arena_free(&arena);
}

static void test_every_prefix(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    const struct zv_slice input = make_sample(&gguf);
    for (size_t length = 0; length < input.length; length++) {
        char *const exact = malloc(length + 1);
        assert_non_null(exact);
        memcpy(exact, input.at, length);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_gguf file;
        assert_int_equal(zv_gguf_read(&file, (struct zv_slice){exact, length}, &arena, &err),
                         ZV_E_SYNTAX);
        assert_true(err.has_offset && err.offset <= length);
        zv_arena_free(&arena);
        free(exact);
    }
    zv_buffer_free(&gguf.bytes);
}

static void test_every_allocation(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    const struct zv_slice input = make_sample(&gguf);
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_gguf file;
        fail_memory_start(n);
        const enum zv_status status = zv_gguf_read(&file, input, &arena, &err);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        assert_int_equal(err.status, status);
        if (fail_memory.failed == 0) {
            break;
        }
    }
    zv_buffer_free(&gguf.bytes);
}

/* A vocabulary takes no memory, whatever its size. */
static void test_peak(void **state)
{
    (void)state;
    struct gguf_builder gguf;
    gguf_begin(&gguf, 3);
    gguf_key(&gguf, "tokenizer.ggml.tokens", ZV_GGUF_ARRAY);
    gguf_put_array(&gguf, ZV_GGUF_STRING, 100000);
    for (int i = 0; i < 100000; i++) {
        gguf_put_string(&gguf, "a word");
    }
    const struct zv_slice input = gguf_finish(&gguf, 32, 0);
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    fail_memory_start(0);
    assert_int_equal(zv_gguf_read(&file, input, &arena, &err), ZV_OK);
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
    assert_true(fail_memory.peak < 8192);
    zv_buffer_free(&gguf.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),           cmocka_unit_test(test_walk),
        cmocka_unit_test(test_tensors),          cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_boundaries),       cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_allocation), cmocka_unit_test(test_peak),
    };
    return cmocka_run_group_tests_name("gguf", tests, NULL, NULL);
}
