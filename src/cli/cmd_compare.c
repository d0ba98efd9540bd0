#include "base/fail.h"
#include "cli/job_input.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "decide/sheet.h"
#include "report/report_sheet.h"

/* Records and job files, as many as are laid side by side; static, for each is large. */
struct comparing {
    struct zv_arena arena;
    struct job_input inputs[ZV_COMPARE_MAX];
    struct zv_job_record records[ZV_COMPARE_MAX];
    struct zv_content contents[ZV_COMPARE_MAX];
    struct zv_sheet sheets[ZV_COMPARE_MAX];
};

static enum zv_status open_one(struct comparing *comparing, size_t i, const char *path,
                               struct zv_error *err)
{
    struct zv_sheet *const sheet = &comparing->sheets[i];
    sheet->arena = &comparing->arena;
    if (job_input_is(path)) {
        const enum zv_status status = job_input_open(&comparing->inputs[i], path, err);
        return status == ZV_OK ? zv_sheet_job(sheet, &comparing->inputs[i].file, err) : status;
    }
    enum zv_status status =
        zv_job_record_read(&comparing->records[i], path, &comparing->arena, err);
    if (status == ZV_OK) {
        status = zv_content_read(&comparing->contents[i], &comparing->records[i], &comparing->arena,
                                 err);
    }
    return status == ZV_OK
               ? zv_sheet_record(sheet, &comparing->contents[i], &comparing->records[i], err)
               : status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct comparing comparing;
    struct zv_comparison comparison;
    const size_t count = args->operand_count;
    const bool exploratory = arguments_has(args, "exploratory");
    if (count < 2 || count > ZV_COMPARE_MAX) {
        return zv_fail(err, ZV_E_USAGE, "expected 2 to %d records or job files", ZV_COMPARE_MAX);
    }
    comparing = (struct comparing){0};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        status = open_one(&comparing, i, args->operands[i], err);
    }
    if (status == ZV_OK) {
        status = zv_compare(&comparison, comparing.sheets, count, &comparing.arena, err);
    }
    if (status == ZV_OK) {
        const struct report_compare report = {&comparison, args->operands, exploratory};
        out->exit_code = comparison.reason_count != 0 && !exploratory ? 1 : 0;
        if (out->json) {
            report_compare_json(&out->sink, &report);
        } else {
            report_compare_text(&out->sink, &out->style, &report);
        }
    }
    for (size_t i = 0; i < count; i++) {
        job_input_close(&comparing.inputs[i]);
    }
    zv_arena_free(&comparing.arena);
    return status;
}

static const struct option_spec options[] = {
    {"Answer", "exploratory", NULL, NULL, "lay side by side what is no comparison (exit status 0)",
     OPTION_FLAG},
};

const struct verb verb_compare = {
    .name = "compare",
    .question = "what differs?",
    .usage = "[options] RECORD|JOB.yaml RECORD|JOB.yaml...",
    .about =
        "Lays records or job files side by side and says which variables differ. It is a "
        "comparison "
        "when at most one does, and neither the quality criterion, the content of the inputs nor "
        "their preparation; otherwise it says why not, with exit status 1. Figures that differ "
        "are marked with a star.",
    .examples = "  zirve compare job.yaml other-job.yaml\n"
                "  zirve compare my-record other-job.yaml --exploratory\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
