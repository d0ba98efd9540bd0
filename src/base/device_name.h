/*
 * The name of a device. There is one form in everything that is shown: "cuda:N", PyTorch's name,
 * which is the same under ROCm; the backend stands beside it. Two forms are taken: "cuda:N" (or N
 * alone) is CUDA's device N and, where CUDA has none of that number, HIP's; "hip:N" is HIP's alone.
 */
#ifndef ZIRVE_BASE_DEVICE_NAME_H
#define ZIRVE_BASE_DEVICE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/error.h"

enum { ZV_DEVICE_NAME_TEXT = 24 };

struct zv_device_name {
    bool is_hip; /* HIP's and nobody else's */
    uint32_t index;
};

/* Errors: ZV_E_USAGE with the name and the forms that are taken. */
enum zv_status zv_device_name_read(struct zv_device_name *to, struct zv_slice text,
                                   struct zv_error *err);

/* "cuda:0" */
void zv_device_name_print(char to[ZV_DEVICE_NAME_TEXT], uint32_t index);

#endif
