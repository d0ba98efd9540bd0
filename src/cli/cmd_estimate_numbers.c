/* zirve estimate without a model: figures by hand. */
#include "base/checked.h"
#include "base/fail.h"
#include "cli/estimate_verb.h"
#include "report/report_estimate.h"

enum zv_status estimate_read_numbers(struct zv_numbers *numbers, const struct session *session,
                                     const struct arguments *args, struct zv_error *err)
{
    *numbers = (struct zv_numbers){.kv_bits = 16};
    const struct {
        const char *name;
        uint64_t *to;
    } rows[] = {
        {"parameters", &numbers->parameters},  {"layers", &numbers->layers},
        {"kv-heads", &numbers->kv_heads},      {"head-dim", &numbers->head_dim},
        {"context", &numbers->context_tokens}, {"kv-bits", &numbers->kv_bits},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum zv_status status = arguments_u64(args, rows[i].name, rows[i].to, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (numbers->layers != 0 &&
        (numbers->kv_heads == 0 || numbers->head_dim == 0 || numbers->context_tokens == 0)) {
        return zv_fail(err, ZV_E_USAGE,
                       "a KV cache by hand needs --layers, --kv-heads, --head-dim and --context");
    }
    for (size_t i = 0; i < session->job.item_count; i++) {
        if (!zv_add(numbers->reserve_bytes, session->job.items[i].bytes, &numbers->reserve_bytes)) {
            return zv_fail(err, ZV_E_OVERFLOW, "the reserve passes 2^64 bytes");
        }
    }
    return ZV_OK;
}

enum zv_status estimate_numbers(struct session *session, const struct arguments *args,
                                struct output *out, struct zv_error *err)
{
    static struct report_numbers report;
    struct count_list bits = {.values = {16}, .count = 1};
    struct count_list sequences = {.values = {1}, .count = 1};
    struct zv_numbers numbers;
    const struct zv_fit_limits limits = {session->in_use_bytes, 1000000};
    report = (struct report_numbers){.capacity = session->has_card ? &session->capacity : NULL};
    enum zv_status status = estimate_read_numbers(&numbers, session, args, err);
    if (status == ZV_OK) {
        status = arguments_counts(args, "bits", &bits, err);
    }
    if (status == ZV_OK) {
        status = arguments_counts(args, "concurrency", &sequences, err);
    }
    for (size_t i = 0; status == ZV_OK && i < bits.count * sequences.count; i++) {
        if (report.count == REPORT_MAX_FORMATS) {
            return zv_fail(err, ZV_E_USAGE, "more than %d combinations", REPORT_MAX_FORMATS);
        }
        numbers.bits = bits.values[i / sequences.count];
        numbers.sequences = sequences.values[i % sequences.count];
        struct zv_ledger *const ledger = &report.ledgers[report.count];
        struct zv_fit *const fit = &report.fits[report.count];
        ledger->arena = &session->arena;
        report.numbers[report.count] = numbers;
        status = zv_numbers_ledger(&numbers, ledger, err);
        if (status == ZV_OK && session->has_card) {
            status = zv_fit_judge(fit, ledger, &session->capacity, &limits, err);
            const int code = session_exit_code(fit->verdict);
            out->exit_code = code > out->exit_code ? code : out->exit_code;
        }
        report.count++;
    }
    if (status == ZV_OK && out->json) {
        report_numbers_json(&out->sink, &report);
    } else if (status == ZV_OK) {
        report_numbers_text(&out->sink, &out->style, &report);
    }
    return status;
}
