#include "base/device_name.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"

enum zv_status zv_device_name_read(struct zv_device_name *to, struct zv_slice text,
                                   struct zv_error *err)
{
    static const char cuda[] = "cuda:";
    static const char hip[] = "hip:";
    struct zv_slice number = text;
    uint64_t index;
    to->is_hip = zv_slice_starts(text, hip);
    const size_t prefix = to->is_hip                    ? sizeof hip - 1
                          : zv_slice_starts(text, cuda) ? sizeof cuda - 1
                                                        : 0;
    number.at += prefix;
    number.length -= prefix;
    if (!zv_slice_u64(number, &index) || index > INT32_MAX) {
        return zv_fail(err, ZV_E_USAGE, "device '%.*s': expected cuda:N or hip:N, such as cuda:0",
                       (int)(text.length < 80 ? text.length : 80), text.at);
    }
    to->index = (uint32_t)index;
    return ZV_OK;
}

void zv_device_name_print(char to[ZV_DEVICE_NAME_TEXT], uint32_t index)
{
    (void)snprintf(to, ZV_DEVICE_NAME_TEXT, "cuda:%" PRIu32, index);
}
