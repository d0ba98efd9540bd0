/* A step run for a test: a config file, a habit, settings as "a=1 b=2". */
#ifndef ZIRVE_TESTS_STEP_PEAK_H
#define ZIRVE_TESTS_STEP_PEAK_H

#include "step/step.h"

/* An A100 with 40 GB, as a runtime sees it. */
#define STEP_A100_BYTES UINT64_C(42298834944)

/* An A10G. */
#define STEP_A10G_BYTES UINT64_C(23836033024)

enum { STEP_CASE_PATH = 4096 };

/* A config file below the source folder. */
void step_case_path(const char *config, char path[STEP_CASE_PATH]);

struct step_case {
    const char *config; /* below the source folder, or an absolute path */
    const char *habit;
    const char *settings;
    uint32_t processors; /* 0: 108, an A100's */
    uint32_t threads;    /* 0: 2048 */
    uint64_t capacity;   /* 0: more than any step takes */
    uint64_t workspace;  /* 0: 8,519,680, before Hopper */
    bool no_workspace;   /* none at all */
    step_event_fn *on_event;
    void *context;
};

enum zv_status step_case_run(const struct step_case *of, struct zv_step_result *result,
                             struct zv_error *err);

#endif
