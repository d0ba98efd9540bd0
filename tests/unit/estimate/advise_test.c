#include "estimate/advise.h"

#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"
#include "support/tiny_model.h"

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_capacity capacity;
    struct zv_question question;
};

static void set_up(struct setting *setting, enum zv_task task)
{
    *setting = (struct setting){.job = {.task = task}};
    tiny_model_make(&setting->tiny);
    setting->job.serve.context_tokens = 1024;
    setting->job.serve.sequences = 4;
    setting->job.train.sequence_tokens = 512;
    setting->job.train.micro_batch = 4;
    setting->question =
        (struct zv_question){.input = {.model = &setting->tiny.model, .job = &setting->job}};
}

static const struct zv_lever *find(const struct zv_advice *advice, const char *id)
{
    static const struct zv_lever none = {.id = "", .name = "", .note = "", .reason = ""};
    for (size_t i = 0; i < advice->count; i++) {
        if (strcmp(advice->levers[i].id, id) == 0) {
            return &advice->levers[i];
        }
    }
    fail_msg("no lever %s", id);
    return &none;
}

static uint64_t expected(const struct setting *setting, const struct zv_job *job)
{
    struct zv_arena arena = {0};
    struct zv_answer answer;
    struct zv_total total;
    struct zv_question question = setting->question;
    int scope;
    question.input.job = job;
    assert_int_equal(zv_question_answer(&answer, &question, &arena, NULL), ZV_OK);
    assert_int_equal(zv_answer_peak(&answer, &total, &scope, NULL), ZV_OK);
    zv_arena_free(&arena);
    return total.expected;
}

/* A saving is the difference of two answers: made here by hand for one lever each. */
static void savings_are_differences(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_advice advice;
    (void)state;
    set_up(&setting, ZV_TASK_SERVE);
    struct zv_job half = setting.job;
    half.serve.context_tokens = 512;
    const uint64_t saved = expected(&setting, &setting.job) - expected(&setting, &half);
    assert_int_equal(zv_advise(&advice, &setting.question, &arena, NULL), ZV_OK);
    assert_int_equal(advice.expected_bytes, expected(&setting, &setting.job));
    const struct zv_lever *const lever = find(&advice, "context.half");
    assert_null(lever->reason);
    assert_false(lever->more);
    assert_int_equal(lever->bytes, saved);
    assert_string_equal(lever->name, "context of 512 tokens");
    assert_false(lever->judged);
    zv_arena_free(&arena);
}

static void ranks_and_says_what_does_not_help(void **state)
{
    static const enum zv_task tasks[] = {ZV_TASK_SERVE, ZV_TASK_TRAIN};
    (void)state;
    for (size_t t = 0; t < 2; t++) {
        struct setting setting;
        struct zv_arena arena = {0};
        struct zv_advice advice;
        set_up(&setting, tasks[t]);
        assert_int_equal(zv_advise(&advice, &setting.question, &arena, NULL), ZV_OK);
        assert_true(advice.count > 5);
        for (size_t i = 0; i < advice.count; i++) {
            const struct zv_lever *const lever = &advice.levers[i];
            assert_true(lever->name[0] != 0 && lever->note[0] != 0);
            assert_true(strlen(lever->name) <= 38); /* the width of the table's column */
            assert_int_equal(lever->reason == NULL, lever->bytes != 0 && !lever->more);
            if (i != 0 && !lever->more) {
                assert_true(advice.levers[i - 1].bytes >= lever->bytes);
            }
        }
        /* replicas share out the sequences that are served, and nothing of a training step */
        const struct zv_lever *const replicas = find(&advice, "dp.double");
        assert_true(tasks[t] == ZV_TASK_SERVE ? !replicas->more && replicas->bytes != 0
                                              : replicas->more || replicas->bytes == 0);
        zv_arena_free(&arena);
    }
}

static void says_which_makes_it_fit(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_advice advice;
    (void)state;
    set_up(&setting, ZV_TASK_SERVE);
    struct zv_job half = setting.job;
    half.serve.context_tokens = 512;
    setting.capacity.low = setting.capacity.high = expected(&setting, &half);
    setting.question.capacity = &setting.capacity;
    assert_int_equal(zv_advise(&advice, &setting.question, &arena, NULL), ZV_OK);
    assert_true(find(&advice, "context.half")->judged);
    assert_int_equal(find(&advice, "context.half")->verdict, ZV_FITS);
    assert_int_not_equal(find(&advice, "concurrency.less")->verdict, ZV_FITS);
    zv_arena_free(&arena);
}

static void exact_training_levers(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_advice advice;
    (void)state;
    set_up(&setting, ZV_TASK_TRAIN);
    setting.job.dp = 4;
    const uint64_t states = setting.tiny.model.parameters * 2 * 2; /* two bf16 states a value */
    assert_int_equal(zv_advise(&advice, &setting.question, &arena, NULL), ZV_OK);
    const struct zv_lever *const zero1 = find(&advice, "zero1");
    assert_string_equal(zero1->name, "ZeRO-1 over 4 ranks");
    assert_true(zero1->bytes >= states - states / 4);
    assert_string_equal(find(&advice, "accumulation.double")->reason,
                        "micro-batches run one after another: the peak is that of one");
    zv_arena_free(&arena);
}

/* A lever that this job cannot have is a reason, no failure. */
static void impossible_levers_say_why(void **state)
{
    struct setting setting;
    struct zv_arena arena = {0};
    struct zv_advice advice;
    (void)state;
    set_up(&setting, ZV_TASK_SERVE);
    setting.job.pp = 4;
    setting.job.serve.sequences = 1;
    assert_int_equal(zv_advise(&advice, &setting.question, &arena, NULL), ZV_OK);
    assert_string_equal(find(&advice, "pp.double")->reason, "8 pipeline stages for 4 layers");
    assert_string_equal(find(&advice, "concurrency.less")->reason,
                        "there is only one sequence at once");
    zv_arena_free(&arena);
}

static void survives_every_failing_allocation(void **state)
{
    struct setting setting;
    (void)state;
    set_up(&setting, ZV_TASK_TRAIN);
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_advice advice;
        fail_memory_start(n);
        const enum zv_status status = zv_advise(&advice, &setting.question, &arena, NULL);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_true(status == ZV_E_NOMEM || status == ZV_OK); /* a plain name instead */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(savings_are_differences),
        cmocka_unit_test(ranks_and_says_what_does_not_help),
        cmocka_unit_test(says_which_makes_it_fit),
        cmocka_unit_test(exact_training_levers),
        cmocka_unit_test(impossible_levers_say_why),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
