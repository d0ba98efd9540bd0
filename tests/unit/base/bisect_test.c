#include "base/bisect.h"

#include <string.h>

#include "base/fail.h"
#include "support/test.h"

/* What passes: values to `last`; from `again` on once more; at `stop` there is no answer. */
struct world {
    uint64_t last;
    uint64_t again; /* 0: never */
    uint64_t stop;  /* 0: never */
    uint64_t fail;  /* 0: never */
    unsigned asked;
};

static enum zv_status ask(void *context, uint64_t value, enum zv_trial *trial, struct zv_error *err)
{
    struct world *const world = context;
    world->asked++;
    *trial = value <= world->last || (world->again != 0 && value >= world->again)
                 ? ZV_TRIAL_PASSES
                 : ZV_TRIAL_PASSES_NOT;
    if (world->stop != 0 && value >= world->stop) {
        *trial = ZV_TRIAL_STOP;
    }
    return world->fail != 0 && value >= world->fail ? zv_fail(err, ZV_E_IO, "broke") : ZV_OK;
}

static struct zv_bisect search(struct world *world, uint64_t from, uint64_t to)
{
    struct zv_bisect bisect = {.from = from, .to = to, .ask = ask, .context = world};
    assert_int_equal(zv_bisect_run(&bisect, NULL), ZV_OK);
    return bisect;
}

/* Every boundary of every small range, and no value asked twice. */
static void boundaries(void **state)
{
    (void)state;
    for (uint64_t from = 1; from < 6; from++) {
        for (uint64_t to = from; to < 70; to++) {
            for (uint64_t last = 0; last < to + 3; last++) {
                struct world world = {.last = last};
                const struct zv_bisect bisect = search(&world, from, to);
                assert_int_equal(bisect.found, last >= from);
                assert_int_equal(bisect.at_limit, last >= to);
                assert_true(!bisect.found || bisect.value == (last < to ? last : to));
                assert_true(bisect.asked_count <= 14);
                for (size_t i = 0; i < bisect.asked_count; i++) {
                    for (size_t k = 0; k < i; k++) {
                        assert_int_not_equal(bisect.asked[i], bisect.asked[k]);
                    }
                }
            }
        }
    }
}

static void large(void **state)
{
    (void)state;
    const uint64_t lasts[] = {1, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct world world = {.last = lasts[i]};
        const struct zv_bisect bisect = search(&world, 1, UINT64_MAX);
        assert_true(bisect.value == lasts[i]);
        assert_int_equal(bisect.at_limit, i == 3);
        assert_true(world.asked < 130);
    }
}

/* No answer is neither side: the search ends there with what it has. */
static void stops(void **state)
{
    (void)state;
    struct world world = {.last = 20, .stop = 9};
    struct zv_bisect bisect = search(&world, 1, 64);
    assert_true(bisect.stopped && bisect.found);
    assert_int_equal(bisect.value, 8);
    assert_false(bisect.at_limit);
    assert_int_equal(zv_bisect_confirm(&bisect, 4, NULL), ZV_OK);
    assert_int_equal(world.asked, 5);
    world = (struct world){.last = 20, .stop = 1};
    bisect = search(&world, 1, 64);
    assert_true(bisect.stopped && !bisect.found);
    world = (struct world){.last = 20, .stop = 18};
    bisect = search(&world, 1, 17);
    assert_false(bisect.stopped);
}

static void errors(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct world world = {.last = 20, .fail = 16};
    struct zv_bisect bisect = {.from = 1, .to = 64, .ask = ask, .context = &world};
    assert_int_equal(zv_bisect_run(&bisect, &err), ZV_E_IO);
    assert_string_equal(err.text, "broke");
    bisect = (struct zv_bisect){.from = 0, .to = 64, .ask = ask, .context = &world};
    assert_int_equal(zv_bisect_run(&bisect, NULL), ZV_E_USAGE);
    bisect = (struct zv_bisect){.from = 5, .to = 4, .ask = ask, .context = &world};
    assert_int_equal(zv_bisect_run(&bisect, NULL), ZV_E_USAGE);
}

/* A second stretch of values that pass is found when enough are asked, and none is made up. */
static void confirms(void **state)
{
    (void)state;
    struct world world = {.last = 11};
    struct zv_bisect bisect = search(&world, 1, 64);
    assert_int_equal(zv_bisect_confirm(&bisect, 8, NULL), ZV_OK);
    assert_false(bisect.contrary);
    assert_int_equal(world.asked, bisect.asked_count);
    world = (struct world){.last = 11, .again = 40};
    bisect = search(&world, 1, 63);
    assert_int_equal(bisect.value, 11);
    assert_int_equal(zv_bisect_confirm(&bisect, 4, NULL), ZV_OK);
    assert_true(bisect.contrary);
    assert_true(bisect.contrary_value >= 40);
    world = (struct world){.last = 0, .again = 40}; /* and where nothing was found */
    bisect = search(&world, 1, 63);
    assert_false(bisect.found);
    assert_int_equal(zv_bisect_confirm(&bisect, 2, NULL), ZV_OK);
    assert_true(bisect.contrary);
    assert_int_equal(bisect.contrary_value, 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boundaries), cmocka_unit_test(large),
                                       cmocka_unit_test(stops), cmocka_unit_test(errors),
                                       cmocka_unit_test(confirms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
