/* Backward and update. */
#include <math.h>

#include "allocator/device_calls.h"
#include "measure/lab.h"
#include "measure/lab_matmul.h"

enum zv_status lab_multiply(struct lab *lab, const struct lab_matmul *product, struct zv_error *err)
{
    struct lab_matmul p = *product;
    int dtype = (int)lab->condition.dtype;
    void *parameters[] = {&p.to,    &p.a,     &p.b,       &p.bias,    &p.rows,     &p.columns,
                          &p.inner, &p.a_row, &p.a_inner, &p.b_inner, &p.b_column, &dtype};
    return lab_launch(&lab->kernels, lab->device, LAB_MATMUL, p.rows * p.columns, parameters, err);
}

/* slope: the gradient of the output, 2 (output - target) / elements. */
static enum zv_status start(struct lab *lab, struct zv_error *err)
{
    struct lab_tensor *const output = &lab->kept[lab->condition.depth - 1];
    float scale = 2 / (float)lab->elements;
    int dtype = (int)lab->condition.dtype;
    enum zv_status status = lab_take(lab, &lab->slope, lab->activation_bytes, err);
    if (status == ZV_OK) {
        void *parameters[] = {&lab->slope.block.address,
                              &output->block.address,
                              &lab->target.block.address,
                              &lab->elements,
                              &scale,
                              &dtype};
        status =
            lab_launch(&lab->kernels, lab->device, LAB_LOSS_BACK, lab->elements, parameters, err);
    }
    if (status == ZV_OK) {
        status = lab_drop(lab, output, err);
    }
    return status == ZV_OK ? lab_drop(lab, &lab->loss, err) : status;
}

/* Gradients of a layer's weight (input transposed times slope) and bias (sums of its columns). */
static enum zv_status parameter_gradients(struct lab *lab, const struct lab_tensor *input,
                                          uint32_t layer, struct zv_error *err)
{
    uint64_t width = lab->condition.width;
    const uint64_t value_bytes = measure_dtype_bytes(lab->condition.dtype);
    struct lab_tensor *const weight = &lab->gradients[2 * layer];
    struct lab_tensor *const bias = &lab->gradients[2 * layer + 1];
    enum zv_status status = lab_take(lab, weight, width * width * value_bytes, err);
    if (status == ZV_OK) {
        const struct lab_matmul product = {.to = weight->block.address,
                                           .a = input->block.address,
                                           .b = lab->slope.block.address,
                                           .rows = width,
                                           .columns = width,
                                           .inner = lab->rows,
                                           .a_row = 1,
                                           .a_inner = width,
                                           .b_inner = width,
                                           .b_column = 1};
        status = lab_multiply(lab, &product, err);
    }
    if (status == ZV_OK) {
        status = lab_take(lab, bias, width * value_bytes, err);
    }
    if (status == ZV_OK) {
        int dtype = (int)lab->condition.dtype;
        void *parameters[] = {&bias->block.address, &lab->slope.block.address, &lab->rows, &width,
                              &dtype};
        status = lab_launch(&lab->kernels, lab->device, LAB_COLUMN_SUMS, width, parameters, err);
    }
    return status;
}

/* slope of the layer before: slope times the transposed weight, where its activation let through.
 */
static enum zv_status go_back(struct lab *lab, uint32_t layer, struct zv_error *err)
{
    const uint64_t width = lab->condition.width;
    struct lab_tensor *const input = &lab->kept[layer - 1];
    enum zv_status status = lab_take(lab, &lab->next_slope, lab->activation_bytes, err);
    if (status == ZV_OK) {
        const struct lab_matmul product = {.to = lab->next_slope.block.address,
                                           .a = lab->slope.block.address,
                                           .b = lab->values[2 * layer].block.address,
                                           .rows = lab->rows,
                                           .columns = width,
                                           .inner = width,
                                           .a_row = width,
                                           .a_inner = 1,
                                           .b_inner = 1,
                                           .b_column = width};
        status = lab_multiply(lab, &product, err);
    }
    if (status == ZV_OK) {
        status = lab_drop(lab, &lab->slope, err);
    }
    if (status == ZV_OK) {
        int dtype = (int)lab->condition.dtype;
        lab->slope = lab->next_slope;
        lab->next_slope = (struct lab_tensor){0};
        void *parameters[] = {&lab->slope.block.address, &input->block.address, &lab->elements,
                              &dtype};
        status =
            lab_launch(&lab->kernels, lab->device, LAB_RELU_BACK, lab->elements, parameters, err);
    }
    return status == ZV_OK ? lab_drop(lab, input, err) : status;
}

enum zv_status lab_backward(struct lab *lab, struct zv_error *err)
{
    enum zv_status status = start(lab, err);
    for (uint32_t layer = lab->condition.depth; layer-- != 0 && status == ZV_OK;) {
        status =
            parameter_gradients(lab, layer == 0 ? &lab->input : &lab->kept[layer - 1], layer, err);
        if (status == ZV_OK && layer != 0) {
            status = go_back(lab, layer, err);
        }
    }
    return status == ZV_OK ? lab_drop(lab, &lab->slope, err) : status;
}

static enum zv_status make_state(struct lab *lab, struct lab_tensor *state, uint64_t elements,
                                 struct zv_error *err)
{
    const uint64_t bytes = elements * sizeof(float);
    const enum zv_status status = lab_take(lab, state, bytes, err);
    return status == ZV_OK ? device_zero(lab->device, state->block.address, bytes, err) : status;
}

static enum zv_status update_sgd(struct lab *lab, uint32_t i, struct zv_error *err)
{
    uint64_t elements = lab_parameter_elements(lab, i);
    float rate = 0x1p-7F;
    int dtype = (int)lab->condition.dtype;
    void *parameters[] = {&lab->values[i].block.address, &lab->gradients[i].block.address,
                          &elements, &rate, &dtype};
    return lab_launch(&lab->kernels, lab->device, LAB_SGD, elements, parameters, err);
}

static enum zv_status update_adam(struct lab *lab, uint32_t i, struct zv_error *err)
{
    uint64_t elements = lab_parameter_elements(lab, i);
    float rate = 0x1p-10F;
    float first_correction = 1 - powf(0.9F, (float)lab->steps);
    float second_correction = 1 - powf(0.999F, (float)lab->steps);
    int dtype = (int)lab->condition.dtype;
    void *parameters[] = {&lab->values[i].block.address,
                          &lab->gradients[i].block.address,
                          &lab->first[i].block.address,
                          &lab->second[i].block.address,
                          &elements,
                          &rate,
                          &first_correction,
                          &second_correction,
                          &dtype};
    return lab_launch(&lab->kernels, lab->device, LAB_ADAM, elements, parameters, err);
}

enum zv_status lab_update(struct lab *lab, struct zv_error *err)
{
    const bool is_adam = lab->condition.optimizer == MEASURE_ADAM;
    enum zv_status status = ZV_OK;
    for (uint32_t i = 0; i < 2 * lab->condition.depth && status == ZV_OK && is_adam; i++) {
        if (lab->first[i].bytes == 0) {
            const uint64_t elements = lab_parameter_elements(lab, i);
            status = make_state(lab, &lab->first[i], elements, err);
            status = status == ZV_OK ? make_state(lab, &lab->second[i], elements, err) : status;
        }
    }
    lab->steps++;
    for (uint32_t i = 0; i < 2 * lab->condition.depth && status == ZV_OK; i++) {
        status = is_adam ? update_adam(lab, i, err) : update_sgd(lab, i, err);
        if (status == ZV_OK) {
            status = lab_drop(lab, &lab->gradients[i], err);
        }
    }
    return status;
}

enum zv_status lab_step(struct lab *lab, struct zv_error *err)
{
    static enum zv_status (*const parts[])(struct lab * lab, struct zv_error * err) = {
        lab_forward_kept, lab_loss, lab_backward, lab_update};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == ZV_OK; i++) {
        status = parts[i](lab, err);
    }
    return status;
}
