#include "estimate/search.h"

#include "base/fail.h"

/* One value that was asked. */
struct probe {
    uint64_t value;
    bool fits;
    enum zv_verdict verdict;
    uint64_t margin; /* left, or missing */
};

static enum zv_status ask(struct zv_search *search, const struct zv_question *question,
                          uint64_t value, struct probe *probe, struct zv_error *err)
{
    struct zv_arena scratch = {0};
    struct zv_error cause = {0};
    struct zv_answer answer;
    struct zv_job job = *question->input.job;
    struct zv_question changed = *question;
    zv_dimension_set(search->dimension, &job, value);
    changed.input.job = &job;
    search->asked++;
    enum zv_status status = zv_question_answer(&answer, &changed, &scratch, &cause);
    *probe = (struct probe){.value = value, .verdict = ZV_FITS_NOT};
    if (status == ZV_OK) {
        probe->fits = !answer.fit.over && answer.fit.verdict != ZV_FITS_NOT;
        probe->verdict = answer.fit.verdict;
        probe->margin = answer.fit.margin;
    } else if (status == ZV_E_OVERFLOW && value != 1) {
        status = ZV_OK; /* more than 2^64 bytes do not fit either */
    } else {
        status = zv_fail(err, status, "%s", cause.text);
    }
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

/* Doubles from a value that fits until one does not, or the limit is reached. */
static enum zv_status widen(struct zv_search *search, const struct zv_question *question,
                            struct probe *low, struct probe *high, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && low->value < search->limit) {
        const uint64_t next = low->value <= search->limit / 2 ? low->value * 2 : search->limit;
        status = ask(search, question, next, high, err);
        if (status == ZV_OK && !high->fits) {
            return ZV_OK;
        }
        *low = *high;
    }
    search->at_limit = status == ZV_OK;
    return status;
}

/* Afterwards low fits, high = low + 1 does not. */
static enum zv_status narrow(struct zv_search *search, const struct zv_question *question,
                             struct probe *low, struct probe *high, struct zv_error *err)
{
    while (high->value - low->value > 1) {
        struct probe middle;
        const uint64_t value = low->value + (high->value - low->value) / 2;
        const enum zv_status status = ask(search, question, value, &middle, err);
        if (status != ZV_OK) {
            return status;
        }
        *(middle.fits ? low : high) = middle;
    }
    return ZV_OK;
}

enum zv_status zv_search_run(struct zv_search *search, const struct zv_question *question,
                             enum zv_dimension dimension, struct zv_error *err)
{
    struct probe low;
    struct probe high = {0};
    *search = (struct zv_search){.dimension = dimension};
    if (!zv_dimension_is_of(dimension, question->input.job->task)) {
        return zv_fail(err, ZV_E_USAGE, "no %s in a job that %s", zv_dimension_name(dimension),
                       question->input.job->task == ZV_TASK_TRAIN ? "trains" : "serves");
    }
    set_limit(search, question);
    enum zv_status status = ask(search, question, 1, &low, err);
    search->found = low.fits;
    if (status == ZV_OK && low.fits) {
        status = widen(search, question, &low, &high, err);
    }
    if (status == ZV_OK && low.fits && !search->at_limit) {
        status = narrow(search, question, &low, &high, err);
        search->next_verdict = high.verdict;
        search->next_missing = high.margin;
    }
    search->value = low.value;
    search->verdict = low.verdict;
    search->margin = low.margin;
    return status;
}
