/*
 * Pickle writer: protocol 4 onto a sink, with the few opcodes that PyTorch's own files have, so
 * that every reader of those reads these.
 *
 * The caller says what is shared: put() puts the value that was written last aside and returns its
 * number; get() refers to it. Containers are opened with begin and closed with end, in order.
 */
#ifndef ZIRVE_FORMAT_PICKLE_WRITER_H
#define ZIRVE_FORMAT_PICKLE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/stream.h"

/* Zero-initialise, set sink. */
struct zv_pickle_writer {
    struct zv_sink *sink;
    uint32_t memo_count; /* values put aside */
};

void zv_pickle_begin(struct zv_pickle_writer *writer);  /* the protocol */
void zv_pickle_finish(struct zv_pickle_writer *writer); /* the end */

/* An empty container; items follow between open and close. */
void zv_pickle_write_list(struct zv_pickle_writer *writer);
void zv_pickle_write_dict(struct zv_pickle_writer *writer);
void zv_pickle_open(struct zv_pickle_writer *writer);
void zv_pickle_close_list(struct zv_pickle_writer *writer);
void zv_pickle_close_dict(struct zv_pickle_writer *writer);

void zv_pickle_write_text(struct zv_pickle_writer *writer, struct zv_slice text);
void zv_pickle_write_u64(struct zv_pickle_writer *writer, uint64_t value);
void zv_pickle_write_i64(struct zv_pickle_writer *writer, int64_t value);
void zv_pickle_write_double(struct zv_pickle_writer *writer, double value);
void zv_pickle_write_bool(struct zv_pickle_writer *writer, bool value);
void zv_pickle_write_pair(struct zv_pickle_writer *writer); /* of the two values written last */

uint32_t zv_pickle_put(struct zv_pickle_writer *writer);
void zv_pickle_get(struct zv_pickle_writer *writer, uint32_t number);

#endif
