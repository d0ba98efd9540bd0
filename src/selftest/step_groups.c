/* How near steps run op by op come, by group of data/published/steps.tsv and by set. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "selftest/checks.h"

static bool is_in(const struct zv_step_group *group, const struct zv_check *check)
{
    return strcmp(group->is_set ? check->set : check->group, group->name) == 0;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* errors: room for as many as there are checks. */
static void measure(struct zv_step_group *group, const struct zv_selftest *of, uint64_t *errors)
{
    for (size_t i = 0; i < of->check_count; i++) {
        const struct zv_check *const check = &of->checks[i];
        if (!is_in(group, check) || check->status == ZV_CHECK_UNCHECKED) {
            continue;
        }
        if (strcmp(check->measured, "OOM") == 0) {
            group->ran_out++;
            group->ran_out_predicted += check->status == ZV_CHECK_EXACT;
        } else {
            errors[group->rows++] = check_distance(check->stated_value, check->measured_value);
        }
    }
    if (group->rows != 0) {
        const size_t n = group->rows;
        qsort(errors, n, sizeof *errors, ascending);
        group->median_millionths =
            n % 2 != 0 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
        group->most_millionths = errors[(n * 95 + 99) / 100 - 1];
        group->worst_millionths = errors[n - 1];
    }
}

static void name_group(struct zv_step_group *list, size_t *count, const char *name, bool is_set)
{
    for (size_t i = 0; i < *count; i++) {
        if (list[i].is_set == is_set && strcmp(list[i].name, name) == 0) {
            return;
        }
    }
    if (name[0] != 0) {
        list[(*count)++] = (struct zv_step_group){.name = name, .is_set = is_set};
    }
}

enum zv_status checks_group_steps(struct zv_selftest *to, struct zv_arena *arena,
                                  struct zv_error *err)
{
    struct zv_step_group *const list = zv_arena_array(arena, to->check_count * 2 + 1, sizeof *list);
    uint64_t *const errors = zv_arena_array(arena, to->check_count + 1, sizeof *errors);
    if (list == NULL || errors == NULL) {
        return zv_fail_memory(err, "the selftest");
    }
    size_t count = 0;
    for (int set = 0; set < 2; set++) {
        for (size_t i = 0; i < to->check_count; i++) {
            name_group(list, &count, set ? to->checks[i].set : to->checks[i].group, set != 0);
        }
    }
    for (size_t i = 0; i < count; i++) {
        measure(&list[i], to, errors);
    }
    to->groups = list;
    to->group_count = count;
    return ZV_OK;
}
