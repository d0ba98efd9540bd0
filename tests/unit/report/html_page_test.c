/* A page: nothing of a file's texts is markup, arrays read back, the policy names what is there. */
#include "report/html_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buffer.h"
#include "base/data.h"
#include "base/sha256.h"
#include "format/json_tree.h"
#include "report/html_array.h"
#include "report/json_fields.h"
#include "support/page_reader.h"
#include "support/test.h"

static const char *const scripts[] = {"html/base.js", "html/chart.js", NULL};
static const char *const no_scripts[] = {NULL};

static struct zv_slice slice(const struct zv_buffer *buffer)
{
    return (struct zv_slice){buffer->data, buffer->size};
}

static void test_escape(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"plain", "plain"},
        {"</script><b>", "&lt;/script&gt;&lt;b&gt;"},
        {"a & \"b\"", "a &amp; &quot;b&quot;"},
        {"\x1b[31m\n", "?[31m\n"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xff<", "?&lt;"},
        {"\xe2\x80\xae"
         "evil",
         "???evil"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_buffer text = {.limit = 1024};
        struct zv_sink sink = zv_buffer_sink(&text);
        html_escape(&sink, zv_slice_of(rows[i][0]));
        assert_string_equal(text.data, rows[i][1]);
        zv_buffer_free(&text);
    }
}

/* A stranger's text in the title, in an element and in the data: one script that is ours. */
static void test_hostile_texts(void **state)
{
    (void)state;
    static const char hostile[] = "</script><script>alert(1)</script><!--<img src=x onerror=1>";
    struct zv_buffer text = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct html_page page = {0};
    struct zv_error err = {0};
    assert_int_equal(html_page_begin(&page, &sink, zv_slice_of(hostile), no_scripts, &err), ZV_OK);
    html_page_text(&page, "p", "verdict", zv_slice_of(hostile));
    html_page_begin_data(&page);
    json_text(&page.json, "text", hostile);
    html_page_end_data(&page);
    html_page_end(&page);
    assert_false(sink.failed);
    assert_null(strstr(text.data, "<script>"));
    assert_null(strstr(text.data, "<!--"));
    assert_null(strstr(text.data, "<img"));
    const char *const first = strstr(text.data, "</script");
    assert_non_null(first);
    assert_null(strstr(first + 1, "</script"));

    struct zv_arena arena = {0};
    const struct zv_json_value *root;
    struct zv_slice value;
    assert_int_equal(
        zv_json_tree_read(&root, page_element(slice(&text), "data"), ZV_JSON_STRICT, &arena, &err),
        ZV_OK);
    assert_true(zv_json_string(zv_json_find(root, "text"), &value));
    assert_true(zv_slice_equal(value, hostile));
    zv_arena_free(&arena);
    zv_buffer_free(&text);
}

static void put_hash_of(char to[128], const char *from, const char *end)
{
    char digits[ZV_SHA256_TEXT];
    struct zv_buffer text = {.limit = 128};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct zv_base64 out = {.sink = &sink};
    assert_int_equal(zv_sha256(digits, (struct zv_slice){from, (size_t)(end - from)}, NULL), ZV_OK);
    for (size_t i = 0; i < 64; i += 2) {
        const char pair[3] = {digits[i], digits[i + 1], 0};
        zv_base64_put(&out, (unsigned char)strtoul(pair, NULL, 16));
    }
    zv_base64_end(&out);
    (void)snprintf(to, 128, "-src 'sha256-%s'", text.data);
    zv_buffer_free(&text);
}

/* No network, and only the style and the script that are in the page. */
static void test_policy(void **state)
{
    (void)state;
    struct zv_buffer text = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct html_page page = {0};
    struct zv_error err = {0};
    char hash[128];
    assert_int_equal(html_page_begin(&page, &sink, zv_slice_of("t"), scripts, &err), ZV_OK);
    html_page_end(&page);
    assert_non_null(strstr(text.data, "content=\"default-src 'none'; base-uri 'none'; "));
    assert_null(strstr(text.data, "unsafe-"));
    const char *const style = strstr(text.data, "<style>") + 7;
    put_hash_of(hash, style, strstr(style, "</style>"));
    assert_non_null(strstr(text.data, hash));
    const char *const script = strstr(text.data, "<script>") + 8;
    put_hash_of(hash, script, strstr(script, "</script>"));
    assert_non_null(strstr(text.data, hash));
    assert_null(strstr(text.data, "http://"));
    assert_null(strstr(text.data, "https://"));
    zv_buffer_free(&text);
}

/* What the script is made of must not end it, nor reach out. */
static void test_assets(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < zv_data_file_count; i++) {
        const struct zv_data_file *const file = &zv_data_files[i];
        const struct zv_slice text = {(const char *)file->bytes, file->size};
        if (strncmp(file->name, "html/", 5) != 0) {
            continue;
        }
        static const char *const never[] = {
            "</", "<!--", "innerHTML", "eval(", "http:", "https:", "fetch(", "import(", "url("};
        for (size_t j = 0; j < sizeof never / sizeof never[0]; j++) {
            assert_false(zv_slice_contains(text, never[j]));
        }
        found++;
    }
    assert_true(found > 3);
}

static void check_series(const uint64_t *values, size_t count)
{
    struct zv_buffer text = {.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct html_page page = {0};
    struct zv_error err = {0};
    struct html_series series = {.name = "n", .role = "r"};
    assert_int_equal(html_page_begin(&page, &sink, zv_slice_of("t"), no_scripts, &err), ZV_OK);
    html_series_write(&page, &series, values, count);
    html_page_end(&page);
    assert_int_equal(page.arrays, 0);
    uint64_t *const got = calloc(count, sizeof *got);
    uint64_t *const low = calloc(count, sizeof *low);
    uint64_t *const high = calloc(count, sizeof *high);
    page_series(slice(&text), series.array, series.unit, got, count);
    page_series(slice(&text), series.low, series.unit, low, series.columns);
    page_series(slice(&text), series.high, series.unit, high, series.columns);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i], values[i]);
    }
    for (size_t i = 0; i < series.columns; i++) { /* no value is outside of its column's bounds */
        uint64_t least = UINT64_MAX;
        uint64_t most = 0;
        for (size_t j = count * i / series.columns; j < count * (i + 1) / series.columns; j++) {
            least = values[j] < least ? values[j] : least;
            most = values[j] > most ? values[j] : most;
        }
        assert_int_equal(low[i], least);
        assert_int_equal(high[i], most);
    }
    free(got);
    free(low);
    free(high);
    zv_buffer_free(&text);
}

static void test_series(void **state)
{
    (void)state;
    static const uint64_t rows[][6] = {
        {0, 0, 0, 0, 0, 0},       {1, 2, 3, 3, 3, 2},
        {512, 0, 0, 1024, 0, 0},  {UINT64_C(1) << 61, 0, UINT64_C(1) << 61, 7, 7, 7},
        {0, 512, 512, 512, 0, 0},
    };
    uint64_t many[5000];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_series(rows[i], 6);
        check_series(rows[i], 1);
    }
    for (size_t i = 0; i < 5000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        many[i] = seed % 3 == 0 && i != 0 ? many[i - 1] : (seed >> 30) * 512;
    }
    check_series(many, 5000);
    check_series(many, HTML_COLUMNS);
    check_series(many, HTML_COLUMNS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape), cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_policy), cmocka_unit_test(test_assets),
        cmocka_unit_test(test_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
