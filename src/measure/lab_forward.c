/* Forward, loss, evaluation. */
#include "allocator/device_calls.h"
#include "measure/lab.h"
#include "measure/lab_matmul.h"

enum { LOSS_PARTS = 256 };

static enum zv_status activate(struct lab *lab, struct lab_tensor *to,
                               const struct lab_tensor *from, struct zv_error *err)
{
    uint64_t to_address = to->block.address;
    uint64_t from_address = from->block.address;
    int dtype = (int)lab->condition.dtype;
    void *parameters[] = {&to_address, &from_address, &lab->elements, &dtype};
    return lab_launch(&lab->kernels, lab->device, LAB_RELU, lab->elements, parameters, err);
}

/* kept[layer] from the output of the layer before. */
static enum zv_status run_layer(struct lab *lab, const struct lab_tensor *input, uint32_t layer,
                                struct zv_error *err)
{
    const uint64_t width = lab->condition.width;
    const bool is_last = layer + 1 == lab->condition.depth;
    enum zv_status status = lab_take(lab, &lab->linear, lab->activation_bytes, err);
    if (status == ZV_OK) {
        const struct lab_matmul product = {.to = lab->linear.block.address,
                                           .a = input->block.address,
                                           .b = lab->values[2 * layer].block.address,
                                           .bias = lab->values[2 * layer + 1].block.address,
                                           .rows = lab->rows,
                                           .columns = width,
                                           .inner = width,
                                           .a_row = width,
                                           .a_inner = 1,
                                           .b_inner = width,
                                           .b_column = 1};
        status = lab_multiply(lab, &product, err);
    }
    if (status == ZV_OK && is_last) {
        lab->kept[layer] = lab->linear;
        lab->linear = (struct lab_tensor){0};
        return ZV_OK;
    }
    if (status == ZV_OK) {
        status = lab_take(lab, &lab->kept[layer], lab->activation_bytes, err);
    }
    if (status == ZV_OK) {
        status = activate(lab, &lab->kept[layer], &lab->linear, err);
    }
    return status == ZV_OK ? lab_drop(lab, &lab->linear, err) : status;
}

static enum zv_status run_layers(struct lab *lab, const struct lab_tensor *input, bool keeps,
                                 struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (uint32_t layer = 0; layer < lab->condition.depth && status == ZV_OK; layer++) {
        status = run_layer(lab, layer == 0 ? input : &lab->kept[layer - 1], layer, err);
        if (status == ZV_OK && !keeps && layer != 0) {
            status = lab_drop(lab, &lab->kept[layer - 1], err);
        }
    }
    return status;
}

static struct lab_tensor *output_of(struct lab *lab)
{
    return &lab->kept[lab->condition.depth - 1];
}

enum zv_status lab_forward(struct lab *lab, struct zv_error *err)
{
    const enum zv_status status = run_layers(lab, &lab->input, false, err);
    return status == ZV_OK ? lab_drop(lab, output_of(lab), err) : status;
}

enum zv_status lab_forward_kept(struct lab *lab, struct zv_error *err)
{
    return run_layers(lab, &lab->input, true, err);
}

static enum zv_status loss_against(struct lab *lab, const struct lab_tensor *target,
                                   struct zv_error *err)
{
    uint64_t output = output_of(lab)->block.address;
    uint64_t target_address = target->block.address;
    uint64_t parts = LOSS_PARTS;
    float scale = 1 / (float)lab->elements;
    int dtype = (int)lab->condition.dtype;
    enum zv_status status = lab_take(lab, &lab->loss_parts, LOSS_PARTS * sizeof(float), err);
    if (status == ZV_OK) {
        status = lab_take(lab, &lab->loss, sizeof(float), err);
    }
    if (status == ZV_OK) {
        void *parameters[] = {&lab->loss_parts.block.address,
                              &output,
                              &target_address,
                              &lab->elements,
                              &parts,
                              &dtype};
        status = lab_launch(&lab->kernels, lab->device, LAB_LOSS_PARTS, parts, parameters, err);
    }
    if (status == ZV_OK) {
        void *parameters[] = {&lab->loss.block.address, &lab->loss_parts.block.address, &parts,
                              &scale};
        status = lab_launch(&lab->kernels, lab->device, LAB_LOSS_TOTAL, 1, parameters, err);
    }
    if (status == ZV_OK) {
        status = lab_drop(lab, &lab->loss_parts, err);
    }
    float loss = 0;
    return status == ZV_OK
               ? device_copy_out(lab->device, &loss, lab->loss.block.address, sizeof loss, err)
               : status;
}

enum zv_status lab_loss(struct lab *lab, struct zv_error *err)
{
    return loss_against(lab, &lab->target, err);
}

enum zv_status lab_evaluate(struct lab *lab, struct zv_error *err)
{
    enum zv_status status = lab_make_other_inputs(lab, err);
    if (status == ZV_OK) {
        status = run_layers(lab, &lab->other_input, false, err);
    }
    if (status == ZV_OK) {
        status = loss_against(lab, &lab->other_target, err);
    }
    struct lab_tensor *const done[] = {output_of(lab), &lab->loss, &lab->other_input,
                                       &lab->other_target};
    for (size_t i = 0; i < sizeof done / sizeof done[0] && status == ZV_OK; i++) {
        status = lab_drop(lab, done[i], err);
    }
    return status;
}
