/* zirve run: what became of my program? */
#include <stdio.h>

#include "base/fail.h"
#include "base/printable.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_run.h"

enum { OUR_FAILURE = 125, DEFAULT_LINES = 40 };

static bool write_stderr(void *context, const char *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stderr) == size;
}

static bool write_printable(void *context, const char *data, size_t size)
{
    struct zv_sink *const to = context;
    zv_sink_printable(to, data, size);
    return !to->failed;
}

/* Words beside the command's own output. */
static void show_text(const struct output *out, const struct report_run *run)
{
    struct zv_sink raw = {.write = write_stderr};
    struct zv_sink sink = {.write = write_printable, .context = &raw};
    const struct report_style plain = {
        .units = out->style.units, .unit = out->style.unit, .width = out->style.width};
    zv_sink_text(&sink, "zirve run: ");
    report_run_text(&sink, &plain, run);
}

static enum zv_status read_launch(struct zv_launch *launch, const struct arguments *args,
                                  struct zv_error *err)
{
    uint64_t lines = DEFAULT_LINES;
    if (args->command == NULL) {
        return zv_fail(err, ZV_E_USAGE, "expected a command: zirve run -- COMMAND ...");
    }
    *launch = (struct zv_launch){.command = args->command};
    enum zv_status status = arguments_duration(args, "timeout", &launch->timeout_ms, err);
    if (status == ZV_OK) {
        status = arguments_u64(args, "lines", &lines, err);
    }
    if (status == ZV_OK && lines > ZV_TAIL_MAX_LINES) {
        status = zv_fail(err, ZV_E_USAGE, "--lines: at most %d", ZV_TAIL_MAX_LINES);
    }
    launch->kept_lines = (size_t)lines;
    return status;
}

/* The result goes to the file of -o; else, with --json, to standard output, which the command then
 * does not get. */
static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct zv_launched launched;
    static struct result_file file;
    struct zv_arena arena = {0};
    struct zv_launch launch;
    const struct report_run run = {&launch, &launched};
    enum zv_status status = read_launch(&launch, args, err);
    if (status == ZV_OK) {
        status = result_file_open(&file, out->path, err);
    }
    if (status == ZV_OK) {
        launch.output_to_stderr = out->json && out->path == NULL;
        status = zv_launch_run(&launched, &launch, &arena, err);
    }
    if (status == ZV_OK && out->path != NULL) {
        report_run_json(&file.sink, &run);
        status = result_file_keep(&file, err);
        out->path = NULL; /* it is written */
    } else if (status == ZV_OK && out->json) {
        report_run_json(&out->sink, &run);
    }
    if (status == ZV_OK && !out->json) {
        show_text(out, &run);
    }
    out->exit_code = status == ZV_OK ? zv_launched_code(&launched) : 0;
    result_file_close(&file);
    zv_arena_free(&arena);
    return status;
}

static const struct option_spec options[] = {
    {"Command", "timeout", NULL, "TIME",
     "end it after this long (90s, 10m, 2h): SIGTERM, and SIGKILL five seconds later",
     OPTION_VALUE},
    {"Command", "lines", NULL, "N", "how many of its last lines the result keeps (40)",
     OPTION_VALUE},
};

const struct verb verb_run = {
    .name = "run",
    .question = "what became of my program?",
    .usage = "[options] -- COMMAND [ARGUMENT...]",
    .about =
        "Starts COMMAND, passes its output on unchanged, and keeps how it ended: exit status or "
        "signal, its last lines, and the first line by which it said that memory ran out. -o FILE "
        "keeps that as JSON; --json alone prints it, and the command's output then goes to "
        "standard error. Signals go on to the command and what it started. What it took of a card "
        "is not measured. Exit status: the command's own, 128 + N after signal N, 124 when it ran "
        "out of time, 125 when zirve itself failed.",
    .examples = "  zirve run -o run.json -- python train.py --batch 8\n"
                "  zirve run --timeout 10m -- ./server --port 8000\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .starts_command = true,
    .failure_code = OUR_FAILURE,
    .run = run,
};
