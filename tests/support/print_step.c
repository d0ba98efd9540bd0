/* print_step [-e] CONFIG HABIT [name=value…]: what a step comes to; -e with every event. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step/program_run.h"
#include "step/step.h"

static void print_event(void *context, const struct step_event *event)
{
    const struct zv_slice what = step_label_name(event->label);
    (void)fprintf(context, "%c %" PRIu64 " %" PRIu64 " %" PRIu32 " %.*s%s\n",
                  event->is_free ? 'f' : 'a', event->id, event->bytes, event->stream,
                  (int)what.length, what.at, event->of_kernel ? " kernel" : "");
}

/* name=value; those of the card and the allocator begin with card_. */
static bool card_setting(struct zv_step_request *request, const char *name, uint64_t value)
{
    if (strncmp(name, "card_processors=", 16) == 0) {
        request->card.processors = (uint32_t)value;
    } else if (strncmp(name, "card_threads=", 13) == 0) {
        request->card.threads_per_processor = (uint32_t)value;
    } else if (strncmp(name, "card_workspace=", 15) == 0) {
        request->card.workspace_bytes = value;
    } else if (strncmp(name, "card_bytes=", 11) == 0) {
        request->allocator.capacity_bytes = value;
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const bool events = argc > 1 && strcmp(argv[1], "-e") == 0;
    argv += events;
    argc -= events;
    if (argc < 3) {
        (void)fprintf(stderr, "usage: print_step [-e] CONFIG HABIT [name=value…]\n");
        return EXIT_FAILURE;
    }
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_model model;
    struct zv_model_files *files = NULL;
    struct zv_step_setting settings[64];
    struct zv_step_request request = {
        .model = &model,
        .habit = zv_slice_of(argv[2]),
        .settings = settings,
        .card = {.processors = 108, .threads_per_processor = 2048, .workspace_bytes = 8519680},
        .allocator = {.capacity_bytes = UINT64_C(1) << 47}};
    for (int i = 3; i < argc && request.setting_count < 64; i++) {
        const char *const equals = strchr(argv[i], '=');
        if (equals != NULL && !card_setting(&request, argv[i], strtoull(equals + 1, NULL, 10))) {
            settings[request.setting_count++] = (struct zv_step_setting){
                .name = {argv[i], (size_t)(equals - argv[i])}, .value = zv_slice_of(equals + 1)};
        }
    }
    request.on_event = events ? print_event : NULL;
    request.context = stdout;
    struct zv_step step;
    struct zv_step_result result = {0};
    enum zv_status status = zv_model_open(&model, &files, argv[1], &arena, &err);
    if (status == ZV_OK) {
        status = zv_step_open(&step, &model, request.habit, &arena, &err);
    }
    if (status == ZV_OK) {
        status = zv_step_run(&step, &request, &result, &err);
    }
    if (status == ZV_OK) {
        (void)fprintf(stderr,
                      "events %" PRIu64 " allocated %" PRIu64 " active %" PRIu64
                      " reserved %" PRIu64 " segments %" PRIu64 " at %" PRIu64 " marks %" PRIu64
                      " %" PRIu64 " end %" PRIu64 "%s\n",
                      result.events, result.peak_allocated_bytes, result.peak_active_bytes,
                      result.peak_reserved_bytes, result.segments, result.peak_event,
                      result.marks[1], result.marks[2], result.end_allocated_bytes,
                      result.out_of_memory ? " OUT OF MEMORY" : "");
    } else {
        (void)fprintf(stderr, "%s:%" PRIu64 ": %s\n", err.where, err.line, err.text);
    }
    zv_model_close(files);
    zv_arena_free(&arena);
    return zv_status_exit_code(status);
}
