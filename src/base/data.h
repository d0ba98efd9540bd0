/* The files of data/, compiled in. */
#ifndef ZIRVE_BASE_DATA_H
#define ZIRVE_BASE_DATA_H

#include <stddef.h>

#include "base/slice.h"

struct zv_data_file {
    const char *name; /* below data/, as "cards.tsv" */
    const unsigned char *bytes;
    size_t size;
};

/* Generated at build time by tools/embed.c. */
extern const struct zv_data_file zv_data_files[];
extern const size_t zv_data_file_count;

/* The built-in file of this name; empty when there is none. */
struct zv_slice zv_data_find(const char *name);

#endif
