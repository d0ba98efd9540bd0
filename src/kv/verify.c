#include "kv/verify.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text_table.h"
#include "kv/one_at_a_time.h"
#include "kv/prefix_policy.h"
#include "kv/serve.h"
#include "kv/waste.h"

/* One row at work. */
struct row {
    struct zv_kv_row *at;
    struct zv_request_source source;
    struct kv_serve result; /* figures of every case */
    struct zv_error *err;
};

/* ---- parameters ---- */

static bool find_value(struct zv_slice pairs, const char *name, struct zv_slice *value)
{
    struct zv_slice word;
    while (zv_slice_word(&pairs, &word)) {
        if (zv_slice_equal(zv_slice_cut(&word, '='), name)) {
            *value = word;
            return true;
        }
    }
    return false;
}

static enum zv_status wrong(const struct row *row, const char *name, const char *expected)
{
    return zv_fail_line(row->err, ZV_E_SYNTAX, row->at->line, "%s: expected %s", name, expected);
}

/* A number; missing is what stands for an absent one, UINT64_MAX: it must be there. */
static enum zv_status number(const struct row *row, const char *name, uint64_t missing,
                             uint64_t *to)
{
    struct zv_slice text;
    *to = missing;
    if (!find_value(row->at->parameters, name, &text)) {
        return missing != UINT64_MAX ? ZV_OK : wrong(row, name, "a number");
    }
    return zv_slice_u64(text, to) && *to < UINT64_C(1) << 40 ? ZV_OK : wrong(row, name, "a number");
}

struct want {
    const char *name;
    uint64_t missing;
    uint64_t *to;
};

static enum zv_status numbers(const struct row *row, const struct want *wants, size_t count)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < count && status == ZV_OK; i++) {
        status = number(row, wants[i].name, wants[i].missing, wants[i].to);
    }
    return status;
}

#define MUST      UINT64_MAX
#define COUNT(at) (sizeof(at) / sizeof *(at))

static enum zv_status pages(const struct row *row, const char *name, uint64_t count,
                            struct zv_kv_cache_options *to)
{
    if (count == 0 || count > ZV_KV_MAX_PAGES) {
        return wrong(row, name, "1 to 2^30 pages");
    }
    to->pool.pages = (uint32_t)count;
    return ZV_OK;
}

static enum zv_status reservation(const struct row *row, struct kv_reservation *to, bool *is_paged)
{
    struct zv_slice policy;
    *is_paged = false;
    if (!find_value(row->at->parameters, "policy", &policy)) {
        return wrong(row, "policy", "max, pow2total, pow2out, oracle");
    }
    *is_paged = zv_slice_equal(policy, "paged");
    for (unsigned kind = 0; kind < KV_RESERVE_COUNT; kind++) {
        if (zv_slice_equal(policy, kv_reserve_name((enum kv_reserve)kind))) {
            to->kind = (enum kv_reserve)kind;
            return ZV_OK;
        }
    }
    return *is_paged ? ZV_OK : wrong(row, "policy", "max, pow2total, pow2out, oracle");
}

/* ---- cases ---- */

static enum zv_status run_prefix(struct row *row)
{
    struct zv_slice name = row->at->name;
    struct zv_slice capacity = {0};
    uint64_t limit = 0;
    name.at += strlen("prefix_");
    name.length -= strlen("prefix_");
    if (!find_value(row->at->parameters, "capacity", &capacity) ||
        (!zv_slice_equal(capacity, "inf") && (!zv_slice_u64(capacity, &limit) || limit == 0))) {
        return wrong(row, "capacity", "a number of ids, or inf");
    }
    for (unsigned policy = 0; policy < KV_PREFIX_COUNT; policy++) {
        if (zv_slice_equal(name, kv_prefix_name((enum kv_prefix_policy)policy))) {
            return kv_prefix_run(&row->result.figures, row->source, (enum kv_prefix_policy)policy,
                                 limit, row->err);
        }
    }
    return zv_fail_line(row->err, ZV_E_UNSUPPORTED, row->at->line, "no prefix policy %.*s",
                        (int)(name.length < 80 ? name.length : 80), name.at);
}

static enum zv_status run_whole(struct row *row)
{
    struct kv_one_options options = {.cache = {.pool.caching = true, .page_tokens = 512}};
    uint64_t capacity = 0;
    uint64_t decode = 0;
    uint64_t front = 0;
    const struct want wants[] = {
        {"capacity", MUST, &capacity}, {"decode", 0, &decode}, {"unhashed_front", 0, &front}};
    enum zv_status status = numbers(row, wants, COUNT(wants));
    if (status == ZV_OK) {
        status = pages(row, "capacity", capacity, &options.cache);
    }
    options.decode = decode != 0;
    options.cache.pool.unkeyed_first = front != 0;
    return status == ZV_OK ? kv_one_whole(&row->result.figures, row->source, &options, row->err)
                           : status;
}

static enum zv_status run_hybrid(struct row *row)
{
    struct kv_one_options options = {0};
    uint64_t count = 0;
    uint64_t window = 0;
    uint64_t groups = 0;
    uint64_t caching = 0;
    uint64_t decode = 0;
    const struct want wants[] = {{"pages", MUST, &count},
                                 {"block", MUST, &options.cache.page_tokens},
                                 {"window", MUST, &window},
                                 {"swa_groups", MUST, &groups},
                                 {"chunk", MUST, &options.cache.step_tokens},
                                 {"caching", 0, &caching},
                                 {"limit", 0, &options.limit},
                                 {"decode", 0, &decode}};
    enum zv_status status = numbers(row, wants, COUNT(wants));
    if (status == ZV_OK && groups >= ZV_KV_MAX_GROUPS) {
        status = wrong(row, "swa_groups", "at most 15");
    }
    if (status == ZV_OK) {
        status = pages(row, "pages", count, &options.cache);
    }
    for (uint64_t g = 1; g <= groups && status == ZV_OK; g++) {
        options.cache.groups[g] = (struct zv_kv_group){ZV_KV_SLIDING, window, 0};
    }
    options.cache.group_count = groups + 1;
    options.cache.pool.caching = caching != 0;
    options.decode = decode != 0;
    return status == ZV_OK ? kv_one_in_steps(&row->result.figures, row->source, &options, row->err)
                           : status;
}

static enum zv_status run_serve_paged(struct row *row)
{
    struct kv_serve_options options = {0};
    uint64_t count = 0;
    uint64_t sequences = 0;
    uint64_t caching = 0;
    uint64_t whole = 0;
    uint64_t front = 0;
    uint64_t watermark = 0;
    const struct want wants[] = {
        {"pages", MUST, &count},       {"block", MUST, &options.cache.page_tokens},
        {"max_seqs", 256, &sequences}, {"budget", 8192, &options.step_tokens},
        {"caching", 0, &caching},      {"admit_full", 0, &whole},
        {"front_unhashed", 0, &front}, {"watermark_blocks", 0, &watermark},
        {"limit", 0, &options.limit}};
    enum zv_status status = numbers(row, wants, COUNT(wants));
    if (status == ZV_OK && (sequences > 1 << 20 || watermark > ZV_KV_MAX_PAGES)) {
        status = wrong(row, "max_seqs, watermark_blocks", "at most 2^20 and 2^30");
    }
    if (status == ZV_OK) {
        status = pages(row, "pages", count, &options.cache);
    }
    options.max_sequences = (uint32_t)sequences;
    options.cache.watermark_pages = (uint32_t)watermark;
    options.cache.admit_whole = whole != 0;
    options.cache.pool.caching = caching != 0;
    options.cache.pool.unkeyed_first = front != 0;
    return status == ZV_OK ? kv_serve_paged(&row->result, row->source, &options, row->err) : status;
}

static enum zv_status run_serve_contiguous(struct row *row)
{
    struct kv_serve_options options = {0};
    uint64_t sequences = 0;
    bool is_paged;
    const struct want wants[] = {{"slots", MUST, &options.slots},
                                 {"maxlen", 0, &options.reservation.max_tokens},
                                 {"max_seqs", 256, &sequences},
                                 {"budget", 8192, &options.step_tokens},
                                 {"limit", 0, &options.limit}};
    enum zv_status status = numbers(row, wants, COUNT(wants));
    if (status == ZV_OK) {
        status = reservation(row, &options.reservation, &is_paged);
    }
    if (status == ZV_OK && (is_paged || sequences > 1 << 20)) {
        status = wrong(row, "policy, max_seqs", "a contiguous policy, at most 2^20 sequences");
    }
    options.max_sequences = (uint32_t)sequences;
    return status == ZV_OK ? kv_serve_contiguous(&row->result, row->source, &options, row->err)
                           : status;
}

static enum zv_status run_waste_paged(struct row *row)
{
    uint64_t block = 0;
    const enum zv_status status = number(row, "block", MUST, &block);
    return status == ZV_OK ? kv_waste_paged(&row->result.figures, row->source, block, row->err)
                           : status;
}

static enum zv_status run_waste_contiguous(struct row *row)
{
    struct kv_reservation how = {0};
    bool is_paged;
    enum zv_status status = number(row, "maxlen", 0, &how.max_tokens);
    if (status == ZV_OK) {
        status = reservation(row, &how, &is_paged);
    }
    return status == ZV_OK ? kv_waste_contiguous(&row->result.figures, row->source, &how, row->err)
                           : status;
}

static enum zv_status run_waste_static(struct row *row)
{
    uint64_t batch = 0;
    const enum zv_status status = number(row, "batch", MUST, &batch);
    return status == ZV_OK ? kv_waste_static(&row->result.figures, row->source, batch, row->err)
                           : status;
}

static enum zv_status run_fit(struct row *row)
{
    struct kv_reservation how = {0};
    uint64_t slots = 0;
    bool is_paged = false;
    enum zv_status status = number(row, "slots", MUST, &slots);
    if (status == ZV_OK) {
        status = number(row, "arg", 0, &how.max_tokens);
    }
    if (status == ZV_OK) {
        status = reservation(row, &how, &is_paged);
    }
    if (status == ZV_OK && is_paged && how.max_tokens == 0) {
        status = wrong(row, "arg", "tokens of a page");
    }
    return status == ZV_OK ? kv_fit(&row->result.figures, row->source, slots,
                                    is_paged ? how.max_tokens : 0, &how, row->err)
                           : status;
}

static const struct {
    const char *name;
    bool is_prefix;
    enum zv_status (*run)(struct row *row);
} cases[] = {
    {"prefix_", true, run_prefix},
    {"freeq_seq", false, run_whole},
    {"hybrid_seq", false, run_hybrid},
    {"serve_paged", false, run_serve_paged},
    {"serve_contig", false, run_serve_contiguous},
    {"waste_paged", false, run_waste_paged},
    {"waste_contig", false, run_waste_contiguous},
    {"waste_static", false, run_waste_static},
    {"fit", false, run_fit},
};

/* ---- traces ---- */

static const struct {
    const char *name;
    const char *file;
} traces[] = {
    {"azure.code", "AzureLLMInferenceTrace_code.csv"},
    {"azure.conv", "AzureLLMInferenceTrace_conv.csv"},
    {"mooncake.conversation", "mooncake_conversation_trace.jsonl"},
    {"mooncake.synthetic", "mooncake_synthetic_trace.jsonl"},
    {"mooncake.toolagent", "mooncake_toolagent_trace.jsonl"},
    {"vidur.arxiv", "vidur_arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv"},
    {"vidur.code", "vidur_splitwise_code.csv"},
    {"vidur.conv", "vidur_splitwise_conv.csv"},
};

/* The path of the row's trace; its own name is taken as a file's when it is not a known one. */
static enum zv_status trace_path(struct row *row, char path[1024], const char *folder)
{
    struct zv_slice name;
    if (!find_value(row->at->parameters, "trace", &name)) {
        return wrong(row, "trace", "the name of a trace");
    }
    for (size_t i = 0; i < COUNT(traces); i++) {
        if (zv_slice_equal(name, traces[i].name)) {
            name = zv_slice_of(traces[i].file);
        }
    }
    if (zv_slice_contains(name, "/") ||
        snprintf(path, 1024, "%s/%.*s", folder, (int)name.length, name.at) >= 1024) {
        return wrong(row, "trace", "a file in the folder of the traces");
    }
    return ZV_OK;
}

static void compare(struct zv_kv_row *row, const struct kv_figures *figures,
                    struct zv_slice expected)
{
    struct zv_slice pair;
    while (row->outcome == ZV_KV_ROW_EQUAL && zv_slice_word(&expected, &pair)) {
        const struct zv_slice name = zv_slice_cut(&pair, '=');
        const uint64_t *const got = kv_figures_find(figures, name);
        uint64_t value = 0;
        if (got == NULL || !zv_slice_u64(pair, &value)) {
            row->outcome = ZV_KV_ROW_NOT_RUN;
            row->why = "a result that this case does not have, or that is no number";
            row->what = name;
        } else if (*got != value) {
            row->outcome = ZV_KV_ROW_DIFFERS;
            row->what = name;
            row->expected = value;
            row->got = *got;
        }
        row->figures++;
    }
}

static enum zv_status run_case(struct row *row)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].is_prefix ? zv_slice_starts(row->at->name, cases[i].name)
                               : zv_slice_equal(row->at->name, cases[i].name)) {
            return cases[i].run(row);
        }
    }
    return zv_fail_line(row->err, ZV_E_UNSUPPORTED, row->at->line, "no case %.*s",
                        (int)(row->at->name.length < 80 ? row->at->name.length : 80),
                        row->at->name.at);
}

static enum zv_status run_on_trace(struct row *row, const char *path)
{
    struct zv_file file;
    struct zv_request_trace trace;
    enum zv_status status = zv_file_open(&file, path, row->err);
    if (status != ZV_OK) {
        return status;
    }
    status = zv_request_trace_open(&trace, zv_file_slice(&file), NULL, row->err);
    if (status == ZV_OK) {
        row->source = zv_request_trace_source(&trace);
        status = run_case(row);
    }
    zv_request_trace_close(&trace);
    zv_file_close(&file);
    return status;
}

static enum zv_status run_row(struct zv_kv_row *at, struct zv_slice expected, const char *folder,
                              struct zv_error *err)
{
    char path[1024];
    struct row row = {.at = at, .err = err};
    enum zv_status status = trace_path(&row, path, folder);
    if (status == ZV_OK && access(path, R_OK) != 0) {
        at->outcome = ZV_KV_ROW_NOT_RUN;
        at->why = "its trace is not in the folder";
        return ZV_OK;
    }
    if (status == ZV_OK) {
        status = run_on_trace(&row, path);
    }
    if (status == ZV_OK) {
        compare(at, &row.result.figures, expected);
    }
    return status;
}

enum zv_status zv_kv_verify(struct zv_kv_verify *to, struct zv_slice text, const char *folder,
                            struct zv_arena *arena, struct zv_error *err)
{
    struct zv_table table;
    *to = (struct zv_kv_verify){0};
    enum zv_status status = zv_table_read(&table, text, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    const int name = zv_table_column(&table, "case");
    const int parameters = zv_table_column(&table, "params");
    const int results = zv_table_column(&table, "results");
    if (name < 0 || parameters < 0 || results < 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, 1, "expected columns case, params and results");
    }
    to->count = table.row_count;
    to->rows = zv_arena_array(arena, to->count, sizeof *to->rows);
    if (to->rows == NULL) {
        return zv_fail_memory(err, "rows");
    }
    for (size_t i = 0; i < to->count && status == ZV_OK; i++) {
        struct zv_kv_row *const row = &to->rows[i];
        row->line = table.lines[i];
        row->name = zv_table_cell(&table, i, name);
        row->parameters = zv_table_cell(&table, i, parameters);
        status = run_row(row, zv_table_cell(&table, i, results), folder, err);
        to->outcomes[row->outcome]++;
        to->figures += row->figures;
    }
    return status;
}
