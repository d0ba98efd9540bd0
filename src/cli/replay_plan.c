#include "cli/replay_plan.h"

#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/units.h"
#include "explain/settings.h"

/* Every run so far once for each value of an option, by a function that applies one value. */
typedef enum zv_status apply_fn(struct replay_runs *runs, struct report_replay *run,
                                const char *value, struct zv_error *err);

static enum zv_status multiply(struct replay_runs *runs, const struct arguments *args,
                               const char *name, apply_fn *apply, struct zv_error *err)
{
    const size_t before = runs->count;
    size_t at = 0;
    size_t values = 0;
    for (const char *value = arguments_next(args, name, &at); value != NULL; values++) {
        if ((values + 1) * before > REPLAY_RUNS) {
            return zv_fail(err, ZV_E_USAGE, "more than %d combinations to replay",
                           (int)REPLAY_RUNS);
        }
        for (size_t i = 0; i < before; i++) {
            struct report_replay *const run = &runs->at[values * before + i];
            *run = runs->at[i];
            const enum zv_status status = apply(runs, run, value, err);
            if (status != ZV_OK) {
                return status;
            }
        }
        value = arguments_next(args, name, &at);
    }
    runs->count = values != 0 ? values * before : before;
    return ZV_OK;
}

static enum zv_status apply_conf(struct replay_runs *runs, struct report_replay *run,
                                 const char *value, struct zv_error *err)
{
    (void)runs;
    (void)err;
    run->conf = value;
    return ZV_OK;
}

static enum zv_status apply_capacity(struct replay_runs *runs, struct report_replay *run,
                                     const char *value, struct zv_error *err)
{
    (void)runs;
    if (!zv_bytes_parse(zv_slice_of(value), &run->capacity_bytes) || run->capacity_bytes == 0 ||
        run->capacity_bytes > REPLAY_NO_LIMIT) {
        return zv_fail(err, ZV_E_USAGE,
                       "--capacity %s: expected a size such as 24GB, at most 2^48 bytes", value);
    }
    return ZV_OK;
}

static enum zv_status apply_card(struct replay_runs *runs, struct report_replay *run,
                                 const char *value, struct zv_error *err)
{
    struct zv_capacity capacity;
    enum zv_status status = ZV_OK;
    if (!runs->has_cards) {
        runs->has_cards = true;
        status = card_files_open(&runs->cards, &runs->arena, err);
    }
    if (status == ZV_OK) {
        status = zv_capacity_of(&runs->cards.table, value, &capacity, &runs->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    run->capacity_bytes = capacity.low;
    run->card = zv_arena_copy(&runs->arena, capacity.name.at, capacity.name.length);
    return run->card != NULL ? ZV_OK : zv_fail_memory(err, "a card");
}

static enum zv_status apply_torch(struct replay_runs *runs, struct report_replay *run,
                                  const char *value, struct zv_error *err)
{
    (void)runs;
    return zv_torch_profile_parse(value, &run->profile)
               ? ZV_OK
               : zv_fail(err, ZV_E_UNSUPPORTED, "--torch %s: expected 2.1 or later", value);
}

static enum zv_status apply_policy(struct replay_runs *runs, struct report_replay *run,
                                   const char *value, struct zv_error *err)
{
    (void)runs;
    for (int policy = 0; policy < ZV_POLICY_COUNT; policy++) {
        if (strcmp(value, zv_policy_name((enum zv_policy)policy)) == 0) {
            run->policy = (enum zv_policy)policy;
            return ZV_OK;
        }
    }
    return zv_fail(err, ZV_E_USAGE, "--policy %s: expected caching, cuda-malloc-async or direct",
                   value);
}

enum zv_status replay_plan(struct replay_runs *runs, const struct arguments *args,
                           struct zv_error *err)
{
    static const struct {
        const char *option;
        apply_fn *apply;
    } dimensions[] = {{"policy", apply_policy},
                      {"torch", apply_torch},
                      {"capacity", apply_capacity},
                      {"card", apply_card},
                      {"alloc-conf", apply_conf}};
    uint64_t baseline = 0;
    enum zv_status status = arguments_bytes(args, "baseline", &baseline, err);
    runs->at[0] = (struct report_replay){.conf = "", .baseline_bytes = baseline};
    if (runs->record.is_record) {
        runs->at[0].conf = runs->record.record.conf;
        runs->at[0].profile = runs->record.record.profile;
    }
    runs->count = 1;
    if (arguments_has(args, "capacity") && arguments_has(args, "card")) {
        return zv_fail(err, ZV_E_USAGE, "--capacity and --card both say how much memory there is");
    }
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0] && status == ZV_OK; i++) {
        status = multiply(runs, args, dimensions[i].option, dimensions[i].apply, err);
    }
    return status;
}

enum zv_status replay_budget_read(struct replay_budget *to, const struct arguments *args,
                                  struct zv_error *err)
{
    const char *const text = arguments_value(args, "budget");
    struct zv_slice number = zv_slice_of(text);
    *to = (struct replay_budget){0};
    if (text == NULL) {
        return ZV_OK;
    }
    if (!arguments_has(args, "advise")) {
        return zv_fail(err, ZV_E_USAGE, "--budget is what --advise may spend");
    }
    to->is_time = zv_slice_ends(number, "s");
    number.length -= to->is_time;
    const bool fine = to->is_time ? zv_slice_fixed(number, 6, &to->microseconds)
                                  : zv_slice_u64(number, &to->replays) && to->replays != 0;
    return fine ? ZV_OK
                : zv_fail(err, ZV_E_USAGE, "--budget %s: expected replays (5) or seconds (30s)",
                          text);
}

uint64_t replay_now_us(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

enum zv_status replay_plan_next(struct replay_runs *runs, uint64_t begin, struct zv_error *err)
{
    const struct replay_budget *const budget = &runs->budget;
    struct zv_tried tried[REPLAY_RUNS];
    const char *conf;
    for (size_t i = 0; i < runs->count; i++) {
        tried[i] = report_replay_tried(&runs->at[i]);
    }
    const enum zv_status status = zv_setting_next(&conf, tried, runs->count, &runs->arena, err);
    if (status != ZV_OK || conf == NULL || runs->count == REPLAY_RUNS) {
        return status;
    }
    runs->is_cut = (budget->replays != 0 && runs->count >= budget->replays) ||
                   (budget->is_time && replay_now_us() - begin >= budget->microseconds);
    if (!runs->is_cut) {
        runs->at[runs->count] = runs->at[0];
        runs->at[runs->count].conf = conf;
        runs->at[runs->count].order = runs->count;
        runs->at[runs->count].outcome = (struct zv_replay_outcome){0};
        runs->count++;
    }
    return ZV_OK;
}
