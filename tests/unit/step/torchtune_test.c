/*
 * Two steps of torchtune's recipes on its own models, event by event, as torchtune 0.6.1 makes them
 * (tests/tooling/step_torchtune.py). What kernels take for themselves is not compared.
 */
#include <stdio.h>

#include "support/step_record.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { WORDS = 512, IGNORED = 16 }; /* bytes of the labels that are ignored */

/* config, builder, settings, events */
static void check_row(struct zv_slice line)
{
    char config[256];
    char settings[WORDS];
    char what[WORDS];
    struct zv_step_result result;
    const struct zv_slice name = zv_slice_cut(&line, '\t');
    (void)zv_slice_cut(&line, '\t');
    const struct zv_slice stated = zv_slice_cut(&line, '\t');
    (void)snprintf(config, sizeof config, "tests/data/steps/torchtune/%.*s.json", (int)name.length,
                   name.at);
    (void)snprintf(settings, sizeof settings,
                   "context=256 checkpoint=false optimizer=adamw_foreach accumulation=1 chunks=0 "
                   "%s%.*s",
                   zv_slice_contains(stated, "rank=") ? "full=false " : "", (int)stated.length,
                   stated.at);
    (void)snprintf(what, sizeof what, "%.*s %.*s", (int)name.length, name.at, (int)stated.length,
                   stated.at);
    step_record_meet(
        what,
        (struct step_case){
            .config = config, .habit = "torchtune", .settings = settings, .no_workspace = true},
        IGNORED, line, &result);
}

static void test_recipes(void **state)
{
    (void)state;
    assert_int_equal(step_rows_each("torchtune", "/events.tsv", check_row), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recipes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
