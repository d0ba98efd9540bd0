#include "cli/in_use.h"

#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "cli/output.h"
#include "cli/probe_places.h"
#include "probe/probe.h"

static enum zv_status read_device(uint32_t index, uint64_t *bytes, struct zv_error *err)
{
    const struct zv_probe_places places = probe_places();
    struct zv_probed_memory memory;
    char used[ZV_BYTES_TEXT];
    char total[ZV_BYTES_TEXT];
    const enum zv_status status = zv_probe_memory(&memory, index, &places, err);
    if (status != ZV_OK) {
        return status;
    }
    *bytes = memory.used_bytes;
    zv_bytes_print_fit(used, memory.used_bytes);
    zv_bytes_print_fit(total, memory.total_bytes);
    output_note("device %u%s%s: %s of %s in use (%s%s)", index, memory.name[0] != 0 ? ", " : "",
                memory.name, used, total, memory.source,
                memory.used_counts_reserved ? ", with what the driver keeps" : "");
    return ZV_OK;
}

enum zv_status option_in_use(const struct arguments *args, uint64_t *bytes, struct zv_error *err)
{
    const char *const value = arguments_value(args, "in-use");
    uint32_t index = 0;
    *bytes = 0;
    const enum zv_status status = arguments_u32(args, "device", &index, err);
    if (status != ZV_OK || value == NULL) {
        return status;
    }
    if (strcmp(value, "auto") == 0) {
        return read_device(index, bytes, err);
    }
    if (!zv_bytes_parse(zv_slice_of(value), bytes)) {
        return zv_fail(err, ZV_E_USAGE, "--in-use %s: expected a size such as 3GiB, or auto",
                       value);
    }
    return ZV_OK;
}
