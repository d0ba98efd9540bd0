#include "step/peak.h"

#include <stdio.h>
#include <string.h>

#include "support/step_peak.h"
#include "support/test.h"

/* A step that is open on a small model, and a request with "a=1 b=2". */
struct opened {
    struct zv_arena arena;
    struct zv_model model;
    struct zv_model_files *files;
    struct zv_step step;
    struct zv_step_setting settings[16];
    struct zv_step_request request;
};

static void open_step(struct opened *to, const char *habit, const char *settings, uint64_t capacity)
{
    struct zv_error err = {0};
    char path[STEP_CASE_PATH];
    step_case_path("data/published/llama-3.2-3b.json", path);
    *to = (struct opened){.files = NULL};
    assert_int_equal(zv_model_open(&to->model, &to->files, path, &to->arena, &err), ZV_OK);
    assert_int_equal(zv_step_open(&to->step, &to->model, zv_slice_of(habit), &to->arena, &err),
                     ZV_OK);
    to->request = (struct zv_step_request){.model = &to->model,
                                           .habit = zv_slice_of(habit),
                                           .settings = to->settings,
                                           .card = {108, 2048, 8519680, 0},
                                           .allocator = {.capacity_bytes = capacity}};
    struct zv_slice rest = zv_slice_of(settings);
    struct zv_slice word;
    while (zv_slice_word(&rest, &word)) {
        const struct zv_slice name = zv_slice_cut(&word, '=');
        to->settings[to->request.setting_count++] =
            (struct zv_step_setting){.name = name, .value = word};
    }
}

static void close_step(struct opened *of)
{
    zv_model_close(of->files);
    zv_arena_free(&of->arena);
}

enum { PLENTY = 47 };

/* Rows: what is stated, how many runs differ, the open settings in the order of their width. */
static const struct {
    const char *habit;
    const char *settings;
    size_t runs;
    const char *open;
} cases[] = {
    {"plain", "batch=1 tokens=64 attention=sdpa checkpoint=false accumulation=1 optimizer=sgd", 1,
     ""},
    {"plain",
     "batch=1 tokens=64 attention=sdpa checkpoint=false accumulation=1 "
     "optimizer=adamw_foreach|adamw_fused",
     2, "optimizer "},
    {"plain", "batch=1 tokens=64 checkpoint=false accumulation=1 optimizer=sgd", 2, "attention "},
    /* what a run never asks for is no case: keeps_input without packed weights */
    {"transformers", "batch=1 tokens=64 optimizer=sgd keeps_input=false|true", 1, ""},
};

static void test_runs_what_is_open(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct opened of;
        static struct zv_step_peak peak;
        struct zv_error err = {0};
        char open[128] = "";
        open_step(&of, cases[i].habit, cases[i].settings, UINT64_C(1) << PLENTY);
        const enum zv_status status = zv_step_peak(&of.step, &of.request, &peak, &err);
        if (strstr(cases[i].settings, "keeps_input") != NULL) {
            assert_int_equal(status, ZV_E_USAGE); /* stated, and never asked for */
            close_step(&of);
            continue;
        }
        assert_int_equal(status, ZV_OK);
        for (size_t k = 0; k < peak.open_count; k++) {
            (void)snprintf(open + strlen(open), sizeof open - strlen(open), "%.*s ",
                           (int)peak.open[k].name.length, peak.open[k].name.at);
        }
        assert_int_equal(peak.runs, cases[i].runs);
        assert_string_equal(open, cases[i].open);
        assert_true(peak.low.peak_allocated_bytes <= peak.high.peak_allocated_bytes);
        close_step(&of);
    }
}

/* One open setting makes all of the width; foreach holds another tensor for each weight. */
static void test_width(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    open_step(&of, "plain",
              "batch=1 tokens=64 attention=sdpa checkpoint=false accumulation=1 "
              "optimizer=adamw_fused|adamw_foreach",
              UINT64_C(1) << PLENTY);
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_OK);
    assert_int_equal(peak.open[0].width_bytes,
                     peak.high.peak_allocated_bytes - peak.low.peak_allocated_bytes);
    assert_true(peak.open[0].width_bytes > 0);
    assert_true(zv_slice_equal(peak.open[0].highest, "adamw_foreach"));
    close_step(&of);
}

static uint64_t peak_with(const char *settings)
{
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    char all[256];
    (void)snprintf(all, sizeof all,
                   "batch=1 tokens=8192 chunks=0 accumulation=1 optimizer=adamw_fused %s",
                   settings);
    open_step(&of, "torchtune", all, UINT64_C(1) << PLENTY);
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_OK);
    close_step(&of);
    return peak.high.peak_allocated_bytes;
}

/* Every second layer run again: between all of them and none. */
static void test_checkpoints_some_layers(void **state)
{
    (void)state;
    const uint64_t none = peak_with("checkpoint=false");
    const uint64_t all = peak_with("checkpoint=true");
    const uint64_t second = peak_with("checkpoint=selective selective=2");
    assert_true(all < second);
    assert_true(second < none);
    assert_int_equal(peak_with("checkpoint=selective selective=1"), all);
    assert_int_equal(peak_with("checkpoint=selective selective=1000"), none);
}

/* What is kept takes memory: nothing, torchtitan's operations, all products, all of the layer. */
static void test_checkpoints_some_operations(void **state)
{
    (void)state;
    const uint64_t none = peak_with("checkpoint=false");
    const uint64_t all = peak_with("checkpoint=true");
    const uint64_t op = peak_with("checkpoint=selective selective=op");
    const uint64_t products = peak_with("checkpoint=selective selective=products");
    assert_true(all < op);
    assert_true(op < products);
    assert_true(products < none);
    assert_int_equal(peak_with("checkpoint=selective selective=mm/2,flash,efficient,max"), op);
    assert_int_equal(peak_with("checkpoint=selective selective=max"), all);
}

/* The sums by purpose, by operation and by layer are those of the same instant. */
static void test_layers_sum_up(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    open_step(&of, "torchtune",
              "batch=1 tokens=512 checkpoint=false chunks=0 accumulation=2 optimizer=adamw_fused",
              UINT64_C(1) << PLENTY);
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_OK);
    uint64_t saved = 0;
    uint64_t temporary = 0;
    for (size_t i = 0; i < peak.layer_count; i++) {
        saved += peak.layers[i].bytes[ZV_STEP_SAVED];
        temporary += peak.layers[i].bytes[ZV_STEP_TEMPORARY];
    }
    assert_int_equal(saved, peak.saved_bytes);
    assert_int_equal(temporary, peak.temporary_bytes);
    assert_int_equal(saved + temporary, peak.held[STEP_ACTIVATION]);
    close_step(&of);
}

/* Defaults of the framework are told with whose they are, unless stated. */
static void test_defaults(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    open_step(&of, "transformers", "batch=1 tokens=64 optimizer=sgd weights=bf16",
              UINT64_C(1) << PLENTY);
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_OK);
    bool attention = false;
    for (size_t i = 0; i < peak.default_count; i++) {
        assert_false(zv_slice_equal(peak.defaults[i].name, "weights"));
        assert_true(peak.defaults[i].basis.length != 0);
        attention |= zv_slice_equal(peak.defaults[i].name, "attention");
    }
    assert_true(attention);
    close_step(&of);
}

/* What a setting may be is in the programs' tables. */
static void test_refuses_values(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    open_step(&of, "plain", "batch=1 tokens=64 optimizer=lamb", UINT64_C(1) << PLENTY);
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_E_USAGE);
    assert_non_null(strstr(err.text, "lamb"));
    assert_non_null(strstr(err.text, "adamw_foreach"));
    close_step(&of);
}

/* Both neighbours are run again here: the value goes in, the next one does not. */
static void test_finds_largest(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    struct zv_step_search found = {.setting = zv_slice_of("tokens"), .from = 2, .limit = 131072};
    const char *const settings =
        "batch=1 weights=bf16 attention=sdpa checkpoint=false accumulation=1 optimizer=adamw_fused";
    open_step(&of, "plain", settings, UINT64_C(32) << 30);
    assert_int_equal(zv_step_find_largest(&of.step, &of.request, &found, &err), ZV_OK);
    assert_true(found.found);
    assert_false(found.at_limit);
    assert_false(found.contrary);
    for (uint64_t more = 0; more < 2; more++) {
        char text[24];
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)(found.value + more));
        of.settings[of.request.setting_count] =
            (struct zv_step_setting){.name = zv_slice_of("tokens"), .value = zv_slice_of(text)};
        struct zv_step_request one = of.request;
        one.setting_count++;
        assert_int_equal(zv_step_peak(&of.step, &one, &peak, &err), ZV_OK);
        assert_int_equal(peak.high.out_of_memory, more);
    }
    close_step(&of);
}

/* Nothing goes in, whatever is open. */
static void test_all_out_of_memory(void **state)
{
    (void)state;
    static struct opened of;
    static struct zv_step_peak peak;
    struct zv_error err = {0};
    struct zv_step_search found = {.setting = zv_slice_of("batch"), .from = 1, .limit = 64};
    open_step(&of, "plain", "tokens=64", UINT64_C(1) << 30);
    assert_int_equal(zv_step_find_largest(&of.step, &of.request, &found, &err), ZV_OK);
    assert_false(found.found);
    assert_true(found.next_request_bytes > 0);
    of.settings[of.request.setting_count++] =
        (struct zv_step_setting){.name = zv_slice_of("batch"), .value = zv_slice_of("1")};
    assert_int_equal(zv_step_peak(&of.step, &of.request, &peak, &err), ZV_OK);
    assert_int_equal(peak.out_of_memory_runs, peak.runs);
    assert_true(peak.low.out_of_memory);
    close_step(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_what_is_open),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_layers_sum_up),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_refuses_values),
        cmocka_unit_test(test_finds_largest),
        cmocka_unit_test(test_all_out_of_memory),
        cmocka_unit_test(test_checkpoints_some_layers),
        cmocka_unit_test(test_checkpoints_some_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
