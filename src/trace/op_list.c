#include "trace/op_list.h"

#include "base/fail.h"
#include "zirve/allocator.h"

void zv_op_reader_open(struct zv_op_reader *reader, struct zv_slice text)
{
    *reader = (struct zv_op_reader){.rest = text};
}

static enum zv_status read_number(struct zv_slice *rest, uint64_t line, const char *what,
                                  uint64_t *to, struct zv_error *err)
{
    struct zv_slice word;
    if (!zv_slice_word(rest, &word)) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "%s is missing", what);
    }
    if (!zv_slice_u64(word, to)) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "%s is no number below 2^64: %.*s", what,
                            (int)(word.length < 64 ? word.length : 64), word.at);
    }
    return ZV_OK;
}

static enum zv_status read_stream(struct zv_slice *rest, uint64_t line, uint64_t *to,
                                  struct zv_error *err)
{
    const enum zv_status status = read_number(rest, line, "the stream", to, err);
    if (status == ZV_OK && *to > ZV_OP_MAX_STREAM) {
        return zv_fail_line(err, ZV_E_LIMIT, line, "a stream above %llu",
                            (unsigned long long)ZV_OP_MAX_STREAM);
    }
    return status;
}

static enum zv_status read_bytes(struct zv_slice *rest, uint64_t line, uint64_t *to,
                                 struct zv_error *err)
{
    const enum zv_status status = read_number(rest, line, "the number of bytes", to, err);
    if (status == ZV_OK && *to > ZV_OP_MAX_BYTES) {
        return zv_fail_line(err, ZV_E_LIMIT, line, "a request of more than 2^48 bytes");
    }
    return status;
}

static enum zv_status read_optional_stream(struct zv_slice *rest, uint64_t line, uint64_t *to,
                                           struct zv_error *err)
{
    struct zv_slice look = *rest;
    struct zv_slice word;
    if (!zv_slice_word(&look, &word)) {
        *to = ZV_OP_ALL_STREAMS;
        return ZV_OK;
    }
    return read_stream(rest, line, to, err);
}

static enum zv_status read_fraction(struct zv_slice *rest, uint64_t line, double *to,
                                    struct zv_error *err)
{
    struct zv_slice word;
    if (!zv_slice_word(rest, &word) || !zv_slice_double(word, to) || !(*to >= 0 && *to <= 1)) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "a fraction must be a number from 0 to 1");
    }
    return ZV_OK;
}

static enum zv_status read_pool_flags(struct zv_slice *rest, uint64_t line, unsigned *to,
                                      struct zv_error *err)
{
    struct zv_slice word;
    while (zv_slice_word(rest, &word)) {
        if (zv_slice_equal(word, "use_on_oom")) {
            *to |= ZV_POOL_USE_ON_OOM;
        } else if (zv_slice_equal(word, "no_split")) {
            *to |= ZV_POOL_NO_SPLIT;
        } else {
            return zv_fail_line(err, ZV_E_SYNTAX, line,
                                "a pool may be use_on_oom and no_split, nothing else");
        }
    }
    return ZV_OK;
}

static enum zv_status read_capture(struct zv_slice *rest, uint64_t line, bool *to,
                                   struct zv_error *err)
{
    uint64_t value = 0;
    const enum zv_status status = read_number(rest, line, "0 or 1", &value, err);
    if (status == ZV_OK && value > 1) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "a capture is 0 or 1");
    }
    *to = value == 1;
    return status;
}

struct shape {
    char letter;
    enum zv_op_kind kind;
    const char *id; /* what the first number is, NULL when there is none */
};

static const struct shape shapes[] = {
    {'a', ZV_OP_ALLOCATE, "the id"},      {'f', ZV_OP_FREE, "the id"},
    {'s', ZV_OP_RECORD_STREAM, "the id"}, {'y', ZV_OP_FINISH, NULL},
    {'e', ZV_OP_EMPTY_CACHE, NULL},       {'r', ZV_OP_RESET_PEAKS, NULL},
    {'F', ZV_OP_SET_FRACTION, NULL},      {'C', ZV_OP_SET_CONF, NULL},
    {'p', ZV_OP_POOL_RETAIN, "the pool"}, {'q', ZV_OP_POOL_RELEASE, "the pool"},
    {'b', ZV_OP_POOL_BEGIN, "the pool"},  {'n', ZV_OP_POOL_END, "the pool"},
    {'E', ZV_OP_POOL_EMPTY, "the pool"},  {'c', ZV_OP_CAPTURE, NULL},
};

static const struct shape *find_shape(struct zv_slice word)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (word.length == 1 && word.at[0] == shapes[i].letter) {
            return &shapes[i];
        }
    }
    return NULL;
}

/* What follows the letter and the id. */
static enum zv_status read_rest(struct zv_slice *rest, uint64_t line, struct zv_op *op,
                                struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    switch (op->kind) {
    case ZV_OP_ALLOCATE:
        status = read_bytes(rest, line, &op->bytes, err);
        return status == ZV_OK ? read_stream(rest, line, &op->stream, err) : status;
    case ZV_OP_RECORD_STREAM:
        return read_stream(rest, line, &op->stream, err);
    case ZV_OP_FINISH:
    case ZV_OP_POOL_BEGIN:
        return read_optional_stream(rest, line, &op->stream, err);
    case ZV_OP_SET_FRACTION:
        return read_fraction(rest, line, &op->fraction, err);
    case ZV_OP_SET_CONF:
        op->conf = zv_slice_trim(*rest);
        rest->length = 0;
        return ZV_OK;
    case ZV_OP_POOL_RETAIN:
        return read_pool_flags(rest, line, &op->pool_flags, err);
    case ZV_OP_CAPTURE:
        return read_capture(rest, line, &op->capturing, err);
    case ZV_OP_FREE:
    case ZV_OP_EMPTY_CACHE:
    case ZV_OP_RESET_PEAKS:
    case ZV_OP_POOL_RELEASE:
    case ZV_OP_POOL_END:
    case ZV_OP_POOL_EMPTY:
        break;
    }
    return status;
}

static enum zv_status read_line(struct zv_slice text, uint64_t line, struct zv_op *op,
                                struct zv_error *err)
{
    struct zv_slice word;
    (void)zv_slice_word(&text, &word);
    const struct shape *const shape = find_shape(word);
    if (shape == NULL) {
        return zv_fail_line(err, ZV_E_SYNTAX, line,
                            "no operation: %.*s (expected one of a f s y e r F C p q b n E c)",
                            (int)(word.length < 64 ? word.length : 64), word.at);
    }
    *op = (struct zv_op){.kind = shape->kind};
    enum zv_status status = ZV_OK;
    if (shape->id != NULL) {
        status = read_number(&text, line, shape->id, &op->id, err);
    }
    if (status == ZV_OK) {
        status = read_rest(&text, line, op, err);
    }
    if (status == ZV_OK && zv_slice_trim(text).length != 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "more words than '%c' takes", shape->letter);
    }
    return status;
}

enum zv_status zv_op_read(struct zv_op_reader *reader, struct zv_op *op, bool *more,
                          struct zv_error *err)
{
    struct zv_slice line;
    while (zv_slice_line(&reader->rest, &line)) {
        reader->line++;
        const struct zv_slice trimmed = zv_slice_trim(line);
        if (trimmed.length != 0 && trimmed.at[0] != '#') {
            *more = true;
            return read_line(trimmed, reader->line, op, err);
        }
    }
    *more = false;
    return ZV_OK;
}

bool zv_ops_are(struct zv_slice text)
{
    struct zv_op_reader reader;
    struct zv_op op;
    bool more = false;
    zv_op_reader_open(&reader, text);
    return zv_op_read(&reader, &op, &more, NULL) == ZV_OK && more;
}
