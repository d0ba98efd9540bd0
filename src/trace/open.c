#include "trace/open.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "format/unpack.h"
#include "trace/op_list.h"
#include "trace/profiler.h"
#include "trace/snapshot.h"

enum { PEEK = 64 };

/* The first bytes of what comes out of a compressed file. */
static size_t peek(struct zv_slice input, unsigned char to[PEEK])
{
    struct zv_unpacker unpacker;
    size_t size = 0;
    if (zv_unpack_open(&unpacker, input, NULL) == ZV_OK) {
        ptrdiff_t got = 1;
        while (size < PEEK && got > 0) {
            got = zv_unpack_read(&unpacker, to + size, PEEK - size);
            size += got > 0 ? (size_t)got : 0;
        }
    }
    zv_unpack_close(&unpacker);
    return size;
}

static size_t skip_space(const unsigned char *head, size_t size, size_t at)
{
    while (at < size &&
           (head[at] == ' ' || head[at] == '\n' || head[at] == '\r' || head[at] == '\t')) {
        at++;
    }
    return at;
}

/* An object, or an array of containers, empty or cut off; "[rank0]: ..." and "{'loss': 1}" are
 * text. */
static bool is_json(const unsigned char *head, size_t size)
{
    const size_t at = skip_space(head, size, 0);
    const size_t next = skip_space(head, size, at + 1);
    if (at == size || (head[at] != '{' && head[at] != '[')) {
        return false;
    }
    const char *const begins = head[at] == '{' ? "\"}" : "{[]";
    return next == size || (head[next] != 0 && strchr(begins, head[next]) != NULL);
}

/* "(dp0" or "(lp0", and "}q" or "]q" before a number: pickles of protocols 0 and 1. */
static bool is_old_pickle(const unsigned char *head, size_t size)
{
    return size >= 4 && ((head[0] == '(' && (head[1] == 'd' || head[1] == 'l') && head[2] == 'p') ||
                         ((head[0] == '}' || head[0] == ']') && head[1] == 'q' && head[2] == 0));
}

static enum zv_status open_snapshot(struct zv_trace *trace, struct zv_slice input,
                                    struct zv_error *err)
{
    if (zv_packing_of(input) == ZV_PACKED_NOT) {
        return zv_snapshot_read(trace, input, err);
    }
    struct zv_buffer plain = {.limit = ZV_TRACE_MAX_UNPACKED};
    enum zv_status status = zv_unpack_all(input, &plain, err);
    if (status == ZV_OK) {
        status = zv_snapshot_read(trace, (struct zv_slice){plain.data, plain.size}, err);
    }
    zv_buffer_free(&plain);
    return status;
}

static enum zv_status open_capture(struct zv_trace *trace, struct zv_slice input,
                                   struct zv_capture_range range, size_t *first,
                                   struct zv_error *err)
{
    if (zv_packing_of(input) == ZV_PACKED_NOT) {
        return zv_capture_read(trace, input, range, first, err);
    }
    struct zv_buffer plain = {.limit = ZV_TRACE_MAX_UNPACKED};
    enum zv_status status = zv_unpack_all(input, &plain, err);
    if (status == ZV_OK) {
        const struct zv_slice text = {plain.data, plain.size};
        status = zv_capture_read(trace, text, range, first, err);
    }
    zv_buffer_free(&plain);
    return status;
}

enum zv_status zv_trace_open(struct zv_trace *trace, struct zv_slice input,
                             struct zv_capture_range range, size_t *first, struct zv_error *err)
{
    unsigned char head[PEEK];
    const size_t size = peek(input, head);
    *first = 0;
    if (zv_capture_is((struct zv_slice){(const char *)head, size})) {
        return open_capture(trace, input, range, first, err);
    }
    if (size != 0 && head[0] == 0x80) {
        return open_snapshot(trace, input, err);
    }
    if (is_json(head, size)) {
        return zv_profiler_read(trace, input, err);
    }
    if (is_old_pickle(head, size)) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a pickle of protocol 0 or 1: expected 2 to 5, as PyTorch writes them");
    }
    if (size >= 4 && memcmp(head, "PK\3\4", 4) == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a zip archive, as torch.save writes: expected a memory snapshot, which "
                       "pickle.dump or _dump_snapshot writes");
    }
    return zv_fail(err, ZV_E_UNSUPPORTED,
                   "neither a memory snapshot (pickle) nor a profiler trace (JSON)");
}

bool zv_trace_is(struct zv_slice input)
{
    unsigned char head[PEEK];
    const size_t size = peek(input, head);
    return size != 0 &&
           (head[0] == 0x80 || zv_capture_is((struct zv_slice){(const char *)head, size}) ||
            is_json(head, size) || is_old_pickle(head, size) ||
            (size >= 4 && memcmp(head, "PK\3\4", 4) == 0));
}

enum zv_status zv_trace_or_ops(struct zv_slice input, const char *also, bool *is_ops,
                               struct zv_error *err)
{
    struct zv_op_reader reader;
    struct zv_op op;
    struct zv_error own = {0};
    bool more;
    *is_ops = !zv_trace_is(input);
    zv_op_reader_open(&reader, input);
    if (!*is_ops || zv_op_read(&reader, &op, &more, &own) == ZV_OK) {
        return ZV_OK;
    }
    return zv_fail(err, own.status,
                   "neither %sa memory snapshot, a capture, a profiler trace, a memory timeline "
                   "nor an op list: line %" PRIu64 ": %s",
                   also, own.line, own.text);
}
