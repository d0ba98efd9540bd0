/* Verdicts: what is known alone, what is expected, what is not known, against a range. */
#include "estimate/fit.h"

#include "support/test.h"

struct given {
    uint64_t known;   /* bytes calculated */
    uint64_t assumed; /* bytes on top */
    bool unknown;
};

static void fill(struct zv_ledger *ledger, const struct given *given)
{
    int scope;
    assert_int_equal(
        zv_ledger_add_group(ledger, (struct zv_device_group){.count = 1, .role = ""}, &scope, NULL),
        ZV_OK);
    const struct zv_item items[] = {
        {.id = "a",
         .name = "a",
         .group = "weights",
         .scope = scope,
         .quantity = {given->known, ZV_CALCULATED, ""}},
        {.id = "b",
         .name = "b",
         .group = "runtime",
         .scope = scope,
         .quantity = {given->assumed, ZV_ASSUMED, ""}},
        {.id = "c",
         .name = "c",
         .group = "runtime",
         .scope = scope,
         .quantity = {0, ZV_UNKNOWN, ""}},
    };
    for (size_t i = 0; i < (given->unknown ? 3U : 2U); i++) {
        assert_int_equal(zv_ledger_add(ledger, &items[i], NULL), ZV_OK);
    }
}

static void verdicts(void **state)
{
    static const struct {
        struct given given;
        uint64_t low, high;
        struct zv_fit_limits limits;
        enum zv_verdict verdict;
        uint64_t usable;
        bool over;
        uint64_t margin;
    } rows[] = {
        {{60, 40, false}, 100, 110, {0, 1000000}, ZV_FITS, 100, false, 0},
        {{60, 41, false}, 100, 110, {0, 1000000}, ZV_CANNOT_TELL, 100, true, 1},
        {{60, 30, true}, 100, 110, {0, 1000000}, ZV_CANNOT_TELL, 100, false, 10},
        {{110, 0, false}, 100, 110, {0, 1000000}, ZV_CANNOT_TELL, 100, true, 10},
        {{111, 0, false}, 100, 110, {0, 1000000}, ZV_FITS_NOT, 100, true, 11},
        {{111, 0, true}, 100, 110, {0, 1000000}, ZV_FITS_NOT, 100, true, 11},
        /* what others use comes off the card, the runtime's share is of the whole */
        {{60, 20, false}, 100, 100, {20, 1000000}, ZV_FITS, 80, false, 0},
        {{60, 20, false}, 100, 100, {0, 790000}, ZV_CANNOT_TELL, 79, true, 1},
        {{60, 20, false}, 100, 100, {30, 900000}, ZV_CANNOT_TELL, 70, true, 10},
        {{1, 0, false}, 100, 100, {200, 1000000}, ZV_FITS_NOT, 0, true, 1},
        {{0, 0, false},
         UINT64_MAX,
         UINT64_MAX,
         {0, 1000000},
         ZV_FITS,
         UINT64_MAX,
         false,
         UINT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_ledger ledger = {.arena = &arena};
        const struct zv_capacity capacity = {.low = rows[i].low, .high = rows[i].high};
        struct zv_fit fit;
        fill(&ledger, &rows[i].given);
        assert_int_equal(zv_fit_judge(&fit, &ledger, &capacity, &rows[i].limits, NULL), ZV_OK);
        assert_int_equal(fit.verdict, rows[i].verdict);
        assert_int_equal(fit.usable_low, rows[i].usable);
        assert_int_equal(fit.over, rows[i].over);
        assert_int_equal(fit.margin, rows[i].margin);
        zv_arena_free(&arena);
    }
}

/* The worst group decides, never the sum of groups. */
static void the_worst_group_decides(void **state)
{
    struct zv_arena arena = {0};
    struct zv_ledger ledger = {.arena = &arena};
    const struct zv_capacity capacity = {.low = 100, .high = 100};
    const struct zv_fit_limits limits = {0, 1000000};
    struct zv_fit fit;
    (void)state;
    fill(&ledger, &(struct given){99, 0, false});
    fill(&ledger, &(struct given){50, 0, true});
    assert_int_equal(zv_fit_judge(&fit, &ledger, &capacity, &limits, NULL), ZV_OK);
    assert_int_equal(fit.scope, 1);
    assert_int_equal(fit.verdict, ZV_CANNOT_TELL);
    fill(&ledger, &(struct given){101, 0, false});
    assert_int_equal(zv_fit_judge(&fit, &ledger, &capacity, &limits, NULL), ZV_OK);
    assert_int_equal(fit.scope, 2);
    assert_int_equal(fit.verdict, ZV_FITS_NOT);
    zv_arena_free(&arena);
}

static void what_cannot_be_judged(void **state)
{
    struct zv_arena arena = {0};
    struct zv_ledger ledger = {.arena = &arena};
    const struct zv_capacity capacity = {.low = 100, .high = 100};
    const struct zv_fit_limits limits = {0, 1000000};
    struct zv_fit fit;
    (void)state;
    assert_int_equal(zv_fit_judge(&fit, &ledger, &capacity, &limits, NULL), ZV_E_BUG);
    fill(&ledger, &(struct given){UINT64_MAX, 1, false});
    assert_int_equal(zv_fit_judge(&fit, &ledger, &capacity, &limits, NULL), ZV_E_OVERFLOW);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(the_worst_group_decides),
        cmocka_unit_test(what_cannot_be_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
