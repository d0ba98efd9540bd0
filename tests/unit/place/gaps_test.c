#include "place/gaps.h"

#include <string.h>

#include "support/place_cases.h"
#include "support/test.h"

enum { MOST = 24, TIME = 200, HEIGHT = 256 };

static const struct place_shape shape = {9, TIME, 1};

/* What lies at each place: nothing, a block, a gap. */
enum { NOTHING, BLOCK, GAP };

struct picture {
    unsigned char at[TIME][HEIGHT];
    unsigned open[TIME]; /* the highest end */
};

static void paint(struct picture *picture, const struct place_problem *problem,
                  const uint64_t *offsets)
{
    memset(picture, 0, sizeof *picture);
    for (uint32_t i = 0; i < problem->count; i++) {
        const uint64_t end = offsets[i] + problem->blocks[i].bytes;
        for (uint32_t s = problem->lives[i].first; s < problem->lives[i].end; s++) {
            picture->open[s] = end > picture->open[s] ? (unsigned)end : picture->open[s];
            memset(picture->at[s] + offsets[i], BLOCK, end - offsets[i]);
        }
    }
}

static void paint_gaps(struct picture *picture, const struct gaps *gaps)
{
    for (uint32_t i = 0; i < gaps->count; i++) {
        const struct gap *const gap = &gaps->gaps[gaps->smallest[i].index];
        uint64_t area = 0;
        assert_true(i == 0 || gaps->smallest[i].key >= gaps->smallest[i - 1].key);
        for (uint32_t k = gap->from; k < gap->to; k++) {
            const struct skyline_step *const step = &gaps->steps[k];
            assert_true(k == gap->from || step->first == step[-1].end);
            assert_true(step->first < step->end && step->height < gap->ceiling);
            for (uint32_t s = step->first; s < step->end; s++) {
                for (uint64_t y = step->height; y < gap->ceiling; y++) {
                    assert_int_equal(picture->at[s][y], NOTHING);
                    picture->at[s][y] = GAP;
                    area++;
                }
            }
        }
        assert_int_equal(area, gaps->smallest[i].key);
    }
}

/* Blocks anywhere above each other: the gaps are all that is free below any, each place once. */
static void gaps_are_what_is_free(void **state)
{
    static struct picture picture;
    uint64_t random = 1;
    size_t seen = 0;
    (void)state;
    for (size_t i = 0; i < 2000; i++) {
        struct zv_arena arena = {0};
        struct place_problem problem;
        struct gaps gaps;
        struct zv_place_block blocks[MOST];
        uint64_t offsets[MOST];
        uint32_t listed[MOST];
        const uint32_t count = 1 + (uint32_t)i % MOST;
        place_draw(blocks, count, &shape, &random);
        assert_int_equal(place_problem_make(&problem, blocks, count, &arena, NULL), ZV_OK);
        for (uint32_t b = 0; b < count; b++) {
            offsets[b] = b == 0 ? 3 : offsets[b - 1] + 10 * (place_random(&random) % 2);
            listed[b] = b;
            blocks[b].offset = offsets[b];
        }
        if (!place_is_valid(blocks, count)) {
            zv_arena_free(&arena);
            continue;
        }
        assert_true(gaps_make(&gaps, &problem, count, &arena));
        gaps_find(&gaps, listed, count, offsets);
        paint(&picture, &problem, offsets);
        paint_gaps(&picture, &gaps);
        for (uint32_t s = 0; s < problem.sections; s++) {
            assert_int_equal(gaps.floor[s], picture.open[s]);
            assert_null(memchr(picture.at[s], NOTHING, picture.open[s]));
        }
        seen += gaps.count;
        assert_true(gaps_make(&gaps, &problem, 0, &arena)); /* only the floor */
        gaps_find(&gaps, listed, count, offsets);
        assert_int_equal(gaps.count, 0);
        assert_int_equal(gaps.floor[0], picture.open[0]);
        zv_arena_free(&arena);
    }
    assert_true(seen > 1000);
}

/* Many sections: pieces are found across words of bits that are all zero. */
static void pieces_are_found_far_away(void **state)
{
    enum { COUNT = 20000 };
    static struct zv_place_block blocks[COUNT];
    static uint64_t offsets[COUNT];
    const uint32_t listed[] = {0, 1, 2, 3};
    struct zv_arena arena = {0};
    struct place_problem problem;
    struct gaps gaps;
    (void)state;
    for (uint64_t i = 0; i < COUNT; i++) {
        blocks[i] = (struct zv_place_block){.birth = 2 * i, .death = 2 * i + 1, .bytes = 1};
    }
    blocks[0].death = 2 * COUNT;                                                /* at the bottom */
    blocks[1] = (struct zv_place_block){.birth = 2, .death = 9000, .bytes = 5}; /* on it */
    blocks[2] = (struct zv_place_block){.birth = 30000, .death = 39999, .bytes = 7};
    blocks[3] = (struct zv_place_block){.birth = 4, .death = 39990, .bytes = 2}; /* on these */
    offsets[1] = 1;
    offsets[2] = 1;
    offsets[3] = 8;
    assert_int_equal(place_problem_make(&problem, blocks, COUNT, &arena, NULL), ZV_OK);
    assert_true(problem.sections > 4 * 4096);
    assert_true(gaps_make(&gaps, &problem, 4, &arena));
    gaps_find(&gaps, listed, 4, offsets);
    assert_int_equal(gaps.count, 1);
    assert_int_equal(gaps.gaps[0].ceiling, 8);
    assert_int_equal(gaps.gaps[0].to - gaps.gaps[0].from, 2); /* on block 1, and between it and 2 */
    assert_int_equal(gaps.steps[0].height, 6);
    assert_int_equal(gaps.steps[1].height, 1);
    assert_int_equal(gaps.floor[0], 10);
    assert_int_equal(gaps.floor[problem.sections / 2], 10);
    assert_int_equal(gaps.floor[problem.sections - 1], 8); /* block 3 has died */
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_what_is_free),
        cmocka_unit_test(pieces_are_found_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
