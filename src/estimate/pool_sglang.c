/* SGLang's pool: what its share of the free memory leaves beside the weights, in token slots. */
#include "base/checked.h"
#include "estimate/sizes.h"

/* Expected bytes of one group's items that are there all the time. */
static uint64_t held(struct build *build, int scope, const char *group)
{
    const struct zv_ledger *const ledger = &build->out->ledger;
    uint64_t sum = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == scope && item->phase == NULL && !item->reclaimable &&
            item->quantity.known != ZV_UNKNOWN && zv_slice_equal(zv_slice_of(item->group), group)) {
            sum = build_sum(build, sum, item->quantity.bytes);
        }
    }
    return sum;
}

/* Bytes of one token in all layers of a stage; 0 when the pool is divided by other rules: windows
 * and states have pools of their own. */
static uint64_t token_bytes(struct build *build, const struct serve_sizes *sizes, int stage)
{
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    uint64_t sum = 0;
    for (size_t i = 0; i < count && build->status == ZV_OK; i++) {
        struct zv_cache_cell cell;
        if (layers[i].window != 0 || layers[i].state != ZV_STATE_NONE) {
            return 0;
        }
        build_fail(build, zv_cache_cell_of(&cell, &layers[i], &sizes->form, build->err));
        sum = build_sum(build, sum, build_sum(build, cell.k, build_sum(build, cell.v, cell.index)));
    }
    return build->status == ZV_OK ? sum : 0;
}

/* free before loading x fraction - weights; false when the stage has no such pool. */
static bool stage_pool(struct build *build, const struct serve_sizes *sizes, int stage,
                       struct zv_pool *pool)
{
    const int scope = build->plan.scopes[stage];
    const uint64_t context = held(build, scope, "runtime");
    const uint64_t weights = held(build, scope, "weights");
    const uint64_t capacity = build->in->capacity_bytes;
    const uint64_t before = context < capacity ? capacity - context : 0;
    const uint64_t token = token_bytes(build, sizes, stage);
    if (token == 0 || !zv_mul_div(before, sizes->fraction, 1000000, &pool->budget_bytes)) {
        return false;
    }
    pool->cache_bytes = weights < pool->budget_bytes ? pool->budget_bytes - weights : 0;
    pool->tokens = pool->cache_bytes / token;
    pool->token_bytes = token;
    return true;
}

void serve_pool_sglang(struct build *build, const struct serve_sizes *sizes)
{
    const uint64_t most = build->in->job->serve.num_blocks;
    struct zv_pool least = {0};
    if (build->status != ZV_OK || build->in->job->runtime != ZV_RUNTIME_SGLANG ||
        build->in->capacity_bytes == 0 || build->in->draft != NULL || sizes->block == 0) {
        return;
    }
    for (size_t i = 0; i < build->plan.stages; i++) {
        struct zv_pool pool = {0};
        if (!stage_pool(build, sizes, (int)i, &pool)) {
            return;
        }
        least = i == 0 || pool.tokens < least.tokens ? pool : least;
    }
    least.tokens = most != 0 && most < least.tokens ? most : least.tokens;
    least.blocks = least.tokens / sizes->block;
    least.tokens = least.blocks * sizes->block;
    if (sizes->context == 0 ||
        !zv_mul_div(least.tokens, 1000000, sizes->context, &least.concurrency)) {
        least.concurrency = 0;
    }
    least.known = build->status == ZV_OK;
    least.basis = "(card - context) x mem_fraction_static - weights, in pages of token slots";
    build->out->pool = least;
}
