/*
 * What a step costs: a LoRA step of a 7B model, a whole training step of a 70B model; searches for
 * the longest LoRA step on cards of 16 to 80 GiB, until a thousand steps are run.
 *
 *     bench_step                 all, in clock time (goals: 5 ms, 50 ms, 5 s)
 *     bench_step lora|full N     N runs of one: for callgrind
 *     bench_step search N        N searches
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "step/peak.h"
#include "support/step_peak.h"

static const struct job {
    const char *name;
    const char *config;
    const char *habit;
    const char *settings;
} jobs[] = {
    {"lora", "data/published/llama2-7b.json", "litgpt", "iterations=1 batch=1 tokens=1304"},
    {"full", "tests/data/steps/llama-3-70b.json", "transformers",
     "batch=1 tokens=2048 weights=bf16 steps=1"},
};

static int run(const struct job *job, long times)
{
    struct zv_step_result result = {.events = 0};
    double best = 0;
    for (long i = 0; i < times; i++) {
        struct zv_error err = {0};
        const struct step_case of = {
            .config = job->config, .habit = job->habit, .settings = job->settings};
        const double start = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        if (step_case_run(&of, &result, &err) != ZV_OK) {
            (void)fprintf(stderr, "%s:%" PRIu64 ": %s\n", err.where, err.line, err.text);
            return EXIT_FAILURE;
        }
        const double took = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = i == 0 || took < best ? took : best;
    }
    (void)printf("%s: %.2f ms with reading and linking, %" PRIu64 " events\n", job->name, best,
                 result.events);
    return EXIT_SUCCESS;
}

/* The longest LoRA step of a 7B model on a card; the model is read and linked once. */
static int find(struct zv_step *step, const struct zv_model *model, uint64_t gib, uint64_t *runs)
{
    static const char *const stated[][2] = {{"batch", "1"}, {"iterations", "1"}};
    struct zv_step_setting settings[2];
    struct zv_error err = {0};
    struct zv_step_request request = {.model = model,
                                      .habit = zv_slice_of("litgpt"),
                                      .settings = settings,
                                      .setting_count = 2,
                                      .card = {108, 2048, 8519680, 0},
                                      .allocator = {.capacity_bytes = gib << 30}};
    struct zv_step_search found = {.setting = zv_slice_of("tokens"), .from = 2, .limit = 1 << 20};
    for (size_t i = 0; i < 2; i++) {
        settings[i] = (struct zv_step_setting){.name = zv_slice_of(stated[i][0]),
                                               .value = zv_slice_of(stated[i][1])};
    }
    if (zv_step_find_largest(step, &request, &found, &err) != ZV_OK || !found.found) {
        (void)fprintf(stderr, "search: %s\n", err.text);
        return EXIT_FAILURE;
    }
    *runs += found.runs;
    return EXIT_SUCCESS;
}

static int search(long times)
{
    enum { SMALLEST = 16, LARGEST = 80, STEPS = 1000 };
    static struct zv_step step;
    struct zv_arena arena = {0};
    struct zv_model model;
    struct zv_model_files *files = NULL;
    struct zv_error err = {0};
    uint64_t runs = 0;
    int failed = EXIT_FAILURE;
    const double start = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    if (zv_model_open(&model, &files, "data/published/llama2-7b.json", &arena, &err) == ZV_OK &&
        zv_step_open(&step, &model, zv_slice_of("litgpt"), &arena, &err) == ZV_OK) {
        failed = EXIT_SUCCESS;
        for (long i = 0; !failed && (times != 0 ? i < times : runs < STEPS); i++) {
            const uint64_t gib = SMALLEST + (uint64_t)i % (LARGEST - SMALLEST);
            failed = find(&step, &model, gib, &runs);
        }
        (void)printf("search: %.0f ms for %" PRIu64 " steps\n",
                     clock_ms(CLOCK_PROCESS_CPUTIME_ID) - start, runs);
    } else {
        (void)fprintf(stderr, "search: %s\n", err.text);
    }
    zv_model_close(files);
    zv_arena_free(&arena);
    return failed;
}

int main(int argc, char **argv)
{
    enum { TIMES = 20 };
    const long times = argc == 3 ? strtol(argv[2], NULL, 10) : TIMES;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        if ((argc == 1 || strcmp(argv[1], jobs[i].name) == 0) && run(&jobs[i], times) != 0) {
            return EXIT_FAILURE;
        }
    }
    if (argc == 1 || strcmp(argv[1], "search") == 0) {
        return search(argc == 3 ? times : 0);
    }
    return EXIT_SUCCESS;
}
