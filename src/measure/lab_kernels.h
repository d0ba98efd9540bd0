/* The kernels of the lab exercise on an open device. Room-internal; their text is in data/measure.
 */
#ifndef ZIRVE_MEASURE_LAB_KERNELS_H
#define ZIRVE_MEASURE_LAB_KERNELS_H

#include "zirve/device.h"
#include "zirve/error.h"

/* In the order of their text. */
#define LAB_KERNEL_LIST(X)                                                                         \
    X(LAB_FILL, "zirve_fill")                                                                      \
    X(LAB_MATMUL, "zirve_matmul")                                                                  \
    X(LAB_RELU, "zirve_relu")                                                                      \
    X(LAB_RELU_BACK, "zirve_relu_back")                                                            \
    X(LAB_LOSS_PARTS, "zirve_loss_parts")                                                          \
    X(LAB_LOSS_TOTAL, "zirve_loss_total")                                                          \
    X(LAB_LOSS_BACK, "zirve_loss_back")                                                            \
    X(LAB_COLUMN_SUMS, "zirve_column_sums")                                                        \
    X(LAB_SGD, "zirve_sgd")                                                                        \
    X(LAB_ADAM, "zirve_adam")

enum lab_kernel {
#define LAB_KERNEL_ENUM(kernel, name) kernel,
    LAB_KERNEL_LIST(LAB_KERNEL_ENUM)
#undef LAB_KERNEL_ENUM
        LAB_KERNELS
};

struct lab_kernels {
    void *module; /* NULL: not loaded */
    void *functions[LAB_KERNELS];
};

/*
 * Loads them: PTX for CUDA, which needs compute capability 7.0; for HIP their source by its runtime
 * compiler. Errors: ZV_E_UNSUPPORTED, ZV_E_DEVICE with the driver's text, ZV_E_NOMEM.
 */
enum zv_status lab_kernels_load(struct lab_kernels *kernels, struct zv_device *device,
                                struct zv_error *err);
void lab_kernels_unload(struct lab_kernels *kernels, struct zv_device *device);

/* Queues a kernel over so many elements on the default stream; parameters as cuLaunchKernel takes
 * them. Errors: ZV_E_DEVICE. */
enum zv_status lab_launch(const struct lab_kernels *kernels, struct zv_device *device,
                          enum lab_kernel kernel, uint64_t elements, void **parameters,
                          struct zv_error *err);

const char *lab_kernel_name(enum lab_kernel kernel);

#endif
