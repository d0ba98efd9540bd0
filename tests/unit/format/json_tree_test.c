#include "format/json_tree.h"

#include <stdio.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

static enum zv_status read_text(const char *text, enum zv_json_option option,
                                struct zv_arena *arena, const struct zv_json_value **root,
                                struct zv_error *err)
{
    *err = (struct zv_error){0};
    return zv_json_tree_read(root, zv_slice_of(text), option, arena, err);
}

static void test_lookup(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1, \"x\\u00e9\\n\", true, null],\n \"b\": {\"\": {}}}";
    struct zv_arena arena = {0};
    struct zv_error err;
    const struct zv_json_value *root;
    assert_int_equal(read_text(text, ZV_JSON_STRICT, &arena, &root, &err), ZV_OK);
    assert_int_equal(zv_json_count(root), 2);
    const struct zv_json_value *const a = zv_json_find(root, "a");
    assert_int_equal(a->offset, 6);
    assert_int_equal(zv_json_count(a), 4);
    struct zv_slice slice;
    assert_true(zv_json_string(zv_json_item(a, 1), &slice));
    assert_true(zv_slice_equal(slice, "x\xc3\xa9\n"));
    assert_int_equal(zv_json_item(a, 1)->offset, 10);
    bool truth = false;
    assert_true(zv_json_bool(zv_json_item(a, 2), &truth) && truth);
    assert_true(zv_json_is(zv_json_item(a, 3), ZV_JSON_IS_NULL));
    assert_null(zv_json_item(a, 4));
    assert_non_null(zv_json_find(zv_json_find(root, "b"), ""));
    assert_null(zv_json_find(zv_json_find(root, "c"), "d"));
    assert_null(zv_json_find(a, "a"));
    assert_string_equal(zv_json_kind_name(a), "a list");
    assert_string_equal(zv_json_kind_name(NULL), "nothing");
    zv_arena_free(&arena);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int is_u64;
        uint64_t u64;
        int is_i64;
        int64_t i64;
        int is_double;
    } rows[] = {
        {"0", 1, 0, 1, 0, 1},
        {"-0", 1, 0, 1, 0, 1},
        {"-0.0e5", 1, 0, 1, 0, 1},
        {"1e6", 1, 1000000, 1, 1000000, 1},
        {"4096.0", 1, 4096, 1, 4096, 1},
        {"4096.000e-0", 1, 4096, 1, 4096, 1},
        {"1.5e1", 1, 15, 1, 15, 1},
        {"1500e-2", 1, 15, 1, 15, 1},
        {"1500e-3", 0, 0, 0, 0, 1},
        {"0.5", 0, 0, 0, 0, 1},
        {"0e-99999999999999999999", 1, 0, 1, 0, 1},
        {"0e99999999999999999999", 1, 0, 1, 0, 1},
        {"1e99999999999999999999", 0, 0, 0, 0, 0},
        {"18446744073709551615", 1, UINT64_MAX, 0, 0, 1},
        {"18446744073709551615.0", 1, UINT64_MAX, 0, 0, 1},
        {"18446744073709551616", 0, 0, 0, 0, 1},
        {"9223372036854775807", 1, INT64_MAX, 1, INT64_MAX, 1},
        {"-9223372036854775808", 0, 0, 1, INT64_MIN, 1},
        {"-9223372036854775809", 0, 0, 0, 0, 1},
        {"-3.0", 0, 0, 1, -3, 1},
        {"9007199254740993e0", 1, 9007199254740993, 1, 9007199254740993, 1},
        {"NaN", 0, 0, 0, 0, 0},
        {"Infinity", 0, 0, 0, 0, 0},
        {"-Infinity", 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err;
        const struct zv_json_value *value;
        assert_int_equal(read_text(rows[i].text, ZV_JSON_ALLOW_NONFINITE, &arena, &value, &err),
                         ZV_OK);
        uint64_t u64 = 0;
        int64_t i64 = 0;
        double real = 0;
        assert_int_equal(zv_json_u64(value, &u64), rows[i].is_u64);
        assert_int_equal(u64, rows[i].u64);
        assert_int_equal(zv_json_i64(value, &i64), rows[i].is_i64);
        assert_int_equal(i64, rows[i].i64);
        assert_int_equal(zv_json_double(value, &real), rows[i].is_double);
        zv_arena_free(&arena);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum zv_json_option option;
        enum zv_status status;
        uint64_t offset;
        const char *says;
    } rows[] = {
        {"", ZV_JSON_STRICT, ZV_E_SYNTAX, 0, "unexpected end"},
        {"{\"a\":1,\"b\":2,\"a\":3}", ZV_JSON_STRICT, ZV_E_SYNTAX, 17, "\"a\" is there twice"},
        {"{\"a\":1,\"\\u0061\":3}", ZV_JSON_STRICT, ZV_E_SYNTAX, 16, "\"a\" is there twice"},
        {"[\"\\u0000\"]", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "NUL"},
        {"[\"\\ud83d\"]", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "surrogate"},
        {"[\"\\ude00\\ud83d\"]", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "surrogate"},
        {"[1] 2", ZV_JSON_STRICT, ZV_E_SYNTAX, 4, "expected"},
        {"[NaN]", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "expected a value"},
        {"[-Infinity]", ZV_JSON_STRICT, ZV_E_SYNTAX, 2, "bad number"},
        {"[-Infinitx]", ZV_JSON_ALLOW_NONFINITE, ZV_E_SYNTAX, 1, "unknown word"},
        {"[-", ZV_JSON_ALLOW_NONFINITE, ZV_E_SYNTAX, 2, "bad number"},
        {"[tru", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "unexpected end"},
        {"[t]", ZV_JSON_STRICT, ZV_E_SYNTAX, 1, "unknown word"},
        {"\xef\xbb\xbf{}", ZV_JSON_STRICT, ZV_E_SYNTAX, 0, "expected a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err;
        const struct zv_json_value *root;
        assert_int_equal(read_text(rows[i].text, rows[i].option, &arena, &root, &err),
                         rows[i].status);
        assert_null(root);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_true(err.has_offset);
        assert_int_equal(err.offset, rows[i].offset);
        zv_arena_free(&arena);
    }
}

/* {"k0":0,"k1":1, ...}, with the last key repeated when repeat. */
static struct zv_slice make_object(struct zv_arena *arena, unsigned count, bool repeat)
{
    char *const text = zv_arena_array(arena, count + 2, 24);
    size_t length = 0;
    text[length++] = '{';
    for (unsigned i = 0; i < count; i++) {
        length += (size_t)sprintf(text + length, "%s\"k%u\":%u", i != 0 ? "," : "", i, i);
    }
    if (repeat) {
        length += (size_t)sprintf(text + length, ",\"k%u\":0", count - 1);
    }
    text[length++] = '}';
    return (struct zv_slice){text, length};
}

static void test_large_objects(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 7, 8, 9, 10, 16, 17, 1000, 20000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_json_value *root;
        const struct zv_slice once = make_object(&arena, counts[i], false);
        assert_int_equal(zv_json_tree_read(&root, once, ZV_JSON_STRICT, &arena, &err), ZV_OK);
        for (unsigned k = 0; k < counts[i]; k++) {
            char key[16];
            (void)snprintf(key, sizeof key, "k%u", k);
            uint64_t value = 0;
            assert_true(zv_json_u64(zv_json_find(root, key), &value));
            assert_int_equal(value, k);
        }
        assert_null(zv_json_find(root, "k"));
        const struct zv_slice twice = make_object(&arena, counts[i], true);
        assert_int_equal(zv_json_tree_read(&root, twice, ZV_JSON_STRICT, &arena, &err),
                         ZV_E_SYNTAX);
        assert_int_equal(err.offset, twice.length - 2);
        zv_arena_free(&arena);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char text[2 * 257 + 1] = {0};
    for (size_t depth = 256; depth <= 257; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_json_value *root;
        const enum zv_status status = zv_json_tree_read(&root, (struct zv_slice){text, 2 * depth},
                                                        ZV_JSON_STRICT, &arena, &err);
        assert_int_equal(status, depth == 256 ? ZV_OK : ZV_E_LIMIT);
        assert_int_equal(err.offset, depth == 256 ? 0 : 256);
        zv_arena_free(&arena);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    const struct zv_json_value *root;
    const struct zv_slice huge = {"[]", (size_t)ZV_JSON_TREE_MAX_BYTES + 1};
    assert_int_equal(zv_json_tree_read(&root, huge, ZV_JSON_STRICT, &arena, &err), ZV_E_LIMIT);
    const size_t values = ZV_JSON_TREE_MAX_VALUES; /* one too many: the list itself counts */
    char *const text = zv_arena_alloc(&arena, 2 * values + 1);
    for (size_t i = 0; i < values; i++) {
        text[2 * i] = i == 0 ? '[' : ',';
        text[2 * i + 1] = '0';
    }
    text[2 * values] = ']';
    err = (struct zv_error){0};
    const struct zv_slice many = {text, 2 * values + 1};
    assert_int_equal(zv_json_tree_read(&root, many, ZV_JSON_STRICT, &arena, &err), ZV_E_LIMIT);
    assert_int_equal(err.offset, 2 * values - 1);
    zv_arena_free(&arena);
}

static const char sample[] =
    "{\"architectures\": [\"X\"], \"a\":1,\"b\":-2.5e3,\"c\":true,\"d\":null,\"e\":[[],{}],"
    "\"f\":\"\\ud83d\\ude00\",\"g\":[0.0, Infinity],\"h\":0,\"i\":{\"j\":false}}";

static void test_every_prefix(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof sample - 1; length++) {
        char *const exact = test_malloc(length + 1); /* so that a read past the end is seen */
        memcpy(exact, sample, length);
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_json_value *root;
        assert_int_equal(zv_json_tree_read(&root, (struct zv_slice){exact, length},
                                           ZV_JSON_ALLOW_NONFINITE, &arena, &err),
                         ZV_E_SYNTAX);
        assert_true(err.has_offset && err.offset <= length);
        zv_arena_free(&arena);
        test_free(exact);
    }
}

static void test_every_allocation(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_error err;
        const struct zv_json_value *root;
        fail_memory_start(n);
        const enum zv_status status =
            read_text(sample, ZV_JSON_ALLOW_NONFINITE, &arena, &root, &err);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        assert_int_equal(err.status, status);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

static void test_peak(void **state)
{
    (void)state;
    struct zv_arena text = {0};
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    const struct zv_json_value *root;
    const struct zv_slice object = make_object(&text, 20000, false);
    fail_memory_start(0);
    assert_int_equal(zv_json_tree_read(&root, object, ZV_JSON_STRICT, &arena, &err), ZV_OK);
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
    assert_true(fail_memory.peak < 20001 * (160 + 32) + 300 * 1024);
    zv_arena_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_large_objects),
        cmocka_unit_test(test_depth),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_peak),
    };
    return cmocka_run_group_tests_name("json_tree", tests, NULL, NULL);
}
