/* A page of boxes: what is drawn is what was given, and the sums over time are exact. */
#include "report/html_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "format/json_tree.h"
#include "report/html_array.h"
#include "support/page_reader.h"
#include "support/test.h"

struct made {
    struct zv_arena arena;
    struct zv_buffer text;
    const struct zv_json_value *data;
};

static void make(struct made *made, struct html_box *boxes, size_t count)
{
    struct zv_error err = {0};
    *made = (struct made){.text.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&made->text);
    const struct html_boxes page = {.title = zv_slice_of("<b>"),
                                    .verdict = zv_slice_of("v"),
                                    .words = zv_slice_of("</pre><script>"),
                                    .basis = "b",
                                    .note = "n",
                                    .boxes = boxes,
                                    .count = count,
                                    .levels = {{"height", 1 << 20}},
                                    .level_count = 1};
    assert_int_equal(html_boxes_page(&sink, &page, &err), ZV_OK);
    assert_false(sink.failed);
    const struct zv_slice text = {made->text.data, made->text.size};
    assert_int_equal(zv_json_tree_read(&made->data, page_element(text, "data"), ZV_JSON_STRICT,
                                       &made->arena, &err),
                     ZV_OK);
}

static uint64_t number_at(const struct zv_json_value *object, const char *key)
{
    uint64_t value = 0;
    assert_true(zv_json_u64(zv_json_find(object, key), &value));
    return value;
}

/* What lives at a time, by looking at all boxes. */
static uint64_t live_at(const struct html_box *boxes, size_t count, uint64_t time)
{
    uint64_t live = 0;
    for (size_t i = 0; i < count; i++) {
        live += boxes[i].from <= time && time < boxes[i].until ? boxes[i].bytes : 0;
    }
    return live;
}

static void check(const struct made *made, const struct html_box *boxes, size_t count)
{
    const struct zv_slice text = {made->text.data, made->text.size};
    const struct zv_json_value *const drawn = zv_json_find(made->data, "boxes");
    const struct zv_json_value *const series = zv_json_item(
        zv_json_find(zv_json_item(zv_json_find(made->data, "charts"), 0), "series"), 0);
    size_t size;
    unsigned char *const bytes = page_array(text, number_at(drawn, "array"), &size);
    const unsigned char *at = bytes;
    uint64_t from = number_at(drawn, "first");
    const uint64_t unit = number_at(drawn, "unit");
    for (size_t i = 0; i < count; i++) {
        from += page_number(&at);
        assert_int_equal(from, boxes[i].from);
        assert_int_equal(from + page_number(&at), boxes[i].until);
        assert_int_equal(page_number(&at) * unit, boxes[i].low);
        assert_int_equal(page_number(&at) * unit, boxes[i].bytes);
    }
    assert_int_equal(at - bytes, size);
    free(bytes);
    const uint64_t columns = number_at(series, "count");
    const uint64_t times = number_at(made->data, "steps");
    uint64_t *const got = calloc(columns, sizeof *got);
    page_series(text, number_at(series, "array"), number_at(series, "unit"), got, columns);
    for (size_t i = 0; i < columns; i++) {
        uint64_t most = 0;
        for (uint64_t time = times * i / columns; time < times * (i + 1) / columns; time++) {
            const uint64_t live = live_at(boxes, count, number_at(made->data, "firstStep") + time);
            most = live > most ? live : most;
        }
        assert_int_equal(got[i], most);
    }
    free(got);
}

static void drop(struct made *made)
{
    zv_arena_free(&made->arena);
    zv_buffer_free(&made->text);
}

static void test_boxes(void **state)
{
    (void)state;
    struct html_box few[] = {{7, 9, 512, 1024}, {3, 8, 0, 512}, {8, 12, 0, 512}};
    static struct html_box many[500];
    struct made made;
    uint64_t seed = 7;
    make(&made, few, 3);
    check(&made, few, 3);
    assert_null(strstr(made.text.data, "</pre><script>"));
    assert_null(strstr(made.text.data, "<b>"));
    drop(&made);
    for (size_t i = 0; i < 500; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t from = 100 + (seed >> 40) % 5000;
        many[i] = (struct html_box){from, from + 1 + (seed >> 20) % 300, (seed >> 33) % 64 * 512,
                                    512 * (1 + (seed >> 50) % 9)};
    }
    make(&made, many, 500);
    check(&made, many, 500);
    drop(&made);
}

static void test_nothing(void **state)
{
    (void)state;
    struct zv_buffer text = {.limit = 64};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct zv_error err = {0};
    const struct html_boxes page = {.basis = "", .note = ""};
    assert_int_equal(html_boxes_page(&sink, &page, &err), ZV_E_USAGE);
    zv_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
