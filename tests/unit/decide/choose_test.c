#include "decide/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "support/fail_memory.h"
#include "support/test.h"

static const char job_text[] =
    "schema: zirve.job/1\nsizes: {context: 8192}\nquality: {minimum: 0.8}\n"
    "needs: {delivery: {by: 2026-12-15}}\n"
    "evidence:\n"
    "  - {id: run, kind: measurement, document: r, version: 1, date: 2026-11-01, card: RTX 4090,\n"
    "     processed: {context: 8192}, peak: 20GiB}\n"
    "  - {id: eval, kind: quality, document: q, version: 1, date: 2026-11-01, value: 0.8}\n"
    "  - {id: run2, kind: measurement, document: r, version: 1, date: 2026-11-02, card: L4,\n"
    "     processed: {context: 8192}, outcome: failed, message: CUDA out of memory}\n"
    "  - {id: run1, kind: measurement, document: r, version: 1, date: 2026-11-01, card: L4,\n"
    "     processed: {context: 8192}}\n";
static const char offers_text[] =
    "card,days,price,currency,available,document,document_date\n"
    "RTX 4090,1,10,USD,2026-12-02,o,2026-11-01\n"     /* admissible, later */
    "RTX 4090,3,30,USD,2026-12-01,o,2026-11-01\n"     /* admissible, the same cost and margin */
    "RTX 4090,2,9,USD,2026-12-01,o,2026-11-01\n"      /* two batches: 18 USD */
    "L4,3,1,USD,2026-12-01,o,2026-11-01\n"            /* its last run failed */
    "RTX 4090,3,1,USD,2026-12-20,o,2026-11-01\n"      /* too late */
    "RTX 6000 Ada,3,20,EUR,2026-12-01,o,2026-11-01\n" /* never run */
    "Nosuch,3,20,USD,2026-12-01,o,2026-11-01\n";      /* nobody knows */

struct set_up {
    struct zv_job_file job;
    struct zv_needs needs;
    struct zv_evidence_list evidence;
    struct zv_offers offers;
    struct zv_card_table cards;
    struct zv_rates rates;
    struct zv_required required;
};

static enum zv_status choose(struct set_up *set, struct zv_choice *choice, struct zv_arena *arena)
{
    const struct zv_offers_options options = {20786, false};
    memset(set, 0, sizeof *set);
    set->required = (struct zv_required){.known = true,
                                         .expected = 19 * ZV_GIB,
                                         .at_least = 14 * ZV_GIB,
                                         .devices = 1,
                                         .fraction_millionths = 1000000};
    const struct zv_slice none = {0};
    enum zv_status status = zv_job_file_read(&set->job, zv_slice_of(job_text), arena, NULL);
    if (status == ZV_OK) {
        status = zv_needs_read(&set->needs, zv_yaml_find(set->job.root, "needs"),
                               zv_yaml_find(set->job.root, "quality"), 20786, NULL);
    }
    if (status == ZV_OK) {
        status = zv_evidence_read(&set->evidence, zv_yaml_find(set->job.root, "evidence"), "j",
                                  arena, NULL);
    }
    if (status == ZV_OK) {
        status =
            zv_offers_read(&set->offers, zv_slice_of(offers_text), "o.csv", &options, arena, NULL);
    }
    if (status == ZV_OK) {
        status = zv_card_table_load(&set->cards, none, none, arena, NULL);
    }
    const struct zv_choose_input input = {.required = &set->required,
                                          .needs = &set->needs,
                                          .evidence = &set->evidence,
                                          .declared = {&set->job, 1, 20786},
                                          .offers = &set->offers,
                                          .cards = &set->cards,
                                          .rates = &set->rates,
                                          .days = 3};
    return status == ZV_OK ? zv_choose(choice, &input, arena, NULL) : status;
}

static void test_order(void **state)
{
    (void)state;
    static struct set_up set;
    static const struct {
        uint64_t line;
        enum zv_state state;
        uint64_t cost; /* whole units */
        size_t rank;
    } rows[] = {
        {4, ZV_ADMISSIBLE, 18, 1}, {3, ZV_ADMISSIBLE, 30, 2}, {2, ZV_ADMISSIBLE, 30, 3},
        {7, ZV_TO_VERIFY, 20, 1},  {8, ZV_TO_VERIFY, 20, 1},  {5, ZV_EXCLUDED, 1, 2},
        {6, ZV_EXCLUDED, 1, 1},
    };
    struct zv_arena arena = {0};
    struct zv_choice choice;
    assert_int_equal(choose(&set, &choice, &arena), ZV_OK);
    assert_int_equal(choice.count, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < choice.count; i++) {
        size_t k = 0;
        while (k < choice.count && choice.candidates[k].offer->line != rows[i].line) {
            k++;
        }
        assert_int_equal(choice.candidates[k].state, rows[i].state);
        assert_int_equal(choice.candidates[k].cost.nano / 1000000000, rows[i].cost);
        assert_int_equal(choice.candidates[k].rank, rows[i].rank);
        assert_true(i >= 3 || k == i);
    }
    assert_true(choice.candidates[0].has_margin);
    assert_int_equal(choice.candidates[0].margin, choice.candidates[0].usable - 20 * ZV_GIB);
    struct zv_judgement judgements[ZV_NEED_KINDS];
    for (size_t i = 0; i < choice.count; i++) {
        assert_int_equal(zv_choose_judge(judgements, &choice, &choice.candidates[i], &arena, NULL),
                         ZV_OK);
    }
    zv_arena_free(&arena);
}

static void test_memory(void **state)
{
    (void)state;
    static struct set_up set;
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_choice choice;
        fail_memory_start(n);
        const enum zv_status status = choose(&set, &choice, &arena);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(status == ZV_OK || (status == ZV_E_NOMEM && fail_memory.failed != 0));
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

static void test_required(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\": \"zirve.estimate/1\", \"totals\": [{\"scope\": \"host\"}, "
        "{\"scope\": 0, \"devices\": [0, 1], \"at_least_bytes\": 5, \"expected_bytes\": 7, "
        "\"unknown\": [\"x\"]}, {\"scope\": 1, \"devices\": [2, 3], \"at_least_bytes\": 6, "
        "\"expected_bytes\": 9, \"unknown\": []}]}";
    struct zv_required required;
    struct zv_arena arena = {0};
    assert_int_equal(zv_required_read(&required, zv_slice_of(text), &arena, NULL), ZV_OK);
    assert_int_equal(required.devices, 4);
    assert_int_equal(required.expected, 9);
    assert_int_equal(required.at_least, 6);
    assert_int_equal(zv_required_read(&required, zv_slice_of("{}"), &arena, NULL),
                     ZV_E_UNSUPPORTED);
    assert_int_equal(zv_required_read(&required, zv_slice_of("{\"schema\": \"zirve.estimate/1\"}"),
                                      &arena, NULL),
                     ZV_E_SYNTAX);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
