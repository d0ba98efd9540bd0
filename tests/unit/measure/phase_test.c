/* The protocol: what is read in what order, and what a missing reading or a failure leaves. */
#include <string.h>

#include "base/fail.h"
#include "support/test.h"
#include "zirve/measure.h"

static char calls[256];
static enum zv_status waits[2];
static size_t waited;

static void note(const char *what)
{
    (void)strncat(calls, what, sizeof calls - strlen(calls) - 1);
}

static enum zv_status synchronise(const struct zv_counters *counters, struct zv_error *err)
{
    (void)counters;
    note("wait ");
    const enum zv_status status = waits[waited++ % 2];
    return status == ZV_OK ? ZV_OK : zv_fail(err, status, "the device is gone");
}

static void levels(const struct zv_counters *counters, struct zv_levels *to)
{
    (void)counters;
    note("levels ");
    to->allocated = (struct zv_reading){100 + waited, true};
    to->reserved = (struct zv_reading){200 + waited, true};
}

static void reset_peaks(const struct zv_counters *counters)
{
    (void)counters;
    note("reset ");
}

static void peaks(const struct zv_counters *counters, struct zv_reading *allocated,
                  struct zv_reading *reserved)
{
    (void)counters;
    (void)reserved;
    note("peaks ");
    *allocated = (struct zv_reading){150, true};
}

static struct zv_counters start(enum zv_status first, enum zv_status second)
{
    calls[0] = 0;
    waited = 0;
    waits[0] = first;
    waits[1] = second;
    return (struct zv_counters){
        .synchronise = synchronise, .levels = levels, .reset_peaks = reset_peaks, .peaks = peaks};
}

static void test_order(void **state)
{
    (void)state;
    struct zv_phase phase;
    const struct zv_counters counters = start(ZV_OK, ZV_OK);
    assert_int_equal(zv_phase_begin(&phase, &counters, "forward", NULL), ZV_OK);
    zv_phase_dimension(&phase, "batch", 2);
    note("work ");
    assert_int_equal(zv_phase_end(&phase, &counters, NULL, NULL), ZV_OK);
    assert_string_equal(calls, "wait levels reset work wait peaks levels ");
    assert_true(phase.succeeded);
    assert_string_equal(phase.name, "forward");
    assert_int_equal(phase.dimensions[0].value, 2);
    assert_int_equal(phase.before.allocated.value, 101);
    assert_int_equal(phase.after.reserved.value, 202);
    assert_true(phase.peak_allocated.known);
    assert_false(phase.peak_reserved.known);
    assert_false(phase.before.free.known);
    assert_true(phase.duration_ns.known);
}

static void test_failures(void **state)
{
    (void)state;
    struct zv_phase phase;
    struct zv_error err = {0};
    struct zv_counters counters = start(ZV_OK, ZV_OK);
    assert_int_equal(zv_phase_begin(&phase, &counters, "forward", &err), ZV_OK);
    assert_int_equal(zv_phase_end(&phase, &counters, "out of memory", &err), ZV_OK);
    assert_false(phase.succeeded);
    assert_string_equal(phase.message, "out of memory");
    assert_true(phase.after.allocated.known); /* the last values */
    counters = start(ZV_OK, ZV_E_DEVICE);
    assert_int_equal(zv_phase_begin(&phase, &counters, "forward", &err), ZV_OK);
    assert_int_equal(zv_phase_end(&phase, &counters, "first", &err), ZV_E_DEVICE);
    assert_string_equal(phase.message, "first");
    err = (struct zv_error){0};
    counters = start(ZV_E_DEVICE, ZV_E_DEVICE);
    assert_int_equal(zv_phase_begin(&phase, &counters, "forward", &err), ZV_E_DEVICE);
    assert_false(phase.succeeded);
    assert_string_equal(phase.message, "the device is gone");
    assert_int_equal(zv_phase_end(&phase, &counters, NULL, NULL), ZV_E_DEVICE);
    assert_false(phase.duration_ns.known); /* its clock never started */
}

/* No counters at all: nothing is 0, everything is unknown. */
static void test_nothing_known(void **state)
{
    (void)state;
    struct zv_phase phase;
    struct zv_counters counters = zv_counters_of(NULL, NULL);
    counters.has_no_clock = true;
    assert_int_equal(
        zv_phase_begin(&phase, &counters, "a name that is longer than its place", NULL), ZV_OK);
    for (int i = 0; i < 2 * ZV_PHASE_DIMENSIONS; i++) {
        zv_phase_dimension(&phase, "n", 1);
    }
    assert_int_equal(zv_phase_end(&phase, &counters, NULL, NULL), ZV_OK);
    assert_int_equal(strlen(phase.name), ZV_PHASE_NAME - 1);
    assert_int_equal(phase.dimension_count, ZV_PHASE_DIMENSIONS);
    const struct zv_reading *const readings[] = {
        &phase.before.allocated, &phase.before.reserved, &phase.before.free, &phase.before.total,
        &phase.after.allocated,  &phase.after.reserved,  &phase.after.free,  &phase.after.total,
        &phase.peak_allocated,   &phase.peak_reserved,   &phase.duration_ns};
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        assert_false(readings[i]->known);
    }
    assert_true(phase.succeeded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
