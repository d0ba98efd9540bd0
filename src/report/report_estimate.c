#include "report/report_estimate.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "report/report_log.h"

enum { NAME_WIDTH = 40 };

void report_count(char to[32], uint64_t value)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0) {
            to[used++] = ',';
        }
        to[used++] = digits[i];
    }
    to[used] = 0;
}

static void heading(struct zv_sink *sink, const struct report_style *style, const char *name)
{
    char text[160];
    if (style->units == REPORT_UNITS_ONE) {
        (void)snprintf(text, sizeof text, "%-*.*s %20s  known", NAME_WIDTH, 120, name,
                       zv_unit_name(style->unit));
    } else {
        (void)snprintf(text, sizeof text, "%-*.*s %9s %10s  known", NAME_WIDTH, 120, name, "GiB",
                       "GB");
    }
    zv_sink_text(sink, "\n");
    report_bold(sink, style, text);
    zv_sink_text(sink, "\n");
}

static void row(struct zv_sink *sink, const struct report_style *style, const char *name,
                uint64_t bytes, const char *known)
{
    char text[64];
    report_figures(text, style, bytes, false);
    zv_sink_print(sink, "  %-*s %s  %s\n", NAME_WIDTH - 2, name, text, known);
}

static bool is_group(const struct zv_item *item, const char *group)
{
    return strcmp(item->group, group) == 0;
}

/* The parts of the weights as one line; the parts below it when there is more than one. */
static void weights_rows(struct zv_sink *sink, const struct report_style *style,
                         const struct report_estimate *report, int scope)
{
    const struct zv_ledger *const ledger = &report->estimate->ledger;
    uint64_t sum = 0;
    size_t count = 0;
    enum zv_known known = ZV_CALCULATED;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == scope && is_group(item, "weights") &&
            item->quantity.known != ZV_UNKNOWN) {
            sum += item->quantity.bytes;
            count++;
            known = item->quantity.known != ZV_CALCULATED ? item->quantity.known : known;
        }
    }
    if (count == 0) {
        return;
    }
    row(sink, style, "weights", sum, zv_known_name(known));
    for (size_t i = 0; known == ZV_MEASURED && count == 1 && i < ledger->count; i++) {
        if (ledger->items[i].scope == scope && is_group(&ledger->items[i], "weights")) {
            report_fold(sink, style, 4, 0, ledger->items[i].quantity.basis);
        }
    }
    for (size_t i = 0; count > 1 && i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        char name[64];
        if (item->scope == scope && is_group(item, "weights") &&
            item->quantity.known != ZV_UNKNOWN) {
            (void)snprintf(name, sizeof name, "  %s", item->name);
            char text[64];
            report_figures(text, style, item->quantity.bytes, false);
            zv_sink_print(sink, "  %-*s %s\n", NAME_WIDTH - 2, name, text);
            if (report->verbose) {
                report_fold(sink, style, 6, 0, item->quantity.basis);
            }
        }
    }
}

static void item_rows(struct zv_sink *sink, const struct report_style *style,
                      const struct report_estimate *report, int scope)
{
    const struct zv_ledger *const ledger = &report->estimate->ledger;
    weights_rows(sink, style, report, scope);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope != scope ||
            (is_group(item, "weights") && item->quantity.known != ZV_UNKNOWN)) {
            continue;
        }
        if (item->quantity.known == ZV_UNKNOWN) {
            zv_sink_print(sink, "  %-*s %20s  unknown\n", NAME_WIDTH - 2, item->name, "?");
        } else {
            row(sink, style, item->name, item->quantity.bytes,
                item->reclaimable ? "not counted" : zv_known_name(item->quantity.known));
        }
        report_fold(sink, style, 4, 0, item->quantity.basis);
    }
}

static void total_rows(struct zv_sink *sink, const struct report_style *style,
                       const struct report_estimate *report, int scope)
{
    struct zv_total total;
    if (zv_ledger_total(&report->estimate->ledger, scope, &total, NULL) != ZV_OK) {
        return;
    }
    char name[64] = "expected";
    if (total.phase != NULL) {
        (void)snprintf(name, sizeof name, "expected (in %s)", total.phase);
    }
    if (total.expected != 0) { /* "0.00" beside an unknown item would read as an answer */
        row(sink, style, "at least", total.at_least, "nothing assumed");
        row(sink, style, name, total.expected,
            report->estimate->upper_bound && scope >= 0 ? "upper bound*" : "with assumptions");
    }
    if (total.unknown != 0) {
        zv_sink_print(sink, "  plus %zu unknown item%s\n", total.unknown,
                      total.unknown == 1 ? "" : "s");
    }
}

static bool has_scope(const struct zv_ledger *ledger, int scope)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->items[i].scope == scope) {
            return true;
        }
    }
    return false;
}

static void device_name(char to[96], const struct zv_device_group *group)
{
    if (group->count == 1) {
        (void)snprintf(to, 96, "GPU %u%s%s", group->first, group->role[0] != 0 ? ", " : "",
                       group->role);
    } else {
        (void)snprintf(to, 96, "each of GPU %u to %u%s%s", group->first,
                       group->first + group->count - 1, group->role[0] != 0 ? ", " : "",
                       group->role);
    }
}

static void form_text(char to[160], const struct zv_model *model)
{
    const struct zv_slice quant = model->quant.name;
    enum zv_dtype dtype = model->dtype; /* a file that names none is as its tensors are */
    if (dtype == ZV_DTYPE_UNKNOWN && model->tensor_count != 0 && model->source != ZV_SOURCE_GGUF) {
        dtype = model->tensors[0].dtype;
    }
    (void)snprintf(to, 160, "%s%s%.*s", dtype != ZV_DTYPE_UNKNOWN ? zv_dtype_name(dtype) : "",
                   model->quant.method != ZV_QUANT_NONE ? ", quantised: " : "",
                   model->quant.method != ZV_QUANT_NONE && quant.length < 100 ? (int)quant.length
                                                                              : 0,
                   quant.at != NULL ? quant.at : "");
    zv_make_printable(to);
}

static void model_line(struct zv_sink *sink, const struct report_style *style,
                       const struct report_estimate *report)
{
    const struct zv_model *const model = report->model;
    const struct zv_model *const stored = report->stored != NULL ? report->stored : model;
    char count[32];
    char form[160];
    char stored_form[160];
    char bytes[REPORT_BYTES_TEXT];
    report_count(count, model->parameters);
    form_text(form, model);
    form_text(stored_form, stored);
    report_name(sink, model->name, 60);
    zv_sink_text(sink, model->name.length != 0 ? ", family " : "family ");
    report_name(sink, model->family.length != 0 ? model->family : zv_slice_of("unknown"), 30);
    zv_sink_print(sink, ": %s parameters%s%s\n", count, form[0] != 0 ? ", " : "", form);
    if (strcmp(form, stored_form) != 0 || model->tensor_bytes != stored->tensor_bytes) {
        report_bytes(bytes, style, stored->tensor_bytes);
        zv_sink_print(sink, "stored as %s, %s\n", stored_form, bytes);
    }
}

static void job_line(struct zv_sink *sink, const struct report_estimate *report)
{
    char tokens[32];
    char sequences[32];
    report_count(tokens, report->estimate->context_tokens);
    report_count(sequences, report->estimate->sequences);
    const bool train = report->job->task == ZV_TASK_TRAIN;
    zv_sink_text(sink, train ? "train" : "serve");
    if (report->rules != NULL && report->job->runtime != ZV_RUNTIME_NONE) {
        zv_sink_print(sink, " with %s %s", zv_runtime_name(report->job->runtime),
                      report->rules->version);
    }
    if (report->model->diffusion || report->estimate->context_tokens == 0) {
        zv_sink_print(sink, ": %s %s\n", sequences,
                      report->model->diffusion ? "image at a time, resolution not modelled"
                                               : "sequence, context not known");
        return;
    }
    zv_sink_print(sink, ": %s sequence%s of %s tokens%s\n", sequences,
                  report->estimate->sequences == 1 ? "" : "s", tokens,
                  train ? " a micro-batch" : "");
}

/* One memory for processor and card: host items and the system take from it too. */
static void unified_line(struct zv_sink *sink, const struct report_style *style,
                         const struct report_estimate *report)
{
    struct zv_total host;
    char text[REPORT_BYTES_TEXT];
    char line[400];
    const struct zv_capacity *const capacity = report->capacity;
    if (capacity->card == NULL || !capacity->card->unified ||
        zv_ledger_total(&report->estimate->ledger, ZV_SCOPE_HOST, &host, NULL) != ZV_OK) {
        return;
    }
    report_bytes(text, style, host.expected);
    (void)snprintf(line, sizeof line, "The processor and the system use the same memory%s%s%s%s.",
                   host.expected != 0 ? ": host items take " : "", host.expected != 0 ? text : "",
                   host.expected != 0 ? " of it too" : "",
                   report->limits->in_use_bytes != 0
                       ? ""
                       : "; give what the system uses with --in-use (auto reads it)");
    report_fold(sink, style, 2, 0, line);
}

/* What of the card is left for the job: the runtime's own limit, what others use. */
static void usable_line(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report)
{
    const struct zv_fit_limits *const limits = report->limits;
    char usable[REPORT_BYTES_TEXT];
    char others[REPORT_BYTES_TEXT] = "";
    char share[ZV_BYTES_TEXT] = "";
    char line[400];
    report_bytes(usable, style, report->fit->usable_low);
    if (limits->in_use_bytes != 0) {
        report_bytes(others, style, limits->in_use_bytes);
    }
    if (limits->fraction_millionths < 1000000) {
        (void)snprintf(share, sizeof share, "0.%06llu",
                       (unsigned long long)limits->fraction_millionths);
        for (size_t end = strlen(share); end > 3 && share[end - 1] == '0'; end--) {
            share[end - 1] = 0;
        }
    }
    (void)snprintf(line, sizeof line, "usable: %s%s%s%s%s%s", usable,
                   share[0] != 0 ? "; the runtime may use " : "", share,
                   share[0] != 0 ? " of the card" : "", others[0] != 0 ? "; others use " : "",
                   others);
    report_fold(sink, style, 2, 0, line);
}

static void fit_lines(struct zv_sink *sink, const struct report_style *style,
                      const struct report_estimate *report)
{
    const struct zv_capacity *const capacity = report->capacity;
    const struct zv_fit *const fit = report->fit;
    char low[REPORT_BYTES_TEXT];
    char high[REPORT_BYTES_TEXT];
    char margin[REPORT_BYTES_TEXT];
    char line[640];
    report_bytes(low, style, capacity->low);
    report_bytes(high, style, capacity->high);
    report_bytes(margin, style, fit->margin);
    zv_sink_text(sink, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)capacity->name.length, capacity->name.at);
    report_bold(sink, style, line);
    (void)snprintf(line, sizeof line, "%s%s%s; %s", low,
                   capacity->low != capacity->high ? " to " : "",
                   capacity->low != capacity->high ? high : "", capacity->basis);
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 2, 0, line);
    unified_line(sink, style, report);
    if (fit->usable_low != capacity->low) {
        usable_line(sink, style, report);
    }
    if (fit->verdict == ZV_CANNOT_TELL) {
        if (fit->over) {
            (void)snprintf(line, sizeof line,
                           "CANNOT TELL by calculation%s: what is expected is %s more than is "
                           "usable, but rests on assumptions%s.",
                           fit->total.expected > fit->usable_high ? ", but UNLIKELY to fit" : "",
                           margin, fit->total.unknown != 0 ? " and unknown items" : "");
        } else {
            (void)snprintf(line, sizeof line,
                           "CANNOT TELL by calculation: what is expected leaves %s, but %zu item%s "
                           "unknown.",
                           margin, fit->total.unknown, fit->total.unknown == 1 ? " is" : "s are");
        }
    } else {
        (void)snprintf(line, sizeof line,
                       fit->verdict == ZV_FITS ? "FITS by calculation, with a margin of %s. A "
                                                 "calculation never proves that a job runs."
                                               : "DOES NOT FIT: what is known alone exceeds it; %s "
                                                 "missing for what is expected.",
                       margin);
    }
    report_fold(sink, style, 2, 0, line);
}

static void pool_lines(struct zv_sink *sink, const struct report_style *style,
                       const struct report_estimate *report)
{
    const struct zv_pool *const pool = &report->estimate->pool;
    char bytes[REPORT_BYTES_TEXT];
    char tokens[32];
    char blocks[32];
    char line[400];
    if (!pool->known || report->log != NULL) { /* a log measured it */
        return;
    }
    report_bytes(bytes, style, pool->cache_bytes);
    report_count(tokens, pool->tokens);
    report_count(blocks, pool->blocks);
    (void)snprintf(
        line, sizeof line,
        "The runtime's pool would be %s: %s blocks, %s tokens, %llu.%02llu sequences of full "
        "length (assumed: it rests on the assumed items).",
        bytes, blocks, tokens, (unsigned long long)(pool->concurrency / 1000000),
        (unsigned long long)(pool->concurrency % 1000000 / 10000));
    report_fold(sink, style, 2, 0, line);
}

static void list(struct zv_sink *sink, const struct report_style *style, const char *title,
                 const char *const *lines, size_t count)
{
    if (count != 0) {
        zv_sink_print(sink, "\n%s\n", title);
    }
    for (size_t i = 0; i < count; i++) {
        report_fold(sink, style, 2, 0, lines[i]);
    }
}

static void headlines(struct zv_sink *sink, const struct report_style *style,
                      const struct report_estimate *report)
{
    if (report->log != NULL) {
        report_log_head(sink, style, report->log);
    }
    if (report->model != NULL) {
        model_line(sink, style, report);
        job_line(sink, report);
    }
}

/* What "expected" adds up; with phases, rows of the others are not in it. */
static const char *maxima_note(const struct zv_ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->items[i].phase != NULL) {
            return "* the sum for the phase that needs most, of maxima that need not fall "
                   "together: an upper bound, as far as the assumptions hold";
        }
    }
    return "* a sum of maxima that need not fall together: an upper bound, as far as the "
           "assumptions hold";
}

static void ledger_rows(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report)
{
    const struct zv_estimate *const estimate = report->estimate;
    for (size_t i = 0; i < estimate->ledger.group_count; i++) {
        char name[96];
        device_name(name, &estimate->ledger.groups[i]);
        heading(sink, style, name);
        item_rows(sink, style, report, (int)i);
        total_rows(sink, style, report, (int)i);
    }
    if (has_scope(&estimate->ledger, ZV_SCOPE_HOST)) {
        heading(sink, style, "host memory");
        item_rows(sink, style, report, ZV_SCOPE_HOST);
        total_rows(sink, style, report, ZV_SCOPE_HOST);
    }
    if (estimate->upper_bound) {
        zv_sink_text(sink, "\n");
        report_fold(sink, style, 0, 0, maxima_note(&estimate->ledger));
    }
}

void report_estimate_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_estimate *report)
{
    const struct zv_estimate *const estimate = report->estimate;
    headlines(sink, style, report);
    ledger_rows(sink, style, report);
    if (report->capacity != NULL) {
        fit_lines(sink, style, report);
        pool_lines(sink, style, report);
    }
    if (report->search != NULL) {
        report_search_text(sink, style, report);
    }
    if (report->advice != NULL) {
        report_levers_text(sink, style, report);
    }
    if (report->log != NULL) {
        report_log_text(sink, style, report->log);
    }
    list(sink, style, "Assumed because it was not given:", estimate->assumptions,
         estimate->assumption_count);
    list(sink, style, "Not valid if:", estimate->invalid_if, estimate->invalid_count);
    if (report->model != NULL) {
        list(sink, style, "Not known:", report->model->unknown, report->model->unknown_count);
        list(sink, style, "Notes:", report->model->notes, report->model->note_count);
    }
}
