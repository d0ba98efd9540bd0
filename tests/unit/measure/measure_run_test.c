/*
 * Runs of the lab exercise on the emulated driver. Its requests go through the allocator engine
 * over its own simulated card, too (support/lab_engine.h): allocated and reserved of every phase
 * must be equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"
#include "support/fail_memory.h"
#include "support/lab_engine.h"
#include "support/test.h"

static char library[512];

static int find_library(void **state)
{
    (void)state;
    const char *const folder = getenv("ZIRVE_EMULATE_DIR");
    (void)snprintf(library, sizeof library, "%s/libzirve-emulate.so", folder != NULL ? folder : "");
    return folder != NULL ? 0 : -1;
}

static void run_condition(struct measure_run *run, const struct measure_condition *condition,
                          const char *device, const char *cards, struct zv_arena *arena)
{
    const struct measure_place place = {.device = device, .library = library};
    struct zv_error err = {0};
    assert_int_equal(setenv("ZIRVE_EMULATED_CARDS", cards, 1), 0);
    if (measure_run_here(run, condition, &place, arena, &err) != ZV_OK) {
        fail_msg("%s", err.text);
    }
}

/* ---- the small case, byte by byte ---- */

static const struct {
    const char *name;
    uint64_t before;
    uint64_t peak;
    uint64_t after;
} small_inference[] =
    {
        {"model_load", 0, 33792, 33792},       {"inputs", 33792, 37888, 37888},
        {"cold_forward", 37888, 46080, 37888}, {"warmup", 37888, 46080, 37888},
        {"warm_forward", 37888, 46080, 37888}, {"warm_forward", 37888, 46080, 37888},
},
  small_training[] = {
      {"model_load", 0, 33792, 33792},     {"inputs", 33792, 41984, 41984},
      {"forward", 41984, 50176, 50176},    {"loss", 50176, 51712, 50688},
      {"backward", 50688, 79872, 75776},   {"first_update", 75776, 143360, 109568},
      {"warmup", 109568, 147456, 109568},  {"updates", 109568, 147456, 109568},
      {"updates", 109568, 147456, 109568}, {"evaluation", 109568, 125952, 109568},
      {"export", 109568, 109568, 109568},
};

static struct measure_condition small_case(void)
{
    return (struct measure_condition){.batch = 1,
                                      .context = 16,
                                      .width = 64,
                                      .depth = 2,
                                      .optimizer = MEASURE_ADAM,
                                      .warmup = 1,
                                      .repeats = 2,
                                      .profile = ZV_TORCH_2_14};
}

static void test_small_case(void **state)
{
    (void)state;
    static const char *const confs[] = {NULL, "expandable_segments:True"};
    for (int i = 0; i < 4; i++) {
        struct zv_arena arena = {0};
        struct measure_run run;
        struct measure_condition condition = small_case();
        condition.conf = confs[i % 2];
        condition.trains = i >= 2;
        run_condition(&run, &condition, "cuda:0", "total=943718400", &arena);
        assert_true(run.is_complete);
        assert_int_equal(run.check, MEASURE_CHECK_EMULATED);
        const size_t count = condition.trains ? sizeof small_training / sizeof small_training[0]
                                              : sizeof small_inference / sizeof small_inference[0];
        assert_int_equal(run.phase_count, count);
        for (size_t p = 0; p < count; p++) {
            const struct zv_phase *const phase = &run.phases[p];
            const uint64_t peak = i < 2 ? small_inference[p].peak : small_training[p].peak;
            const uint64_t after = i < 2 ? small_inference[p].after : small_training[p].after;
            const uint64_t before = i < 2 ? small_inference[p].before : small_training[p].before;
            if (strcmp(phase->name, i < 2 ? small_inference[p].name : small_training[p].name) !=
                    0 ||
                phase->before.allocated.value != before || phase->peak_allocated.value != peak ||
                phase->after.allocated.value != after || phase->peak_reserved.value != 2097152 ||
                phase->after.reserved.value != 2097152 ||
                phase->after.free.value != 943718400 - 2097152 || phase->duration_ns.known) {
                fail_msg("%s: allocated %llu, %llu, %llu; reserved %llu", phase->name,
                         (unsigned long long)phase->before.allocated.value,
                         (unsigned long long)phase->peak_allocated.value,
                         (unsigned long long)phase->after.allocated.value,
                         (unsigned long long)phase->peak_reserved.value);
            }
        }
        zv_arena_free(&arena);
    }
}

/* ---- any size: the requests of docs/measuring.md through the engine alone ---- */

static void compare(const struct measure_condition *condition, const char *device)
{
    struct zv_arena arena = {0};
    struct measure_run run;
    run_condition(&run, condition, device, LAB_ENGINE_CARD, &arena);
    assert_true(run.is_complete);
    lab_engine_check(&run, condition);
    zv_arena_free(&arena);
}

static void test_same_as_the_engine(void **state)
{
    (void)state;
    static const char *const confs[] = {NULL, "expandable_segments:True", "max_split_size_mb:64",
                                        "roundup_power2_divisions:4"};
    static const uint64_t widths[] = {1, 64, 700, 2048, 4099};
    for (unsigned i = 0; i < 240; i++) {
        const struct measure_condition condition = {.batch = 1 + i % 3 * 5,
                                                    .context = 16 + i % 7 * 100,
                                                    .width = widths[i % 5],
                                                    .depth = 1 + i % 4,
                                                    .dtype = (enum measure_dtype)(i % 3),
                                                    .optimizer = (enum measure_optimizer)(i % 2),
                                                    .trains = i / 2 % 2 == 1,
                                                    .warmup = i % 3,
                                                    .repeats = 1 + i % 2,
                                                    .empties_cache = i % 11 == 0,
                                                    .profile = (enum zv_torch_profile)(i / 4 % 2),
                                                    .conf = confs[i / 8 % 4]};
        compare(&condition, i % 6 == 0 ? "hip:0" : "cuda:0");
    }
}

/* ---- failures ---- */

static const struct {
    const char *fault;
    bool trains;
    const char *phase;
    const char *words;
    size_t phases; /* kept, the failed one with them */
    bool ran_out;
} failures[] = {
    {"copy@1", false, "inputs", "cuMemcpyHtoD_v2 says 700", 2, false},
    {"launch@2", false, "model_load", "cuLaunchKernel says 719", 1, false},
    {"launch@5", false, "cold_forward", "cuLaunchKernel says 719", 3, false},
    {"oom@1+", false, "model_load", "out of memory: 16384 bytes asked for", 1, true},
    {"copy@3", true, "loss", "cuMemcpyDtoH_v2 says 700", 4, false},
    {"lost@9", true, "forward", "says 46, device is lost", 3, false},
    {"lost@11", true, "loss", "says 46, device is lost", 4, false},
};

static void test_failed_phases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        struct zv_arena arena = {0};
        struct measure_run run;
        char cards[128];
        struct measure_condition condition = small_case();
        condition.trains = failures[i].trains;
        (void)snprintf(cards, sizeof cards, "total=943718400,fault=%s", failures[i].fault);
        run_condition(&run, &condition, "cuda:0", cards, &arena);
        const struct zv_phase *const last = &run.phases[run.phase_count - 1];
        if (run.is_complete || strcmp(run.failed_phase, failures[i].phase) != 0 ||
            strstr(run.message, failures[i].words) == NULL ||
            run.phase_count != failures[i].phases || run.ran_out != failures[i].ran_out) {
            fail_msg("%s: %s, %s, %zu phases", failures[i].fault, run.failed_phase, run.message,
                     run.phase_count);
        }
        assert_false(last->succeeded);
        assert_string_equal(last->message, run.message);
        assert_true(last->after.allocated.known);
        assert_int_equal(run.check, MEASURE_CHECK_NOT_REACHED);
        zv_arena_free(&arena);
    }
}

/* A card that is too small: the first phases stay, the failed one shows its last values. */
static void test_out_of_memory(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct measure_run run;
    struct measure_condition condition = small_case();
    condition.width = 2048; /* a weight is 16 MiB */
    condition.trains = true;
    run_condition(&run, &condition, "cuda:0", "total=100663296", &arena); /* 96 MiB */
    assert_false(run.is_complete);
    assert_true(run.ran_out);
    assert_string_equal(run.failed_phase, "first_update");
    assert_non_null(strstr(run.message, "16777216 bytes asked for"));
    assert_int_equal(run.ooms, 1);
    const struct zv_phase *const last = &run.phases[run.phase_count - 1];
    assert_true(last->after.allocated.value >= 4 * 16777216);
    assert_true(last->peak_reserved.value <= 100663296);
    zv_arena_free(&arena);
}

static void test_refused(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct measure_run run;
    struct measure_condition condition = small_case();
    const struct measure_place place = {.device = "cuda:0", .library = library};
    struct zv_error err = {0};
    (void)setenv("ZIRVE_EMULATED_CARDS", "total=943718400,cc=6.1", 1);
    assert_int_equal(measure_run_here(&run, &condition, &place, &arena, &err), ZV_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "compute capability 6.1: the kernels need 7.0"));
    err = (struct zv_error){0};
    (void)setenv("ZIRVE_EMULATED_CARDS", "total=943718400", 1);
    condition.conf = "expandable_segments:maybe";
    assert_int_equal(measure_run_here(&run, &condition, &place, &arena, &err), ZV_E_SYNTAX);
    condition = small_case();
    condition.batch = MEASURE_MOST_SIZE;
    condition.context = MEASURE_MOST_SIZE;
    assert_int_equal(measure_run_here(&run, &condition, &place, &arena, NULL), ZV_E_OVERFLOW);
    zv_arena_free(&arena);
}

/* ---- several devices, processes, the whole loop ---- */

static void test_devices_in_threads(void **state)
{
    (void)state;
    enum { DEVICES = 4 };
    struct zv_arena arena = {0};
    struct measure_run runs[DEVICES];
    struct measure_run alone;
    struct measure_condition condition = small_case();
    const struct measure_place places[DEVICES] = {{.device = "cuda:0", .library = library},
                                                  {.device = "hip:1", .library = library},
                                                  {.device = "cuda:2", .library = library},
                                                  {.device = "cuda:3", .library = library}};
    condition.trains = true;
    condition.repeats = 20;
    condition.conf = "expandable_segments:True";
    run_condition(&alone, &condition, "cuda:0", "total=943718400", &arena);
    (void)setenv("ZIRVE_EMULATED_CARDS",
                 "total=943718400;total=943718400;total=943718400,fault=launch@40;total=943718400",
                 1);
    assert_int_equal(measure_run_devices(runs, &condition, places, DEVICES, &arena, NULL), ZV_OK);
    for (size_t i = 0; i < DEVICES; i++) {
        assert_int_equal(runs[i].is_complete, i != 2); /* one fails, the others do not notice */
        assert_int_equal(runs[i].device.index, i);
        for (size_t p = 0; p < runs[i].phase_count && i != 2; p++) {
            assert_int_equal(runs[i].phases[p].peak_allocated.value,
                             alone.phases[p].peak_allocated.value);
            assert_int_equal(runs[i].phases[p].after.reserved.value,
                             alone.phases[p].after.reserved.value);
        }
    }
    (void)setenv("ZIRVE_EMULATED_CARDS", "total=943718400", 1);
    struct zv_error err = {0};
    assert_int_equal(measure_run_devices(runs, &condition, places, 2, &arena, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "hip:1: no usable GPU 1"));
    zv_arena_free(&arena);
}

static void test_process(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct measure_run here;
    struct measure_run there;
    const struct measure_place place = {.device = "cuda:0", .library = library};
    const struct measure_condition condition = small_case();
    run_condition(&here, &condition, "cuda:0", "total=943718400", &arena);
    assert_int_equal(measure_run_process(&there, &condition, &place, 1, &arena, NULL), ZV_OK);
    assert_true(there.is_complete);
    assert_int_equal(there.phase_count, here.phase_count);
    assert_memory_equal(there.phases, here.phases, here.phase_count * sizeof *here.phases);
    (void)setenv("ZIRVE_EMULATED_CARDS", "total=x", 1);
    struct zv_error err = {0};
    assert_int_equal(measure_run_process(&there, &condition, &place, 1, &arena, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "no usable GPU: cuInit says 100"));
    zv_arena_free(&arena);
}

static void test_whole_loop(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct measure_run run;
    struct measure_condition condition = small_case();
    condition.is_unsynchronised = true;
    condition.trains = true;
    run_condition(&run, &condition, "cuda:0", "total=943718400", &arena);
    assert_true(run.is_complete);
    assert_int_equal(run.phase_count, 1);
    assert_string_equal(run.phases[0].name, "whole_loop");
    assert_int_equal(run.phases[0].peak_allocated.value, 147456);
    assert_int_equal(run.phases[0].after.allocated.value, 109568);
    run_condition(&run, &condition, "cuda:0", "total=943718400,fault=launch@20", &arena);
    assert_false(run.is_complete);
    assert_string_equal(run.failed_phase, "first_update");
    zv_arena_free(&arena);
}

/* Host memory that runs out, at every place: an error, and nothing is left. */
static void test_no_host_memory(void **state)
{
    (void)state;
    struct measure_condition condition = small_case();
    const struct measure_place place = {.device = "cuda:0", .library = library};
    size_t ends = 0;
    condition.trains = true;
    condition.conf = "expandable_segments:True";
    (void)setenv("ZIRVE_EMULATED_CARDS", "total=943718400", 1);
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct measure_run run;
        fail_memory_start(n);
        const enum zv_status status = measure_run_here(&run, &condition, &place, &arena, NULL);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(status == ZV_OK ? run.is_complete : status == ZV_E_NOMEM);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            assert_true(n > 10);
            break;
        }
        ends += status == ZV_OK; /* giving the cache back at the very end */
    }
    assert_true(ends <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_case),     cmocka_unit_test(test_same_as_the_engine),
        cmocka_unit_test(test_failed_phases),  cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_devices_in_threads),
        cmocka_unit_test(test_process),        cmocka_unit_test(test_whole_loop),
        cmocka_unit_test(test_no_host_memory),
    };
    return cmocka_run_group_tests(tests, find_library, NULL);
}
