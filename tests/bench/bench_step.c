/*
 * What a step costs: a LoRA step of a 7B model, a whole training step of a 70B model.
 *
 *     bench_step                 both, in clock time (goals: 5 and 50 ms)
 *     bench_step lora|full N     N runs of one: for callgrind
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static double now_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int run(const struct job *job, long times)
{
    struct zv_step_result result = {.events = 0};
    double best = 0;
    for (long i = 0; i < times; i++) {
        struct zv_error err = {0};
        const struct step_case of = {
            .config = job->config, .habit = job->habit, .settings = job->settings};
        const double start = now_ms();
        if (step_case_run(&of, &result, &err) != ZV_OK) {
            (void)fprintf(stderr, "%s:%" PRIu64 ": %s\n", err.where, err.line, err.text);
            return EXIT_FAILURE;
        }
        const double took = now_ms() - start;
        best = i == 0 || took < best ? took : best;
    }
    (void)printf("%s: %.2f ms with reading and linking, %" PRIu64 " events\n", job->name, best,
                 result.events);
    return EXIT_SUCCESS;
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
    return EXIT_SUCCESS;
}
