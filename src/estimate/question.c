#include "estimate/question.h"

#include "base/fail.h"

enum zv_status zv_question_answer(struct zv_answer *answer, const struct zv_question *question,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct zv_estimate_input input = question->input;
    const struct zv_capacity *const capacity = question->capacity;
    input.capacity_bytes = capacity != NULL ? capacity->low : 0;
    answer->judged = capacity != NULL;
    answer->instant = question->instant;
    answer->fit = (struct zv_fit){0};
    answer->limits = (struct zv_fit_limits){question->in_use_bytes, 1000000};
    enum zv_status status = zv_estimate_run(&answer->estimate, &input, arena, err);
    if (status == ZV_OK && capacity != NULL) {
        answer->limits.fraction_millionths = answer->estimate.fraction_millionths;
        status =
            zv_fit_judge(&answer->fit, &answer->estimate.ledger, capacity, &answer->limits, err);
    }
    return status;
}

enum zv_status zv_answer_peak(const struct zv_answer *answer, struct zv_total *total, int *scope,
                              struct zv_error *err)
{
    const struct zv_ledger *const ledger = &answer->estimate.ledger;
    if (ledger->group_count == 0) {
        return zv_fail(err, ZV_E_BUG, "a ledger without devices");
    }
    for (size_t i = 0; i < ledger->group_count; i++) {
        struct zv_total one;
        const enum zv_status status =
            answer->instant.one_phase
                ? zv_ledger_phase_total(ledger, (int)i, answer->instant.phase, &one, err)
                : zv_ledger_total(ledger, (int)i, &one, err);
        if (status != ZV_OK) {
            return status;
        }
        if (i == 0 || one.expected > total->expected) {
            *total = one;
            *scope = (int)i;
        }
    }
    return ZV_OK;
}

const char *zv_dimension_name(enum zv_dimension dimension)
{
    static const char *const names[] = {"context", "concurrency", "micro-batch", "seq-length"};
    return names[dimension];
}

bool zv_dimension_is_of(enum zv_dimension dimension, enum zv_task task)
{
    const bool trains =
        dimension == ZV_DIMENSION_MICRO_BATCH || dimension == ZV_DIMENSION_SEQ_LENGTH;
    return trains == (task == ZV_TASK_TRAIN);
}

void zv_dimension_set(enum zv_dimension dimension, struct zv_job *job, uint64_t value)
{
    switch (dimension) {
    case ZV_DIMENSION_CONTEXT:
        job->serve.context_tokens = value;
        job->serve.context_of_model = false;
        job->serve.context_is_total = false;
        break;
    case ZV_DIMENSION_CONCURRENCY:
        job->serve.sequences = value;
        break;
    case ZV_DIMENSION_MICRO_BATCH:
        job->train.micro_batch = value;
        break;
    case ZV_DIMENSION_SEQ_LENGTH:
        job->train.sequence_tokens = value;
        break;
    }
}
