#include "estimate/advise.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "estimate/levers.h"
#include "estimate/weights_as.h"

const char lever_absent[] = "";

/* What an answer comes to. */
struct sums {
    uint64_t peak; /* expected, of the device group that needs most */
    uint64_t host; /* expected */
};

void variant_name(struct variant *variant, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *const name = zv_arena_print(variant->arena, "%s", text);
    variant->name = name != NULL ? name : variant->name;
}

const char *change_weights(struct variant *variant, const char *name)
{
    struct zv_error cause = {0};
    struct zv_model changed;
    struct zv_quant wanted;
    const struct zv_model *from = &variant->model;
    const struct zv_model *const stored = variant->question.input.unquantised;
    if (from->quant.method != ZV_QUANT_NONE && zv_quant_parse(zv_slice_of(name), &wanted) &&
        from->quant.method == wanted.method && from->quant.bits == wanted.bits) {
        return "the weights are stored so";
    }
    if (from->quant.method != ZV_QUANT_NONE && stored->quant.method == ZV_QUANT_NONE) {
        from = stored; /* quantised for this job only: the file can be quantised otherwise */
    }
    const enum zv_status status =
        zv_weights_as(&changed, from, zv_slice_of(name), variant->scratch, &cause);
    if (status != ZV_OK) {
        const char *const why = zv_arena_print(variant->arena, "%s", cause.text);
        return why != NULL ? why : "out of host memory";
    }
    variant->model = changed;
    return NULL;
}

const char *change_tp(struct variant *variant)
{
    uint32_t *const tp = &variant->job.tp;
    if (*tp > UINT32_MAX / 2) {
        return "there are as many ranks as there can be";
    }
    *tp = (*tp == 0 ? 1 : *tp) * 2;
    variant_name(variant, "tensor parallelism over %u", *tp);
    return NULL;
}

const char *change_pp(struct variant *variant)
{
    uint32_t *const pp = &variant->job.pp;
    if (*pp > UINT32_MAX / 2) {
        return "there are as many stages as there can be";
    }
    *pp = (*pp == 0 ? 1 : *pp) * 2;
    variant_name(variant, "%u pipeline stages", *pp);
    return NULL;
}

static enum zv_status sums_of(struct sums *sums, const struct zv_answer *answer,
                              struct zv_error *err)
{
    struct zv_total peak;
    struct zv_total host;
    int scope;
    enum zv_status status = zv_answer_peak(answer, &peak, &scope, err);
    if (status == ZV_OK) {
        status = zv_ledger_total(&answer->estimate.ledger, ZV_SCOPE_HOST, &host, err);
    }
    if (status == ZV_OK) {
        *sums = (struct sums){peak.expected, host.expected};
    }
    return status;
}

static uint64_t difference(uint64_t before, uint64_t after, bool *more)
{
    *more = after > before;
    return *more ? after - before : before - after;
}

/* Asks the changed question; its failure is the lever's reason, but for memory. */
static enum zv_status try_variant(struct zv_lever *lever, const struct variant *variant,
                                  const struct sums *now, struct zv_error *err)
{
    struct zv_arena scratch = {0};
    struct zv_error cause = {0};
    struct zv_answer answer;
    struct sums then;
    enum zv_status status = zv_question_answer(&answer, &variant->question, &scratch, &cause);
    if (status == ZV_OK) {
        status = sums_of(&then, &answer, &cause);
    }
    if (status == ZV_OK) {
        lever->bytes = difference(now->peak, then.peak, &lever->more);
        lever->host_bytes = difference(now->host, then.host, &lever->host_more);
        lever->judged = answer.judged;
        lever->verdict = answer.fit.verdict;
    } else if (status == ZV_E_NOMEM) {
        status = zv_fail(err, status, "%s", cause.text);
    } else {
        lever->reason = zv_arena_print(variant->arena, "%s", cause.text);
        status = lever->reason != NULL ? ZV_OK : zv_fail_memory(err, "advice");
    }
    zv_arena_free(&scratch);
    return status;
}

static enum zv_status try_lever(struct zv_advice *advice, const struct lever *row,
                                struct variant *variant, const struct sums *now,
                                struct zv_error *err)
{
    struct zv_lever *const lever = &advice->levers[advice->count];
    variant->name = row->name;
    const char *const why = row->change(variant);
    if (why == lever_absent) {
        return ZV_OK;
    }
    *lever = (struct zv_lever){.id = row->id, .note = row->note, .reason = why};
    advice->count++;
    const enum zv_status status = why == NULL ? try_variant(lever, variant, now, err) : ZV_OK;
    lever->name = variant->name;
    if (lever->reason == NULL && lever->more) {
        lever->reason = "it needs more";
    } else if (lever->reason == NULL && lever->bytes == 0) {
        lever->reason = row->nothing != NULL ? row->nothing : "it changes nothing on this card";
    }
    return status;
}

/* Most saved first, then needs-nothing, then needs-more; equals stay in the order of the table. */
static bool is_better(const struct zv_lever *a, const struct zv_lever *b)
{
    if (a->more != b->more) {
        return b->more;
    }
    return a->more ? a->bytes < b->bytes : a->bytes > b->bytes;
}

static void rank(struct zv_advice *advice)
{
    for (size_t i = 1; i < advice->count; i++) {
        const struct zv_lever lever = advice->levers[i];
        size_t at = i;
        for (; at > 0 && is_better(&lever, &advice->levers[at - 1]); at--) {
            advice->levers[at] = advice->levers[at - 1];
        }
        advice->levers[at] = lever;
    }
}

static enum zv_status try_all(struct zv_advice *advice, const struct zv_question *question,
                              const struct zv_answer *answer, struct zv_arena *arena,
                              struct zv_error *err)
{
    const bool trains = question->input.job->task == ZV_TASK_TRAIN;
    const struct lever *const rows = trains ? train_levers : serve_levers;
    const size_t count = trains ? train_lever_count : serve_lever_count;
    const unsigned runtime = 1U << question->input.job->runtime;
    struct sums now;
    enum zv_status status = sums_of(&now, answer, err);
    advice->levers = zv_arena_array(arena, count, sizeof *advice->levers);
    if (advice->levers == NULL) {
        return zv_fail_memory(err, "advice");
    }
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        struct zv_arena scratch = {0};
        struct variant variant = {
            .question = *question,
            .job = *question->input.job,
            .model = *question->input.model,
            .now = &answer->estimate,
            .arena = arena,
            .scratch = &scratch,
        };
        variant.question.input.job = &variant.job;
        variant.question.input.model = &variant.model;
        if (question->input.unquantised == NULL) {
            variant.question.input.unquantised = question->input.model;
        }
        if (trains || (rows[i].runtimes & runtime) != 0) {
            status = try_lever(advice, &rows[i], &variant, &now, err);
        }
        zv_arena_free(&scratch);
    }
    rank(advice);
    return status;
}

enum zv_status zv_advise(struct zv_advice *advice, const struct zv_question *question,
                         struct zv_arena *arena, struct zv_error *err)
{
    struct zv_arena scratch = {0};
    struct zv_answer answer;
    struct zv_total total;
    *advice = (struct zv_advice){0};
    enum zv_status status = zv_question_answer(&answer, question, &scratch, err);
    if (status == ZV_OK) {
        status = zv_answer_peak(&answer, &total, &advice->scope, err);
    }
    if (status == ZV_OK) {
        advice->expected_bytes = total.expected;
        advice->unknown = total.unknown;
        status = try_all(advice, question, &answer, arena, err);
    }
    zv_arena_free(&scratch);
    return status;
}
