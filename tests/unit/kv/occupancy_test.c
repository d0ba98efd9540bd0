/* Steps of any number in few equal spans: nothing is lost, and how it was cut does not matter. */
#include <stdlib.h>

#include "kv/serve.h"
#include "support/test.h"

static struct kv_moment moment_of(uint64_t step)
{
    return (struct kv_moment){.used = step * 7919 % 1009,
                              .cached = step % 13,
                              .running = step * 31 % 17,
                              .waiting = step % 5,
                              .preemptions = step / 10};
}

static struct kv_point sum_of(uint64_t from, uint64_t end)
{
    struct kv_point sum = {0};
    for (uint64_t step = from; step < end; step++) {
        const struct kv_moment one = moment_of(step);
        sum.steps++;
        sum.sum_used += one.used;
        sum.sum_running += one.running;
        sum.peak.used = one.used > sum.peak.used ? one.used : sum.peak.used;
        sum.peak.cached = one.cached > sum.peak.cached ? one.cached : sum.peak.cached;
        sum.peak.running = one.running > sum.peak.running ? one.running : sum.peak.running;
        sum.peak.waiting = one.waiting > sum.peak.waiting ? one.waiting : sum.peak.waiting;
        sum.peak.preemptions = one.preemptions;
    }
    return sum;
}

static void check(const struct kv_occupancy *occupancy, uint64_t steps, size_t most)
{
    assert_true(occupancy->count <= most);
    assert_true(steps <= occupancy->span * most);
    assert_true(occupancy->span == 1 || steps > occupancy->span / 2 * most); /* as fine as can be */
    for (size_t i = 0; i < occupancy->count; i++) {
        const uint64_t from = i * occupancy->span;
        const uint64_t end = from + occupancy->span < steps ? from + occupancy->span : steps;
        const struct kv_point expected = sum_of(from, end);
        assert_memory_equal(&occupancy->points[i], &expected, sizeof expected);
    }
}

static void test_spans(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 59, 60, 61, 120, 121, 479, 480, 481, 961, 5000, 30721};
    struct kv_occupancy *const occupancy = malloc(sizeof *occupancy);
    assert_non_null(occupancy);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        *occupancy = (struct kv_occupancy){0};
        for (uint64_t step = 0; step < counts[i]; step++) {
            const struct kv_moment moment = moment_of(step);
            occupancy_add(occupancy, &moment);
        }
        check(occupancy, counts[i], KV_OCCUPANCY_POINTS);
        kv_occupancy_coarsen(occupancy, 60);
        check(occupancy, counts[i], 60);
        kv_occupancy_coarsen(occupancy, 1);
        check(occupancy, counts[i], 1);
    }
    free(occupancy);
}

static void test_nothing(void **state)
{
    (void)state;
    struct kv_occupancy *const occupancy = calloc(1, sizeof *occupancy);
    assert_non_null(occupancy);
    kv_occupancy_coarsen(occupancy, 60);
    assert_int_equal(occupancy->count, 0);
    free(occupancy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
