#include "base/data.h"

#include <string.h>

struct zv_slice zv_data_find(const char *name)
{
    for (size_t i = 0; i < zv_data_file_count; i++) {
        if (strcmp(zv_data_files[i].name, name) == 0) {
            return (struct zv_slice){(const char *)zv_data_files[i].bytes, zv_data_files[i].size};
        }
    }
    return (struct zv_slice){0};
}
