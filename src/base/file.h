/*
 * Files: read-only views for input, and results that appear whole or not at all.
 *
 * A regular file is mapped, so that only the pages looked at are read: the header of a 400 GB model
 * costs milliseconds. Anything else (a pipe, "-" for standard input) is read into memory up to a
 * limit. A mapped file must not be shortened while it is open.
 */
#ifndef ZIRVE_BASE_FILE_H
#define ZIRVE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/error.h"

struct zv_file {
    const unsigned char *data; /* size bytes; never NULL after a successful open */
    size_t size;
    bool mapped;
};

enum { ZV_FILE_PIPE_LIMIT = 256 * 1024 * 1024 }; /* bytes read from what cannot be mapped */

/* Opens path ("-" is standard input). Errors: ZV_E_IO, ZV_E_LIMIT, ZV_E_NOMEM, with where = path.
 */
enum zv_status zv_file_open(struct zv_file *file, const char *path, struct zv_error *err);

/* The same of a file that nobody named: one that a folder or another file leads to. Only a regular
 * file will do (ZV_E_IO otherwise): a pipe there could keep us waiting for ever. */
enum zv_status zv_file_open_found(struct zv_file *file, const char *path, struct zv_error *err);

void zv_file_close(struct zv_file *file);
struct zv_slice zv_file_slice(const struct zv_file *file);

/*
 * Writes data to path by way of a temporary name in the same folder. Never overwrites: ZV_E_EXISTS
 * when path is there already. On failure nothing is left behind.
 */
enum zv_status zv_file_create(const char *path, struct zv_slice data, struct zv_error *err);

/*
 * The same, in place of the regular file that is there: a reader sees the old one or the new one,
 * both whole. A device, a pipe or a folder is not replaced: ZV_E_IO.
 */
enum zv_status zv_file_replace(const char *path, struct zv_slice data, struct zv_error *err);

#endif
