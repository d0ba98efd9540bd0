/*
 * Compressed input as a stream of bytes: gzip (also several members in a row), zstd (also several
 * frames), or as it is. Told apart by their first bytes. Bounded memory, whatever comes out.
 */
#ifndef ZIRVE_FORMAT_UNPACK_H
#define ZIRVE_FORMAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "zirve/error.h"

enum zv_packing { ZV_PACKED_NOT, ZV_PACKED_GZIP, ZV_PACKED_ZSTD };

enum zv_packing zv_packing_of(struct zv_slice input);

struct zv_unpacker {
    struct zv_error err; /* after a read of -1; the offset is of the compressed input */

    /* private */
    struct zv_slice input; /* what was not taken yet */
    uint64_t length;
    enum zv_packing packing;
    void *state;
    bool inside; /* a member or frame has begun and not ended */
};

/* The input must outlive the unpacker. Close after a failure too. Errors: ZV_E_NOMEM. */
enum zv_status zv_unpack_open(struct zv_unpacker *unpacker, struct zv_slice input,
                              struct zv_error *err);

/* A zv_read_fn: source is a struct zv_unpacker. */
ptrdiff_t zv_unpack_read(void *source, unsigned char *to, size_t size);
void zv_unpack_close(struct zv_unpacker *unpacker);

/* All of it; to->limit must be set. Errors: ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_unpack_all(struct zv_slice input, struct zv_buffer *to, struct zv_error *err);

#endif
