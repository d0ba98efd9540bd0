/*
 * Every kernel on small sizes against plain loops over doubles. Inputs are rounded to the type
 * first, so that only the kernel's own arithmetic and its last rounding remain.
 */
#include <math.h>

#include "allocator/device_calls.h"
#include "base/fail.h"
#include "measure/lab.h"
#include "measure/value_types.h"

enum { ROWS = 5, INNER = 7, COLUMNS = 6, COUNT = 40, PARTS = 16, MOST = 48, TENSORS = 8 };

struct check {
    struct lab *lab;
    enum measure_dtype dtype;
    enum zv_status status;
    struct zv_error *err;
    struct lab_tensor tensors[TENSORS];
    size_t tensor_count;
};

static double tolerance(enum measure_dtype dtype)
{
    static const double tolerances[MEASURE_DTYPES] = {
        [MEASURE_F32] = 1e-5, [MEASURE_F16] = 0x1p-10, [MEASURE_BF16] = 0x1p-7};
    return tolerances[dtype];
}

/* Seeded values of the type: -2 to 2. */
static void make(double *to, size_t count, uint64_t seed, enum measure_dtype dtype)
{
    uint64_t room; /* of any type */
    for (size_t i = 0; i < count; i++) {
        value_put(&room, 0, value_random(seed, i, 2), dtype);
        to[i] = value_get(&room, 0, dtype);
    }
}

/* A tensor with these values on the device; its address stays until the kernel is done with. */
static uint64_t *put(struct check *check, const double *values, size_t count,
                     enum measure_dtype dtype)
{
    uint64_t room[MOST];
    struct lab_tensor *const tensor = &check->tensors[check->tensor_count++];
    const uint64_t bytes = count * measure_dtype_bytes(dtype);
    for (size_t i = 0; i < count; i++) {
        value_put(room, i, values[i], dtype);
    }
    if (check->status == ZV_OK) {
        check->status = lab_take(check->lab, tensor, bytes, check->err);
    }
    if (check->status == ZV_OK) {
        check->status =
            device_copy_in(check->lab->device, tensor->block.address, room, bytes, check->err);
    }
    return &tensor->block.address;
}

static void launch(struct check *check, enum lab_kernel kernel, uint64_t elements,
                   void **parameters)
{
    if (check->status == ZV_OK) {
        check->status = lab_launch(&check->lab->kernels, check->lab->device, kernel, elements,
                                   parameters, check->err);
    }
}

static void expect(struct check *check, enum lab_kernel kernel, uint64_t address,
                   const double *want, size_t count, enum measure_dtype dtype)
{
    uint64_t room[MOST] = {0};
    if (check->status == ZV_OK) {
        check->status = device_copy_out(check->lab->device, room, address,
                                        count * measure_dtype_bytes(dtype), check->err);
    }
    for (size_t i = 0; i < count && check->status == ZV_OK; i++) {
        const double got = value_get(room, i, dtype);
        if (!(fabs(got - want[i]) <= tolerance(dtype) * (1 + fabs(want[i])))) {
            check->status =
                zv_fail(check->err, ZV_E_BUG,
                        "kernel %s, %s: element %zu is %g, expected %g: nothing that "
                        "it measured is a measurement",
                        lab_kernel_name(kernel), measure_dtype_name(dtype), i, got, want[i]);
        }
    }
}

static void drop_all(struct check *check)
{
    for (size_t i = 0; i < check->tensor_count; i++) {
        const enum zv_status status = lab_drop(check->lab, &check->tensors[i], check->err);
        check->status = check->status == ZV_OK ? status : check->status;
    }
    check->tensor_count = 0;
}

static void check_fill(struct check *check)
{
    double want[COUNT] = {0};
    uint64_t count = COUNT;
    uint64_t seed = 9;
    float scale = 0.5F;
    int dtype = (int)check->dtype;
    uint64_t *const to = put(check, want, COUNT, check->dtype);
    void *parameters[] = {to, &count, &seed, &scale, &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        want[i] = value_random(seed, i, 0.5);
    }
    launch(check, LAB_FILL, COUNT, parameters);
    expect(check, LAB_FILL, *to, want, COUNT, check->dtype);
}

/* Both factors as they are, with a bias; both transposed, without. */
static void multiply(struct check *check, bool transposed)
{
    double a[ROWS * INNER];
    double b[INNER * COLUMNS];
    double bias[COLUMNS];
    double want[ROWS * COLUMNS] = {0};
    uint64_t sizes[] = {ROWS, COLUMNS, INNER};
    uint64_t strides[] = {INNER, 1, COLUMNS, 1};
    uint64_t flipped[] = {1, ROWS, 1, INNER};
    uint64_t none = 0;
    int dtype = (int)check->dtype;
    uint64_t *const stride = transposed ? flipped : strides;
    make(a, ROWS * INNER, 1, check->dtype);
    make(b, INNER * COLUMNS, 2, check->dtype);
    make(bias, COLUMNS, 3, check->dtype);
    uint64_t *const to = put(check, want, ROWS * COLUMNS, check->dtype);
    void *parameters[] = {to,
                          put(check, a, ROWS * INNER, check->dtype),
                          put(check, b, INNER * COLUMNS, check->dtype),
                          transposed ? &none : put(check, bias, COLUMNS, check->dtype),
                          &sizes[0],
                          &sizes[1],
                          &sizes[2],
                          &stride[0],
                          &stride[1],
                          &stride[2],
                          &stride[3],
                          &dtype};
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        want[i] = transposed ? 0 : bias[i % COLUMNS];
        for (size_t k = 0; k < INNER; k++) {
            want[i] += a[i / COLUMNS * stride[0] + k * stride[1]] *
                       b[k * stride[2] + i % COLUMNS * stride[3]];
        }
    }
    launch(check, LAB_MATMUL, ROWS * COLUMNS, parameters);
    expect(check, LAB_MATMUL, *to, want, ROWS * COLUMNS, check->dtype);
}

static void check_matmul(struct check *check)
{
    multiply(check, false);
    drop_all(check);
    multiply(check, true);
}

static void check_relu(struct check *check)
{
    double from[COUNT];
    double want[COUNT] = {0};
    uint64_t count = COUNT;
    int dtype = (int)check->dtype;
    make(from, COUNT, 4, check->dtype);
    uint64_t *const to = put(check, want, COUNT, check->dtype);
    void *parameters[] = {to, put(check, from, COUNT, check->dtype), &count, &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        want[i] = from[i] > 0 ? from[i] : 0;
    }
    launch(check, LAB_RELU, COUNT, parameters);
    expect(check, LAB_RELU, *to, want, COUNT, check->dtype);
}

static void check_relu_back(struct check *check)
{
    double output[COUNT];
    double want[COUNT];
    uint64_t count = COUNT;
    int dtype = (int)check->dtype;
    make(output, COUNT, 5, check->dtype);
    output[3] = 0;
    make(want, COUNT, 6, check->dtype);
    uint64_t *const gradient = put(check, want, COUNT, check->dtype);
    void *parameters[] = {gradient, put(check, output, COUNT, check->dtype), &count, &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        want[i] = output[i] > 0 ? want[i] : 0;
    }
    launch(check, LAB_RELU_BACK, COUNT, parameters);
    expect(check, LAB_RELU_BACK, *gradient, want, COUNT, check->dtype);
}

static void check_loss(struct check *check)
{
    double output[COUNT];
    double target[COUNT];
    double want[PARTS] = {0};
    double total = 0;
    uint64_t count = COUNT;
    uint64_t parts = PARTS;
    float scale = 1.0F / COUNT;
    int dtype = (int)check->dtype;
    make(output, COUNT, 7, check->dtype);
    make(target, COUNT, 8, check->dtype);
    uint64_t *const to = put(check, want, PARTS, MEASURE_F32);
    void *parameters[] = {to,
                          put(check, output, COUNT, check->dtype),
                          put(check, target, COUNT, check->dtype),
                          &count,
                          &parts,
                          &dtype};
    uint64_t *const sum = put(check, &total, 1, MEASURE_F32);
    void *of_total[] = {sum, to, &parts, &scale};
    for (size_t i = 0; i < COUNT; i++) {
        const double square = (output[i] - target[i]) * (output[i] - target[i]);
        want[i % PARTS] += square;
        total += square / COUNT;
    }
    launch(check, LAB_LOSS_PARTS, PARTS, parameters);
    expect(check, LAB_LOSS_PARTS, *to, want, PARTS, MEASURE_F32);
    launch(check, LAB_LOSS_TOTAL, 1, of_total);
    expect(check, LAB_LOSS_TOTAL, *sum, &total, 1, MEASURE_F32);
}

static void check_loss_back(struct check *check)
{
    double output[COUNT];
    double target[COUNT];
    double want[COUNT] = {0};
    uint64_t count = COUNT;
    float scale = 0.25F;
    int dtype = (int)check->dtype;
    make(output, COUNT, 9, check->dtype);
    make(target, COUNT, 10, check->dtype);
    uint64_t *const to = put(check, want, COUNT, check->dtype);
    void *parameters[] = {to,
                          put(check, output, COUNT, check->dtype),
                          put(check, target, COUNT, check->dtype),
                          &count,
                          &scale,
                          &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        want[i] = 0.25 * (output[i] - target[i]);
    }
    launch(check, LAB_LOSS_BACK, COUNT, parameters);
    expect(check, LAB_LOSS_BACK, *to, want, COUNT, check->dtype);
}

static void check_column_sums(struct check *check)
{
    double from[ROWS * COLUMNS];
    double want[COLUMNS] = {0};
    uint64_t rows = ROWS;
    uint64_t columns = COLUMNS;
    int dtype = (int)check->dtype;
    make(from, ROWS * COLUMNS, 11, check->dtype);
    uint64_t *const to = put(check, want, COLUMNS, check->dtype);
    void *parameters[] = {to, put(check, from, ROWS * COLUMNS, check->dtype), &rows, &columns,
                          &dtype};
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        want[i % COLUMNS] += from[i];
    }
    launch(check, LAB_COLUMN_SUMS, COLUMNS, parameters);
    expect(check, LAB_COLUMN_SUMS, *to, want, COLUMNS, check->dtype);
}

static void check_sgd(struct check *check)
{
    double want[COUNT];
    double gradient[COUNT];
    uint64_t count = COUNT;
    float rate = 0.125F;
    int dtype = (int)check->dtype;
    make(want, COUNT, 12, check->dtype);
    make(gradient, COUNT, 13, check->dtype);
    uint64_t *const values = put(check, want, COUNT, check->dtype);
    void *parameters[] = {values, put(check, gradient, COUNT, check->dtype), &count, &rate, &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        want[i] -= 0.125 * gradient[i];
    }
    launch(check, LAB_SGD, COUNT, parameters);
    expect(check, LAB_SGD, *values, want, COUNT, check->dtype);
}

static void check_adam(struct check *check)
{
    double want[COUNT];
    double gradient[COUNT];
    double first[COUNT];
    double second[COUNT];
    uint64_t count = COUNT;
    float rate = 0.125F;
    float corrections[] = {0.75F, 0.5F};
    int dtype = (int)check->dtype;
    make(want, COUNT, 14, check->dtype);
    make(gradient, COUNT, 15, check->dtype);
    make(first, COUNT, 16, MEASURE_F32);
    make(second, COUNT, 17, MEASURE_F32);
    for (size_t i = 0; i < COUNT; i++) {
        second[i] = fabs(second[i]) + 0.25;
    }
    uint64_t *const values = put(check, want, COUNT, check->dtype);
    uint64_t *const of_gradient = put(check, gradient, COUNT, check->dtype);
    uint64_t *const firsts = put(check, first, COUNT, MEASURE_F32);
    uint64_t *const seconds = put(check, second, COUNT, MEASURE_F32);
    void *parameters[] = {values, of_gradient,     firsts,          seconds, &count,
                          &rate,  &corrections[0], &corrections[1], &dtype};
    for (size_t i = 0; i < COUNT; i++) {
        first[i] = 0.9 * first[i] + 0.1 * gradient[i];
        second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
        want[i] -= 0.125 * (first[i] / 0.75) / (sqrt(second[i] / 0.5) + 1e-8);
    }
    launch(check, LAB_ADAM, COUNT, parameters);
    expect(check, LAB_ADAM, *firsts, first, COUNT, MEASURE_F32);
    expect(check, LAB_ADAM, *seconds, second, COUNT, MEASURE_F32);
    expect(check, LAB_ADAM, *values, want, COUNT, check->dtype);
}

enum zv_status lab_check(struct lab *lab, struct zv_error *err)
{
    static void (*const checks[])(struct check *) = {
        check_fill,      check_matmul,      check_relu, check_relu_back, check_loss,
        check_loss_back, check_column_sums, check_sgd,  check_adam};
    struct check check = {.lab = lab, .dtype = lab->condition.dtype, .err = err};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && check.status == ZV_OK; i++) {
        checks[i](&check);
        drop_all(&check);
    }
    return check.status;
}
