/* zirve run: what became of my program? */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/printable.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_run.h"

enum { OUR_FAILURE = 125, DEFAULT_LINES = 40, LINES_OF_TRY = 5, MOST_CONFIRM = 60 };

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
    uint64_t lines = arguments_has(args, "search") ? LINES_OF_TRY : DEFAULT_LINES;
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

/* ---- one run ---- */

/* Without -o, --json has standard output for itself. */
static enum zv_status run_once(struct zv_launch *launch, struct zv_sink *kept, struct output *out,
                               struct zv_arena *arena, struct zv_error *err)
{
    static struct zv_launched launched;
    const struct report_run run = {launch, &launched};
    launch->output_to_stderr = out->json && kept == NULL;
    const enum zv_status status = zv_launch_run(&launched, launch, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    if (kept != NULL || out->json) {
        report_run_json(kept != NULL ? kept : &out->sink, &run);
    }
    if (!out->json) {
        show_text(out, &run);
    }
    out->exit_code = zv_launched_code(&launched);
    return ZV_OK;
}

/* ---- many ---- */

static void show_progress(const struct zv_tries *tries, const struct zv_try *one)
{
    char end[REPORT_RUN_END];
    if (isatty(STDERR_FILENO) == 1) {
        report_run_end(end, &one->launched);
        (void)fprintf(stderr, "zirve run: %.*s %" PRIu64 ": %s\n", (int)tries->name.length,
                      tries->name.at, one->value, end);
    }
}

static enum zv_status run_tries(const struct zv_launch *launch, const struct arguments *args,
                                struct zv_sink *kept, struct output *out, struct zv_error *err)
{
    static struct zv_tries tries;
    struct zv_arena arena = {0};
    uint32_t confirm = 0;
    tries = (struct zv_tries){.launch = *launch, .arena = &arena, .told = show_progress};
    tries.launch.output_to_stderr = true;
    enum zv_status status = zv_tries_parse(&tries, arguments_value(args, "search"), err);
    if (status == ZV_OK) {
        status = arguments_u32(args, "confirm", &confirm, err);
    }
    if (status == ZV_OK && confirm > MOST_CONFIRM) {
        status = zv_fail(err, ZV_E_USAGE, "--confirm: at most %d", MOST_CONFIRM);
    }
    tries.confirm = confirm;
    if (status == ZV_OK) {
        status = zv_tries_run(&tries, err);
    }
    if (status == ZV_OK) {
        if (kept != NULL || out->json) {
            report_tries_json(kept != NULL ? kept : &out->sink, &tries);
        }
        if (!out->json) {
            report_tries_text(&out->sink, &out->style, &tries);
        }
        const bool unsure = tries.bisect.stopped || tries.bisect.contrary;
        out->exit_code = unsure ? 6 : tries.bisect.found ? 0 : 1;
    }
    zv_arena_free(&arena);
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct result_file file;
    struct zv_arena arena = {0};
    struct zv_launch launch;
    const char *const path = out->path;
    enum zv_status status = read_launch(&launch, args, err);
    if (status == ZV_OK && !arguments_has(args, "search") && arguments_has(args, "confirm")) {
        status = zv_fail(err, ZV_E_USAGE, "--confirm is for --search");
    }
    if (status == ZV_OK) {
        status = result_file_open(&file, path, err);
    }
    if (status == ZV_OK) {
        struct zv_sink *const kept = path != NULL ? &file.sink : NULL;
        output_to_stdout(out); /* the text: the file is ours, and JSON */
        status = arguments_has(args, "search") ? run_tries(&launch, args, kept, out, err)
                                               : run_once(&launch, kept, out, &arena, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&file, err);
    }
    result_file_close(&file);
    zv_arena_free(&arena);
    return status;
}

static const struct option_spec options[] = {
    {"Command", "timeout", NULL, "TIME",
     "end it, or each try, after this long (90s, 10m, 2h): SIGTERM, and SIGKILL five seconds later",
     OPTION_VALUE},
    {"Command", "lines", NULL, "N",
     "how many of its last lines the result keeps (40; 5 of each try)", OPTION_VALUE},
    {"Search", "search", NULL, "NAME=FROM..TO",
     "the largest value for {NAME} or {} in COMMAND with which it passes, by bisection",
     OPTION_VALUE},
    {"Search", "confirm", NULL, "N",
     "then try N more values below and above: what fits may end more than once", OPTION_VALUE},
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
        "out of time, 125 when zirve itself failed. --search starts it again and again: a try "
        "passes with exit status 0 and no word of memory that ran out; one that ran out of memory "
        "does not fit; any other end stops the search, for it says nothing of memory. What a try "
        "leaves running is killed. Exit status then: 0 found, 1 not even the least value, 6 "
        "stopped or not monotone.",
    .examples = "  zirve run -o run.json -- python train.py --batch 8\n"
                "  zirve run --timeout 10m -- ./server --port 8000\n"
                "  zirve run --search batch=1..64 -o batch.json -- python train.py --batch {}\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .starts_command = true,
    .failure_code = OUR_FAILURE,
    .run = run,
};
