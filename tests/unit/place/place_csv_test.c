#include "place/place_csv.h"

#include <string.h>

#include "base/buffer.h"
#include "support/fail_memory.h"
#include "support/test.h"

static void reads_every_spelling(void **state)
{
    static const char *const texts[] = {
        "id,lower,upper,size\na,1,5,10\nb,2,4,20\n",
        "size,id,upper,lower\r\n10,a,5,1\r\n20,b,4,2\r\n",
        "buffer,start,end,size\na,1,4,10\nb,2,3,20",
        "Buffer_ID,begin,upper,size,hint\na,1,5,10,\n\nb,2,4,20,7\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct zv_arena arena = {0};
        struct place_table table;
        assert_true(zv_place_csv_is(zv_slice_of(texts[i])));
        assert_int_equal(zv_place_csv_read(&table, zv_slice_of(texts[i]), &arena, NULL), ZV_OK);
        assert_int_equal(table.count, 2);
        assert_int_equal(table.blocks[0].birth, 1);
        assert_int_equal(table.blocks[0].death, 5);
        assert_int_equal(table.blocks[0].bytes, 10);
        assert_int_equal(table.blocks[1].death, 4);
        assert_true(zv_slice_equal(table.ids[1], "b"));
        assert_false(table.blocks[0].fixed);
        assert_int_equal(table.unused != NULL, i == 3);
        zv_arena_free(&arena);
    }
}

static void offsets_fix_unless_they_are_empty(void **state)
{
    struct zv_arena arena = {0};
    struct place_table table;
    (void)state;
    assert_int_equal(zv_place_csv_read(&table,
                                       zv_slice_of("id,lower,upper,size,alignment,offset\n"
                                                   "a,0,5,10,,0\nb,0,4,20,16,\nc,0,4,20,16,32\n"),
                                       &arena, NULL),
                     ZV_OK);
    assert_true(table.blocks[0].fixed);
    assert_int_equal(table.blocks[0].alignment, 0);
    assert_false(table.blocks[1].fixed);
    assert_int_equal(table.blocks[1].alignment, 16);
    assert_int_equal(table.blocks[2].offset, 32);
    zv_arena_free(&arena);
}

static void names_the_line_of_what_is_wrong(void **state)
{
    static const struct {
        const char *text;
        enum zv_status status;
        uint64_t line;
        const char *says;
    } rows[] = {
        {"", ZV_E_SYNTAX, 0, "empty"},
        {"id,lower,upper\na,0,1\n", ZV_E_SYNTAX, 1, "no column \"size\""},
        {"lower,upper,size\n0,1,1\n", ZV_E_SYNTAX, 1, "no column \"id\""},
        {"id,lower,size\na,0,1\n", ZV_E_SYNTAX, 1, "no column \"upper (or end)\""},
        {"id,lower,upper,size,size\n", ZV_E_SYNTAX, 1, "\"size\" is there twice"},
        {"id,buffer,lower,upper,size\n", ZV_E_SYNTAX, 1, "\"id\" and \"buffer\" mean the same"},
        {"id,lower,start,upper,size\n", ZV_E_SYNTAX, 1, "\"lower\" and \"start\" mean the same"},
        {"id,lower,upper,end,size\n", ZV_E_SYNTAX, 1, "both \"upper\" and \"end\""},
        {"id,lower,upper,size\na,0,1,1\n\na,1,2,1\n", ZV_E_SYNTAX, 4, "'a' was there in line 2"},
        {"id,lower,upper,size\n,0,1,1\n", ZV_E_SYNTAX, 2, "no id"},
        {"id,lower,upper,size\na,5,5,1\n", ZV_E_SYNTAX, 2, "from 5 to 5"},
        {"id,lower,end,size\na,5,4,1\n", ZV_E_SYNTAX, 2, "from 5 to 5"},
        {"id,lower,upper,size\na,0,1,0\n", ZV_E_SYNTAX, 2, "size 0"},
        {"id,lower,upper,size\na,0,1,-1\n", ZV_E_SYNTAX, 2, "size '-1'"},
        {"id,lower,upper,size\na,0,1.5,1\n", ZV_E_SYNTAX, 2, "upper '1.5'"},
        {"id,lower,upper,size\na,0,1,18446744073709551616\n", ZV_E_SYNTAX, 2, "2^64 - 1"},
        {"id,lower,end,size\na,0,18446744073709551615,1\n", ZV_E_OVERFLOW, 2, "past 2^64 - 1"},
        {"id,lower,upper,size\na,0,1,4611686018427387904\nb,2,3,1\n", ZV_E_OVERFLOW, 3,
         "more than 2^62"},
        {"id,lower,upper,size\na,0,1\n", ZV_E_SYNTAX, 2, "3 cells"},
        {"id,lower,upper,size,alignment\na,0,1,1,0\n", ZV_E_SYNTAX, 2, "alignment 0"},
        {"id,lower,upper,size,alignment,offset\na,0,1,1,8,4\n", ZV_E_SYNTAX, 2, "no multiple"},
        {"id,lower,upper,size,offset\na,0,1,1,4611686018427387904\n", ZV_E_OVERFLOW, 2,
         "above 2^62"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct place_table table;
        struct zv_error err = {0};
        assert_int_equal(zv_place_csv_read(&table, zv_slice_of(rows[i].text), &arena, &err),
                         rows[i].status);
        assert_int_equal(err.line, rows[i].line);
        assert_non_null(strstr(err.text, rows[i].says));
        zv_arena_free(&arena);
    }
}

static void other_files_are_not_taken_for_blocks(void **state)
{
    static const char *const texts[] = {"", "a 1 512 0\nf 1\n", "id,name\n", "[{\"size\": 1}]",
                                        "arrival,prompt,output\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(zv_place_csv_is(zv_slice_of(texts[i])));
    }
}

static const char sample[] = "id,lower,upper,size,alignment,offset\n"
                             "\"a,\"\"1\",0,5,10,1,0\nb,0,4,20,16,16\n";

static void writes_what_it_reads(void **state)
{
    struct zv_arena arena = {0};
    struct place_table table;
    struct zv_buffer buffer = {.limit = 1 << 16};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    (void)state;
    assert_int_equal(zv_place_csv_read(&table, zv_slice_of(sample), &arena, NULL), ZV_OK);
    zv_place_csv_write(&sink, &table);
    assert_false(sink.failed);
    assert_string_equal(buffer.data, sample);
    zv_buffer_free(&buffer);
    zv_arena_free(&arena);
}

static void every_prefix_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < sizeof sample; cut++) {
        char copy[sizeof sample];
        struct zv_arena arena = {0};
        struct place_table table;
        struct zv_error err = {0};
        memcpy(copy, sample, cut);
        const enum zv_status status =
            zv_place_csv_read(&table, (struct zv_slice){copy, cut}, &arena, &err);
        assert_true(status == ZV_OK || err.text[0] != 0);
        zv_arena_free(&arena);
    }
}

static void survives_a_failure_of_each_allocation(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct place_table table;
        fail_memory_start(n);
        const enum zv_status status = zv_place_csv_read(&table, zv_slice_of(sample), &arena, NULL);
        zv_arena_free(&arena);
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
        cmocka_unit_test(reads_every_spelling),
        cmocka_unit_test(offsets_fix_unless_they_are_empty),
        cmocka_unit_test(names_the_line_of_what_is_wrong),
        cmocka_unit_test(other_files_are_not_taken_for_blocks),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(every_prefix_is_read_or_refused),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
