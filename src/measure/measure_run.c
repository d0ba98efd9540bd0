/* A run: the phases of a condition in their order, on one device. */
#include "measure/measure_run.h"

#include <stdio.h>

#include "base/fail.h"
#include "measure/lab.h"

static enum zv_status warm_up(struct lab *lab, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (uint32_t i = 0; i < lab->condition.warmup && status == ZV_OK; i++) {
        status = lab->condition.trains ? lab_step(lab, err) : lab_forward(lab, err);
    }
    return status;
}

enum times { ONCE, WARMUP, REPEATS };
enum when { ALWAYS, INFERENCE, TRAINING };

static const struct row {
    const char *name;
    enum zv_status (*work)(struct lab *lab, struct zv_error *err);
    enum times times;
    enum when when;
    const char *counted; /* what happens in it how often; NULL: nothing to count */
} rows[] = {
    {"model_load", lab_load_model, ONCE, ALWAYS, NULL},
    {"inputs", lab_make_inputs, ONCE, ALWAYS, NULL},
    {"cold_forward", lab_forward, ONCE, INFERENCE, "forwards"},
    {"forward", lab_forward_kept, ONCE, TRAINING, "forwards"},
    {"loss", lab_loss, ONCE, TRAINING, NULL},
    {"backward", lab_backward, ONCE, TRAINING, "backwards"},
    {"first_update", lab_update, ONCE, TRAINING, "updates"},
    {"warmup", warm_up, WARMUP, INFERENCE, "forwards"},
    {"warmup", warm_up, WARMUP, TRAINING, "steps"},
    {"warm_forward", lab_forward, REPEATS, INFERENCE, "forwards"},
    {"updates", lab_step, REPEATS, TRAINING, "steps"},
    {"evaluation", lab_evaluate, ONCE, TRAINING, "forwards"},
    {"export", lab_export, ONCE, TRAINING, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool is_run(const struct row *row, const struct measure_condition *c)
{
    return (row->when == ALWAYS || (row->when == TRAINING) == c->trains) &&
           (row->times != WARMUP || c->warmup != 0);
}

static uint32_t times_of(const struct row *row, const struct measure_condition *c)
{
    return row->times == REPEATS ? c->repeats : 1;
}

static void add_dimensions(struct zv_phase *phase, const struct lab *lab)
{
    const struct measure_condition *const c = &lab->condition;
    zv_phase_dimension(phase, "batch", c->batch);
    zv_phase_dimension(phase, "context", c->context);
    zv_phase_dimension(phase, "width", c->width);
    zv_phase_dimension(phase, "depth", c->depth);
    zv_phase_dimension(phase, "rows", lab->rows);
}

/* Ours or the host's failures are no observation of the device. */
static bool is_observation(enum zv_status status)
{
    return status == ZV_E_DEVICE;
}

static void fail_run(struct measure_run *run, const char *phase, const char *message)
{
    run->is_complete = false;
    (void)snprintf(run->failed_phase, sizeof run->failed_phase, "%s", phase);
    (void)snprintf(run->message, sizeof run->message, "%s", message);
}

/* Between begin and end: the work of a phase, or of all of them. */
struct stretch {
    struct zv_counters counters;
    struct zv_phase *phase;
    struct zv_error begun; /* how the first synchronisation went */
    struct zv_error err;   /* how the work went */
    enum zv_status status;
};

static void begin(struct stretch *stretch, struct measure_run *run, struct lab *lab,
                  const char *name)
{
    *stretch = (struct stretch){.counters = zv_counters_of(lab->allocator, lab->device),
                                .phase = &run->phases[run->phase_count++]};
    stretch->status = zv_phase_begin(stretch->phase, &stretch->counters, name, &stretch->err);
    add_dimensions(stretch->phase, lab);
}

/* Ends the phase; the run goes on only when it succeeded. */
static enum zv_status end(struct stretch *stretch, struct measure_run *run, const char *part,
                          struct zv_error *err)
{
    struct zv_error waited = {0};
    enum zv_status status = stretch->status;
    (void)zv_phase_end(stretch->phase, &stretch->counters,
                       status != ZV_OK ? stretch->err.text : NULL, &waited);
    if (status != ZV_OK && !is_observation(status)) {
        return zv_fail(err, status, "%s: %s", part, stretch->err.text);
    }
    if (!stretch->phase->succeeded) {
        fail_run(run, part, stretch->phase->message);
    }
    return ZV_OK;
}

static enum zv_status run_phases(struct measure_run *run, struct lab *lab, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < ROWS && status == ZV_OK && run->is_complete; i++) {
        const struct row *const row = &rows[i];
        const uint32_t times = is_run(row, &lab->condition) ? times_of(row, &lab->condition) : 0;
        for (uint32_t n = 0; n < times && status == ZV_OK && run->is_complete; n++) {
            struct stretch stretch;
            if (lab->condition.empties_cache && run->phase_count != 0) {
                (void)zv_allocator_empty_cache(lab->allocator, NULL);
            }
            begin(&stretch, run, lab, row->name);
            stretch.phase->repeat = n + 1;
            if (row->counted != NULL) {
                zv_phase_dimension(stretch.phase, row->counted,
                                   row->times == WARMUP ? lab->condition.warmup : 1);
            }
            if (stretch.status == ZV_OK) {
                stretch.status = row->work(lab, &stretch.err);
            }
            status = end(&stretch, run, row->name, err);
        }
    }
    return status;
}

/* Everything in one phase, with nothing in between. */
static enum zv_status run_loop(struct measure_run *run, struct lab *lab, struct zv_error *err)
{
    struct stretch stretch;
    const char *part = "whole_loop";
    begin(&stretch, run, lab, part);
    for (size_t i = 0; i < ROWS && stretch.status == ZV_OK; i++) {
        const struct row *const row = &rows[i];
        const uint32_t times = is_run(row, &lab->condition) ? times_of(row, &lab->condition) : 0;
        for (uint32_t n = 0; n < times && stretch.status == ZV_OK; n++) {
            part = row->name;
            stretch.status = row->work(lab, &stretch.err);
        }
    }
    return end(&stretch, run, part, err);
}

size_t measure_most_phases(const struct measure_condition *condition)
{
    size_t count = 1;
    for (size_t i = 0; i < ROWS; i++) {
        count += is_run(&rows[i], condition) ? times_of(&rows[i], condition) : 0;
    }
    return count;
}

/* A wrong kernel is an error and no measurement. */
static enum zv_status check_kernels(struct measure_run *run, struct lab *lab, struct zv_error *err)
{
    if (!run->is_complete) {
        return ZV_OK;
    }
    if (run->device.is_emulated) {
        run->check = MEASURE_CHECK_EMULATED;
        return ZV_OK;
    }
    const enum zv_status status = lab_check(lab, err);
    run->check = status == ZV_OK ? MEASURE_CHECK_PASSED : MEASURE_CHECK_NOT_REACHED;
    return status;
}

enum zv_status measure_run_into(struct measure_run *run, struct zv_phase *phases,
                                const struct measure_condition *condition,
                                const struct measure_place *place, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct lab lab;
    *run = (struct measure_run){
        .condition = *condition, .is_complete = true, .process = 1, .phases = phases};
    enum zv_status status = lab_open(&lab, condition, place, arena, err);
    if (status == ZV_OK) {
        run->device = *zv_device_facts(lab.device);
        run->policy = zv_allocator_policy(lab.allocator);
        status =
            condition->is_unsynchronised ? run_loop(run, &lab, err) : run_phases(run, &lab, err);
    }
    if (status == ZV_OK) {
        struct zv_memory_stats stats;
        zv_allocator_get_stats(lab.allocator, &stats);
        run->alloc_retries = stats.num_alloc_retries;
        run->ooms = stats.num_ooms;
        run->ran_out = lab.ran_out;
        status = check_kernels(run, &lab, err);
    }
    lab_close(&lab);
    return status;
}

enum zv_status measure_run_here(struct measure_run *run, const struct measure_condition *condition,
                                const struct measure_place *place, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct zv_phase *const phases =
        zv_arena_array(arena, measure_most_phases(condition), sizeof *phases);
    return phases != NULL ? measure_run_into(run, phases, condition, place, arena, err)
                          : zv_fail_memory(err, "phases");
}

uint64_t measure_parameters(const struct measure_condition *condition)
{
    return condition->depth * (condition->width * condition->width + condition->width);
}

static const char *const dtype_names[MEASURE_DTYPES] = {"float32", "float16", "bfloat16"};
static const char *const optimizer_names[MEASURE_OPTIMIZERS] = {"sgd", "adam"};

const char *measure_dtype_name(enum measure_dtype dtype)
{
    return dtype_names[dtype];
}

const char *measure_optimizer_name(enum measure_optimizer optimizer)
{
    return optimizer_names[optimizer];
}

const char *measure_check_name(enum measure_check check)
{
    static const char *const names[] = {
        [MEASURE_CHECK_NOT_REACHED] = "not reached",
        [MEASURE_CHECK_EMULATED] = "unchecked: emulated",
        [MEASURE_CHECK_PASSED] = "checked against the reference",
    };
    return names[check];
}
