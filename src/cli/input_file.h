/* A file that is a record or a text, perhaps compressed. */
#ifndef ZIRVE_CLI_INPUT_FILE_H
#define ZIRVE_CLI_INPUT_FILE_H

#include "base/file.h"
#include "zirve/error.h"

/*
 * As zv_file_open, but what is compressed and holds no record (a log, an op list) is unpacked;
 * readers of records unpack by themselves, as they go. Close with zv_file_close; after a failure
 * there is nothing to close.
 */
enum zv_status input_file_open(struct zv_file *file, const char *path, struct zv_error *err);

/* What looked like a record and is none: a log of {...} lines, say. Unpacked, or as it is. */
void input_file_unpack(struct zv_file *file);

#endif
