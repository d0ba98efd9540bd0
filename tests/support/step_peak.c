#include "support/step_peak.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 64 };

void step_case_path(const char *config, char path[STEP_CASE_PATH])
{
    const char *const folder = getenv("ZIRVE_SOURCE_DIR"); /* NOLINT(concurrency-mt-unsafe) */
    (void)snprintf(path, STEP_CASE_PATH, "%s%s%s",
                   config[0] == '/' ? ""
                   : folder != NULL ? folder
                                    : ".",
                   config[0] == '/' ? "" : "/", config);
}

enum zv_status step_case_run(const struct step_case *of, struct zv_step_result *result,
                             struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct zv_model model;
    struct zv_model_files *files = NULL;
    struct zv_step step;
    struct zv_step_setting settings[MANY];
    struct zv_step_request request = {
        .model = &model,
        .habit = zv_slice_of(of->habit),
        .settings = settings,
        .card = {.processors = of->processors != 0 ? of->processors : 108,
                 .threads_per_processor = of->threads != 0 ? of->threads : 2048,
                 .workspace_bytes = of->no_workspace     ? 0
                                    : of->workspace != 0 ? of->workspace
                                                         : 8519680},
        .allocator = {.capacity_bytes = of->capacity != 0 ? of->capacity : UINT64_C(1) << 47},
        .on_event = of->on_event,
        .context = of->context};
    struct zv_slice rest = zv_slice_of(of->settings);
    struct zv_slice word;
    while (zv_slice_word(&rest, &word) && request.setting_count < MANY) {
        const struct zv_slice name = zv_slice_cut(&word, '=');
        settings[request.setting_count++] = (struct zv_step_setting){.name = name, .value = word};
    }
    char path[STEP_CASE_PATH];
    step_case_path(of->config, path);
    enum zv_status status = zv_model_open(&model, &files, path, &arena, err);
    if (status == ZV_OK) {
        status = zv_step_open(&step, &model, request.habit, &arena, err);
    }
    if (status == ZV_OK) {
        status = zv_step_run(&step, &request, result, err);
    }
    zv_model_close(files);
    zv_arena_free(&arena);
    return status;
}
