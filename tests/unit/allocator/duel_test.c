/* Random op lists through our allocator and a naive one: they must agree on everything. */
#include <stdio.h>
#include <stdlib.h>

#include "support/allocator_duel.h"
#include "support/test.h"

enum { LISTS = 300, LENGTH = 2500 };

static void test_random_lists(void **state)
{
    (void)state;
    static uint8_t data[LENGTH];
    const char *const lists = getenv("ZIRVE_DUEL_LISTS"); /* more, by hand */
    const int count = lists != NULL ? atoi(lists) : LISTS;
    uint64_t random = 88172645463325252U;
    for (int list = 0; list < count; list++) {
        for (size_t i = 0; i < sizeof data; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            data[i] = (uint8_t)(random >> 24);
        }
        data[0] = (uint8_t)list; /* every combination of settings */
        const char *const wrong = allocator_duel(data, sizeof data);
        if (wrong != NULL) {
            fail_msg("list %d: %s", list, wrong);
        }
    }
    /* a duel that nothing happened in proves nothing */
    assert_true(allocator_duel_count.operations > (uint64_t)count * 500);
    assert_true(allocator_duel_count.ooms > (uint64_t)count);
    assert_true(allocator_duel_count.device_frees > (uint64_t)count);
    assert_true(allocator_duel_count.waits > (uint64_t)count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_lists)};
    return cmocka_run_group_tests_name("duel", tests, NULL, NULL);
}
