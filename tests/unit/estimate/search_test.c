#include "estimate/search.h"

#include "support/fail_memory.h"
#include "support/test.h"
#include "support/tiny_model.h"

/* bf16 weights 49152 B; a token of cache is 4 layers x 2 x 2 heads x 8 x 2 B = 256 B. */
enum { WEIGHTS = 2 * TINY_EMBEDDING + TINY_LAYERS * (TINY_ATTENTION + TINY_MLP) };

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_capacity capacity;
    struct zv_question question;
};

static void set_up(struct setting *setting, uint64_t capacity)
{
    *setting = (struct setting){.capacity = {.low = capacity, .high = capacity, .basis = "test"}};
    tiny_model_make(&setting->tiny);
    setting->job.serve.sequences = 1;
    setting->question = (struct zv_question){
        .input = {.model = &setting->tiny.model, .job = &setting->job},
        .capacity = &setting->capacity,
    };
}

/* What a value needs: asked of the engine itself. */
static uint64_t need(struct setting *setting, enum zv_dimension dimension, uint64_t value)
{
    struct zv_arena arena = {0};
    struct zv_answer answer;
    struct zv_job job = setting->job;
    struct zv_question question = setting->question;
    zv_dimension_set(dimension, &job, value);
    question.input.job = &job;
    assert_int_equal(zv_question_answer(&answer, &question, &arena, NULL), ZV_OK);
    const uint64_t expected = answer.fit.total.expected;
    zv_arena_free(&arena);
    return expected;
}

static void finds_the_largest_that_fits(void **state)
{
    static const struct {
        enum zv_dimension dimension;
        uint64_t value;
    } rows[] = {
        {ZV_DIMENSION_CONTEXT, 1},     {ZV_DIMENSION_CONTEXT, 2},
        {ZV_DIMENSION_CONTEXT, 3},     {ZV_DIMENSION_CONTEXT, 1000},
        {ZV_DIMENSION_CONTEXT, 4095},  {ZV_DIMENSION_CONCURRENCY, 1},
        {ZV_DIMENSION_CONCURRENCY, 7}, {ZV_DIMENSION_CONCURRENCY, 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct setting setting;
        struct zv_search search;
        set_up(&setting, 1);
        if (rows[i].dimension == ZV_DIMENSION_CONCURRENCY) {
            setting.job.serve.context_tokens = 100;
        }
        const uint64_t capacity = need(&setting, rows[i].dimension, rows[i].value);
        for (uint64_t more = 0; more < 2; more++) { /* exactly full, and one byte to spare */
            setting.capacity.low = setting.capacity.high = capacity + more;
            assert_int_equal(zv_search_run(&search, &setting.question, rows[i].dimension, NULL),
                             ZV_OK);
            assert_true(search.found);
            assert_int_equal(search.value, rows[i].value);
            assert_false(search.at_limit);
            assert_int_not_equal(search.next_verdict, ZV_FITS);
            assert_true(search.asked < 64);
        }
    }
}

static void ends_at_the_models_context(void **state)
{
    struct setting setting;
    struct zv_search search;
    (void)state;
    set_up(&setting, UINT64_C(1) << 40);
    assert_int_equal(zv_search_run(&search, &setting.question, ZV_DIMENSION_CONTEXT, NULL), ZV_OK);
    assert_true(search.at_limit);
    assert_int_equal(search.value, 4096);
    assert_string_equal(search.limit_basis, "the most the model declares");
    setting.tiny.model.max_context = 0;
    assert_int_equal(zv_search_run(&search, &setting.question, ZV_DIMENSION_CONTEXT, NULL), ZV_OK);
    assert_true(search.at_limit);
    assert_int_equal(search.value, ZV_SEARCH_MAX_TOKENS);
}

static void says_when_nothing_fits(void **state)
{
    struct setting setting;
    struct zv_search search;
    (void)state;
    set_up(&setting, WEIGHTS - 1);
    assert_int_equal(zv_search_run(&search, &setting.question, ZV_DIMENSION_CONTEXT, NULL), ZV_OK);
    assert_false(search.found);
    assert_int_equal(search.value, 1);
    assert_int_equal(search.verdict, ZV_FITS_NOT);
}

/* 2^64 bytes passed on the way up is a value that does not fit, no failure. */
static void too_large_to_calculate_does_not_fit(void **state)
{
    struct setting setting;
    struct zv_search search;
    (void)state;
    set_up(&setting, UINT64_MAX);
    setting.tiny.model.max_context = UINT64_MAX;
    assert_int_equal(zv_search_run(&search, &setting.question, ZV_DIMENSION_CONTEXT, NULL), ZV_OK);
    assert_true(search.found);
    assert_false(search.at_limit);
    assert_int_equal(search.next_verdict, ZV_FITS_NOT);
}

static void refuses_a_size_of_the_other_task(void **state)
{
    struct setting setting;
    struct zv_search search;
    struct zv_error err = {0};
    (void)state;
    set_up(&setting, 1000);
    assert_int_equal(zv_search_run(&search, &setting.question, ZV_DIMENSION_MICRO_BATCH, &err),
                     ZV_E_USAGE);
    assert_string_equal(err.text, "no micro-batch in a job that serves");
}

static void survives_every_failing_allocation(void **state)
{
    struct setting setting;
    struct zv_search search;
    (void)state;
    set_up(&setting, 4 * WEIGHTS);
    for (size_t n = 1;; n++) {
        fail_memory_start(n);
        const enum zv_status status =
            zv_search_run(&search, &setting.question, ZV_DIMENSION_CONTEXT, NULL);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_largest_that_fits),
        cmocka_unit_test(ends_at_the_models_context),
        cmocka_unit_test(says_when_nothing_fits),
        cmocka_unit_test(too_large_to_calculate_does_not_fit),
        cmocka_unit_test(refuses_a_size_of_the_other_task),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
