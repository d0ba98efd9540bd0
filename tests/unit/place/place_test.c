#include "zirve/place.h"

#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/place_cases.h"
#include "support/test.h"

enum { TINY = 6, MOST = 256 };

static struct zv_place_result run(struct zv_place_block *blocks, size_t count,
                                  const struct zv_place_options *options)
{
    struct zv_place_result result;
    struct zv_error err = {0};
    uint64_t height = 0;
    assert_int_equal(zv_place_run(blocks, count, options, &result, &err), ZV_OK);
    assert_int_equal(zv_place_check(blocks, count, &height, &err), ZV_OK);
    assert_true(place_is_valid(blocks, count));
    if (options->wall_count == 0) {
        assert_int_equal(height, result.height_bytes);
    }
    assert_true(result.load_bytes <= result.bound_bytes);
    assert_true(result.bound_bytes <= result.height_bytes);
    assert_int_equal(result.state == ZV_PLACE_OPTIMAL, result.bound_bytes == result.height_bytes);
    return result;
}

static void tiny_ones_are_optimal(void **state)
{
    static const struct place_shape shapes[] = {
        {3, 6, 1}, {9, 4, 1}, {5, 12, 1}, {5, 6, 3}, {1000000007, 6, 1}};
    const struct zv_place_options options = {0};
    const struct zv_place_options fast = {.no_search = true};
    uint64_t random = 1;
    size_t above_load = 0;
    (void)state;
    for (size_t i = 0; i < 4000; i++) {
        struct zv_place_block blocks[TINY];
        const size_t count = 1 + i % TINY;
        place_draw(blocks, count, &shapes[i % (sizeof shapes / sizeof shapes[0])], &random);
        const uint64_t least = place_least_height(blocks, count);
        const struct zv_place_result quick = run(blocks, count, &fast);
        assert_true(quick.bound_bytes <= least && least <= quick.height_bytes);
        const struct zv_place_result result = run(blocks, count, &options);
        assert_int_equal(result.height_bytes, least);
        assert_int_equal(result.bound_bytes, least);
        above_load += least > result.load_bytes;
    }
    assert_true(above_load > 20); /* the search had something to prove */
}

static void fixed_blocks_stay(void **state)
{
    static const struct place_shape shape = {5, 8, 2};
    const struct zv_place_options options = {0};
    uint64_t random = 2;
    size_t done = 0;
    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        struct zv_place_block blocks[TINY];
        const size_t count = 2 + i % (TINY - 1);
        place_draw(blocks, count, &shape, &random);
        blocks[0].fixed = true;
        blocks[0].offset = place_random(&random) % 8 * 2;
        blocks[1].fixed = count > 3;
        blocks[1].offset = place_random(&random) % 8 * 2;
        if (blocks[1].fixed && !place_is_valid(blocks, 2)) {
            continue;
        }
        const uint64_t offsets[2] = {blocks[0].offset, blocks[1].offset};
        const uint64_t least = place_least_height(blocks, count);
        const struct zv_place_result result = run(blocks, count, &options);
        assert_int_equal(blocks[0].offset, offsets[0]);
        assert_true(!blocks[1].fixed || blocks[1].offset == offsets[1]);
        assert_int_equal(result.height_bytes, least);
        assert_int_equal(result.state, ZV_PLACE_OPTIMAL);
        done++;
    }
    assert_true(done > 1000);
}

static void walls_are_kept(void **state)
{
    static const uint64_t walls[] = {10, 14, 30};
    static const struct place_shape shape = {9, 20, 1};
    const struct zv_place_options options = {.walls = walls, .wall_count = 3};
    uint64_t random = 3;
    (void)state;
    for (size_t i = 0; i < 300; i++) {
        struct zv_place_block blocks[24];
        place_draw(blocks, 24, &shape, &random);
        blocks[0].fixed = true;
        blocks[0].offset = 30 - blocks[0].bytes;
        const struct zv_place_result result = run(blocks, 24, &options);
        assert_true(result.height_bytes >= 30);
        for (size_t k = 0; k < 24; k++) {
            for (size_t w = 0; w < 3; w++) {
                assert_false(blocks[k].offset < walls[w] &&
                             blocks[k].offset + blocks[k].bytes > walls[w]);
            }
        }
    }
    /* what is larger than every room lies above the last wall, one after the other */
    struct zv_place_block large[] = {{.birth = 0, .death = 2, .bytes = 17},
                                     {.birth = 1, .death = 3, .bytes = 18},
                                     {.birth = 1, .death = 2, .bytes = 4}};
    const struct zv_place_result result = run(large, 3, &options);
    assert_int_equal(result.bound_bytes, 30 + 17 + 18);
    assert_int_equal(result.state, ZV_PLACE_OPTIMAL);
    assert_true(large[2].offset + 4 <= 30);
}

/* A box without any slack is hard: small ones are always solved, most of the larger ones. */
static void boxes_that_were_cut_fit_again(void **state)
{
    const struct zv_place_options options = {.node_limit = 200000};
    static struct zv_place_block blocks[MOST];
    uint64_t random = 4;
    size_t solved = 0;
    (void)state;
    for (size_t i = 0; i < 120; i += 2) {
        const size_t count = place_cut_box(blocks, 5 + i, 1000, 500, i % 4 != 0, &random);
        const struct zv_place_result result = run(blocks, count, &options);
        assert_int_equal(result.load_bytes, 1000);
        assert_int_equal(result.bound_bytes, 1000);
        assert_true(result.state == ZV_PLACE_OPTIMAL || count > 60);
        solved += result.state == ZV_PLACE_OPTIMAL;
    }
    assert_true(solved >= 55);
}

static void the_same_seed_the_same_answer(void **state)
{
    static const struct place_shape shape = {4096, 60, 1};
    const struct zv_place_options options = {.node_limit = 4000, .seed = 7};
    static struct zv_place_block once[MOST];
    static struct zv_place_block again[MOST];
    uint64_t random = 5;
    (void)state;
    place_draw(once, MOST, &shape, &random);
    memcpy(again, once, sizeof once);
    const struct zv_place_result a = run(once, MOST, &options);
    const struct zv_place_result b = run(again, MOST, &options);
    assert_int_equal(a.height_bytes, b.height_bytes);
    assert_int_equal(a.nodes, b.nodes);
    assert_memory_equal(once, again, sizeof once);
    assert_true(a.nodes <= 4001);
}

static void enough_ends_the_search(void **state)
{
    static const struct place_shape shape = {4096, 60, 1};
    static struct zv_place_block blocks[MOST];
    uint64_t random = 6;
    (void)state;
    place_draw(blocks, MOST, &shape, &random);
    const struct zv_place_options options = {.enough = UINT64_MAX};
    const struct zv_place_result result = run(blocks, MOST, &options);
    assert_int_equal(result.nodes, 0);
    assert_string_equal(result.found_by, "TWA");
}

static void bad_blocks_are_named(void **state)
{
    static const struct {
        struct zv_place_block blocks[2];
        enum zv_status status;
        const char *says;
    } rows[] = {
        {{{0, 1, 1, 0, 0, false}, {5, 5, 1, 0, 0, false}}, ZV_E_SYNTAX, "block 1: its life ends"},
        {{{5, 4, 1, 0, 0, false}, {0, 1, 1, 0, 0, false}}, ZV_E_SYNTAX, "block 0: its life ends"},
        {{{0, 1, 1, 0, 0, false}, {0, 1, 0, 0, 0, false}}, ZV_E_SYNTAX, "block 1: 0 bytes"},
        {{{0, 1, UINT64_C(1) << 62, 0, 0, false}, {0, 1, 1, 0, 0, false}},
         ZV_E_OVERFLOW,
         "block 1: more than 2^62"},
        {{{0, 1, UINT64_MAX, 0, 0, false}, {0, 1, 1, 0, 0, false}},
         ZV_E_OVERFLOW,
         "block 0: more than 2^62"},
        {{{0, 1, 1, 0, 0, false}, {0, 1, 1, 0, UINT64_MAX, true}},
         ZV_E_OVERFLOW,
         "block 1: more than 2^62"},
        {{{0, 1, 1, 0, 0, false}, {0, 1, 1, 4, 6, true}}, ZV_E_SYNTAX, "6, which is no multiple"},
        {{{0, 2, 4, 0, 0, true}, {1, 3, 4, 0, 3, true}}, ZV_E_SYNTAX, "blocks 0 and 1 share bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_place_options options = {0};
        struct zv_place_block blocks[2];
        struct zv_place_result result;
        struct zv_error err = {0};
        memcpy(blocks, rows[i].blocks, sizeof blocks);
        assert_int_equal(zv_place_run(blocks, 2, &options, &result, &err), rows[i].status);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_memory_equal(blocks, rows[i].blocks, sizeof blocks);
    }
}

static void nothing_needs_nothing(void **state)
{
    const struct zv_place_options options = {0};
    struct zv_place_result result;
    uint64_t height = 1;
    (void)state;
    assert_int_equal(zv_place_run(NULL, 0, &options, &result, NULL), ZV_OK);
    assert_int_equal(result.height_bytes, 0);
    assert_int_equal(result.state, ZV_PLACE_OPTIMAL);
    assert_int_equal(zv_place_check(NULL, 0, &height, NULL), ZV_OK);
    assert_int_equal(height, 0);
}

/* Random placements, most of them wrong: the check says what comparing all pairs says. */
static void the_check_sees_every_overlap(void **state)
{
    static const struct place_shape shape = {6, 10, 1};
    uint64_t random = 8;
    size_t valid = 0;
    (void)state;
    for (size_t i = 0; i < 20000; i++) {
        struct zv_place_block blocks[7];
        const size_t count = 1 + i % 7;
        uint64_t height = 0;
        struct zv_error err = {0};
        place_draw(blocks, count, &shape, &random);
        for (size_t k = 0; k < count; k++) {
            blocks[k].offset = place_random(&random) % 24;
        }
        const bool is_valid = place_is_valid(blocks, count);
        const enum zv_status status = zv_place_check(blocks, count, &height, &err);
        assert_int_equal(status, is_valid ? ZV_OK : ZV_E_BUG);
        valid += is_valid;
    }
    assert_true(valid > 2000 && valid < 18000);
    const struct zv_place_block off = {0, 1, 4, 8, 4, false};
    uint64_t height;
    assert_int_equal(zv_place_check(&off, 1, &height, NULL), ZV_E_BUG);
}

static void memory_grows_with_the_blocks(void **state)
{
    static const struct place_shape shape = {65536, 100000, 1};
    const struct zv_place_options options = {.no_search = true};
    size_t peaks[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const size_t count = (size_t)20000 << i;
        struct zv_place_block *const blocks = calloc(count, sizeof *blocks);
        struct zv_place_result result;
        uint64_t random = 9;
        assert_non_null(blocks);
        place_draw(blocks, count, &shape, &random);
        fail_memory_start(0);
        assert_int_equal(zv_place_run(blocks, count, &options, &result, NULL), ZV_OK);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        peaks[i] = fail_memory.peak;
        free(blocks);
    }
    assert_true(peaks[0] < 20000 * 400);
    assert_true(peaks[1] < peaks[0] * 21 / 10);
}

static void survives_a_failure_of_each_allocation(void **state)
{
    static const struct place_shape shape = {5, 8, 1};
    const struct zv_place_options options = {0};
    uint64_t random = 29;
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_place_block blocks[12];
        struct zv_place_result result;
        uint64_t height;
        random = 29;
        place_draw(blocks, 12, &shape, &random);
        blocks[0].fixed = true;
        fail_memory_start(n);
        enum zv_status status = zv_place_run(blocks, 12, &options, &result, NULL);
        status = status == ZV_OK ? zv_place_check(blocks, 12, &height, NULL) : status;
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
        cmocka_unit_test(tiny_ones_are_optimal),
        cmocka_unit_test(fixed_blocks_stay),
        cmocka_unit_test(walls_are_kept),
        cmocka_unit_test(boxes_that_were_cut_fit_again),
        cmocka_unit_test(the_same_seed_the_same_answer),
        cmocka_unit_test(enough_ends_the_search),
        cmocka_unit_test(bad_blocks_are_named),
        cmocka_unit_test(nothing_needs_nothing),
        cmocka_unit_test(the_check_sees_every_overlap),
        cmocka_unit_test(memory_grows_with_the_blocks),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
