#include "support/lab_engine.h"

#include <string.h>

#include "support/test.h"

#define CARD_BYTES (UINT64_C(20) << 30)

enum { MOST_LIVE = 512 };

struct lab_engine {
    struct zv_allocator *allocator;
    struct measure_condition condition;
    struct zv_allocation live[MOST_LIVE]; /* by number */
    uint64_t weight;                      /* bytes of one */
    uint64_t bias;
    uint64_t activation;
    uint64_t states; /* bytes of a value in Adam's states */
};

/* Numbers of tensors. */
enum {
    INPUT,
    TARGET,
    LINEAR,
    SLOPE,
    NEXT,
    PARTS,
    LOSS,
    INPUT2,
    TARGET2,
    KEPT = 16,
    VALUES = 48,
    GRADIENTS = 112,
    FIRST = 176,
    SECOND = 240
};

static void take(struct lab_engine *engine, int number, uint64_t bytes)
{
    assert_int_equal(zv_allocator_malloc(engine->allocator, bytes, 0, &engine->live[number], NULL),
                     ZV_OK);
    assert_int_not_equal(engine->live[number].address, 0);
}

static void drop(struct lab_engine *engine, int number)
{
    assert_int_equal(zv_allocator_free(engine->allocator, engine->live[number], NULL), ZV_OK);
}

static void move(struct lab_engine *engine, int to, int from)
{
    engine->live[to] = engine->live[from];
}

static void model(struct lab_engine *engine)
{
    for (int i = 0; i < (int)engine->condition.depth; i++) {
        take(engine, VALUES + 2 * i, engine->weight);
        take(engine, VALUES + 2 * i + 1, engine->bias);
    }
}

static void inputs(struct lab_engine *engine)
{
    take(engine, INPUT, engine->activation);
    if (engine->condition.trains) {
        take(engine, TARGET, engine->activation);
    }
}

static void layers(struct lab_engine *engine, bool keeps)
{
    const int depth = (int)engine->condition.depth;
    for (int i = 0; i < depth; i++) {
        take(engine, LINEAR, engine->activation);
        if (i + 1 < depth) {
            take(engine, KEPT + i, engine->activation);
            drop(engine, LINEAR);
        } else {
            move(engine, KEPT + i, LINEAR);
        }
        if (!keeps && i != 0) {
            drop(engine, KEPT + i - 1);
        }
    }
}

static void forward(struct lab_engine *engine)
{
    layers(engine, false);
    drop(engine, KEPT + (int)engine->condition.depth - 1);
}

static void forward_kept(struct lab_engine *engine)
{
    layers(engine, true);
}

static void loss(struct lab_engine *engine)
{
    take(engine, PARTS, 1024);
    take(engine, LOSS, 4);
    drop(engine, PARTS);
}

static void backward(struct lab_engine *engine)
{
    const int depth = (int)engine->condition.depth;
    take(engine, SLOPE, engine->activation);
    drop(engine, KEPT + depth - 1);
    drop(engine, LOSS);
    for (int i = depth - 1; i >= 0; i--) {
        take(engine, GRADIENTS + 2 * i, engine->weight);
        take(engine, GRADIENTS + 2 * i + 1, engine->bias);
        if (i != 0) {
            take(engine, NEXT, engine->activation);
            drop(engine, SLOPE);
            move(engine, SLOPE, NEXT);
            drop(engine, KEPT + i - 1);
        }
    }
    drop(engine, SLOPE);
}

static void update(struct lab_engine *engine)
{
    const int count = 2 * (int)engine->condition.depth;
    const uint64_t width = engine->condition.width;
    for (int i = 0; i < count && engine->states == 0; i++) {
        const uint64_t bytes = 4 * (i % 2 == 0 ? width * width : width);
        if (engine->condition.optimizer == MEASURE_ADAM) {
            take(engine, FIRST + i, bytes);
            take(engine, SECOND + i, bytes);
        }
    }
    engine->states = 4;
    for (int i = 0; i < count; i++) {
        drop(engine, GRADIENTS + i);
    }
}

static void step(struct lab_engine *engine)
{
    forward_kept(engine);
    loss(engine);
    backward(engine);
    update(engine);
}

static void evaluation(struct lab_engine *engine)
{
    take(engine, INPUT2, engine->activation);
    take(engine, TARGET2, engine->activation);
    layers(engine, false);
    loss(engine);
    drop(engine, KEPT + (int)engine->condition.depth - 1);
    drop(engine, LOSS);
    drop(engine, INPUT2);
    drop(engine, TARGET2);
}

static void export(struct lab_engine *engine)
{
    (void)engine;
}

static void many(struct lab_engine *engine)
{
    for (uint32_t i = 0; i < engine->condition.warmup; i++) {
        if (engine->condition.trains) {
            step(engine);
        } else {
            forward(engine);
        }
    }
}

static const struct {
    const char *name;
    void (*work)(struct lab_engine *engine);
} works[] = {
    {"model_load", model},
    {"inputs", inputs},
    {"cold_forward", forward},
    {"forward", forward_kept},
    {"loss", loss},
    {"backward", backward},
    {"first_update", update},
    {"warmup", many},
    {"warm_forward", forward},
    {"updates", step},
    {"evaluation", evaluation},
    {"export", export},
};

static void repeat_phase(struct lab_engine *engine, const struct zv_phase *phase)
{
    struct zv_memory_stats stats;
    size_t at = 0;
    while (at < sizeof works / sizeof works[0] && strcmp(works[at].name, phase->name) != 0) {
        at++;
    }
    assert_true(at < sizeof works / sizeof works[0]);
    zv_allocator_reset_peaks(engine->allocator);
    works[at].work(engine);
    zv_allocator_get_stats(engine->allocator, &stats);
    const struct zv_counter *const allocated =
        &stats.counters[ZV_STAT_ALLOCATED_BYTES][ZV_STAT_ALL];
    const struct zv_counter *const reserved = &stats.counters[ZV_STAT_RESERVED_BYTES][ZV_STAT_ALL];
    if (phase->peak_allocated.value != (uint64_t)allocated->peak ||
        phase->after.allocated.value != (uint64_t)allocated->current ||
        phase->peak_reserved.value != (uint64_t)reserved->peak ||
        phase->after.reserved.value != (uint64_t)reserved->current ||
        phase->after.free.value != zv_allocator_device_free(engine->allocator)) {
        fail_msg("%s %u: the engine says %lld, %lld; %lld, %lld", phase->name, phase->repeat,
                 (long long)allocated->peak, (long long)allocated->current,
                 (long long)reserved->peak, (long long)reserved->current);
    }
}

void lab_engine_check(const struct measure_run *run, const struct measure_condition *condition)
{
    static struct lab_engine engine;
    const uint64_t value = measure_dtype_bytes(condition->dtype);
    engine = (struct lab_engine){.condition = *condition,
                                 .weight = condition->width * condition->width * value,
                                 .bias = condition->width * value,
                                 .activation = condition->batch * condition->context *
                                               condition->width * value};
    const struct zv_allocator_options options = {
        .profile = condition->profile, .conf = condition->conf, .capacity_bytes = CARD_BYTES};
    assert_int_equal(zv_allocator_open(&engine.allocator, &options, NULL), ZV_OK);
    for (size_t i = 0; i < run->phase_count; i++) {
        if (condition->empties_cache && i != 0) {
            assert_int_equal(zv_allocator_empty_cache(engine.allocator, NULL), ZV_OK);
        }
        repeat_phase(&engine, &run->phases[i]);
    }
    zv_allocator_close(engine.allocator);
}
