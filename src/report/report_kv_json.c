#include "format/json_writer.h"
#include "report/json_fields.h"
#include "report/report_kv.h"

static void number(struct zv_json_writer *json, const char *key, uint64_t value)
{
    zv_json_write_key(json, key);
    zv_json_write_u64(json, value);
}

static void write_figures(struct zv_json_writer *json, const char *key,
                          const struct kv_figures *figures)
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    for (size_t i = 0; i < figures->count; i++) {
        number(json, figures->at[i].name, figures->at[i].value);
    }
    zv_json_end_object(json);
}

static void write_facts(struct zv_json_writer *json, const struct zv_kv_facts *facts)
{
    zv_json_write_key(json, "trace");
    zv_json_begin_object(json);
    number(json, "requests", facts->requests);
    number(json, "refused", facts->refused);
    number(json, "prompt_tokens", facts->prompt_tokens);
    number(json, "output_tokens", facts->output_tokens);
    number(json, "longest_prompt", facts->longest_prompt);
    number(json, "longest_output", facts->longest_output);
    number(json, "longest_slots", facts->longest);
    number(json, "with_ids", facts->with_ids);
    number(json, "last_arrival_ns", facts->last_ticks * 100);
    zv_json_end_object(json);
}

static void write_groups(struct zv_json_writer *json, const struct zv_kv_budget *budget)
{
    static const char *const kinds[] = {"full", "sliding", "chunked", "state"};
    zv_json_write_key(json, "groups");
    zv_json_begin_array(json);
    for (size_t i = 0; i < budget->group_count; i++) {
        zv_json_begin_object(json);
        json_text(json, "kind", kinds[budget->groups[i].kind]);
        number(json, "window_tokens", budget->groups[i].window_tokens);
        number(json, "page_tokens", budget->groups[i].page_tokens);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_budget(struct zv_json_writer *json, const struct zv_kv_budget *budget)
{
    zv_json_write_key(json, "budget");
    if (budget == NULL) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    number(json, "capacity_bytes", budget->capacity_bytes);
    number(json, "context_bytes", budget->context_bytes);
    number(json, "fraction_millionths", budget->fraction_millionths);
    number(json, "budget_bytes", budget->budget_bytes);
    zv_json_write_key(json, "terms");
    zv_json_begin_array(json);
    for (size_t i = 0; i < budget->term_count; i++) {
        const struct zv_quantity *const quantity = &budget->terms[i].quantity;
        zv_json_begin_object(json);
        json_text(json, "name", budget->terms[i].name);
        json_bytes(json, "bytes", quantity->known != ZV_UNKNOWN, quantity->bytes);
        json_text(json, "known", zv_known_name(quantity->known));
        json_text(json, "basis", quantity->basis);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    number(json, "cache_bytes", budget->cache_bytes);
    number(json, "missing_bytes", budget->missing_bytes);
    number(json, "page_tokens", budget->geometry.block_tokens);
    number(json, "page_bytes", budget->geometry.page_bytes);
    number(json, "layers_per_page", budget->geometry.group_size);
    number(json, "pages", budget->pages);
    number(json, "tokens", budget->tokens);
    number(json, "pages_per_request", budget->geometry.blocks_per_request);
    write_groups(json, budget);
    zv_json_end_object(json);
}

static void write_occupancy(struct zv_json_writer *json, const struct kv_occupancy *fine)
{
    struct kv_occupancy coarse = *fine;
    const struct kv_occupancy *const occupancy = &coarse;
    kv_occupancy_coarsen(&coarse, REPORT_KV_POINTS);
    zv_json_write_key(json, "occupancy");
    zv_json_begin_array(json);
    for (size_t i = 0; i < occupancy->count; i++) {
        zv_json_begin_object(json);
        number(json, "steps", occupancy->points[i].steps);
        number(json, "sum_used", occupancy->points[i].sum_used);
        number(json, "peak_used", occupancy->points[i].peak.used);
        number(json, "sum_running", occupancy->points[i].sum_running);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_settings(struct zv_json_writer *json, const struct zv_kv_run *run)
{
    static const char *const layouts[] = {"contiguous", "static", "paged"};
    const struct zv_kv_cache_options *const cache = &run->options.cache;
    json_text(json, "layout", layouts[run->layout]);
    if (run->layout == ZV_KV_CONTIGUOUS) {
        json_text(json, "reservation", kv_reserve_name(run->options.reservation.kind));
        number(json, "max_tokens", run->options.reservation.max_tokens);
        number(json, "slots", run->options.slots);
    } else if (run->layout == ZV_KV_STATIC) {
        number(json, "batch", run->batch);
        return;
    } else {
        number(json, "page_tokens", cache->page_tokens);
        number(json, "pages", cache->pool.pages);
        number(json, "groups", cache->group_count != 0 ? cache->group_count : 1);
        json_bool(json, "prefix_cache", cache->pool.caching);
        json_text(json, "eviction", zv_kv_eviction_name(cache->pool.eviction));
        number(json, "kept_pages", cache->pool.kept_pages);
        json_bool(json, "unkeyed_first", cache->pool.unkeyed_first);
        json_bool(json, "admit_whole", cache->admit_whole);
        number(json, "watermark_pages", cache->watermark_pages);
    }
    number(json, "step_tokens", run->options.step_tokens);
    number(json, "max_sequences", run->options.max_sequences);
}

static void write_run(struct zv_json_writer *json, const char *name, const struct zv_kv_run *run,
                      const struct zv_kv_search *search)
{
    zv_json_begin_object(json);
    json_text(json, "policy", name);
    write_settings(json, run);
    write_figures(json, "figures", &run->result.figures);
    if (search != NULL) {
        zv_json_write_key(json, "search");
        zv_json_begin_object(json);
        number(json, "concurrency", search->value);
        json_bool(json, "at_limit", search->at_limit);
        number(json, "preemptions_with_one_more", search->preemptions);
        zv_json_end_object(json);
    }
    if (run->layout != ZV_KV_STATIC) {
        write_occupancy(json, &run->result.occupancy);
    }
    zv_json_end_object(json);
}

static void write_scenario(struct zv_json_writer *json, const struct report_kv_scenario *scenario)
{
    zv_json_begin_object(json);
    json_text(json, "name", scenario->name);
    number(json, "context_tokens", scenario->context_tokens);
    number(json, "replicas", scenario->replicas);
    write_facts(json, &scenario->facts);
    write_budget(json, scenario->budget);
    zv_json_write_key(json, "runs");
    zv_json_begin_array(json);
    for (size_t i = 0; i < scenario->run_count; i++) {
        write_run(json, scenario->runs[i].name, &scenario->runs[i].run, scenario->runs[i].search);
    }
    zv_json_end_array(json);
    if (scenario->has_prefixes) {
        number(json, "prefix_capacity", scenario->prefix_capacity);
        zv_json_write_key(json, "prefixes");
        zv_json_begin_object(json);
        for (unsigned i = 0; i < KV_PREFIX_COUNT; i++) {
            write_figures(json, kv_prefix_name((enum kv_prefix_policy)i), &scenario->prefixes[i]);
        }
        zv_json_end_object(json);
    }
    zv_json_end_object(json);
}

void report_kv_json(struct zv_sink *sink, const struct report_kv *report)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.kv/1");
    json_text(&json, "file", report->trace);
    json_text(&json, "rules", report->rules);
    zv_json_write_key(&json, "scenarios");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < report->count; i++) {
        write_scenario(&json, &report->scenarios[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

static void write_row(struct zv_json_writer *json, const struct zv_kv_row *row)
{
    static const char *const outcomes[] = {"equal", "differs", "not run"};
    zv_json_begin_object(json);
    number(json, "line", row->line);
    json_slice(json, "case", row->name);
    json_slice(json, "parameters", row->parameters);
    json_text(json, "outcome", outcomes[row->outcome]);
    number(json, "figures", row->figures);
    if (row->outcome == ZV_KV_ROW_DIFFERS) {
        json_slice(json, "figure", row->what);
        number(json, "expected", row->expected);
        number(json, "got", row->got);
    } else if (row->outcome == ZV_KV_ROW_NOT_RUN) {
        json_text(json, "why", row->why);
    }
    zv_json_end_object(json);
}

void report_kv_verify_json(struct zv_sink *sink, const struct zv_kv_verify *verify)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.kv-verify/1");
    number(&json, "equal", verify->outcomes[ZV_KV_ROW_EQUAL]);
    number(&json, "differ", verify->outcomes[ZV_KV_ROW_DIFFERS]);
    number(&json, "not_run", verify->outcomes[ZV_KV_ROW_NOT_RUN]);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < verify->count; i++) {
        write_row(&json, &verify->rows[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
