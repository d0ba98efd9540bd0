#include "estimate/search.h"

#include "base/bisect.h"
#include "base/fail.h"

/* One value that was asked. */
struct probe {
    enum zv_verdict verdict;
    uint64_t margin; /* left, or missing */
};

/* The search while it goes on: the last that fits and the last that does not are the nearest. */
struct asking {
    struct zv_search *search;
    const struct zv_question *question;
    struct probe low;
    struct probe high;
};

static enum zv_status ask(void *context, uint64_t value, enum zv_trial *trial, struct zv_error *err)
{
    struct asking *const asking = context;
    struct zv_arena scratch = {0};
    struct zv_error cause = {0};
    struct zv_answer answer;
    struct zv_job job = *asking->question->input.job;
    struct zv_question changed = *asking->question;
    struct probe probe = {.verdict = ZV_FITS_NOT};
    zv_dimension_set(asking->search->dimension, &job, value);
    changed.input.job = &job;
    enum zv_status status = zv_question_answer(&answer, &changed, &scratch, &cause);
    *trial = ZV_TRIAL_PASSES_NOT;
    if (status == ZV_OK) {
        const bool fits = !answer.fit.over && answer.fit.verdict != ZV_FITS_NOT;
        probe = (struct probe){answer.fit.verdict, answer.fit.margin};
        *trial = fits ? ZV_TRIAL_PASSES : ZV_TRIAL_PASSES_NOT;
    } else if (status == ZV_E_OVERFLOW && value != 1) {
        status = ZV_OK; /* more than 2^64 bytes do not fit either */
    } else {
        status = zv_fail(err, status, "%s", cause.text);
    }
    *(*trial == ZV_TRIAL_PASSES ? &asking->low : &asking->high) = probe;
    zv_arena_free(&scratch);
    return status;
}

static void set_limit(struct zv_search *search, const struct zv_question *question)
{
    const uint64_t declared = question->input.model->max_context;
    const bool tokens =
        search->dimension == ZV_DIMENSION_CONTEXT || search->dimension == ZV_DIMENSION_SEQ_LENGTH;
    if (tokens && declared != 0) {
        search->limit = declared;
        search->limit_basis = "the most the model declares";
    } else {
        search->limit = tokens ? ZV_SEARCH_MAX_TOKENS : ZV_SEARCH_MAX_SEQUENCES;
        search->limit_basis = "the end of this search";
    }
}

enum zv_status zv_search_run(struct zv_search *search, const struct zv_question *question,
                             enum zv_dimension dimension, struct zv_error *err)
{
    struct asking asking = {.search = search, .question = question};
    *search = (struct zv_search){.dimension = dimension};
    if (!zv_dimension_is_of(dimension, question->input.job->task)) {
        return zv_fail(err, ZV_E_USAGE, "no %s in a job that %s", zv_dimension_name(dimension),
                       question->input.job->task == ZV_TASK_TRAIN ? "trains" : "serves");
    }
    set_limit(search, question);
    struct zv_bisect bisect = {.from = 1, .to = search->limit, .ask = ask, .context = &asking};
    const enum zv_status status = zv_bisect_run(&bisect, err);
    const struct probe *const last = bisect.found ? &asking.low : &asking.high;
    search->found = bisect.found;
    search->at_limit = bisect.at_limit;
    search->value = bisect.found ? bisect.value : 1;
    search->verdict = last->verdict;
    search->margin = last->margin;
    if (bisect.found && !bisect.at_limit) {
        search->next_verdict = asking.high.verdict;
        search->next_missing = asking.high.margin;
    }
    search->asked = (unsigned)bisect.asked_count;
    return status;
}
