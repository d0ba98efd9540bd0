#include "report/report_choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "report/report_estimate.h"

static void print_required(struct zv_sink *sink, const struct report_style *style,
                           const struct report_choose *report)
{
    const struct zv_required *const required = report->choice->input.required;
    char text[512];
    char at_least[REPORT_BYTES_TEXT];
    char expected[REPORT_BYTES_TEXT];
    char day[ZV_DATE_TEXT];
    report_bytes(at_least, style, required->at_least);
    report_bytes(expected, style, required->expected);
    zv_date_print(day, report->choice->input.declared.today);
    if (required->known) {
        (void)snprintf(text, sizeof text,
                       "needed of one card: %s expected, at least %s%s; %s. Cards: %u.", expected,
                       at_least, required->unknown != 0 ? ", and unknown items" : "",
                       required->source, required->devices);
    } else {
        (void)snprintf(text, sizeof text, "needed of one card: unknown; %s", required->source);
    }
    report_fold(sink, style, 2, 0, text);
    for (size_t i = 0; i < required->variation_count; i++) {
        const struct zv_variation *const one = &required->variations[i];
        report_bytes(expected, style, one->bytes);
        (void)snprintf(text, sizeof text, "margin for %.*s: %s, %s%.*s", (int)one->name.length,
                       one->name.at, expected,
                       one->documented             ? "measured, "
                       : one->evidence.length != 0 ? "assumed: no document of a run is called "
                                                   : "assumed",
                       (int)one->evidence.length, one->evidence.at);
        report_fold(sink, style, 2, 0, text);
    }
    if (report->choice->days != 0) {
        (void)snprintf(text, sizeof text, "for %" PRIu64 " days; as of %s", report->choice->days,
                       day);
    } else {
        (void)snprintf(text, sizeof text, "as of %s", day);
    }
    report_fold(sink, style, 2, 0, text);
}

static void print_head(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_candidate *candidate)
{
    const struct zv_offer *const offer = candidate->offer;
    char text[512];
    char cost[ZV_MONEY_TEXT] = "cost unknown";
    if (candidate->has_cost) {
        zv_money_print(cost, &candidate->cost);
    }
    (void)snprintf(text, sizeof text, "%zu%s. %u x %.*s, %s", candidate->rank,
                   candidate->tied ? " tied" : "", offer->count,
                   (int)(offer->card.length < 60 ? offer->card.length : 60), offer->card.at, cost);
    zv_sink_text(sink, "\n");
    report_bold(sink, style, text);
    char line[32] = "";
    if (offer->line != 0) {
        (void)snprintf(line, sizeof line, " line %" PRIu64, offer->line);
    }
    (void)snprintf(text, sizeof text, "  %.*s%s%.*s%s%s%s\n",
                   (int)(offer->id.length < 40 ? offer->id.length : 40), offer->id.at,
                   offer->id.length != 0 ? " " : "",
                   (int)(offer->region.length < 24 ? offer->region.length : 24), offer->region.at,
                   offer->region.length != 0 ? " " : "", offer->file, line);
    zv_sink_text(sink, text);
}

static void print_facts(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_candidate *candidate)
{
    char text[512];
    char usable[REPORT_BYTES_TEXT] = "unknown";
    char margin[REPORT_BYTES_TEXT] = "unknown";
    char day[ZV_DATE_TEXT];
    if (candidate->capacity != NULL) {
        report_bytes(usable, style, candidate->usable);
    }
    if (candidate->has_margin) {
        report_bytes(margin, style, candidate->margin);
    }
    zv_date_print(day, candidate->offer->available);
    (void)snprintf(text, sizeof text, "usable %s (%s); margin %s%s; first day %s", usable,
                   candidate->basis != NULL ? candidate->basis : "no reading, no size", margin,
                   candidate->has_margin && candidate->over ? " missing" : "", day);
    report_fold(sink, style, 5, 0, text);
}

static enum zv_status print_candidate(struct zv_sink *sink, const struct report_style *style,
                                      const struct report_choose *report,
                                      const struct zv_candidate *candidate, struct zv_error *err)
{
    struct zv_judgement judgements[ZV_NEED_KINDS];
    const enum zv_status status =
        zv_choose_judge(judgements, report->choice, candidate, report->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    print_head(sink, style, candidate);
    print_facts(sink, style, candidate);
    for (unsigned kind = 0; kind < ZV_NEED_KINDS; kind++) {
        const struct zv_need *const need = &report->choice->input.needs->kinds[kind];
        const struct zv_judgement *const judgement = &judgements[kind];
        if (need->strength == ZV_NOT_NEEDED ||
            (candidate->state == ZV_EXCLUDED && judgement->state != ZV_EXCLUDED)) {
            continue; /* of an excluded one, what excludes it */
        }
        char text[400];
        zv_sink_print(sink, "     %-13s  %-10s  ", zv_need_name((enum zv_need_kind)kind),
                      zv_state_name(judgement->state));
        (void)snprintf(text, sizeof text, "%s%s", judgement->text,
                       need->strength == ZV_PREFERENCE ? " (a preference)" : "");
        report_fold(sink, style, 32, 32, text);
    }
    return ZV_OK;
}

static enum zv_status print_state(struct zv_sink *sink, const struct report_style *style,
                                  const struct report_choose *report, enum zv_state state,
                                  struct zv_error *err)
{
    const struct zv_choice *const choice = report->choice;
    const char *currency = "";
    size_t shown = 0;
    char text[128];
    enum zv_status status = ZV_OK;
    (void)snprintf(text, sizeof text, "\n%s: %zu\n", zv_state_name(state), choice->states[state]);
    report_bold(sink, style, text);
    for (size_t i = 0; status == ZV_OK && i < choice->count && shown < report->top; i++) {
        const struct zv_candidate *const candidate = &choice->candidates[i];
        if (candidate->state != state) {
            continue;
        }
        if (candidate->has_cost && strcmp(currency, candidate->cost.currency) != 0) {
            if (currency[0] != 0) {
                zv_sink_print(sink,
                              "\n  a list of its own, in %s (--rate FROM:TO=RATE joins them)\n",
                              candidate->cost.currency);
            }
            currency = candidate->cost.currency;
        }
        status = print_candidate(sink, style, report, candidate, err);
        shown++;
    }
    if (shown < choice->states[state]) {
        zv_sink_print(sink, "\n  and %zu more (--top N shows more)\n",
                      choice->states[state] - shown);
    }
    return status;
}

static void print_notes(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_choice *choice)
{
    const struct zv_offers *const offers = choice->input.offers;
    char text[200];
    zv_sink_text(sink, "\n");
    if (offers->without_card + offers->without_price != 0) {
        (void)snprintf(text, sizeof text,
                       "Rows left out: %zu without a card, %zu without a price of this kind.",
                       offers->without_card, offers->without_price);
        report_fold(sink, style, 0, 0, text);
    }
    if (offers->mended != 0) {
        (void)snprintf(text, sizeof text, "Rows whose MiB are GB, taken as such: %zu.",
                       offers->mended);
        report_fold(sink, style, 0, 0, text);
    }
    report_fold(sink, style, 0, 0,
                "In order of total cost, then margin, then first day. Prices make no order of "
                "speed; a calculation, a nominal size or declared stock proves nothing that runs.");
}

enum zv_status report_choose_text(struct zv_sink *sink, const struct report_style *style,
                                  const struct report_choose *report, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    zv_sink_print(sink, "%s\n", report->subject);
    print_required(sink, style, report);
    for (unsigned state = 0; status == ZV_OK && state < ZV_STATES; state++) {
        if (report->choice->states[state] != 0) {
            status = print_state(sink, style, report, (enum zv_state)state, err);
        }
    }
    print_notes(sink, style, report->choice);
    return status;
}
