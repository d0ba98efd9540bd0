#include "report/report_kv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "kv/request_queue.h"
#include "report/report_estimate.h"

typedef unsigned long long ull;

enum { CELL = 24 };

static const char *count_text(char to[32], uint64_t value)
{
    report_count(to, value);
    return to;
}

/* part of whole in tenths of a percent, rounded half up: "12.3%". */
static void put_share(char to[CELL], uint64_t part, uint64_t whole)
{
    uint64_t tenths = 0;
    if (whole == 0 || !zv_mul_div(part, 2000, whole, &tenths)) {
        (void)snprintf(to, CELL, "-");
        return;
    }
    tenths = (tenths + 1) / 2;
    (void)snprintf(to, CELL, "%llu.%llu%%", (ull)(tenths / 10), (ull)(tenths % 10));
}

/* a / b with one decimal, rounded half up. */
static void put_ratio(char to[CELL], uint64_t a, uint64_t b)
{
    uint64_t tenths = 0;
    if (b == 0 || !zv_mul_div(a, 20, b, &tenths)) {
        (void)snprintf(to, CELL, "-");
        return;
    }
    tenths = (tenths + 1) / 2;
    (void)snprintf(to, CELL, "%llu.%llu", (ull)(tenths / 10), (ull)(tenths % 10));
}

static void put_count(char to[CELL], uint64_t value)
{
    (void)snprintf(to, CELL, "%llu", (ull)value);
}

/* ---- trace and budget ---- */

static void facts_text(struct zv_sink *sink, const struct zv_kv_facts *facts, uint64_t context)
{
    char a[32];
    char b[32];
    char mean[CELL];
    const uint64_t ms = facts->last_ticks / (ZV_TICKS_PER_SECOND / 1000);
    zv_sink_print(sink, "%s request%s over %s s", count_text(a, facts->requests),
                  facts->requests == 1 ? "" : "s", count_text(b, ms / 1000));
    if (facts->refused != 0) {
        zv_sink_print(sink, "; %s more pass the context of ", count_text(a, facts->refused));
        zv_sink_print(sink, "%s", count_text(b, context));
    }
    put_ratio(mean, facts->prompt_tokens, facts->requests);
    zv_sink_print(sink, "\n  prompt  %s tokens on average, at most %s\n", mean,
                  count_text(a, facts->longest_prompt));
    put_ratio(mean, facts->output_tokens, facts->requests);
    zv_sink_print(sink, "  answer  %s tokens on average, at most %s\n", mean,
                  count_text(a, facts->longest_output));
}

static void term(struct zv_sink *sink, const struct report_style *style, char sign,
                 const char *name, uint64_t bytes)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    zv_sink_print(sink, "  %c %-36.36s %24s\n", sign, name, text);
}

static void pages_text(struct zv_sink *sink, const struct zv_kv_budget *budget)
{
    const struct zv_vllm_cache *const geometry = &budget->geometry;
    char a[32];
    char b[32];
    char at_once[CELL];
    zv_sink_print(sink, "  / page of %llu tokens: %s B", (ull)geometry->block_tokens,
                  count_text(a, geometry->page_bytes));
    if (budget->runtime == ZV_RUNTIME_SGLANG) {
        zv_sink_text(sink, " in all layers");
    } else {
        zv_sink_print(sink, " x %llu layers", (ull)geometry->group_size);
    }
    zv_sink_print(sink, " = %s pages%s\n", count_text(a, budget->pages),
                  budget->has_null_page ? " and a placeholder" : "");
    zv_sink_print(sink, "  = %s tokens as %s prints it", count_text(a, budget->tokens),
                  budget->runtime == ZV_RUNTIME_SGLANG ? "SGLang" : "vLLM");
    if (geometry->groups > 1) {
        zv_sink_print(sink, ", in %llu groups of layers", (ull)geometry->groups);
    }
    put_ratio(at_once, budget->pages, geometry->blocks_per_request);
    zv_sink_print(
        sink, "\n  a request of %s tokens takes %s pages: ", count_text(a, budget->context_tokens),
        count_text(b, geometry->blocks_per_request));
    zv_sink_print(sink, "%s fit at once\n", at_once);
}

static void budget_text(struct zv_sink *sink, const struct report_style *style,
                        const struct report_kv_scenario *scenario)
{
    const struct zv_kv_budget *const budget = scenario->budget;
    char line[96];
    term(sink, style, ' ', scenario->card, budget->capacity_bytes);
    if (budget->context_bytes != 0) {
        term(sink, style, '-', "context and libraries *", budget->context_bytes);
    }
    (void)snprintf(line, sizeof line, "%llu.%03llu of it",
                   (ull)(budget->fraction_millionths / 1000000),
                   (ull)(budget->fraction_millionths % 1000000 / 1000));
    term(sink, style, '=', line, budget->budget_bytes);
    for (size_t i = 0; i < budget->term_count; i++) {
        const struct zv_kv_term *const item = &budget->terms[i];
        if (item->quantity.known == ZV_UNKNOWN) {
            zv_sink_print(sink, "  - %-36.36s %24s\n", item->name, "unknown");
            continue;
        }
        (void)snprintf(line, sizeof line, "%.30s%s", item->name,
                       item->quantity.known == ZV_ASSUMED ? " *" : "");
        term(sink, style, '-', line, item->quantity.bytes);
    }
    term(sink, style, '=', "KV cache", budget->cache_bytes);
    if (budget->missing_bytes != 0) {
        term(sink, style, '!', "missing before a first page", budget->missing_bytes);
        return;
    }
    pages_text(sink, budget);
    zv_sink_text(sink, "  * assumed: a rule of thumb, or seen in another run\n");
}

/* ---- policies ---- */

/* What one line of the table says. */
struct cells {
    char at_once[CELL];
    char mean[CELL];
    char used[CELL];
    char future[CELL];
    char inside[CELL];
    char outside[CELL];
    char preempted[CELL];
    char hits[CELL];
};

static uint64_t figure(const struct zv_kv_run *run, const char *name)
{
    return zv_kv_figure(&run->result.figures, name);
}

/* All shares are of the whole memory, on average over the steps. */
static void contiguous_cells(struct cells *cells, const struct zv_kv_run *run)
{
    const uint64_t all = run->options.slots * figure(run, "steps");
    put_share(cells->used, figure(run, "sum_slots"), all);
    put_share(cells->future, figure(run, "sum_future"), all);
    put_share(cells->inside, figure(run, "sum_never"), all);
    put_share(cells->outside, figure(run, "ext_slots"), all);
}

/* With one group and nothing shared, what pages hold beyond tokens is their last page's rest. */
static void paged_cells(struct cells *cells, const struct zv_kv_run *run)
{
    const struct zv_kv_cache_options *const cache = &run->options.cache;
    const uint64_t steps = figure(run, "steps");
    const uint64_t held = figure(run, "sum_pages");
    put_share(cells->used, held, (uint64_t)cache->pool.pages * steps);
    const bool one_kept_whole =
        cache->group_count == 0 || (cache->group_count == 1 && cache->groups[0].kind == ZV_KV_FULL);
    if (!cache->pool.caching && one_kept_whole) {
        const uint64_t all = cache->pool.pages * cache->page_tokens * steps;
        put_share(cells->used, figure(run, "sum_slots"), all);
        put_share(cells->inside, held * cache->page_tokens - figure(run, "sum_slots"), all);
    }
    put_count(cells->preempted, figure(run, "preemptions"));
    if (cache->pool.caching) {
        put_share(cells->hits, figure(run, "hit_tokens_first"), figure(run, "prompt_tokens_first"));
    }
}

static void fill_cells(struct cells *cells, const struct zv_kv_run *run)
{
    char *const all[] = {cells->at_once, cells->mean,    cells->used,      cells->future,
                         cells->inside,  cells->outside, cells->preempted, cells->hits};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        (void)snprintf(all[i], CELL, "-");
    }
    if (run->layout == ZV_KV_STATIC) {
        put_share(cells->inside, figure(run, "waste"), figure(run, "alloc"));
        put_count(cells->at_once, run->batch);
        return;
    }
    put_count(cells->at_once, figure(run, "peak_running"));
    put_ratio(cells->mean, figure(run, "sum_running"), figure(run, "steps"));
    if (run->layout == ZV_KV_CONTIGUOUS) {
        contiguous_cells(cells, run);
    } else {
        paged_cells(cells, run);
    }
}

static void occupancy_line(struct zv_sink *sink, const struct zv_kv_run *run)
{
    static const char levels[] = " .:-=+*#%@";
    struct kv_occupancy coarse = run->result.occupancy;
    const struct kv_occupancy *const over = &coarse;
    const uint64_t all =
        run->layout == ZV_KV_PAGED ? run->options.cache.pool.pages : run->options.slots;
    kv_occupancy_coarsen(&coarse, REPORT_KV_POINTS);
    zv_sink_text(sink, "  |");
    for (size_t i = 0; i < over->count; i++) {
        uint64_t level = 0;
        (void)zv_mul_div(over->points[i].sum_used, 10, over->points[i].steps * all, &level);
        const char c = levels[level < 9 ? level : 9];
        zv_sink_write(sink, &c, 1);
    }
    zv_sink_print(sink, "| %llu s\n",
                  (ull)(figure(run, "steps") * KV_STEP_TICKS / ZV_TICKS_PER_SECOND));
}

static void search_line(struct zv_sink *sink, const struct zv_kv_search *search)
{
    if (search->value == 0) {
        zv_sink_text(sink, "  even one request at a time is pre-empted\n");
    } else if (search->at_limit) {
        zv_sink_print(sink, "  none is pre-empted at any limit: at most %u run at once\n",
                      search->value);
    } else {
        zv_sink_print(sink, "  most at once without pre-emption: %u (with %u: %llu)\n",
                      search->value, search->value + 1, (ull)search->preemptions);
    }
}

static void runs_text(struct zv_sink *sink, const struct report_style *style,
                      const struct report_kv *report, const struct report_kv_scenario *scenario)
{
    char line[96];
    (void)snprintf(line, sizeof line, "%-23s%6s%6s%8s%8s%8s%8s%7s%6s", "", "at", "", "holds",
                   "to be", "waste", "waste", "pre-", "hits");
    report_bold(sink, style, line);
    (void)snprintf(line, sizeof line, "\n%-23s%6s%6s%8s%8s%8s%8s%7s%6s\n", "policy", "once", "mean",
                   "tokens", "held", "inside", "outside", "empted", "");
    report_bold(sink, style, line);
    if (scenario->replicas > 1) {
        zv_sink_print(sink, "each of %llu replicas: the busiest one's peak, the mean of all\n",
                      (ull)scenario->replicas);
    }
    for (size_t i = 0; i < scenario->run_count; i++) {
        const struct zv_kv_run *const run = &scenario->runs[i].run;
        struct cells cells;
        fill_cells(&cells, run);
        zv_sink_print(sink, "%-23.23s%6s%6s%8s%8s%8s%8s%7s%6s\n", scenario->runs[i].name,
                      cells.at_once, cells.mean, cells.used, cells.future, cells.inside,
                      cells.outside, cells.preempted, cells.hits);
        if (report->occupancy && run->layout != ZV_KV_STATIC) {
            occupancy_line(sink, run);
        }
        if (figure(run, "rejected") != 0) {
            zv_sink_print(sink, "  %llu request%s not fit even alone\n",
                          (ull)figure(run, "rejected"),
                          figure(run, "rejected") == 1 ? " does" : "s do");
        }
        if (scenario->runs[i].search != NULL) {
            search_line(sink, scenario->runs[i].search);
        }
    }
}

static void prefixes_text(struct zv_sink *sink, const struct report_kv_scenario *scenario)
{
    char a[32];
    zv_sink_print(sink, "\nprefixes alone, %s blocks of 512 tokens, without time:\n ",
                  count_text(a, scenario->prefix_capacity));
    for (unsigned i = 0; i < KV_PREFIX_COUNT; i++) {
        const struct kv_figures *const one = &scenario->prefixes[i];
        char share[CELL];
        put_share(share, zv_kv_figure(one, "prefix_hits"), zv_kv_figure(one, "lookups"));
        zv_sink_print(sink, " %s %s%s", kv_prefix_name((enum kv_prefix_policy)i), share,
                      i + 1 < KV_PREFIX_COUNT ? "," : "\n");
    }
}

void report_kv_text(struct zv_sink *sink, const struct report_style *style,
                    const struct report_kv *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct report_kv_scenario *const scenario = &report->scenarios[i];
        if (i == 0) {
            facts_text(sink, &scenario->facts, scenario->context_tokens);
        }
        zv_sink_text(sink, "\n");
        if (scenario->name[0] != 0) {
            report_bold(sink, style, scenario->name);
            zv_sink_text(sink, "\n");
        }
        if (i != 0 && scenario->facts.refused != report->scenarios[0].facts.refused) {
            facts_text(sink, &scenario->facts, scenario->context_tokens);
        }
        if (scenario->budget != NULL) {
            budget_text(sink, style, scenario);
        }
        if (scenario->run_count != 0) {
            zv_sink_text(sink, scenario->budget != NULL ? "\n" : "");
            runs_text(sink, style, report, scenario);
        }
        if (scenario->has_prefixes) {
            prefixes_text(sink, scenario);
        }
    }
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0,
                "Shares of the cache's memory, on average over steps. To be held: set aside and "
                "written later. Inside: set aside and never written. Outside: free, and in no hole "
                "large enough for who waits. Static: of what a batch takes.");
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0, report->rules);
    zv_sink_text(sink, "\n");
}

/* ---- verified rows ---- */

void report_kv_verify_text(struct zv_sink *sink, const struct zv_kv_verify *verify, bool verbose)
{
    for (size_t i = 0; i < verify->count; i++) {
        const struct zv_kv_row *const row = &verify->rows[i];
        if (row->outcome == ZV_KV_ROW_EQUAL && !verbose) {
            continue;
        }
        zv_sink_print(sink, "line %llu: ", (ull)row->line);
        report_name(sink, row->name, 40);
        zv_sink_text(sink, " ");
        report_name(sink, row->parameters, 200);
        if (row->outcome == ZV_KV_ROW_EQUAL) {
            zv_sink_print(sink, ": equal, %zu figures\n", row->figures);
        } else if (row->outcome == ZV_KV_ROW_DIFFERS) {
            zv_sink_text(sink, ": ");
            report_name(sink, row->what, 40);
            zv_sink_print(sink, " is %llu, expected %llu\n", (ull)row->got, (ull)row->expected);
        } else {
            zv_sink_print(sink, ": not run, %s\n", row->why);
        }
    }
    zv_sink_print(sink, "%zu equal, %zu differ, %zu not run; %zu figures compared\n",
                  verify->outcomes[ZV_KV_ROW_EQUAL], verify->outcomes[ZV_KV_ROW_DIFFERS],
                  verify->outcomes[ZV_KV_ROW_NOT_RUN], verify->figures);
}
