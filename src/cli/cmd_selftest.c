#include "base/fail.h"
#include "base/file.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/report_selftest.h"
#include "selftest/selftest.h"

enum { ANSWER_NO = 1 };

static const struct option_spec options[] = {
    {"Answer", "verbose", "rows v", NULL, "every figure, not only those that are off", OPTION_FLAG},
};

static enum zv_status read_rows(struct zv_rows *rows, const struct arguments *args,
                                struct zv_arena *arena, struct zv_error *err)
{
    if (args->operand_count == 0) {
        return zv_rows_builtin(rows, arena, err);
    }
    struct zv_file file;
    enum zv_status status = zv_file_open(&file, args->operands[0], err);
    if (status == ZV_OK) {
        status = zv_rows_read(rows, zv_file_slice(&file), arena, err);
        zv_file_close(&file);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, args->operands[0]);
    }
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct zv_rows rows;
    struct zv_selftest result;
    enum zv_status status = ZV_OK;
    if (args->operand_count > 1) {
        return zv_fail(err, ZV_E_USAGE, "one FILE at most, %zu given", args->operand_count);
    }
    status = read_rows(&rows, args, &arena, err);
    if (status == ZV_OK) {
        status = zv_selftest_run(&result, &rows, &arena, err);
    }
    if (status == ZV_OK) {
        if (out->json) {
            report_selftest_json(&out->sink, &result);
        } else {
            report_selftest_text(&out->sink, &out->style, &result, arguments_has(args, "verbose"));
        }
        out->exit_code = result.count[ZV_CHECK_OFF] != 0 ? ANSWER_NO : 0;
    }
    zv_arena_free(&arena);
    return status;
}

const struct verb verb_selftest = {
    .name = "selftest",
    .question = "how accurate is all this?",
    .usage = "[FILE.jsonl] [options]",
    .about =
        "Compares what formulas and steps run op by op say with published, measured figures: start "
        "logs of llama.cpp, "
        "vLLM and SGLang, totals of cards, peaks. A figure is exact when it is equal at the "
        "printed "
        "precision, within when at most 3 % away, off otherwise; what cannot be checked is listed "
        "with the reason. Where a runtime divides memory that it measured itself, that measurement "
        "is given and only the division is checked. Exit status 1 when a figure is off. FILE holds "
        "rows of the same form as the built-in ones (data/measured.jsonl); - is standard input.",
    .examples = "  zirve selftest\n"
                "  zirve selftest -v            # every figure\n"
                "  zirve selftest --json\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
