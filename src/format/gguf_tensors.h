/* The tensor infos of a GGUF header and where their data lies; part of format/gguf. */
#ifndef ZIRVE_FORMAT_GGUF_TENSORS_H
#define ZIRVE_FORMAT_GGUF_TENSORS_H

#include "format/gguf.h"
#include "format/gguf_header.h"
#include "zirve/error.h"

/* The least bytes that an info takes: a name, dims, type, offset. */
enum { GGUF_LEAST_TENSOR = 8 + 4 + 4 + 8 };

/*
 * Takes one info off the front. data_offset counts from the start of the data, and the bytes of a
 * tensor of unknown type are 0, until gguf_place_tensors. *complete is false when it is cut off.
 */
enum zv_status gguf_take_tensor(struct gguf_cursor *cursor, struct zv_gguf_tensor *tensor,
                                bool *complete, struct zv_error *err);

/*
 * Moves the offsets to the file and checks them: aligned, within file_bytes, no two overlap.
 * Sets file->data_end. tensors is the array of file.
 */
enum zv_status gguf_place_tensors(struct zv_gguf *file, struct zv_gguf_tensor *tensors,
                                  uint64_t file_bytes, struct zv_error *err);

#endif
