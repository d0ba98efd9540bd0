#include "format/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "support/fail_memory.h"
#include "support/test.h"

struct bytes {
    const char *at;
    size_t length;
};
#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* In memory of exactly its length, so that a read past the end is seen. */
static struct zv_slice copy(struct bytes bytes)
{
    char *const to = malloc(bytes.length + (bytes.length == 0));
    assert_non_null(to);
    memcpy(to, bytes.at, bytes.length);
    return (struct zv_slice){to, bytes.length};
}

static void drop(struct zv_slice input)
{
    union {
        const char *from;
        char *to;
    } data = {input.at};
    free(data.to);
}

/* {"a": [1, 300, -2, 70000], "b": ("x", "x"), "c": {"k": None}} with shared texts, protocol 4. */
static const char sample[] = "\x80\x04\x95\x30\0\0\0\0\0\0\0}\x94(\x8c\x01"
                             "a\x94]\x94(K\x01M\x2c\x01J\xfe\xff\xff\xffJ\x70\x11\x01\0e\x8c\x01"
                             "b\x94\x8c\x01x\x94h\x04\x86\x94\x8c\x01"
                             "c}\x94X\x01\0\0\0kNsu.";

static void test_sample(void **state)
{
    (void)state;
    const struct zv_slice input = copy((struct bytes){sample, sizeof sample - 1});
    struct zv_error err = {0};
    struct zv_pickle pickle = {.input = input};
    assert_int_equal(zv_pickle_read(&pickle, &err), ZV_OK);
    const struct zv_pickle_items list =
        zv_pickle_items(&pickle, zv_pickle_find(&pickle, pickle.root, "a"));
    static const int64_t expected[] = {1, 300, -2, 70000};
    assert_int_equal(list.count, 4);
    for (size_t i = 0; i < 4; i++) {
        int64_t value;
        assert_true(zv_pickle_i64(&pickle, list.at[i], &value));
        assert_int_equal(value, expected[i]);
    }
    const struct zv_pickle_items pair =
        zv_pickle_items(&pickle, zv_pickle_find(&pickle, pickle.root, "b"));
    assert_int_equal(pair.count, 2);
    assert_int_equal(pair.at[0].bits, pair.at[1].bits); /* shared, not copied */
    const struct zv_pickle_value inner = zv_pickle_find(&pickle, pickle.root, "c");
    assert_int_equal(zv_pickle_kind(zv_pickle_find(&pickle, inner, "k")), ZV_PICKLE_NONE);
    assert_int_equal(zv_pickle_kind(zv_pickle_find(&pickle, inner, "z")), ZV_PICKLE_ABSENT);
    zv_pickle_close(&pickle);
    drop(input);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        struct bytes text;
        bool is_u64;
        uint64_t u64;
        bool is_i64;
        int64_t i64;
    } rows[] = {
        {BYTES("\x80\x02K\xff."), true, 255, true, 255},
        {BYTES("\x80\x02J\xff\xff\xff\xff."), false, 0, true, -1},
        {BYTES("\x80\x02\x8a\0."), true, 0, true, 0},
        {BYTES("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."), true, INT64_MAX, true,
         INT64_MAX},
        {BYTES("\x80\x02\x8a\x08\0\0\0\0\0\0\0\x80."), false, 0, true, INT64_MIN},
        {BYTES("\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0."), true, UINT64_MAX, false, 0},
        {BYTES("\x80\x02\x8a\x09\0\0\0\0\0\0\0\0\x01."), false, 0, false, 0},
        {BYTES("\x80\x02\x8b\x02\0\0\0\x10\x27."), true, 10000, true, 10000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_slice input = copy(rows[i].text);
        struct zv_pickle pickle = {.input = input};
        uint64_t u64 = 0;
        int64_t i64 = 0;
        assert_int_equal(zv_pickle_read(&pickle, NULL), ZV_OK);
        assert_int_equal(zv_pickle_u64(&pickle, pickle.root, &u64), rows[i].is_u64);
        assert_int_equal(zv_pickle_i64(&pickle, pickle.root, &i64), rows[i].is_i64);
        assert_true(u64 == rows[i].u64 && i64 == rows[i].i64);
        zv_pickle_close(&pickle);
        drop(input);
    }
    const struct zv_slice input = copy((struct bytes)BYTES("\x80\x02G\x3f\xf8\0\0\0\0\0\0."));
    struct zv_pickle pickle = {.input = input};
    double value = 0;
    assert_int_equal(zv_pickle_read(&pickle, NULL), ZV_OK);
    assert_true(zv_pickle_double(&pickle, pickle.root, &value) && value >= 1.5 && value <= 1.5);
    zv_pickle_close(&pickle);
    drop(input);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        struct bytes text;
        enum zv_status status;
        uint64_t offset;
        const char *says;
    } rows[] = {
        {BYTES(""), ZV_E_SYNTAX, 0, "no pickle"},
        {BYTES("{}"), ZV_E_SYNTAX, 0, "no pickle"},
        {BYTES("\x80\x01N."), ZV_E_UNSUPPORTED, 0, "protocol 1"},
        {BYTES("\x80\x06N."), ZV_E_UNSUPPORTED, 0, "protocol 6"},
        {BYTES("\x80\x04"), ZV_E_SYNTAX, 2, "truncated"},
        {BYTES("\x80\x02"
               "cos\nsystem\n."),
         ZV_E_SYNTAX, 2, "would run code (GLOBAL)"},
        {BYTES("\x80\x02NR."), ZV_E_SYNTAX, 3, "would run code (REDUCE)"},
        {BYTES("\x80\x02Nb."), ZV_E_SYNTAX, 3, "would run code (BUILD)"},
        {BYTES("\x80\x04\x93."), ZV_E_SYNTAX, 2, "would run code (STACK_GLOBAL)"},
        {BYTES("\x80\x04\x8f."), ZV_E_UNSUPPORTED, 2, "EMPTY_SET"},
        {BYTES("\x80\x02I01\n."), ZV_E_UNSUPPORTED, 2, "INT of protocol 0"},
        {BYTES("\x80\x02\xff."), ZV_E_SYNTAX, 2, "0xff"},
        {BYTES("\x80\x02K"), ZV_E_SYNTAX, 2, "truncated inside BININT1"},
        {BYTES("\x80\x02X\x05\0\0\0abcd"), ZV_E_SYNTAX, 2, "announces 5 bytes, 4 follow"},
        {BYTES("\x80\x04\x95\x09\0\0\0\0\0\0\0N."), ZV_E_SYNTAX, 2, "a frame of 9 bytes"},
        {BYTES("\x80\x02h\x01."), ZV_E_SYNTAX, 2, "never put"},
        {BYTES("\x80\x02Nr\xff\xff\xff\x7f."), ZV_E_SYNTAX, 3, "memo entry"},
        {BYTES("\x80\x02."), ZV_E_SYNTAX, 2, "0 values"},
        {BYTES("\x80\x02NN."), ZV_E_SYNTAX, 4, "2 values"},
        {BYTES("\x80\x02(N."), ZV_E_SYNTAX, 4, "1 values"},
        {BYTES("\x80\x02N.N"), ZV_E_SYNTAX, 4, "1 bytes follow"},
        {BYTES("\x80\x02Na."), ZV_E_SYNTAX, 3, "APPEND finds too few"},
        {BYTES("\x80\x02NNa."), ZV_E_SYNTAX, 4, "APPEND without a list"},
        {BYTES("\x80\x02]NNs."), ZV_E_SYNTAX, 5, "SETITEM without a dict"},
        {BYTES("\x80\x02}(Nu."), ZV_E_SYNTAX, 5, "SETITEMS without a dict"},
        {BYTES("\x80\x02}u."), ZV_E_SYNTAX, 3, "without a MARK"},
        {BYTES("\x80\x02(e."), ZV_E_SYNTAX, 3, "too few"},
        {BYTES("\x80\x02N\x86."), ZV_E_SYNTAX, 3, "TUPLE2 finds too few"},
        {BYTES("\x80\x02q\0."), ZV_E_SYNTAX, 2, "BINPUT finds too few"},
        {BYTES("\x80\x02(0Nl."), ZV_E_SYNTAX, 5, "without a MARK"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_slice input = copy(rows[i].text);
        struct zv_pickle pickle = {.input = input};
        struct zv_error err = {0};
        assert_int_equal(zv_pickle_read(&pickle, &err), rows[i].status);
        assert_true(err.has_offset);
        assert_int_equal(err.offset, rows[i].offset);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, err.text, rows[i].says);
        }
        zv_pickle_close(&pickle);
        drop(input);
    }
}

/* A list that holds itself, and one list in two places. */
static void test_sharing(void **state)
{
    (void)state;
    const struct zv_slice input = copy((struct bytes)BYTES("\x80\x02]q\0(h\0]q\x01h\x01K\x05"
                                                           "e."));
    struct zv_pickle pickle = {.input = input};
    assert_int_equal(zv_pickle_read(&pickle, NULL), ZV_OK);
    const struct zv_pickle_items items = zv_pickle_items(&pickle, pickle.root);
    assert_int_equal(items.count, 4);
    assert_int_equal(items.at[0].bits, pickle.root.bits);
    assert_int_equal(items.at[1].bits, items.at[2].bits);
    zv_pickle_close(&pickle);
    drop(input);
}

/* Sums the numbers of every list; a dict is kept. */
static enum zv_status sum(void *context, const struct zv_pickle *pickle,
                          const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                          struct zv_error *err)
{
    (void)err;
    unsigned *const calls = context;
    ++*calls;
    if (batch->kind != ZV_PICKLE_LIST) {
        return ZV_OK;
    }
    uint64_t total = zv_pickle_payload(batch->before);
    for (size_t i = 0; i < batch->items.count; i++) {
        uint64_t value = 0;
        if (zv_pickle_kind(batch->items.at[i]) == ZV_PICKLE_HANDLE) {
            value = zv_pickle_payload(batch->items.at[i]);
        } else if (!zv_pickle_u64(pickle, batch->items.at[i], &value)) {
            return ZV_OK;
        }
        total += value;
    }
    *handle = zv_pickle_handle(total);
    return ZV_OK;
}

/* As long as a list that is remembered. */
#define EIGHT "h\x01h\x01h\x01h\x01h\x01h\x01h\x01h\x01"

static void test_folding(void **state)
{
    (void)state;
    static const struct {
        struct bytes text;
        uint64_t total;
        unsigned calls;
    } rows[] = {
        {BYTES("\x80\x02]q\0(K\x01K\x02"
               "e."),
         3, 1},
        {BYTES("\x80\x02]q\0(K\x01K\x02"
               "eK\x04"
               "a."),
         7, 2}, /* filled twice */
        {BYTES("\x80\x02]q\0(]q\x01(K\x01K\x02"
               "eh\x01h\x01"
               "e."),
         9, 2}, /* shared: folded once */
        {BYTES("\x80\x02(K\x01K\x05l."), 6, 1},
        {BYTES("\x80\x02](]q\x01(K\x01"
               "e(K\x02"
               "eh\x01"
               "e."),
         6, 3}, /* filled twice, then fetched */
        {BYTES("\x80\x02](]2(K\x01"
               "ee."),
         2, 2}, /* filled after it was duplicated */
        {BYTES("\x80\x02](]q\x01h\x01\x30(K\x01"
               "eh\x01"
               "e."),
         2, 2}, /* fetched before it was filled */
        {BYTES("\x80\x02](]q\x01(K\x05"
               "e]q\x02(" EIGHT "e]q\x03(" EIGHT "eh\x03"
               "e."),
         125, 3}, /* a list of the same parts: not asked again */
        {BYTES("\x80\x02](]q\x01(K\x05"
               "e]q\x02(" EIGHT "eK\x07q\x01\x30]q\x03(" EIGHT "ee."),
         101, 4}, /* the same bytes, but what they fetch was replaced */
        {BYTES("\x80\x02](]q\x01(K\x05"
               "e]q\x02(" EIGHT "e\x30(K\x01"
               "e]q\x03(" EIGHT "ee."),
         54, 5}, /* the same bytes, but what they fetch has grown */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_slice input = copy(rows[i].text);
        unsigned calls = 0;
        struct zv_pickle pickle = {.input = input, .fold = sum, .context = &calls};
        assert_int_equal(zv_pickle_read(&pickle, NULL), ZV_OK);
        assert_int_equal(zv_pickle_kind(pickle.root), ZV_PICKLE_HANDLE);
        assert_int_equal(zv_pickle_payload(pickle.root), rows[i].total);
        assert_int_equal(calls, rows[i].calls);
        zv_pickle_close(&pickle);
        drop(input);
    }
}

enum { PATTERNS = 40, LISTS = 3000, LONGEST = 24 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Lists of the same parts in the same order, then in any: whichever comes, its sum is its own. */
static void test_repeats(void **state)
{
    (void)state;
    static const uint64_t parts[] = {1, 10, 100};
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink to = zv_buffer_sink(&file);
    uint8_t patterns[PATTERNS][LONGEST];
    uint64_t total = 0;
    uint32_t seed = 7;
    zv_sink_write(&to, "\x80\x02](", 4);
    for (unsigned i = 0; i < 3; i++) { /* put aside at 200, 201 and 300 */
        const char head[] = {']', 'r', (char)(i == 2 ? 44 : 200 + i), (char)(i == 2), 0, 0, '('};
        const char tail[] = {'K', (char)parts[i], 'e'};
        zv_sink_write(&to, head, sizeof head);
        zv_sink_write(&to, tail, sizeof tail);
        total += parts[i];
    }
    for (size_t i = 0; i < PATTERNS; i++) { /* of every length; some are the begin of others */
        for (size_t j = 0; j < LONGEST; j++) {
            patterns[i][j] =
                i % 4 != 0 && j < 20 ? patterns[i - 1][j] : (uint8_t)(next_random(&seed) % 3);
        }
    }
    for (size_t i = 0; i < LISTS; i++) {
        const size_t which = i < LISTS / 2 ? i % PATTERNS : next_random(&seed) % PATTERNS;
        const size_t length = LONGEST - which % 3 * 4;
        zv_sink_write(&to, "](", 2);
        for (size_t j = 0; j < length; j++) {
            const uint8_t part = patterns[which][j];
            const char far[] = {'j', 44, 1, 0, 0};
            const char near[] = {'h', (char)(200 + part)};
            zv_sink_write(&to, part == 2 ? far : near, part == 2 ? sizeof far : sizeof near);
            total += parts[part];
        }
        zv_sink_write(&to, "e", 1);
    }
    zv_sink_write(&to, "e.", 2);
    unsigned calls = 0;
    struct zv_pickle pickle = {.input = {file.data, file.size}, .fold = sum, .context = &calls};
    assert_int_equal(zv_pickle_read(&pickle, NULL), ZV_OK);
    assert_int_equal(zv_pickle_payload(pickle.root), total);
    assert_in_range(calls, PATTERNS / 4, PATTERNS + 4); /* each pattern once, parts, the root */
    zv_pickle_close(&pickle);
    zv_buffer_free(&file);
}

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof sample - 1; length++) {
        const struct zv_slice input = copy((struct bytes){sample, length});
        struct zv_pickle pickle = {.input = input};
        struct zv_error err = {0};
        assert_int_not_equal(zv_pickle_read(&pickle, &err), ZV_OK);
        assert_true(err.has_offset && err.offset <= length);
        zv_pickle_close(&pickle);
        drop(input);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_pickle pickle = {.input = {sample, sizeof sample - 1}};
        fail_memory_start(n);
        const enum zv_status status = zv_pickle_read(&pickle, NULL);
        zv_pickle_close(&pickle);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_folding),  cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_prefixes), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("pickle", tests, NULL, NULL);
}
