/*
 * Every storage that a training step of a transformers model makes and frees, in order, forward and
 * backward: recorded from PyTorch operation by operation (tests/tooling/step_saved.py), exactly.
 *
 * What a kernel takes for itself is below PyTorch's dispatcher and left out. One order is chance:
 * of the weights' copies that die with autocast, which PyTorch holds by address.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/step_peak.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { MANY = 16384, MARK = 12345, EVENTS = ROW_COLUMNS, COLUMNS };

/* A storage made (bytes), or freed (back: which one, counted from the next to be made); a mark. */
struct change {
    uint64_t bytes;
    uint64_t back;
};

struct heard {
    struct change at[MANY];
    size_t count;
    uint64_t ids[MANY]; /* of the storages, in the order in which they were made */
    size_t made;
    size_t marks;
};

static void add(struct heard *to, struct change change)
{
    assert_true(to->count < MANY);
    to->at[to->count++] = change;
}

static void reach_mark(struct heard *heard)
{
    if (++heard->marks == 2 || heard->marks == 3) {
        add(heard, (struct change){0, 0});
    }
}

/* From the first mark (weights are there) to the third (backward is over). */
static void note(void *context, const struct step_event *event)
{
    struct heard *const heard = context;
    if (event->bytes == MARK) {
        if (!event->is_free) {
            reach_mark(heard);
        }
    } else if (event->of_kernel || heard->marks == 0 || heard->marks > 2) {
        return;
    } else if (!event->is_free) {
        assert_true(heard->made < MANY);
        heard->ids[heard->made++] = event->id;
        add(heard, (struct change){.bytes = event->bytes});
    } else {
        size_t i = heard->made;
        while (i != 0 && heard->ids[i - 1] != event->id) {
            i--;
        }
        assert_true(i != 0);
        add(heard, (struct change){.back = heard->made - (i - 1)});
    }
}

static size_t read_events(struct zv_slice text, struct change *to)
{
    size_t count = 0;
    struct zv_slice word;
    while (zv_slice_word(&text, &word)) {
        struct change change = {0, 0};
        const bool freed = word.at[0] == '-';
        const struct zv_slice number = {word.at + freed, word.length - freed};
        assert_true(word.at[0] == '|' ||
                    zv_slice_u64(number, freed ? &change.back : &change.bytes));
        assert_true(count < MANY);
        to[count++] = change;
    }
    return count;
}

static bool is_mark(struct change change)
{
    return change.bytes == 0 && change.back == 0;
}

static int by_back(const void *a, const void *b)
{
    const uint64_t x = ((const struct change *)a)->back;
    const uint64_t y = ((const struct change *)b)->back;
    return (x > y) - (x < y);
}

/* Frees that follow each other, in an order that is no chance. */
static void sort_frees(struct change *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t first = i;
        while (i < count && at[i].back != 0) {
            i++;
        }
        qsort(at + first, i - first, sizeof *at, by_back);
    }
}

/* The order in which the weights' copies die with autocast: before the first mark, and in
 * backward where a checkpoint has an autocast of its own. */
static void sort_autocast(struct change *at, size_t count, bool again)
{
    size_t mark = 0;
    while (mark < count && !is_mark(at[mark])) {
        mark++;
    }
    size_t first = mark;
    while (first != 0 && at[first - 1].back != 0) {
        first--;
    }
    sort_frees(at + first, again ? count - first : mark - first);
}

static const char *spell(struct change change, char to[32])
{
    (void)snprintf(to, 32,
                   change.back != 0    ? "frees -%llu"
                   : change.bytes != 0 ? "%llu bytes"
                                       : "ends",
                   (unsigned long long)(change.back != 0 ? change.back : change.bytes));
    return to;
}

static void check_same(const struct heard *heard, const struct change *truth, size_t count,
                       const char *what)
{
    for (size_t i = 0; i < count || i < heard->count; i++) {
        const struct change ours = i < heard->count ? heard->at[i] : (struct change){0, 0};
        const struct change theirs = i < count ? truth[i] : (struct change){0, 0};
        char a[32];
        char b[32];
        if (i >= heard->count || i >= count || ours.bytes != theirs.bytes ||
            ours.back != theirs.back) {
            fail_msg("%s: event %zu of %zu: %s, PyTorch's: %s", what, i + 1, count, spell(ours, a),
                     spell(theirs, b));
        }
    }
}

static size_t events; /* of all rows */

static void check_row(struct zv_slice line)
{
    static struct heard heard;
    static struct change truth[MANY];
    struct zv_slice cell[COLUMNS];
    char config[ROW_TEXT];
    char settings[ROW_TEXT];
    char what[2 * ROW_TEXT];
    step_rows_cells(line, cell, COLUMNS);
    step_rows_case(cell, config, settings);
    (void)snprintf(what, sizeof what, "%s %s", config, settings);
    heard = (struct heard){.count = 0};
    const struct step_case of = {.config = config,
                                 .habit = "saved",
                                 .settings = settings,
                                 .no_workspace = true,
                                 .on_event = note,
                                 .context = &heard};
    struct zv_step_result result;
    struct zv_error err = {0};
    if (step_case_run(&of, &result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", what, err.where, (unsigned long long)err.line, err.text);
    }
    const size_t count = read_events(cell[EVENTS], truth);
    if (!zv_slice_equal(cell[ROW_AUTOCAST], "none")) {
        struct zv_slice more = cell[ROW_MORE];
        (void)zv_slice_cut(&more, '+');
        sort_autocast(heard.at, heard.count, more.length != 0);
        sort_autocast(truth, count, more.length != 0);
    }
    check_same(&heard, truth, count, what);
    events += count;
}

static void test_events(void **state)
{
    (void)state;
    const size_t rows = step_rows_each("saved", "/events.tsv.gz", check_row);
    print_message("# %zu steps, %zu events\n", rows, events);
    assert_true(rows >= 310);
}

/* The same with layers that are run again, in all ways of torch.utils.checkpoint. */
static void test_checkpointed(void **state)
{
    (void)state;
    events = 0;
    const size_t rows = step_rows_each("again", "/events.tsv.gz", check_row);
    print_message("# %zu steps, %zu events\n", rows, events);
    assert_true(rows >= 40);
}

/* Adapters beside frozen weights, as peft makes them. */
static void test_adapters(void **state)
{
    (void)state;
    events = 0;
    const size_t rows = step_rows_each("adapters", "/events.tsv.gz", check_row);
    print_message("# %zu steps, %zu events\n", rows, events);
    assert_true(rows >= 153);
}

int main(void)
{
    step_rows_use("saved");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_checkpointed),
                                       cmocka_unit_test(test_adapters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
