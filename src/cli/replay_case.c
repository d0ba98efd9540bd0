#include "cli/replay_case.h"

#include <stdio.h>
#include <string.h>

#include "allocator/conformance.h"
#include "allocator/replay.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/result_file.h"
#include "report/report_replay.h"
#include "trace/golden_case.h"

enum { MEMBERS = 4, MAX_CASES = 256, MAX_PATH = 4096 };

struct case_files {
    struct zv_file files[MEMBERS];
    size_t count;
    struct zv_conformance_input input;
};

static void close_files(struct case_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        zv_file_close(&files->files[i]);
    }
}

static enum zv_status open_files(struct case_files *to, const char *folder, struct zv_error *err)
{
    static const char *const names[MEMBERS] = {"case.json", "ops.txt", "expected.tsv",
                                               "events.tsv"};
    struct zv_slice *const slices[MEMBERS] = {&to->input.case_json, &to->input.ops,
                                              &to->input.expected, &to->input.events};
    *to = (struct case_files){0};
    for (size_t i = 0; i < MEMBERS; i++) {
        char path[MAX_PATH];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (length < 0 || (size_t)length >= sizeof path) {
            return zv_fail(err, ZV_E_IO, "the name is too long");
        }
        const enum zv_status status = zv_file_open_found(&to->files[i], path, err);
        if (status != ZV_OK) {
            return status;
        }
        to->count++;
        *slices[i] = zv_file_slice(&to->files[i]);
    }
    return ZV_OK;
}

/* What ours says, for --counters and --events. */
static enum zv_status write_ours(const struct arguments *args, const struct case_files *files,
                                 struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct zv_golden_case golden;
    struct zv_replay replay = {0};
    struct result_file counters = {0};
    struct result_file events = {0};
    const char *const counters_path = arguments_value(args, "counters");
    const char *const events_path = arguments_value(args, "events");
    enum zv_status status = zv_golden_case_read(&golden, files->input.case_json, &arena, err);
    if (status == ZV_OK) {
        status = result_file_open(&counters, counters_path, err);
    }
    if (status == ZV_OK) {
        status = result_file_open(&events, events_path, err);
    }
    if (status == ZV_OK) {
        const struct zv_allocator_options options = {.profile = golden.profile,
                                                     .conf = golden.conf,
                                                     .capacity_bytes = golden.capacity_bytes,
                                                     .baseline_bytes = golden.baseline_bytes};
        status = zv_replay_open(&replay, &options, events_path != NULL ? &events.sink : NULL, err);
    }
    if (status == ZV_OK) {
        status = zv_replay_run(&replay, files->input.ops,
                               counters_path != NULL ? &counters.sink : NULL, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&counters, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&events, err);
    }
    result_file_close(&counters);
    result_file_close(&events);
    zv_replay_close(&replay);
    zv_arena_free(&arena);
    return status;
}

static enum zv_status run_case(const struct arguments *args, struct report_replay_case *to,
                               struct zv_error *err)
{
    struct case_files files;
    enum zv_status status = open_files(&files, to->name, err);
    if (status == ZV_OK) {
        status = zv_conformance_run(&to->result, &files.input, err);
    }
    if (status == ZV_OK && (arguments_has(args, "counters") || arguments_has(args, "events"))) {
        status = write_ours(args, &files, err);
    }
    close_files(&files);
    if (status != ZV_OK && strchr(err->where, '/') == NULL) { /* a member's bare name */
        char where[sizeof err->where];
        (void)snprintf(where, sizeof where, "%.190s/%.60s", to->name, err->where);
        memcpy(err->where, where, sizeof where);
    }
    return status;
}

enum zv_status replay_cases(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct report_replay_case cases[MAX_CASES];
    size_t count = 0;
    size_t at = 0;
    const bool writes = arguments_has(args, "counters") || arguments_has(args, "events");
    if (args->operand_count != 0) {
        return zv_fail(err, ZV_E_USAGE, "--case brings its own op list: expected no OPS");
    }
    for (const char *name = arguments_next(args, "case", &at); name != NULL;
         name = arguments_next(args, "case", &at)) {
        if (count == (writes ? 1 : MAX_CASES)) {
            return zv_fail(err, ZV_E_USAGE, "--case: expected at most %d%s", writes ? 1 : MAX_CASES,
                           writes ? " with --counters or --events" : "");
        }
        cases[count].name = name;
        const enum zv_status status = run_case(args, &cases[count], err);
        if (status != ZV_OK) {
            return status;
        }
        out->exit_code = cases[count].result.equal ? out->exit_code : 1;
        count++;
    }
    if (out->json) {
        report_replay_cases_json(&out->sink, cases, count);
    } else {
        report_replay_cases_text(&out->sink, cases, count);
    }
    return ZV_OK;
}
