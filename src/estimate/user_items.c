/* What the user adds by hand: each with the way it is known, on every card or on the host. */
#include "base/fail.h"
#include "estimate/build.h"

static bool known_of(struct zv_slice word, enum zv_known *known)
{
    static const enum zv_known all[] = {ZV_UNKNOWN, ZV_CALCULATED, ZV_MEASURED, ZV_EMULATED,
                                        ZV_ASSUMED};
    if (word.length == 0) {
        *known = ZV_ASSUMED;
        return true;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (zv_slice_equal_nocase(word, zv_known_name(all[i]))) {
            *known = all[i];
            return true;
        }
    }
    return false;
}

static void add_item(struct build *build, const struct zv_job_item *given, int scope)
{
    enum zv_known known;
    const char *const name = zv_arena_copy(build->arena, given->name.at, given->name.length);
    if (name == NULL) {
        build_fail(build, zv_fail_memory(build->err, "an item"));
    } else if (!known_of(given->known, &known)) {
        build_fail(build,
                   zv_fail(build->err, ZV_E_USAGE,
                           "item %s: '%.*s' is no way to know: expected calculated, measured, "
                           "emulated, assumed or unknown",
                           name, (int)given->known.length, given->known.at));
    } else if (known == ZV_UNKNOWN) {
        build_unknown(build, (struct build_item){scope, "reserve.item", name, "reserve", NULL},
                      "named by the user");
    } else {
        build_add(build, (struct build_item){scope, "reserve.item", name, "reserve", NULL},
                  given->bytes, known, "given by the user");
    }
}

void build_user_items(struct build *build)
{
    const struct zv_job *const job = build->in->job;
    for (size_t i = 0; i < job->item_count && build->status == ZV_OK; i++) {
        if (job->items[i].host) {
            add_item(build, &job->items[i], ZV_SCOPE_HOST);
            continue;
        }
        for (size_t stage = 0; stage < build->plan.stages; stage++) {
            add_item(build, &job->items[i], build->plan.scopes[stage]);
        }
    }
}
