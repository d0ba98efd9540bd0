#include "support/step_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "format/unpack.h"
#include "support/test.h"

enum { PATH = 4096, LIMIT_BYTES = 64 << 20 };

static void path_in(char path[PATH], const char *folder, const char *file)
{
    const char *const source = getenv("ZIRVE_SOURCE_DIR"); /* NOLINT(concurrency-mt-unsafe) */
    (void)snprintf(path, PATH, "%s/tests/data/steps/%s%s", source != NULL ? source : ".", folder,
                   file);
}

void step_rows_use(const char *folder)
{
    char path[PATH];
    path_in(path, folder, "");
    (void)setenv("XDG_CONFIG_HOME", path, 1); /* NOLINT(concurrency-mt-unsafe) */
}

size_t step_rows_each(const char *folder, const char *file, void (*check)(struct zv_slice line))
{
    char path[PATH];
    struct zv_error err = {0};
    struct zv_file table;
    path_in(path, folder, file);
    assert_int_equal(zv_file_open(&table, path, &err), ZV_OK);
    struct zv_buffer text = {.limit = LIMIT_BYTES};
    assert_int_equal(zv_unpack_all(zv_file_slice(&table), &text, &err), ZV_OK);
    struct zv_slice rest = {text.data, text.size};
    size_t rows = 0;
    while (rest.length != 0) {
        const struct zv_slice line = zv_slice_cut(&rest, '\n');
        if (line.length != 0 && line.at[0] != '#') {
            check(line);
            rows++;
        }
    }
    zv_buffer_free(&text);
    zv_file_close(&table);
    return rows;
}
