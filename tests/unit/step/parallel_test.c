/*
 * Two steps of one rank of a data-parallel job, event by event: every birth, resize and death of a
 * storage as PyTorch's own wrappers make them (tests/tooling/step_parallel.py), with its size, its
 * stream, and each death of the same storage. What kernels take for themselves is not compared.
 */
#include <stdio.h>

#include "support/step_record.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { WORDS = 512, REACHED = 12345 };

/* config, class, settings, events */
static void check_row(struct zv_slice line)
{
    char config[256];
    char habit[256];
    char settings[WORDS];
    const struct zv_slice name = zv_slice_cut(&line, '\t');
    (void)zv_slice_cut(&line, '\t');
    const struct zv_slice stated = zv_slice_cut(&line, '\t');
    (void)snprintf(config, sizeof config, "tests/data/steps/parallel/%.*s.json", (int)name.length,
                   name.at);
    (void)snprintf(habit, sizeof habit, "ranked_%.*s", (int)name.length, name.at);
    (void)snprintf(settings, sizeof settings,
                   "attention=eager use_cache=false checkpoint=false optimizer=adamw_foreach "
                   "shards_from=card accumulation=1 card_lags=false %.*s",
                   (int)stated.length, stated.at);
    const struct step_case of = {
        .config = config, .habit = habit, .settings = settings, .no_workspace = true};
    struct zv_step_result result;
    char what[WORDS];
    (void)snprintf(what, sizeof what, "%.*s %.*s", (int)name.length, name.at, (int)stated.length,
                   stated.at);
    step_record_meet(what, of, REACHED, line, &result);
    assert_true(result.outside_count >= 1); /* NCCL */
}

static void test_parallel(void **state)
{
    (void)state;
    const size_t rows = step_rows_each("parallel", "/events.tsv.gz", check_row);
    assert_int_equal(rows, 58);
}

int main(void)
{
    step_rows_use("parallel");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parallel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
