#include "cli/input_file.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "format/unpack.h"
#include "trace/open.h"

#define MAX_TEXT_BYTES ((size_t)1 << 30)

/* The file becomes what came out of it; after a failure it is as it was. */
static enum zv_status unpack(struct zv_file *file, struct zv_error *err)
{
    struct zv_buffer plain = {.limit = MAX_TEXT_BYTES};
    const enum zv_status status = zv_unpack_all(zv_file_slice(file), &plain, err);
    if (status != ZV_OK) {
        zv_buffer_free(&plain);
        return status;
    }
    zv_file_close(file);
    *file = (struct zv_file){(const unsigned char *)plain.data, plain.size, false};
    return ZV_OK;
}

enum zv_status input_file_open(struct zv_file *file, const char *path, struct zv_error *err)
{
    enum zv_status status = zv_file_open(file, path, err);
    const struct zv_slice content = zv_file_slice(file);
    if (status != ZV_OK || zv_packing_of(content) == ZV_PACKED_NOT || zv_trace_is(content)) {
        return status;
    }
    status = unpack(file, err);
    if (status != ZV_OK) {
        zv_file_close(file);
        (void)zv_fail_where(err, path);
    }
    return status;
}

void input_file_unpack(struct zv_file *file)
{
    if (zv_packing_of(zv_file_slice(file)) != ZV_PACKED_NOT) {
        (void)unpack(file, NULL);
    }
}
