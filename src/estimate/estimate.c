#include "estimate/estimate.h"

#include "base/fail.h"
#include "estimate/build.h"

/* Every bracket can be added up: whoever shows the ledger need not look again. */
static void check_totals(struct build *build)
{
    const struct zv_ledger *const ledger = &build->out->ledger;
    struct zv_total total;
    for (int scope = ZV_SCOPE_HOST; build->status == ZV_OK && scope < (int)ledger->group_count;
         scope++) {
        build_fail(build, zv_ledger_total(ledger, scope, &total, build->err));
    }
}

enum zv_status zv_estimate_run(struct zv_estimate *estimate, const struct zv_estimate_input *input,
                               struct zv_arena *arena, struct zv_error *err)
{
    struct build build = {.in = input, .out = estimate, .arena = arena, .err = err};
    *estimate = (struct zv_estimate){.ledger = {.arena = arena}, .fraction_millionths = 1000000};
    build_plan(&build);
    build_weights(&build);
    if (input->job->task == ZV_TASK_TRAIN) {
        build_train(&build);
    } else {
        build_serve(&build);
    }
    build_host(&build);
    build_user_items(&build);
    check_totals(&build);
    plan_free(&build.plan);
    return build.status;
}
