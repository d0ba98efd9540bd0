/*
 * The lab exercise: a small dense network on an open device, all of whose memory comes from the
 * allocator engine. Room-internal.
 *
 *     input ─► layer 0 ─► … ─► layer depth-1 ─► output ─► loss
 *     rows × width     │              │
 *                      └ kept[i]: what a layer gives, after its activation (the last has none)
 *
 * Parameters 2i and 2i+1 are the weight and the bias of layer i. Tensors are taken and dropped as
 * an eager framework would: results new, inputs freed as soon as nothing needs them.
 * docs/measuring.md lists the requests; whoever changes them here changes them there.
 *
 * All functions return the first failure; what they have taken by then is still taken, which is
 * what a failed phase shows. lab_close gives back everything.
 */
#ifndef ZIRVE_MEASURE_LAB_H
#define ZIRVE_MEASURE_LAB_H

#include "measure/lab_kernels.h"
#include "measure/measure.h"

struct lab_tensor {
    struct zv_allocation block;
    uint64_t bytes; /* 0: not there */
};

struct lab {
    struct measure_condition condition;
    struct zv_device *device;
    struct zv_allocator *allocator;
    struct lab_kernels kernels;
    uint64_t rows;             /* batch × context */
    uint64_t elements;         /* rows × width */
    uint64_t activation_bytes; /* of them */
    struct lab_tensor input;
    struct lab_tensor target;     /* when it trains */
    struct lab_tensor *values;    /* 2 × depth parameters */
    struct lab_tensor *gradients; /* … */
    struct lab_tensor *first;     /* Adam's states, float32 */
    struct lab_tensor *second;    /* … */
    struct lab_tensor *kept;      /* depth outputs */
    struct lab_tensor linear;     /* before the activation */
    struct lab_tensor slope;      /* gradient of an output */
    struct lab_tensor next_slope; /* … of the layer before */
    struct lab_tensor loss_parts;
    struct lab_tensor loss;        /* one float32 */
    struct lab_tensor other_input; /* evaluation */
    struct lab_tensor other_target;
    uint32_t steps; /* updates so far */
    bool ran_out;   /* a request found no room */
};

/* Opens device and allocator. Errors: as measure_run_here. Close after a failure too. */
enum zv_status lab_open(struct lab *lab, const struct measure_condition *condition,
                        const struct measure_place *place, struct zv_arena *arena,
                        struct zv_error *err);
void lab_close(struct lab *lab);

/* ---- lab.c ---- */

/* Out of memory is ZV_E_DEVICE here, and says what was asked for and what there was. */
enum zv_status lab_take(struct lab *lab, struct lab_tensor *tensor, uint64_t bytes,
                        struct zv_error *err);
enum zv_status lab_drop(struct lab *lab, struct lab_tensor *tensor, struct zv_error *err);
/* Values of a parameter: width × width or width. */
uint64_t lab_parameter_elements(const struct lab *lab, uint32_t parameter);

/* Kernels and parameters. */
enum zv_status lab_load_model(struct lab *lab, struct zv_error *err);
/* Seeded on the host and copied; the target too when it trains. */
enum zv_status lab_make_inputs(struct lab *lab, struct zv_error *err);
enum zv_status lab_make_other_inputs(struct lab *lab, struct zv_error *err);
/* Parameters to the host, one after the other. */
enum zv_status lab_export(struct lab *lab, struct zv_error *err);

/* ---- lab_forward.c ---- */

/* Keeps nothing but the output, and drops that. */
enum zv_status lab_forward(struct lab *lab, struct zv_error *err);
enum zv_status lab_forward_kept(struct lab *lab, struct zv_error *err);
/* Mean squared error of the output, to the host. */
enum zv_status lab_loss(struct lab *lab, struct zv_error *err);
/* Other inputs: forward without keeping, loss. */
enum zv_status lab_evaluate(struct lab *lab, struct zv_error *err);

/* ---- lab_train.c ---- */

enum zv_status lab_backward(struct lab *lab, struct zv_error *err);
/* The first one makes Adam's states. */
enum zv_status lab_update(struct lab *lab, struct zv_error *err);
/* Forward, loss, backward, update. */
enum zv_status lab_step(struct lab *lab, struct zv_error *err);

/* ---- lab_check.c ---- */

/* Every kernel on small sizes against a reference on the host. Errors: ZV_E_BUG naming the kernel,
 * the element and both values. */
enum zv_status lab_check(struct lab *lab, struct zv_error *err);

#endif
