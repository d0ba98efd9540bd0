#include "decide/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/date.h"
#include "base/fail.h"
#include "base/units.h"

__attribute__((format(printf, 2, 3))) static const char *say(struct zv_arena *arena,
                                                             const char *format, ...)
{
    char text[320];
    if (arena == NULL) {
        return NULL;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return zv_arena_copy(arena, text, strlen(text));
}

static int shown(struct zv_slice slice)
{
    return (int)(slice.length < 100 ? slice.length : 100);
}

enum zv_status judge_documents(struct choose_documents *documents,
                               const struct zv_choose_input *input, struct zv_arena *arena,
                               struct zv_error *err)
{
    const struct zv_evidence_list *const list = input->evidence;
    documents->items = zv_arena_array(arena, list->count, sizeof *documents->items);
    if (documents->items == NULL) {
        return zv_fail_memory(err, "evidence");
    }
    for (size_t i = 0; i < list->count; i++) {
        struct choose_document *const document = &documents->items[i];
        const struct zv_evidence *const evidence = &list->items[i];
        for (unsigned kind = 0; kind < ZV_NEED_KINDS; kind++) {
            document->refused[kind] =
                zv_evidence_refuse(evidence, (enum zv_need_kind)kind, &input->declared, arena);
        }
        if (evidence->card.length != 0) {
            struct zv_error cause = {0};
            const enum zv_status status =
                zv_card_find(input->cards, evidence->card.at, &document->card, &cause);
            if (status != ZV_OK) { /* unknown to the table: its name must then be the offer's */
                document->card = NULL;
            }
        }
    }
    return ZV_OK;
}

uint64_t judge_usable(const struct zv_required *required, uint64_t capacity)
{
    uint64_t share = capacity;
    (void)zv_mul_div(capacity, required->fraction_millionths, 1000000, &share);
    return share < capacity ? share : capacity;
}

static bool in_scope(const struct zv_evidence *evidence, const struct choose_document *document,
                     const struct zv_candidate *candidate)
{
    const struct zv_offer *const offer = candidate->offer;
    if (evidence->offer.length != 0 && !zv_slice_same(evidence->offer, offer->id)) {
        return false;
    }
    if (evidence->card.length == 0) {
        return true;
    }
    const struct zv_card *const card =
        candidate->capacity != NULL ? candidate->capacity->card : NULL;
    return card != NULL && document->card != NULL
               ? card == document->card
               : zv_slice_equal_nocase(offer->card, evidence->card.at);
}

static bool ran_out(const struct zv_evidence *evidence)
{
    bool found = zv_slice_contains(evidence->message, "out of memory");
    for (size_t i = 0; i < evidence->phase_count; i++) {
        found = found || zv_slice_contains(evidence->phases[i].message, "out of memory");
    }
    return found;
}

enum meets { MEETS_NOT, MEETS, SAYS_NOTHING };

static enum meets compare(bool says, bool good)
{
    return !says ? SAYS_NOTHING : good ? MEETS : MEETS_NOT;
}

static enum meets compare_text(struct zv_slice has, const struct zv_need *need)
{
    return compare(has.length != 0, zv_slice_same(has, need->text));
}

/* A run that passed in full proves its card; a failed one shows what it failed by. */
static enum meets run_meets(const struct zv_evidence *evidence, enum zv_need_kind kind,
                            const struct zv_need *need)
{
    const bool passed = evidence->outcome == ZV_PASSED;
    if (evidence->card.length == 0) {
        return SAYS_NOTHING;
    }
    switch ((int)kind) {
    case ZV_NEED_LOAD:
        return passed ? MEETS : MEETS_NOT;
    case ZV_NEED_MEMORY:
        return passed ? MEETS : ran_out(evidence) ? MEETS_NOT : SAYS_NOTHING;
    case ZV_NEED_COMPATIBILITY:
        return passed ? MEETS : ran_out(evidence) ? SAYS_NOTHING : MEETS_NOT;
    case ZV_NEED_LATENCY:
        return compare(passed && evidence->has_latency, evidence->latency_ms <= need->number);
    default:
        return SAYS_NOTHING;
    }
}

static enum meets document_meets(const struct zv_evidence *evidence, enum zv_need_kind kind,
                                 const struct zv_need *need)
{
    if (evidence->kind == ZV_EVIDENCE_MEASUREMENT) {
        return run_meets(evidence, kind, need);
    }
    if (kind != ZV_NEED_QUALITY && evidence->card.length + evidence->offer.length == 0) {
        return SAYS_NOTHING; /* a reading of no machine in particular */
    }
    switch ((int)kind) {
    case ZV_NEED_QUALITY:
        return compare(evidence->has_value && need->limited, evidence->value >= need->number);
    case ZV_NEED_ENVIRONMENT:
        return compare_text(evidence->environment, need);
    case ZV_NEED_INTERCONNECT:
        return compare_text(evidence->interconnect, need);
    case ZV_NEED_REGION:
        return compare_text(evidence->region, need);
    case ZV_NEED_HOST_RAM:
        return compare(evidence->host_ram_bytes != 0, evidence->host_ram_bytes >= need->bytes);
    case ZV_NEED_DELIVERY:
        return compare(evidence->delivery != ZV_DATE_NONE, evidence->delivery <= need->day);
    default:
        return SAYS_NOTHING;
    }
}

static const char *nothing_said(const struct zv_evidence *evidence, enum zv_need_kind kind,
                                const struct zv_need *need)
{
    if (kind == ZV_NEED_QUALITY && !need->limited) {
        return "the job sets no quality.minimum";
    }
    if (kind != ZV_NEED_QUALITY && evidence->card.length + evidence->offer.length == 0) {
        return "it does not say of which card or offer";
    }
    return "it does not say";
}

static const char *failure(const struct zv_evidence *evidence, struct zv_arena *arena)
{
    struct zv_slice message = evidence->message;
    struct zv_slice phase = {0};
    for (size_t i = 0; i < evidence->phase_count; i++) {
        if (evidence->phases[i].outcome != ZV_PASSED) {
            phase = evidence->phases[i].name;
            message =
                evidence->phases[i].message.length != 0 ? evidence->phases[i].message : message;
        }
    }
    return say(arena, "%.*s shows that it fails%s%.*s%s%.*s", shown(evidence->id), evidence->id.at,
               phase.length != 0 ? " in " : "", shown(phase), phase.length != 0 ? phase.at : "",
               message.length != 0 ? ": " : "", shown(message),
               message.length != 0 ? message.at : "");
}

/* The latest document that says something decides, a failure among equals; what others say for
 * nothing is kept for the text. */
static bool judge_by_documents(const struct zv_choice *choice, const struct zv_candidate *candidate,
                               enum zv_need_kind kind, struct zv_arena *arena,
                               struct zv_judgement *judgement)
{
    const struct zv_evidence_list *const list = choice->input.evidence;
    const struct zv_need *const need = &choice->input.needs->kinds[kind];
    const struct zv_evidence *best = NULL;
    enum meets best_meets = SAYS_NOTHING;
    for (size_t i = 0; i < list->count; i++) {
        const struct zv_evidence *const evidence = &list->items[i];
        const struct choose_document *const document = &choice->documents->items[i];
        if (!in_scope(evidence, document, candidate)) {
            continue;
        }
        const enum meets meets =
            document->refused[kind] == NULL ? document_meets(evidence, kind, need) : SAYS_NOTHING;
        if (meets != SAYS_NOTHING && (best == NULL || evidence->date > best->date ||
                                      (evidence->date == best->date && meets == MEETS_NOT))) {
            best = evidence;
            best_meets = meets;
        }
        const bool relevant = document->refused[kind] == NULL ||
                              zv_evidence_can_prove(evidence->kind, kind) ||
                              evidence->kind >= ZV_EVIDENCE_CALCULATION;
        if (meets == SAYS_NOTHING && relevant && arena != NULL && judgement->text == NULL) {
            judgement->text =
                say(arena, "%.*s is no proof: %s", shown(evidence->id), evidence->id.at,
                    document->refused[kind] != NULL ? document->refused[kind]
                                                    : nothing_said(evidence, kind, need));
        }
    }
    if (best == NULL) {
        return false;
    }
    judgement->proof = best;
    judgement->state = best_meets == MEETS ? ZV_ADMISSIBLE : ZV_EXCLUDED;
    judgement->text =
        best_meets == MEETS
            ? say(arena, "proven by %.*s (%.*s, version %.*s)", shown(best->id), best->id.at,
                  shown(best->document), best->document.at, shown(best->version), best->version.at)
            : failure(best, arena);
    return true;
}

/* No card of that nominal size was seen to give more than as many GiB. */
static uint64_t highest(const struct zv_capacity *capacity)
{
    uint64_t bound = capacity->high;
    if (capacity->known != ZV_MEASURED) {
        const uint64_t nominal =
            capacity->card != NULL ? capacity->card->nominal_bytes : capacity->high;
        (void)zv_mul_div(nominal, ZV_GIB, 1000000000, &bound);
        bound = bound > capacity->high ? bound : capacity->high;
    }
    return bound;
}

static void judge_memory(const struct zv_choice *choice, const struct zv_candidate *candidate,
                         struct zv_arena *arena, struct zv_judgement *judgement)
{
    const struct zv_required *const required = choice->input.required;
    const struct zv_capacity *const capacity = candidate->capacity;
    const struct zv_offer *const offer = candidate->offer;
    char need[ZV_BYTES_TEXT];
    char has[ZV_BYTES_TEXT];
    if (!required->known || capacity == NULL) {
        judgement->text = say(arena, "%s is not known",
                              capacity == NULL ? "what this card can allocate" : "what is needed");
        return;
    }
    const uint64_t most = judge_usable(required, highest(capacity));
    if (required->at_least > most) {
        judgement->state = ZV_EXCLUDED;
        zv_bytes_print_fit(need, required->at_least);
        zv_bytes_print_fit(has, most);
        judgement->text =
            say(arena, "at least %s are needed of one card, which gives at most %s%s", need, has,
                offer->count > 1 && required->devices == 1
                    ? "; several cards are no pool without a layout (tp, pp)"
                    : "");
    } else if (judgement->text == NULL) {
        zv_bytes_print_fit(need, required->expected);
        zv_bytes_print_fit(has, candidate->usable);
        judgement->text =
            say(arena, "no reading of a run on this card; calculated: %s of %s", need, has);
    }
}

/* What the offer itself says, when it may be held against a need. */
static void judge_offer(const struct zv_choice *choice, const struct zv_candidate *candidate,
                        enum zv_need_kind kind, struct zv_arena *arena,
                        struct zv_judgement *judgement)
{
    const struct zv_need *const need = &choice->input.needs->kinds[kind];
    const struct zv_offer *const offer = candidate->offer;
    enum meets meets = SAYS_NOTHING;
    switch ((int)kind) {
    case ZV_NEED_PRICE:
        meets = compare(candidate->has_cost &&
                            strcmp(candidate->cost.currency, need->price.currency) == 0,
                        candidate->cost.nano <= need->price.nano);
        break;
    case ZV_NEED_DELIVERY:
        meets = compare(offer->available != ZV_DATE_NONE, offer->available <= need->day);
        break;
    case ZV_NEED_HOST_RAM:
        meets = compare(offer->host_ram_bytes != 0, offer->host_ram_bytes >= need->bytes);
        break;
    case ZV_NEED_REGION:
        meets = compare_text(offer->region, need);
        break;
    default:
        return;
    }
    const bool documented = offer->document.length != 0 && offer->document_date != ZV_DATE_NONE;
    if (meets == MEETS_NOT) {
        judgement->state = ZV_EXCLUDED;
        judgement->text =
            say(arena, "the offer itself misses %.*s", shown(need->text), need->text.at);
    } else if (meets == MEETS && documented) {
        judgement->state = ZV_ADMISSIBLE;
        judgement->text =
            say(arena, "stated by the offer (%.*s)", shown(offer->document), offer->document.at);
    } else if (kind == ZV_NEED_PRICE && candidate->has_cost && meets == SAYS_NOTHING) {
        judgement->text = say(arena, "the cost is in %s, the limit in %s (--rate joins them)",
                              candidate->cost.currency, need->price.currency);
    } else if (judgement->text == NULL) {
        judgement->text =
            meets == MEETS ? say(arena, "the row meets it, but names no dated document")
            : offer->price.currency[0] == 0 ? say(arena, "a card alone: no offer states it")
                                            : say(arena, "the offer does not say");
    }
}

static const char *missing(enum zv_need_kind kind, const struct zv_choice *choice,
                           struct zv_arena *arena)
{
    const struct zv_job_file *const job = choice->input.declared.job;
    char sizes[160] = "";
    size_t used = 0;
    switch ((int)kind) {
    case ZV_NEED_LOAD:
        for (size_t i = 0; job != NULL && i < job->size_count && used < 120; i++) {
            used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%s %" PRIu64,
                                     i != 0 ? ", " : "", job->sizes[i].name, job->sizes[i].value);
        }
        return used != 0
                   ? say(arena, "no run of the declared load on this card (%s)", sizes)
                   : say(arena, "no load is declared (sizes: in a job file), so none can run");
    case ZV_NEED_COMPATIBILITY:
        return say(arena, "no run on this card with the job's driver, backend and extensions");
    case ZV_NEED_QUALITY:
        return choice->input.needs->kinds[kind].limited
                   ? say(arena, "no evaluation in the job's format against the minimum")
                   : say(arena, "no quality criterion with its minimum, and no evaluation");
    case ZV_NEED_LATENCY:
        return say(arena, "no latency of a run of the declared load on this card");
    default:
        return say(arena, "no document states it");
    }
}

struct zv_judgement judge_need(const struct zv_choice *choice, const struct zv_candidate *candidate,
                               enum zv_need_kind kind, struct zv_arena *arena)
{
    struct zv_judgement judgement = {.state = ZV_TO_VERIFY};
    const uint32_t devices = choice->input.required->devices;
    if (kind == ZV_NEED_MEMORY && devices > candidate->offer->count) {
        judgement.state = ZV_EXCLUDED;
        judgement.text = say(arena, "the job's layout takes %u cards, the offer has %u", devices,
                             candidate->offer->count);
        return judgement;
    }
    if (judge_by_documents(choice, candidate, kind, arena, &judgement)) {
        return judgement;
    }
    if (kind == ZV_NEED_MEMORY) {
        judge_memory(choice, candidate, arena, &judgement);
    } else {
        judge_offer(choice, candidate, kind, arena, &judgement);
    }
    if (judgement.text == NULL && arena != NULL) {
        judgement.text = missing(kind, choice, arena);
    }
    return judgement;
}
