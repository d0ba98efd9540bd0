/* zirve measure: what does the lab exercise take here? */
#include <string.h>

#include "base/bisect.h"
#include "base/fail.h"
#include "base/printable.h"
#include "cli/measure_options.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_measure.h"

enum { ANSWER_PARTIAL = 6 };

/* The runs of all processes, in their order. */
struct collection {
    const struct measure_settings *settings;
    struct measure_run *runs;
    size_t run_count;
    size_t capacity;
    uint32_t processes;
    struct zv_arena *arena;
};

static enum zv_status add_process(struct collection *to, const struct measure_condition *condition,
                                  struct zv_error *err)
{
    const struct measure_settings *const settings = to->settings;
    if (to->capacity - to->run_count < settings->place_count) {
        return zv_fail(err, ZV_E_LIMIT, "more runs than one result holds");
    }
    struct measure_run *const runs = &to->runs[to->run_count];
    const enum zv_status status = measure_run_process(runs, condition, settings->places,
                                                      settings->place_count, to->arena, err);
    if (status == ZV_OK) {
        to->processes++;
        for (size_t i = 0; i < settings->place_count; i++) {
            runs[i].process = to->processes;
        }
        to->run_count += settings->place_count;
    }
    return status;
}

/* Passed on every device; failed on some for want of memory; failed otherwise: no answer. */
static enum zv_trial trial_of(const struct collection *to)
{
    enum zv_trial trial = ZV_TRIAL_PASSES;
    for (size_t i = to->run_count - to->settings->place_count; i < to->run_count; i++) {
        const struct measure_run *const run = &to->runs[i];
        if (!run->is_complete && !run->ran_out) {
            return ZV_TRIAL_STOP;
        }
        trial = run->is_complete ? trial : ZV_TRIAL_PASSES_NOT;
    }
    return trial;
}

static enum zv_status ask(void *context, uint64_t value, enum zv_trial *trial, struct zv_error *err)
{
    struct collection *const to = context;
    struct measure_condition condition = to->settings->condition;
    *measure_searched(to->settings, &condition) = value;
    const enum zv_status status = add_process(to, &condition, err);
    *trial = status == ZV_OK ? trial_of(to) : ZV_TRIAL_STOP;
    return status;
}

static enum zv_status search(struct collection *to, struct report_measure_search *found,
                             struct zv_error *err)
{
    const struct measure_settings *const settings = to->settings;
    struct measure_condition condition = settings->condition;
    const bool is_width = strcmp(settings->searched, "width") == 0;
    struct zv_bisect bisect = {.from = *measure_searched(settings, &condition),
                               .to = is_width ? MEASURE_MOST_WIDTH : MEASURE_MOST_SIZE,
                               .ask = ask,
                               .context = to};
    const enum zv_status status = zv_bisect_run(&bisect, err);
    found->dimension = settings->searched;
    found->stopped = bisect.stopped;
    found->largest_passed = bisect.found ? bisect.value : 0;
    found->smallest_failed = 0;
    for (size_t i = 0; i < to->run_count; i++) {
        struct measure_condition *const its = &to->runs[i].condition;
        const uint64_t value = *measure_searched(settings, its);
        if (!to->runs[i].is_complete &&
            (found->smallest_failed == 0 || value < found->smallest_failed)) {
            found->smallest_failed = value;
        }
    }
    return status;
}

static enum zv_status run_all(struct collection *to, struct report_measure_search *found,
                              struct zv_error *err)
{
    const struct measure_settings *const settings = to->settings;
    struct measure_condition loop = settings->condition;
    enum zv_status status = ZV_OK;
    if (settings->searched != NULL) {
        return search(to, found, err);
    }
    for (uint32_t i = 0; i < settings->processes && status == ZV_OK; i++) {
        status = add_process(to, &settings->condition, err);
    }
    loop.is_unsynchronised = true;
    return status == ZV_OK && settings->unsynchronised ? add_process(to, &loop, err) : status;
}

static bool write_printable(void *context, const char *data, size_t size)
{
    struct zv_sink *const to = context;
    zv_sink_printable(to, data, size);
    return !to->failed;
}

/* The table beside a result that goes into a file. */
static enum zv_status show_text(const struct output *out, const struct report_measure *result,
                                struct zv_error *err)
{
    struct result_file file;
    enum zv_status status = result_file_open(&file, "-", err);
    if (status == ZV_OK) {
        struct zv_sink sink = {.write = write_printable, .context = &file.sink};
        report_measure_text(&sink, &out->style, result);
        status = result_file_keep(&file, err);
    }
    result_file_close(&file);
    return status;
}

static enum zv_status show(struct output *out, const struct report_measure *result,
                           struct zv_error *err)
{
    out->exit_code = result->search.dimension == NULL
                         ? report_measure_is_complete(result) ? 0 : ANSWER_PARTIAL
                     : result->search.stopped || result->search.largest_passed == 0 ? ANSWER_PARTIAL
                                                                                    : 0;
    if (out->path != NULL) { /* a file is for machines, whatever its name */
        report_measure_json(&out->raw, result);
        return out->json ? ZV_OK : show_text(out, result, err);
    }
    if (out->json) {
        report_measure_json(&out->sink, result);
    } else {
        report_measure_text(&out->sink, &out->style, result);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct measure_settings settings;
    struct report_measure result = {0};
    struct collection collection = {.settings = &settings, .arena = &arena};
    enum zv_status status = measure_settings_read(&settings, args, &arena, err);
    if (status == ZV_OK) {
        const size_t processes =
            settings.searched != NULL ? ZV_BISECT_MAX_ASKED : settings.processes + 1;
        collection.capacity = processes * settings.place_count;
        collection.runs = zv_arena_array(&arena, collection.capacity, sizeof *collection.runs);
        status = collection.runs != NULL ? run_all(&collection, &result.search, err)
                                         : zv_fail_memory(err, "runs");
    }
    if (status == ZV_OK) {
        result.runs = collection.runs;
        result.run_count = collection.run_count;
        result.device_count = settings.place_count;
        result.processes = collection.processes;
        status = show(out, &result, err);
    }
    zv_arena_free(&arena);
    return status;
}

const struct verb verb_measure = {
    .name = "measure",
    .question = "what does the lab exercise take here?",
    .usage = "[options]",
    .about =
        "Runs a small dense network on a device, in phases: model_load, inputs, cold_forward, "
        "warmup, warm_forward; with --train forward, loss, backward, first_update, warmup, "
        "updates, "
        "evaluation, export. Around each phase it waits for the device, reads what is allocated, "
        "reserved and free, resets the peaks, and reads them at the end. A failed phase is kept "
        "with its last readings, and the exit status is 6. The exercise teaches to read the "
        "counters and compares conditions; it proves no card's capacity for another model. "
        "-o FILE writes JSON (zirve.measure/1) and leaves the table on standard output; an "
        "existing "
        "FILE is refused before anything runs. Without a GPU: exit status 2, and nothing is "
        "written. --emulate CARD runs on an emulated driver instead: the allocator's counters are "
        "exact there, nothing is computed or timed, and every result says so.",
    .examples =
        "  zirve measure --device cuda:0 --batch 2 --context 128 --width 1024 --dtype float32 "
        "--warmup 3 --repeats 5 --output measures.json\n"
        "  zirve measure --emulate 4090 --batch 1 --context 16 --width 64\n"
        "  zirve measure --emulate 4090 --train --optimizer adam --width 4096\n"
        "  zirve measure --emulate 4090 --width 1024 --search batch\n",
    .options = measure_options,
    .option_count = MEASURE_OPTIONS,
    .run = run,
};
