#include "launch/tries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"

enum { NAME_MAX_CHARS = 40 };

enum zv_status zv_tries_parse(struct zv_tries *tries, const char *text, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(text);
    const struct zv_slice name = zv_slice_cut(&rest, '=');
    const char *const dots = rest.length != 0 ? memmem(rest.at, rest.length, "..", 2) : NULL;
    if (name.length != 0 && name.length <= NAME_MAX_CHARS && dots != NULL) {
        const struct zv_slice from = {rest.at, (size_t)(dots - rest.at)};
        const struct zv_slice to = {dots + 2, rest.length - from.length - 2};
        tries->name = name;
        if (zv_count_parse(from, &tries->bisect.from) && zv_count_parse(to, &tries->bisect.to) &&
            tries->bisect.from != 0 && tries->bisect.from <= tries->bisect.to) {
            return ZV_OK;
        }
    }
    return zv_fail(err, ZV_E_USAGE,
                   "--search %.80s: expected a name and its least and largest value, such as "
                   "batch=1..64",
                   text);
}

/* {name} where the command has it, else {}; NULL when it has neither. */
static const char *placeholder(const struct zv_tries *tries, char own[NAME_MAX_CHARS + 3])
{
    const char *const candidates[] = {own, "{}"};
    (void)snprintf(own, NAME_MAX_CHARS + 3, "{%.*s}", (int)tries->name.length, tries->name.at);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; tries->launch.command[i] != NULL; i++) {
            if (strstr(tries->launch.command[i], candidates[k]) != NULL) {
                return candidates[k];
            }
        }
    }
    return NULL;
}

/* word with every mark replaced by value, or NULL without memory. */
static char *fill_word(const char *word, const char *mark, const char *value,
                       struct zv_arena *arena)
{
    const size_t mark_length = strlen(mark);
    const size_t value_length = strlen(value);
    size_t count = 0;
    for (const char *at = strstr(word, mark); at != NULL; at = strstr(at + mark_length, mark)) {
        count++;
    }
    /* below twice the size of the command line, which the system bounds, and of 20 digits a mark */
    char *const filled = zv_arena_alloc(arena, strlen(word) + count * value_length + 1);
    char *to = filled;
    while (filled != NULL && count-- != 0) {
        const char *const next = strstr(word, mark);
        memcpy(to, word, (size_t)(next - word));
        to += next - word;
        memcpy(to, value, value_length);
        to += value_length;
        word = next + mark_length;
    }
    if (filled != NULL) {
        memcpy(to, word, strlen(word) + 1);
    }
    return filled;
}

static char **fill(const struct zv_tries *tries, uint64_t value)
{
    char own[NAME_MAX_CHARS + 3];
    char number[24];
    const char *const mark = placeholder(tries, own);
    size_t count = 0;
    (void)snprintf(number, sizeof number, "%" PRIu64, value);
    while (tries->launch.command[count] != NULL) {
        count++;
    }
    char **const words = zv_arena_array(tries->arena, count + 1, sizeof *words);
    for (size_t i = 0; words != NULL && i < count; i++) {
        words[i] = fill_word(tries->launch.command[i], mark, number, tries->arena);
        if (words[i] == NULL) {
            return NULL;
        }
    }
    return words;
}

static const enum zv_trial trials[] = {
    [ZV_LAUNCH_PASSED] = ZV_TRIAL_PASSES,      [ZV_LAUNCH_OUT_OF_MEMORY] = ZV_TRIAL_PASSES_NOT,
    [ZV_LAUNCH_PARTIAL] = ZV_TRIAL_PASSES_NOT, [ZV_LAUNCH_FAILED] = ZV_TRIAL_STOP,
    [ZV_LAUNCH_TIMED_OUT] = ZV_TRIAL_STOP,     [ZV_LAUNCH_STOPPED] = ZV_TRIAL_STOP,
};

static enum zv_status ask(void *context, uint64_t value, enum zv_trial *trial, struct zv_error *err)
{
    struct zv_tries *const tries = context;
    struct zv_try *const one = &tries->items[tries->bisect.asked_count - 1];
    struct zv_launch launch = tries->launch;
    launch.command = fill(tries, value);
    launch.alone = true;
    if (launch.command == NULL) {
        return zv_fail_memory(err, "a command");
    }
    one->value = value;
    const enum zv_status status = zv_launch_run(&one->launched, &launch, tries->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    /* what would not end may hold the card: the next try would prove nothing */
    one->trial = one->launched.left_running ? ZV_TRIAL_STOP : trials[one->launched.outcome];
    *trial = one->trial;
    if (tries->told != NULL) {
        tries->told(tries, one);
    }
    return ZV_OK;
}

enum zv_status zv_tries_run(struct zv_tries *tries, struct zv_error *err)
{
    char own[NAME_MAX_CHARS + 3];
    if (placeholder(tries, own) == NULL) {
        return zv_fail(err, ZV_E_USAGE, "the command has no {} for the value of %.*s",
                       (int)tries->name.length, tries->name.at);
    }
    tries->items = zv_arena_array(tries->arena, ZV_BISECT_MAX_ASKED, sizeof *tries->items);
    if (tries->items == NULL) {
        return zv_fail_memory(err, "the tries of a search");
    }
    tries->bisect.ask = ask;
    tries->bisect.context = tries;
    const enum zv_status status = zv_bisect_run(&tries->bisect, err);
    return status == ZV_OK && tries->confirm != 0
               ? zv_bisect_confirm(&tries->bisect, tries->confirm, err)
               : status;
}

const struct zv_try *zv_tries_find(const struct zv_tries *tries, uint64_t value)
{
    for (size_t i = 0; i < tries->bisect.asked_count; i++) {
        if (tries->items[i].value == value) {
            return &tries->items[i];
        }
    }
    return NULL;
}
