#include "format/unpack.h"

#include <limits.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* for memory functions of our own */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"
#include "base/memory.h"

enum { GZIP_WINDOW = 15 + 16, ZSTD_WINDOW_LOG = 27, READ_STEP = 1 << 20 };

enum zv_packing zv_packing_of(struct zv_slice input)
{
    if (input.length >= 2 && memcmp(input.at, "\x1f\x8b", 2) == 0) {
        return ZV_PACKED_GZIP;
    }
    if (input.length >= 4 && memcmp(input.at, "\x28\xb5\x2f\xfd", 4) == 0) {
        return ZV_PACKED_ZSTD;
    }
    if (input.length >= 4 && ((unsigned char)input.at[0] & 0xF0) == 0x50 &&
        memcmp(input.at + 1, "\x2a\x4d\x18", 3) == 0) {
        return ZV_PACKED_ZSTD; /* a frame to be skipped comes first, as pzstd writes it */
    }
    return ZV_PACKED_NOT;
}

static void *gzip_alloc(void *context, unsigned count, unsigned size)
{
    (void)context;
    return zv_memory_alloc((size_t)count * size);
}

static void gzip_free(void *context, void *old)
{
    (void)context;
    zv_memory_free(old);
}

static void *zstd_alloc(void *context, size_t size)
{
    (void)context;
    return zv_memory_alloc(size);
}

static void zstd_free(void *context, void *old)
{
    (void)context;
    zv_memory_free(old);
}

static bool open_gzip(struct zv_unpacker *unpacker)
{
    z_stream *const stream = zv_memory_alloc(sizeof *stream);
    if (stream == NULL) {
        return false;
    }
    *stream = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_free};
    if (inflateInit2(stream, GZIP_WINDOW) != Z_OK) {
        zv_memory_free(stream);
        return false;
    }
    unpacker->state = stream;
    return true;
}

static bool open_zstd(struct zv_unpacker *unpacker)
{
    const ZSTD_customMem memory = {zstd_alloc, zstd_free, NULL};
    ZSTD_DCtx *const context = ZSTD_createDCtx_advanced(memory);
    if (context == NULL) {
        return false;
    }
    (void)ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    unpacker->state = context;
    return true;
}

enum zv_status zv_unpack_open(struct zv_unpacker *unpacker, struct zv_slice input,
                              struct zv_error *err)
{
    *unpacker = (struct zv_unpacker){
        .input = input, .length = input.length, .packing = zv_packing_of(input)};
    const bool opened =
        unpacker->packing == ZV_PACKED_NOT ||
        (unpacker->packing == ZV_PACKED_GZIP ? open_gzip(unpacker) : open_zstd(unpacker));
    return opened ? ZV_OK : zv_fail_memory(err, "a decompressor");
}

void zv_unpack_close(struct zv_unpacker *unpacker)
{
    if (unpacker->state != NULL && unpacker->packing == ZV_PACKED_GZIP) {
        (void)inflateEnd(unpacker->state);
        zv_memory_free(unpacker->state);
    } else if (unpacker->state != NULL) {
        (void)ZSTD_freeDCtx(unpacker->state);
    }
    unpacker->state = NULL;
}

static ptrdiff_t fail(struct zv_unpacker *unpacker, const char *what)
{
    (void)zv_fail_at(&unpacker->err, ZV_E_SYNTAX, unpacker->length - unpacker->input.length,
                     "compressed data: %s", what);
    return -1;
}

static void take(struct zv_unpacker *unpacker, size_t count)
{
    unpacker->input.at += count;
    unpacker->input.length -= count;
}

/* One call of zlib; *got bytes came out. False after a failure. */
static bool step_gzip(struct zv_unpacker *unpacker, unsigned char *to, size_t size, size_t *got)
{
    z_stream *const stream = unpacker->state;
    union {
        const char *from;
        unsigned char *to;
    } input = {unpacker->input.at}; /* zlib's next_in is not const, but only read */
    const size_t given = unpacker->input.length < UINT_MAX ? unpacker->input.length : UINT_MAX;
    stream->next_in = input.to;
    stream->avail_in = (unsigned)given;
    stream->next_out = to;
    stream->avail_out = size < UINT_MAX ? (unsigned)size : UINT_MAX;
    const size_t room = stream->avail_out;
    unpacker->inside = true;
    const int code = inflate(stream, Z_NO_FLUSH);
    take(unpacker, given - stream->avail_in);
    *got = room - stream->avail_out;
    if (code == Z_STREAM_END) {
        unpacker->inside = false;
        return inflateReset2(stream, GZIP_WINDOW) == Z_OK;
    }
    if (code == Z_MEM_ERROR) {
        (void)zv_fail_memory(&unpacker->err, "a decompressor");
        return false;
    }
    if (code == Z_BUF_ERROR || (code == Z_OK && *got == 0 && given == 0)) {
        return fail(unpacker, "truncated gzip") == 0;
    }
    return code == Z_OK ||
           fail(unpacker, stream->msg != NULL ? stream->msg : "gzip is damaged") == 0;
}

static bool step_zstd(struct zv_unpacker *unpacker, void *to, size_t size, size_t *got)
{
    ZSTD_inBuffer in = {unpacker->input.at, unpacker->input.length, 0};
    ZSTD_outBuffer out = {to, size, 0};
    const size_t code = ZSTD_decompressStream(unpacker->state, &out, &in);
    take(unpacker, in.pos);
    *got = out.pos;
    if (ZSTD_isError(code)) {
        if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) {
            (void)zv_fail_memory(&unpacker->err, "a decompressor");
            return false;
        }
        return fail(unpacker, ZSTD_getErrorName(code)) == 0;
    }
    unpacker->inside = code != 0;
    if (code != 0 && in.pos == 0 && out.pos == 0) {
        return fail(unpacker, "truncated zstd") == 0;
    }
    return true;
}

ptrdiff_t zv_unpack_read(void *source, unsigned char *to, size_t size)
{
    struct zv_unpacker *const unpacker = source;
    if (unpacker->packing == ZV_PACKED_NOT) {
        return zv_read_slice(&unpacker->input, to, size);
    }
    if (unpacker->err.status != ZV_OK) {
        return -1;
    }
    size_t got = 0;
    while (got == 0 && unpacker->state != NULL &&
           (unpacker->input.length != 0 || unpacker->inside)) {
        const bool fine = unpacker->packing == ZV_PACKED_GZIP ? step_gzip(unpacker, to, size, &got)
                                                              : step_zstd(unpacker, to, size, &got);
        if (!fine) {
            return -1;
        }
    }
    return (ptrdiff_t)got;
}

enum zv_status zv_unpack_all(struct zv_slice input, struct zv_buffer *to, struct zv_error *err)
{
    struct zv_unpacker unpacker;
    enum zv_status status = zv_unpack_open(&unpacker, input, err);
    while (status == ZV_OK) {
        if (to->limit - to->size < READ_STEP) {
            status = zv_fail(err, ZV_E_LIMIT, "more than %zu bytes come out of a compressed file",
                             to->limit - READ_STEP);
            break;
        }
        char *const room = zv_buffer_reserve(to, READ_STEP);
        if (room == NULL) {
            status = zv_fail_memory(err, "a decompressed file");
            break;
        }
        const ptrdiff_t got = zv_unpack_read(&unpacker, (unsigned char *)room, READ_STEP);
        if (got < 0) {
            status = unpacker.err.status;
            if (err != NULL && err->status == ZV_OK) {
                *err = unpacker.err;
            }
        }
        if (got <= 0) {
            break;
        }
        to->size += (size_t)got;
    }
    zv_unpack_close(&unpacker);
    return status;
}
