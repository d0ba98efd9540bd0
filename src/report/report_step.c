#include "report/report_step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const purposes[STEP_PURPOSE_COUNT] = {"activations",
                                                         "weights",
                                                         "inputs",
                                                         "gradients",
                                                         "optimizer states",
                                                         "cuBLAS workspace",
                                                         "shared with other ranks"};

static void bytes_line(struct zv_sink *sink, const struct report_style *style, const char *name,
                       uint64_t bytes)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    zv_sink_print(sink, "  %-30s %s\n", name, text);
}

/* A run that ended for lack of memory has no highest figure. */
static void range_line(struct zv_sink *sink, const struct report_style *style, const char *name,
                       const struct zv_step_peak *peak, uint64_t low, uint64_t high)
{
    char first[REPORT_BYTES_TEXT];
    char second[REPORT_BYTES_TEXT];
    report_bytes(first, style, low);
    report_bytes(second, style, high);
    if (peak->low.out_of_memory || strcmp(first, second) == 0) {
        zv_sink_print(sink, "  %-30s %s%s\n", name, peak->low.out_of_memory ? "at least " : "",
                      first);
    } else {
        zv_sink_print(sink, "  %-30s %s to %s\n", name, first,
                      peak->high.out_of_memory ? "out of memory" : second);
    }
}

static void when_line(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_step_peak *peak)
{
    char text[256];
    char layer[48] = "";
    if (peak->when.layer >= 0) {
        (void)snprintf(layer, sizeof layer, " of layer %lld", (long long)peak->when.layer);
    }
    (void)snprintf(text, sizeof text,
                   "The peak is reached in %s%s%.*s%s, at event %" PRIu64 " of %" PRIu64 ".",
                   peak->when.in_backward ? "the backward pass" : "a forward pass or an update",
                   peak->when.operation.length != 0 ? ", in " : "",
                   (int)peak->when.operation.length, peak->when.operation.at, layer,
                   peak->when.event, peak->high.events);
    report_fold(sink, style, 2, 0, text);
}

static void holders(struct zv_sink *sink, const struct report_style *style,
                    const struct zv_step_peak *peak, bool all)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < peak->holder_count && (all || i < SHOWN); i++) {
        const struct zv_step_holder *const holder = &peak->holders[i];
        char name[64];
        char text[REPORT_BYTES_TEXT];
        (void)snprintf(name, sizeof name, "  %s%.*s",
                       holder->saved ? "saved: " : "in use: ", (int)holder->operation.length,
                       holder->operation.at);
        report_bytes(text, style, holder->bytes);
        zv_sink_print(sink, "  %-30s %-26s %" PRIu64 " tensor%s\n", name, text, holder->count,
                      holder->count == 1 ? "" : "s");
    }
}

/* "layers 0 to 27", a line for layers that hold the same. */
static void layer_line(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_step_layer *layer, size_t from, size_t to)
{
    char name[64];
    char text[REPORT_BYTES_TEXT];
    const size_t count = to - from + 1;
    if (from == 0) {
        (void)snprintf(name, sizeof name, "  in no layer");
    } else if (count == 1) {
        (void)snprintf(name, sizeof name, "  layer %zu", from - 1);
    } else {
        (void)snprintf(name, sizeof name, "  layers %zu to %zu, each", from - 1, to - 1);
    }
    report_bytes(text, style, layer->bytes[ZV_STEP_SAVED] + layer->bytes[ZV_STEP_TEMPORARY]);
    zv_sink_print(sink, "  %-30s %-26s %" PRIu64 " tensor%s\n", name, text, layer->tensors,
                  layer->tensors == 1 ? "" : "s");
}

static void layers(struct zv_sink *sink, const struct report_style *style,
                   const struct zv_step_peak *peak)
{
    zv_sink_text(sink, "\nActivations by the layer that made them\n");
    for (size_t i = 0; i < peak->layer_count;) {
        const struct zv_step_layer *const layer = &peak->layers[i];
        size_t last = i;
        while (i != 0 && last + 1 < peak->layer_count &&
               memcmp(layer, &peak->layers[last + 1], sizeof *layer) == 0) {
            last++;
        }
        if (layer->tensors != 0) {
            layer_line(sink, style, layer, i, last);
        }
        i = last + 1;
    }
}

static void held(struct zv_sink *sink, const struct report_style *style,
                 const struct zv_step_peak *peak, bool all)
{
    zv_sink_text(sink, "\nWhat holds it\n");
    for (int i = STEP_WEIGHTS; i < STEP_PURPOSE_COUNT; i++) {
        if (peak->held[i] != 0) {
            const bool cache = i == STEP_STATES && !peak->high.trains;
            bytes_line(sink, style, cache ? "keys and values" : purposes[i], peak->held[i]);
        }
    }
    bytes_line(sink, style, "saved for backward", peak->saved_bytes);
    bytes_line(sink, style, "in use for the moment", peak->temporary_bytes);
    bytes_line(sink, style, "rounding of the allocator", peak->rounding_bytes);
    if (peak->high.managed_bytes != 0) {
        zv_sink_text(sink, "\nOutside the allocator, so in no figure above\n");
        bytes_line(sink, style, "managed memory (paged states)", peak->high.managed_bytes);
        report_fold(sink, style, 4, 0,
                    "on the card while there is room, else on the host: cudaMallocManaged");
    }
    zv_sink_text(sink, "\nActivations by the operation that made them\n");
    holders(sink, style, peak, all);
    layers(sink, style, peak);
}

/* What an open setting does to the interval. */
static void open_effect(char *to, size_t size, const struct report_style *style,
                        const struct zv_step_peak *peak, const struct zv_step_open_setting *open)
{
    char width[REPORT_BYTES_TEXT];
    report_bytes(width, style, open->width_bytes);
    (void)snprintf(to, size, ".");
    if (open->width_bytes != 0) {
        (void)snprintf(to, size, ": highest with %.*s; %.*s alone takes %s less.",
                       (int)open->highest.length, open->highest.at, (int)open->lowest.length,
                       open->lowest.at, width);
    } else if (!peak->high.out_of_memory && open->reserved_width_bytes != 0) {
        report_bytes(width, style, open->reserved_width_bytes);
        (void)snprintf(to, size, ": %.*s alone reserves %s less, and allocates the same.",
                       (int)open->lowest.length, open->lowest.at, width);
    } else if (!peak->high.out_of_memory) {
        (void)snprintf(to, size, ": alone it makes no difference.");
    } else if (!peak->low.out_of_memory && !zv_slice_same(open->highest, open->lowest)) {
        (void)snprintf(to, size, ": runs out with %.*s, lowest with %.*s.",
                       (int)open->highest.length, open->highest.at, (int)open->lowest.length,
                       open->lowest.at);
    }
}

static void phase_lines(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_step_result *result)
{
    char peak[REPORT_BYTES_TEXT];
    char end[REPORT_BYTES_TEXT];
    char text[256];
    if (result->phase_count == 0) {
        return;
    }
    zv_sink_text(sink, "\nPhases, each with its own peak allocated and what it leaves\n");
    for (size_t i = 0; i < result->phase_count; i++) {
        const struct step_phase *const phase = &result->phases[i];
        report_bytes(peak, style, phase->peak_allocated_bytes);
        report_bytes(end, style, phase->end_allocated_bytes);
        (void)snprintf(text, sizeof text, "%.*s", (int)phase->name.length, phase->name.at);
        zv_sink_print(sink, "  %-12s %-26s leaves %s\n", text, peak, end);
    }
}

static void open_lines(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_step_peak *peak)
{
    for (size_t i = 0; i < peak->open_count; i++) {
        const struct zv_step_open_setting *const open = &peak->open[i];
        char effect[256];
        char text[512];
        open_effect(effect, sizeof effect, style, peak, open);
        (void)snprintf(text, sizeof text, "%.*s is not stated (%.*s)%s", (int)open->name.length,
                       open->name.at, (int)open->values.length, open->values.at, effect);
        report_fold(sink, style, 2, 0, text);
    }
    for (size_t i = 0; i < peak->default_count; i++) {
        const struct zv_step_default *const of = &peak->defaults[i];
        char text[512];
        (void)snprintf(text, sizeof text, "%.*s is %.*s: framework's default (%.*s).",
                       (int)of->name.length, of->name.at, (int)of->value.length, of->value.at,
                       (int)of->basis.length, of->basis.at);
        report_fold(sink, style, 2, 0, text);
    }
}

static void out_of_memory_line(struct zv_sink *sink, const struct report_style *style,
                               const struct zv_step_peak *peak)
{
    char text[256];
    if (peak->out_of_memory_runs == peak->runs) {
        (void)snprintf(text, sizeof text,
                       "out of memory%s: there is no peak, the figures are those until then",
                       peak->open_count != 0 ? " whatever the open settings are" : "");
    } else {
        (void)snprintf(text, sizeof text,
                       "out of memory in %zu of %zu cases of what is not stated; what holds it is "
                       "of one of those",
                       peak->out_of_memory_runs, peak->runs);
    }
    report_fold(sink, style, 2, 0, text);
}

static void search_lines(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_step_search *search)
{
    char text[400];
    char request[REPORT_BYTES_TEXT];
    report_bytes(request, style, search->next_request_bytes);
    (void)snprintf(text, sizeof text,
                   search->found ? "largest %.*s: %" PRIu64 : "largest %.*s: none",
                   (int)search->setting.length, search->setting.at, search->value);
    report_bold(sink, style, text);
    zv_sink_text(sink, "\n");
    if (search->at_limit) {
        (void)snprintf(text, sizeof text,
                       "that ends the search, not the card, which has room for more");
    } else {
        (void)snprintf(text, sizeof text,
                       "with %" PRIu64 " it runs out of memory: a request of %s fails",
                       search->value + search->found, request);
    }
    report_fold(sink, style, 2, 0, text);
    if (search->contrary) {
        (void)snprintf(text, sizeof text,
                       "%" PRIu64 " does not go with that: what goes in has no one end",
                       search->contrary_value);
        report_fold(sink, style, 2, 0, text);
    }
    (void)snprintf(text, sizeof text,
                   "%zu values tried, %zu steps run; what follows is of %" PRIu64, search->values,
                   search->runs, search->value);
    report_fold(sink, style, 2, 0, text);
    zv_sink_text(sink, "\n");
}

static void fit_line(struct zv_sink *sink, const struct report_style *style,
                     const struct report_step *report)
{
    const struct zv_step_peak *const peak = report->peak;
    char text[512];
    char low[REPORT_BYTES_TEXT];
    if (report->capacity == NULL) {
        return;
    }
    report_bytes(low, style, report->capacity->low);
    (void)snprintf(text, sizeof text, "%.*s offers %s: %s.", (int)report->capacity->name.length,
                   report->capacity->name.at, low,
                   !peak->high.out_of_memory ? "the step goes in"
                   : peak->low.out_of_memory ? "the step runs out of memory"
                                             : "it depends on what is not stated");
    report_fold(sink, style, 2, 0, text);
}

/* None of them alone is enough: what they come to together. */
static void together_lines(struct zv_sink *sink, const struct report_style *style,
                           const struct zv_step_advice *advice)
{
    char text[512] = "";
    char peak[REPORT_BYTES_TEXT];
    size_t length = 0;
    for (size_t i = 0; i < advice->together_count && length < sizeof text - 1; i++) {
        const struct zv_step_lever *const lever = &advice->levers[advice->together[i]];
        const int written = snprintf(text + length, sizeof text - length, "%s%.*s=%.*s",
                                     i != 0 ? ", " : "", (int)lever->setting.length,
                                     lever->setting.at, (int)lever->value.length, lever->value.at);
        length += written > 0 ? (size_t)written : 0;
    }
    report_bytes(peak, style, advice->together_bytes);
    char line[768];
    if (advice->together_bytes != 0) {
        (void)snprintf(line, sizeof line,
                       "None of them alone is enough. It goes in with %s together: peak allocated "
                       "%s.",
                       text, peak);
    } else {
        (void)snprintf(line, sizeof line, "It does not go in with all of them together either.");
    }
    report_fold(sink, style, 2, 0, line);
}

static void lever_lines(struct zv_sink *sink, const struct report_style *style,
                        const struct report_step *report)
{
    const struct zv_step_advice *const advice = report->advice;
    char text[REPORT_BYTES_TEXT];
    if (advice->runs_out) {
        char line[256];
        report_bytes(text, style, advice->needed_bytes);
        (void)snprintf(line, sizeof line, "On a card without end the peak allocated would be %s%s.",
                       text, advice->whole.runs > 1 ? " at most" : "");
        zv_sink_text(sink, "\n");
        report_fold(sink, style, 2, 0, line);
    }
    if (advice->count != 0) {
        zv_sink_text(sink, "\nWhat would lower it, each by itself\n");
    }
    bool alone = false;
    for (size_t i = 0; i < advice->count; i++) {
        const struct zv_step_lever *const lever = &advice->levers[i];
        char name[64];
        report_bytes(text, style, lever->saved_bytes);
        (void)snprintf(name, sizeof name, "%.*s=%.*s", (int)lever->setting.length,
                       lever->setting.at, (int)lever->value.length, lever->value.at);
        zv_sink_print(sink, "  %-30s -%s%s\n", name, text, lever->fits ? "  goes in" : "");
        report_fold(sink, style, 4, 0, lever->what);
        alone |= lever->fits;
    }
    if (advice->runs_out && !alone && advice->count != 0) {
        together_lines(sink, style, advice);
    }
}

static void outside_lines(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_step_result *result)
{
    for (size_t i = 0; i < result->outside_count; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "Not in it and unknown: %.*s.",
                       (int)result->outside[i].length, result->outside[i].at);
        report_fold(sink, style, 2, 0, text);
    }
    if (result->not_run.length != 0) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "Not in it: the pass of the %.*s part. Its weights are there, but nothing "
                       "goes through them: a step on text alone.",
                       (int)(result->not_run.length < 40 ? result->not_run.length : 40),
                       result->not_run.at);
        report_fold(sink, style, 2, 0, text);
    }
}

void report_step_text(struct zv_sink *sink, const struct report_style *style,
                      const struct report_step *report)
{
    const struct zv_step_peak *const peak = report->peak;
    char title[256];
    if (report->search != NULL) {
        search_lines(sink, style, report->search);
    }
    (void)snprintf(title, sizeof title, "%s, run op by op as %.*s does it",
                   peak->high.trains ? "Training step" : "Generation", (int)report->habit.length,
                   report->habit.at);
    report_bold(sink, style, title);
    zv_sink_text(sink, "\n");
    if (peak->high.out_of_memory) {
        out_of_memory_line(sink, style, peak);
    }
    range_line(sink, style, "peak allocated", peak, peak->low.peak_allocated_bytes,
               peak->high.peak_allocated_bytes);
    range_line(sink, style, "peak active", peak, peak->active_bytes[0], peak->active_bytes[1]);
    range_line(sink, style, "peak reserved", peak, peak->reserved_bytes[0],
               peak->reserved_bytes[1]);
    fit_line(sink, style, report);
    when_line(sink, style, peak);
    open_lines(sink, style, peak);
    phase_lines(sink, style, &peak->high);
    held(sink, style, peak, report->verbose);
    lever_lines(sink, style, report);
    zv_sink_text(sink, "\n");
    char basis[512];
    (void)snprintf(
        basis, sizeof basis,
        "Basis: calculated, %" PRIu64
        " allocations and frees of a program (docs/STEP.md) on the allocator engine%s%s; "
        "kernels of %s. Outside it: the CUDA context, compiled graphs, offloading, %s.",
        peak->high.events, report->conf != NULL ? " with " : "",
        report->conf != NULL ? report->conf : "", report->card_basis,
        peak->high.outside_count == 0 ? "several cards"
                                      : "tensor, pipeline and context parallelism");
    report_fold(sink, style, 2, 0, basis);
    outside_lines(sink, style, &peak->high);
}
