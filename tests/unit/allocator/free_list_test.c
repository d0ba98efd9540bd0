/* A list of free blocks against a sorted array: what is found, and the order both ways. */
#include "allocator/free_list.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { BLOCKS = 400, UNIT = 512 };

static struct block blocks[BLOCKS + 1];
static struct free_list list;
static uint32_t sorted[BLOCKS]; /* what is in the list, in order */
static uint32_t count;
static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 16) % below;
}

static bool is_before(uint32_t a, uint32_t b)
{
    return blocks[a].size != blocks[b].size ? blocks[a].size < blocks[b].size
                                            : blocks[a].address < blocks[b].address;
}

static void add(uint32_t at)
{
    uint32_t place = count++;
    while (place != 0 && is_before(at, sorted[place - 1])) {
        sorted[place] = sorted[place - 1];
        place--;
    }
    sorted[place] = at;
    blocks[at].state = BLOCK_FREE;
    free_list_insert(blocks, &list, at);
}

static void drop(uint32_t place)
{
    const uint32_t at = sorted[place];
    memmove(&sorted[place], &sorted[place + 1], (--count - place) * sizeof *sorted);
    blocks[at].state = BLOCK_ALLOCATED;
    free_list_remove(blocks, &list, at);
}

static void check_order(void)
{
    uint32_t at = free_list_end(blocks, &list, 0);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at, sorted[i]);
        at = free_list_step(blocks, &list, at, 1);
    }
    assert_int_equal(at, 0);
    at = free_list_end(blocks, &list, 1);
    for (uint32_t i = count; i != 0; i--) {
        assert_int_equal(at, sorted[i - 1]);
        at = free_list_step(blocks, &list, at, 0);
    }
    assert_int_equal(at, 0);
}

static void check_find(uint64_t size)
{
    uint32_t place = 0;
    while (place < count && blocks[sorted[place]].size < size) {
        place++;
    }
    const uint32_t expected = place < count ? sorted[place] : 0;
    const uint32_t found = free_list_at_least(blocks, &list, size);
    assert_int_equal(found, expected);
    if (found != 0) { /* the neighbours of what was found */
        assert_int_equal(free_list_step(blocks, &list, found, 1),
                         place + 1 < count ? sorted[place + 1] : 0);
        assert_int_equal(free_list_step(blocks, &list, found, 0),
                         place != 0 ? sorted[place - 1] : 0);
    }
}

/* Removes what it passes, as giving back to the driver does. */
static void check_sweep(void)
{
    uint32_t at = free_list_end(blocks, &list, 0);
    for (uint32_t place = 0; at != 0;) {
        const uint32_t next = free_list_step(blocks, &list, at, 1);
        assert_int_equal(at, sorted[place]);
        if (draw(2) == 0) {
            drop(place);
        } else {
            place++;
        }
        at = next;
    }
}

struct row {
    uint64_t first_units; /* sizes from here on */
    uint64_t sizes;       /* how many */
    uint64_t step_units;
};

static const struct row rows[] = {
    {1, 1, 1},                                 /* one heap */
    {1, 8, 1},                                 /* heaps */
    {508, 8, 1},                               /* heaps and trees */
    {4096, 1, 1},                              /* one tree of one size */
    {4096, 40, 1},                             /* trees */
    {1, 36, 100000},                           /* many octaves */
    {UINT64_C(1) << 40, 4, UINT64_C(1) << 32}, /* the largest */
};

static void run(const struct row *row)
{
    memset(blocks, 0, sizeof blocks);
    memset(&list, 0, sizeof list);
    count = 0;
    random_state = 88172645463325252U;
    for (int step = 0; step < 20000; step++) {
        const uint32_t at = 1 + (uint32_t)draw(BLOCKS);
        if (blocks[at].state != BLOCK_FREE) {
            blocks[at].address = at * UINT64_C(0x200000000);
            blocks[at].size = UNIT * (row->first_units + draw(row->sizes) * row->step_units);
            add(at);
        } else if (draw(2) == 0) {
            drop((uint32_t)draw(count));
        } else { /* as a request does */
            drop(0);
        }
        check_find(UNIT * (row->first_units + draw(row->sizes + 1) * row->step_units));
        if (draw(500) == 0) {
            check_order();
        }
        if (draw(500) == 0) {
            check_sweep();
        }
    }
    while (count != 0) {
        drop((uint32_t)draw(count));
    }
    assert_int_equal(free_list_end(blocks, &list, 0), 0);
    assert_int_equal(list.top[0] | list.top[1] | list.top[2], 0);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run(&rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests_name("free_list", tests, NULL, NULL);
}
