/* The page of a record: its arrays are the record's lives, and nothing of a file is markup. */
#include "report/report_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "format/json_tree.h"
#include "support/page_reader.h"
#include "support/test.h"

struct made {
    struct zv_arena arena;
    struct zv_record record;
    struct zv_cause cause;
    struct zv_heap heap;
    struct zv_lives lives;
    struct zv_buffer text;
    const struct zv_json_value *data;
};

static void make(struct made *made, const char *name)
{
    char path[512];
    struct zv_file file;
    struct zv_error err = {0};
    const struct report_style style = {.width = 80};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    *made = (struct made){.text.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&made->text);
    (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/%s.pickle",
                   getenv("ZIRVE_SOURCE_DIR"), name);
    assert_int_equal(zv_file_open(&file, path, &err), ZV_OK);
    assert_int_equal(zv_record_open(&made->record, zv_file_slice(&file), &options, &err), ZV_OK);
    zv_file_close(&file);
    assert_int_equal(zv_cause_make(&made->cause, &made->heap, &made->record, 0, &made->arena, &err),
                     ZV_OK);
    assert_int_equal(zv_lives_make(&made->lives, &made->record, &err), ZV_OK);
    const struct report_explain explain = {.record = &made->record,
                                           .verdict = &made->cause,
                                           .cause_heap = &made->heap,
                                           .heap = &made->heap,
                                           .top = 5};
    const struct report_view view = {
        .file = zv_slice_of("</title>"), .explain = &explain, .lives = &made->lives};
    assert_int_equal(report_view_html(&sink, &style, &view, &err), ZV_OK);
    assert_false(sink.failed);
    const struct zv_slice page = {made->text.data, made->text.size};
    assert_int_equal(zv_json_tree_read(&made->data, page_element(page, "data"), ZV_JSON_STRICT,
                                       &made->arena, &err),
                     ZV_OK);
}

static void drop(struct made *made)
{
    zv_lives_close(&made->lives);
    zv_record_close(&made->record);
    zv_arena_free(&made->arena);
    zv_buffer_free(&made->text);
}

static uint64_t number_at(const struct zv_json_value *object, const char *key)
{
    uint64_t value = 0;
    assert_true(zv_json_u64(zv_json_find(object, key), &value));
    return value;
}

static uint32_t later(uint64_t number, uint32_t after)
{
    return number == 0 ? ZV_LIFE_ON : (uint32_t)(after + number - 1);
}

static void check_blocks(const struct made *made)
{
    const struct zv_slice page = {made->text.data, made->text.size};
    const struct zv_json_value *const heap = zv_json_find(made->data, "heap");
    const uint64_t unit = number_at(heap, "unit");
    size_t size;
    unsigned char *const bytes = page_array(page, number_at(heap, "blocks"), &size);
    const unsigned char *at = bytes;
    uint64_t address = 0;
    assert_int_equal(number_at(heap, "blockCount"), made->lives.block_count);
    for (size_t i = 0; i < made->lives.block_count; i++) {
        const struct zv_life *const life = &made->lives.blocks[i];
        address += page_number(&at) * unit;
        assert_int_equal(address, life->address);
        assert_int_equal(page_number(&at) * unit, life->bytes);
        assert_int_equal((int64_t)life->bytes - page_difference(&at), life->requested_bytes);
        const uint32_t born = (uint32_t)page_number(&at);
        const uint32_t freed = later(page_number(&at), born);
        assert_int_equal(born, life->born);
        assert_int_equal(freed, life->freed);
        assert_int_equal(later(page_number(&at), freed == ZV_LIFE_ON ? born : freed), life->died);
        assert_int_equal(page_number(&at), life->stack);
        assert_int_equal(page_number(&at), life->stream);
    }
    assert_int_equal(at - bytes, size);
    free(bytes);
}

static void check_charts(const struct made *made)
{
    const struct zv_slice page = {made->text.data, made->text.size};
    const struct zv_json_value *const chart = zv_json_item(zv_json_find(made->data, "charts"), 0);
    const struct zv_json_value *const series = zv_json_find(chart, "series");
    const uint64_t *const values[] = {made->lives.allocated_bytes, made->lives.reserved_bytes,
                                      made->lives.active_bytes};
    uint64_t *const got = calloc(made->lives.instant_count, sizeof *got);
    assert_int_equal(zv_json_count(series), 3);
    for (size_t i = 0; i < 3; i++) {
        const struct zv_json_value *const one = zv_json_item(series, i);
        page_series(page, number_at(one, "array"), number_at(one, "unit"), got,
                    made->lives.instant_count);
        assert_memory_equal(got, values[i], made->lives.instant_count * sizeof *got);
    }
    free(got);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"gen0", "gen3", "gen6", "empty", "expandable", "pending"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct made made;
        make(&made, names[i]);
        check_blocks(&made);
        check_charts(&made);
        assert_null(strstr(made.text.data, "</title></title>"));
        assert_non_null(strstr(made.text.data, "<title>&lt;/title&gt;</title>"));
        drop(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
