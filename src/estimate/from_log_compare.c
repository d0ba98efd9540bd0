/* Readings beside what the engine calculates for the same job. */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/from_log.h"
#include "runtime/versions.h"

enum { MAX_SCOPES = FROM_LOG_MAX_DEVICES + 1 }; /* the host is 0, device group i is i + 1 */

static const struct {
    const char *id;
    const char *name;
} kinds[LOG_KINDS] = {
    [LOG_WEIGHTS] = {"weights", "weights"},
    [LOG_CACHE] = {"kv_cache", "KV cache"},
    [LOG_STATE] = {"state", "recurrent state"},
    [LOG_ACTIVATIONS] = {"activations", "compute buffer, activations"},
    [LOG_OUTPUT] = {"output_buffer", "output buffer"},
    [LOG_CONTEXT] = {"context", "context, libraries"},
    [LOG_GRAPHS] = {"graphs", "CUDA graphs"},
    [LOG_OTHER] = {"other", "other"},
};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum from_log_kind kind_of(const struct zv_item *item)
{
    const char *const id = starts(item->id, "draft.") ? item->id + 6 : item->id;
    /* vLLM prints what loading took: slots and rotary factors are part of it */
    if (starts(id, "weights") || starts(id, "lora.slots") || starts(id, "runtime.rotary")) {
        return LOG_WEIGHTS;
    }
    if (starts(id, "kv_cache")) {
        return LOG_CACHE;
    }
    if (starts(id, "state")) {
        return LOG_STATE;
    }
    if (starts(id, "output_buffer")) {
        return LOG_OUTPUT;
    }
    if (starts(id, "activations") || starts(id, "logits") || starts(id, "compute_buffer") ||
        starts(id, "host_compute_buffer")) {
        return LOG_ACTIVATIONS;
    }
    if (starts(id, "runtime.graphs")) {
        return LOG_GRAPHS;
    }
    if (starts(id, "runtime.non_torch") || starts(id, "runtime.context")) {
        return LOG_CONTEXT;
    }
    return LOG_OTHER;
}

/* Sums of one ledger by scope and kind. */
struct sums {
    uint64_t bytes[MAX_SCOPES][LOG_KINDS];
    size_t count[MAX_SCOPES][LOG_KINDS];
    enum zv_known known[MAX_SCOPES][LOG_KINDS];
};

/* Whether an earlier item has the same phase: each phase is summed once. */
static bool is_repeated(const struct zv_ledger *ledger, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const char *const phase = ledger->items[i].phase;
        if (phase != NULL && strcmp(phase, ledger->items[at].phase) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds up what is there in one phase; the larger sum of all phases stays. */
static enum zv_status sum_phase(struct sums *sums, const struct zv_ledger *ledger,
                                const char *phase, enum zv_known only, struct zv_error *err)
{
    uint64_t now[MAX_SCOPES][LOG_KINDS] = {{0}};
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        const enum zv_known known = item->quantity.known;
        const enum from_log_kind kind = kind_of(item);
        const bool other =
            item->phase != NULL && (phase == NULL || strcmp(item->phase, phase) != 0);
        const size_t at = item->scope < 0 ? 0 : (size_t)item->scope + 1;
        if (known == ZV_UNKNOWN || item->reclaimable || other ||
            (only != ZV_UNKNOWN && known != only) || at >= MAX_SCOPES) {
            continue;
        }
        if (!zv_add(now[at][kind], item->quantity.bytes, &now[at][kind])) {
            return zv_fail(err, ZV_E_OVERFLOW, "the items of a device pass 2^64 bytes");
        }
        sums->count[at][kind]++;
        sums->known[at][kind] = sums->known[at][kind] == ZV_ASSUMED ? ZV_ASSUMED : known;
        if (now[at][kind] > sums->bytes[at][kind]) {
            sums->bytes[at][kind] = now[at][kind];
        }
    }
    return ZV_OK;
}

static enum zv_status sum_items(struct sums *sums, const struct zv_ledger *ledger,
                                enum zv_known only, struct zv_error *err)
{
    *sums = (struct sums){0};
    enum zv_status status = sum_phase(sums, ledger, NULL, only, err);
    for (size_t i = 0; status == ZV_OK && i < ledger->count; i++) {
        if (ledger->items[i].phase != NULL && !is_repeated(ledger, i)) {
            status = sum_phase(sums, ledger, ledger->items[i].phase, only, err);
        }
    }
    return status;
}

/* The calculated group that a device of the log belongs to; -1 when there is none. */
static int group_of(const struct zv_ledger *calculated, const struct zv_from_log *from,
                    size_t device)
{
    size_t first = 0;
    size_t all = 0;
    for (size_t i = 0; i < calculated->group_count; i++) {
        all += calculated->groups[i].count;
    }
    if (calculated->group_count == 0) {
        return -1;
    }
    if (all != from->device_count) { /* a log that names fewer: the first stands for its like */
        return device < calculated->group_count ? (int)device : (int)calculated->group_count - 1;
    }
    for (size_t i = 0; i < calculated->group_count; i++) {
        first += calculated->groups[i].count;
        if (device < first) {
            return (int)i;
        }
    }
    return (int)calculated->group_count - 1;
}

/* ---- the rows ---- */

/* Half units of all readings behind a kind and scope: the item's basis does not keep them. */
static uint64_t precision_of(const struct zv_from_log *from, enum from_log_kind kind, int scope)
{
    static const char *const ids[LOG_KINDS][4] = {
        [LOG_WEIGHTS] = {"model_buffer", "weights", "vram_used"},
        [LOG_CACHE] = {"kv_buffer", "kv_k", "kv_v", "kv_size"},
        [LOG_STATE] = {"state_buffer", "state_temporal", "state_conv", "state_drafted"},
        [LOG_ACTIVATIONS] = {"compute_buffer", "activation_peak"},
        [LOG_OUTPUT] = {"output_buffer"},
        [LOG_CONTEXT] = {"non_torch"},
        [LOG_GRAPHS] = {"cuda_graph", "cuda_graph_estimate"},
    };
    const struct zv_log *const log = from->log;
    uint64_t sum = 0;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        const bool here =
            scope == FROM_LOG_ALL ? !reading->host
            : scope == ZV_SCOPE_HOST
                ? reading->host
                : !reading->host && zv_slice_same(reading->device, from->devices[scope].name);
        for (size_t j = 0; here && j < 4 && ids[kind][j] != NULL; j++) {
            sum += strcmp(reading->id, ids[kind][j]) == 0 ? reading->half_unit_bytes : 0;
        }
    }
    return sum;
}

static void add_row(struct zv_from_log *from, const struct zv_log_row *row)
{
    if (from->row_count < FROM_LOG_MAX_ROWS) {
        from->rows[from->row_count++] = *row;
    }
}

/* All cards together and the host: llama.cpp spreads layers as its own split says. */
static void rows_of_llamacpp(struct zv_from_log *from, const struct sums *measured,
                             const struct sums *calculated)
{
    for (int kind = 0; kind < LOG_OTHER; kind++) {
        struct zv_log_row row = {.id = kinds[kind].id,
                                 .name = kinds[kind].name,
                                 .scope = FROM_LOG_ALL,
                                 .known = ZV_CALCULATED};
        size_t told = 0;
        size_t found = 0;
        for (size_t at = 1; at < MAX_SCOPES; at++) {
            row.calculated += calculated->bytes[at][kind];
            row.measured += measured->bytes[at][kind];
            told += measured->count[at][kind];
            found += calculated->count[at][kind];
            row.known = calculated->known[at][kind] == ZV_ASSUMED ? ZV_ASSUMED : row.known;
        }
        row.half_unit = precision_of(from, (enum from_log_kind)kind, FROM_LOG_ALL);
        if (told != 0 && found != 0) {
            add_row(from, &row);
        }
        row = (struct zv_log_row){.id = kinds[kind].id,
                                  .name = kinds[kind].name,
                                  .scope = ZV_SCOPE_HOST,
                                  .known = calculated->known[0][kind],
                                  .calculated = calculated->bytes[0][kind],
                                  .measured = measured->bytes[0][kind],
                                  .half_unit =
                                      precision_of(from, (enum from_log_kind)kind, ZV_SCOPE_HOST)};
        if (measured->count[0][kind] != 0 && calculated->count[0][kind] != 0) {
            add_row(from, &row);
        }
    }
}

/* One row a device and kind; vLLM's pool is no need: its tokens are compared instead. */
static void rows_of_ranks(struct zv_from_log *from, const struct zv_ledger *ledger,
                          const struct sums *measured, const struct sums *calculated)
{
    const bool vllm = from->log->runtime == ZV_RUNTIME_VLLM;
    for (size_t device = 0; device < from->device_count; device++) {
        const int group = group_of(ledger, from, device);
        for (int kind = 0; kind < LOG_OTHER && group >= 0; kind++) {
            const size_t to = (size_t)group + 1;
            if (measured->count[device + 1][kind] == 0 || calculated->count[to][kind] == 0 ||
                (vllm && kind == LOG_CACHE)) {
                continue;
            }
            add_row(from, &(struct zv_log_row){.id = kinds[kind].id,
                                               .name = kinds[kind].name,
                                               .scope = (int)device,
                                               .known = calculated->known[to][kind],
                                               .calculated = calculated->bytes[to][kind],
                                               .measured = measured->bytes[device + 1][kind],
                                               .half_unit = precision_of(
                                                   from, (enum from_log_kind)kind, (int)device)});
        }
    }
}

/* The smallest "available" of all ranks: what vLLM sizes its pool by. NULL: not printed. */
static const struct zv_reading *smallest_pool(const struct zv_log *log)
{
    const struct zv_reading *least = NULL;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        if (strcmp(reading->id, "kv_available") == 0 &&
            (least == NULL || reading->bytes < least->bytes)) {
            least = reading;
        }
    }
    return least;
}

/*
 * vLLM: what the measured pool holds by our page rule, beside what it printed. The pool is known to
 * a digit: so is the count.
 */
static void pool_rows(struct zv_from_log *from, const struct zv_runtime_rules *rules)
{
    const struct zv_log *const log = from->log;
    const struct zv_vllm_cache *const pages = &from->estimate.pages;
    const struct zv_reading *const pool = smallest_pool(log);
    if (log->runtime != ZV_RUNTIME_VLLM || pool == NULL || pages->page_bytes == 0) {
        return;
    }
    const enum zv_token_form form = rules != NULL && rules->token_form.known
                                        ? (enum zv_token_form)rules->token_form.value
                                        : ZV_TOKENS_PER_GROUP;
    const uint64_t context = from->estimate.context_tokens;
    uint64_t most = pool->bytes;
    (void)zv_add(pool->bytes, pool->half_unit_bytes, &most);
    const uint64_t blocks = zv_cache_vllm_blocks(pages, pool->bytes);
    const uint64_t more = zv_cache_vllm_blocks(pages, most);
    const struct zv_log_row row = {.id = "kv_blocks",
                                   .name = "blocks in the measured pool",
                                   .tokens = true,
                                   .known = ZV_CALCULATED,
                                   .calculated = blocks,
                                   .measured = log->gpu_blocks.value,
                                   .half_unit = more - blocks + 1};
    if (log->gpu_blocks.found) {
        add_row(from, &row);
    }
    if (log->kv_tokens.found) {
        const uint64_t tokens = zv_cache_vllm_tokens(pages, blocks, context, form);
        struct zv_log_row told = row;
        told.id = "kv_tokens";
        told.name = "tokens in the measured pool";
        told.calculated = tokens;
        told.measured = log->kv_tokens.value;
        told.half_unit = zv_cache_vllm_tokens(pages, more + 1, context, form) - tokens;
        add_row(from, &told);
    }
}

/* ---- what no reading covers ---- */

static bool rest_is_told(const struct zv_from_log *from, int scope)
{
    const struct zv_ledger *const ledger = &from->estimate.ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == scope && strcmp(item->id, "unaccounted") == 0 &&
            item->quantity.known == ZV_MEASURED) {
            return true;
        }
    }
    return false;
}

static enum zv_status keep_items(struct zv_from_log *from, const struct zv_ledger *calculated,
                                 const struct sums *measured, int from_scope, int scope,
                                 struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    const bool told = scope >= 0 && rest_is_told(from, scope);
    for (size_t i = 0; status == ZV_OK && i < calculated->count; i++) {
        struct zv_item item = calculated->items[i];
        const enum from_log_kind kind = kind_of(&item);
        const bool replaced = scope + 1 < MAX_SCOPES &&
                              measured->count[scope < 0 ? 0 : (size_t)scope + 1][kind] != 0 &&
                              kind != LOG_OTHER;
        const bool in_rest = told && (kind == LOG_CONTEXT || kind == LOG_GRAPHS);
        if (item.scope != from_scope || replaced || in_rest) {
            continue;
        }
        item.scope = scope;
        status = zv_ledger_add(&from->estimate.ledger, &item, err);
    }
    return status;
}

/* The devices of the log, or where it names none those of the calculation. */
static enum zv_status keep_all(struct zv_from_log *from, const struct zv_ledger *calculated,
                               const struct sums *measured, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    const bool own = from->device_count == 0;
    const size_t count = own ? calculated->group_count : from->device_count;
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        int scope = (int)i;
        if (own) {
            status =
                zv_ledger_add_group(&from->estimate.ledger, calculated->groups[i], &scope, err);
        }
        const int group = own ? (int)i : group_of(calculated, from, i);
        if (status == ZV_OK) {
            status = keep_items(from, calculated, measured, group, scope, err);
        }
    }
    return status == ZV_OK
               ? keep_items(from, calculated, measured, ZV_SCOPE_HOST, ZV_SCOPE_HOST, err)
               : status;
}

enum zv_status from_log_merge(struct zv_from_log *from, const struct zv_log_input *input,
                              struct zv_error *err)
{
    const struct zv_estimate *const calculated = input->calculated;
    if (calculated == NULL) {
        return ZV_OK;
    }
    struct sums *const sums = zv_arena_array(from->estimate.ledger.arena, 2, sizeof *sums);
    if (sums == NULL) {
        return zv_fail_memory(err, "a log");
    }
    enum zv_status status = sum_items(&sums[0], &from->estimate.ledger, ZV_MEASURED, err);
    if (status == ZV_OK) {
        status = sum_items(&sums[1], &calculated->ledger, ZV_UNKNOWN, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (zv_runtime_is_llamacpp(from->log->runtime)) {
        rows_of_llamacpp(from, &sums[0], &sums[1]);
    } else {
        rows_of_ranks(from, &calculated->ledger, &sums[0], &sums[1]);
        pool_rows(from, input->rules);
    }
    return keep_all(from, &calculated->ledger, &sums[0], err);
}
