/*
 * Peaks of training and inference: those that the step engine answers (predict_step.c), and what is
 * exact without it. Two rows that differ in the prompt's length alone differ by the cache of the
 * tokens between.
 */
#include "base/checked.h"
#include "estimate/cache.h"
#include "selftest/checks.h"
#include "selftest/facts.h"

static bool same_text(const struct zv_row *a, const struct zv_row *b, const char *name)
{
    return zv_slice_same(zv_row_text(&a->settings, name), zv_row_text(&b->settings, name));
}

/* The row of the same run with the shortest prompt above one token. */
static const struct zv_row *base_of(const struct checks *checks, uint64_t *tokens)
{
    static const char *const same[] = {"quant", "gpus", "gpu", "generate", "torch", "transformers"};
    const struct zv_row *base = NULL;
    for (size_t i = 0; i < checks->rows->count; i++) {
        const struct zv_row *const row = &checks->rows->rows[i];
        uint64_t length = 0;
        bool match = zv_slice_same(row->kind, checks->row->kind) &&
                     zv_slice_same(row->model, checks->row->model) &&
                     zv_row_u64(&row->settings, "input_len", &length) && length > 1;
        for (size_t j = 0; j < sizeof same / sizeof same[0]; j++) {
            match = match && same_text(row, checks->row, same[j]);
        }
        if (match && (base == NULL || length < *tokens)) {
            base = row;
            *tokens = length;
        }
    }
    return base;
}

/* The difference of two printed figures, with the precision both have. */
static bool difference(const struct measured *long_run, const struct measured *short_run,
                       struct measured *to)
{
    if (long_run->bytes < short_run->bytes || long_run->low < short_run->high) {
        return false;
    }
    *to = *long_run;
    to->bytes = long_run->bytes - short_run->bytes;
    to->low = long_run->low - short_run->high;
    to->high = long_run->high - short_run->low;
    return true;
}

static void check_delta(struct checks *checks, const struct zv_row *base, uint64_t base_tokens,
                        uint64_t tokens)
{
    const struct zv_slice text = zv_row_text(&checks->row->measured, "gpu_memory");
    struct facts facts;
    struct measured longer;
    struct measured shorter;
    struct measured delta;
    char print[ZV_BYTES_TEXT];
    if (!facts_read(&facts, checks->row, checks->arena)) {
        checks->out_of_memory = true;
        return;
    }
    const struct zv_cache_form form = {.k = ZV_DTYPE_BF16,
                                       .v = ZV_DTYPE_BF16,
                                       .conv_state = ZV_DTYPE_F32,
                                       .scan_state = ZV_DTYPE_F32};
    uint64_t bytes = 0;
    for (size_t i = 0; i < facts.layer_count && facts.missing == NULL; i++) {
        struct zv_cache_cell cell;
        uint64_t layer;
        if (zv_cache_cell_of(&cell, &facts.layers[i], &form, NULL) != ZV_OK ||
            !zv_mul(cell.k + cell.v, tokens - base_tokens, &layer) ||
            !zv_add(bytes, layer, &bytes)) {
            facts.missing = "the cache cannot be calculated";
        }
    }
    if (facts.missing != NULL || !measured_read(text, ZV_UNIT_COUNT, true, &longer) ||
        !measured_read(zv_row_text(&base->measured, "gpu_memory"), ZV_UNIT_COUNT, true, &shorter) ||
        !difference(&longer, &shorter, &delta)) {
        check_skip(checks, "kv_growth", text,
                   facts.missing != NULL ? facts.missing : "no difference can be taken");
        return;
    }
    measured_print(&delta, delta.bytes, print);
    delta.number = zv_slice_of(check_reason(checks, "%s", print));
    check_bytes(checks, "kv_growth", &delta, bytes,
                check_reason(checks, "%llu tokens more than %.*s",
                             (unsigned long long)(tokens - base_tokens), (int)base->id.length,
                             base->id.at));
}

static void check_growth(struct checks *checks)
{
    uint64_t tokens = 0;
    uint64_t base_tokens = 0;
    const struct zv_slice text = zv_row_text(&checks->row->measured, "gpu_memory");
    if (!zv_row_u64(&checks->row->settings, "input_len", &tokens) || tokens <= 1) {
        return;
    }
    const struct zv_row *const base = base_of(checks, &base_tokens);
    if (base == NULL || base == checks->row) {
        return;
    }
    if (zv_slice_starts(zv_row_text(&checks->row->settings, "quant"), "AWQ")) {
        check_skip(checks, "kv_growth", text,
                   "AWQ's matrix products unpack weights and keep outputs as long as the prompt: "
                   "needs the step engine");
        return;
    }
    check_delta(checks, base, base_tokens, tokens);
}

/* fp32 weights between "context only" and "weights on GPU" of one page. */
static void check_weights_step(struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    const struct zv_slice step = zv_row_text(&row->settings, "step");
    uint64_t parameters = 0;
    struct measured with;
    struct measured without;
    struct measured delta;
    char print[ZV_BYTES_TEXT];
    if (!zv_slice_contains(step, "weights on GPU (fp32)") ||
        !zv_row_u64(&row->config, "params", &parameters)) {
        return;
    }
    for (size_t i = 0; i < checks->rows->count; i++) {
        const struct zv_row *const other = &checks->rows->rows[i];
        if (zv_slice_same(other->source, row->source) && zv_slice_same(other->model, row->model) &&
            zv_slice_contains(zv_row_text(&other->settings, "step"), "context only") &&
            measured_read(zv_row_text(&row->measured, "gpu_memory_occupied"), ZV_UNIT_COUNT, true,
                          &with) &&
            measured_read(zv_row_text(&other->measured, "gpu_memory_occupied"), ZV_UNIT_COUNT, true,
                          &without) &&
            difference(&with, &without, &delta)) {
            measured_print(&delta, delta.bytes, print);
            delta.number = zv_slice_of(check_reason(checks, "%s", print));
            check_bytes(checks, "weights", &delta, parameters * 4,
                        "4 bytes a parameter; the driver hands out 2 MiB pages");
            return;
        }
    }
}

void predict_peak(struct checks *checks)
{
    const struct zv_row_fields *const measured = &checks->row->measured;
    check_growth(checks);
    check_weights_step(checks);
    for (size_t i = 0; i < measured->count; i++) {
        if (!check_step(checks, &measured->fields[i])) {
            check_skip(checks, "peak", measured->fields[i].text,
                       "what ran is not described well enough for a step run op by op");
        }
    }
}
