/* zirve place: what would the best placement need? */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/card_files.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "place/place_csv.h"
#include "report/report_place.h"
#include "trace/open.h"

enum { ANSWER_NO = 1, ANSWER_UNKNOWN = 6 };

static const struct option_spec options[] = {
    RECORD_OPTIONS,
    {"Search", "seconds", NULL, "S",
     "processor time for each plan (no limit: --nodes ends it, the same on every machine)",
     OPTION_VALUE},
    {"Search", "nodes", NULL, "N", "nodes of the search for each plan (1,000,000)", OPTION_VALUE},
    {"Search", "seed", NULL, "N", "of the orders that are drawn (0)", OPTION_VALUE},
    {"Results", "csv", NULL, NULL, "the plan instead: an address for every block", OPTION_FLAG},
    {"Results", "html", NULL, "FILE", "the plan as one HTML file to look at: time by address",
     OPTION_VALUE},
};

struct session {
    struct zv_arena arena;
    struct zv_record record;
    struct zv_lives lives;
    struct zv_placement placement;
    struct place_table table;
    struct zv_place_result result;
    struct zv_place_options options;
    struct report_place report;
};

static enum zv_status read_seconds(const struct arguments *args, uint64_t *to_ms,
                                   struct zv_error *err)
{
    const char *const text = arguments_value(args, "seconds");
    uint64_t us = 0;
    if (text == NULL) {
        return ZV_OK;
    }
    if (!zv_slice_fixed(zv_slice_of(text), 6, &us) || us == 0) {
        return zv_fail(err, ZV_E_USAGE, "--seconds %s: expected more than 0, such as 10 or 0.5",
                       text);
    }
    *to_ms = zv_ceil_div(us, 1000);
    return ZV_OK;
}

/* Time alone ends a search that is given time. */
static enum zv_status read_search(const struct arguments *args, struct zv_place_options *to,
                                  struct zv_error *err)
{
    enum zv_status status = arguments_u64(args, "nodes", &to->node_limit, err);
    status = status == ZV_OK ? arguments_u64(args, "seed", &to->seed, err) : status;
    status = status == ZV_OK ? read_seconds(args, &to->cpu_ms, err) : status;
    if (!arguments_has(args, "nodes") && to->cpu_ms != 0) {
        to->node_limit = UINT64_MAX;
    }
    to->no_search = arguments_has(args, "nodes") && to->node_limit == 0;
    return status;
}

/* ---- blocks from CSV ---- */

static enum zv_status place_table(struct session *session, struct zv_slice text,
                                  struct zv_error *err)
{
    struct place_table *const table = &session->table;
    enum zv_status status = zv_place_csv_read(table, text, &session->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    if (table->unused != NULL) {
        output_note("the column \"%.60s\" means nothing here and is not used", table->unused);
    }
    for (size_t i = 0; i < table->count; i++) {
        session->report.fixed_blocks += table->blocks[i].fixed;
    }
    session->options.enough = session->report.capacity_bytes;
    status = zv_place_run(table->blocks, table->count, &session->options, &session->result, err);
    uint64_t height = 0;
    status = status == ZV_OK ? zv_place_check(table->blocks, table->count, &height, err) : status;
    session->report.result = &session->result;
    session->report.blocks = table->count;
    return status;
}

/* ---- records ---- */

static enum zv_status open_record(struct session *session, struct zv_slice content,
                                  struct zv_record_options wanted, struct zv_error *err)
{
    bool is_ops;
    const enum zv_status status = zv_trace_or_ops(content, "blocks in CSV, ", &is_ops, err);
    if (status != ZV_OK || !is_ops) {
        return status == ZV_OK ? zv_record_open(&session->record, content, &wanted, err) : status;
    }
    wanted.capacity_bytes = 0; /* it is the plan that must fit, not what the allocator does */
    return zv_record_of_ops(&session->record, content, &wanted, err);
}

static enum zv_status place_record(struct session *session, struct zv_slice content,
                                   const struct zv_record_options *wanted, struct zv_error *err)
{
    enum zv_status status = open_record(session, content, *wanted, err);
    status = status == ZV_OK ? zv_lives_make(&session->lives, &session->record, err) : status;
    if (status == ZV_OK) {
        status = zv_placement_make(&session->placement, &session->record, &session->lives,
                                   &session->options, &session->arena, err);
    }
    session->table.blocks = session->placement.blocks;
    session->table.count = session->placement.block_count;
    session->report.record = &session->record;
    session->report.placement = &session->placement;
    return status;
}

/* ---- the verb ---- */

/* The plan as a page, when asked for. */
static enum zv_status write_page(const struct session *session, const struct arguments *args,
                                 const struct output *out, struct zv_error *err)
{
    struct result_file file = {0};
    const char *const path = arguments_value(args, "html");
    if (path == NULL) {
        return ZV_OK;
    }
    enum zv_status status = result_file_open(&file, path, err);
    if (status == ZV_OK) {
        status = report_place_html(&file.sink, &out->style, &session->report, session->table.blocks,
                                   session->table.count, err);
    }
    status = status == ZV_OK ? result_file_keep(&file, err) : status;
    result_file_close(&file);
    return status;
}

static void show(const struct session *session, const struct arguments *args, struct output *out)
{
    if (arguments_has(args, "csv")) {
        zv_place_csv_write(&out->sink, &session->table);
    } else if (out->json) {
        report_place_json(&out->sink, &session->report);
    } else {
        report_place_text(&out->sink, &out->style, &session->report);
    }
    if (session->report.capacity_bytes != 0) {
        static const int answers[] = {0, ANSWER_NO, ANSWER_UNKNOWN};
        out->exit_code = answers[report_place_fit(&session->report)];
    }
}

static enum zv_status place_file(struct session *session, const struct arguments *args,
                                 const struct zv_record_options *wanted, struct output *out,
                                 struct zv_error *err)
{
    struct zv_file file;
    enum zv_status status = input_file_open(&file, args->operands[0], err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice content = zv_file_slice(&file);
    status = zv_place_csv_is(content) ? place_table(session, content, err)
                                      : place_record(session, content, wanted, err);
    status = status == ZV_OK ? status : zv_fail_where(err, args->operands[0]);
    status = status == ZV_OK ? write_page(session, args, out, err) : status;
    if (status == ZV_OK) {
        show(session, args, out);
    }
    zv_file_close(&file);
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    struct zv_record_options wanted;
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one file ('-' for standard input)");
    }
    if (arguments_has(args, "csv") && out->json) {
        return zv_fail(err, ZV_E_USAGE, "--csv and --json are two forms of the result");
    }
    enum zv_status status = record_options_read(args, &wanted, &session.arena, err);
    status = status == ZV_OK ? read_search(args, &session.options, err) : status;
    session.report.capacity_bytes = wanted.capacity_bytes;
    session.report.capacity_name = arguments_value(args, "card");
    if (status == ZV_OK) {
        status = place_file(&session, args, &wanted, out, err);
    }
    zv_lives_close(&session.lives);
    zv_record_close(&session.record);
    zv_arena_free(&session.arena);
    return status;
}

const struct verb verb_place = {
    .name = "place",
    .question = "what would the best placement need?",
    .usage = "[options] FILE",
    .about =
        "Places the blocks of a record (a PyTorch memory snapshot, our capture, a profiler trace "
        "with addresses, or an op list, which is run on the simulated card) anew, lives as they "
        "were, and says three things that are never mixed: what was reserved at its peak, what "
        "of it lay in segments that held something, and what a perfect plan needs: the largest "
        "load, which no placement goes below, and the lowest height that was found, optimal where "
        "they meet. What was live before the record is moved in one answer and stays in another; "
        "streams share an arena in one and have their own in another. Blocks can also come from "
        "CSV (id, lower, upper, size, perhaps alignment and offset, which fixes a block). A plan "
        "bounds what placement could save for this record; it is no promise about another run. "
        "With --capacity or --card the exit status says whether a plan fits: 0 yes, 1 no, 6 "
        "unknown. Every plan is checked.",
    .examples = "  zirve place snapshot.pickle\n"
                "  zirve place snapshot.pickle --json\n"
                "  zirve place ops.txt --capacity 8GB\n"
                "  zirve place snapshot.pickle --html plan.html\n"
                "  zirve place blocks.csv --seconds 10\n"
                "  zirve place blocks.csv --csv -o plan.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
