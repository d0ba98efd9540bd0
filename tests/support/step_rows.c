#include "support/step_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void step_rows_cells(struct zv_slice line, struct zv_slice *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cell[i] = zv_slice_cut(&line, '\t');
    }
}

static void add(char settings[ROW_TEXT], const char *name, struct zv_slice value)
{
    const size_t length = strlen(settings);
    const int more = snprintf(settings + length, ROW_TEXT - length, "%s%s=%.*s",
                              length != 0 ? " " : "", name, (int)value.length, value.at);
    assert_true(more > 0 && length + (size_t)more < ROW_TEXT);
}

/* "lora:q_proj,v_proj", "lora-drop:all-linear" */
static void add_adapters(char settings[ROW_TEXT], struct zv_slice word)
{
    const struct zv_slice how = zv_slice_cut(&word, ':');
    add(settings, "full", zv_slice_of("false"));
    add(settings, "targets", word);
    if (zv_slice_equal(how, "lora-drop")) {
        add(settings, "dropout", zv_slice_of("0.1"));
    }
}

/* Whether there is a cache, how experts are used, how layers are run again, what is adapted. */
static void add_more(char settings[ROW_TEXT], struct zv_slice more)
{
    const struct zv_slice cache = zv_slice_cut(&more, '+');
    add(settings, "use_cache", zv_slice_of(zv_slice_equal(cache, "cache") ? "true" : "false"));
    while (more.length != 0) {
        const struct zv_slice word = zv_slice_cut(&more, '+');
        const bool reentrant = zv_slice_equal(word, "reentrant");
        if (zv_slice_starts(word, "lora")) {
            add_adapters(settings, word);
        } else if (zv_slice_equal(word, "one") || zv_slice_equal(word, "balanced")) {
            add(settings, "routing", word);
        } else if (reentrant || zv_slice_equal(word, "full")) {
            add(settings, "checkpoint", zv_slice_of("true"));
            add(settings, "reentrant", zv_slice_of(reentrant ? "true" : "false"));
        } else {
            add(settings, "checkpoint", zv_slice_of("selective"));
            add(settings, "selective",
                zv_slice_equal(word, "pointwise") ? zv_slice_of("silu,gelu,mul,dropout") : word);
        }
    }
}

void step_rows_case(const struct zv_slice cell[ROW_COLUMNS], char config[ROW_TEXT],
                    char settings[ROW_TEXT])
{
    (void)snprintf(config, ROW_TEXT, "tests/data/steps/saved/%.*s.json",
                   (int)cell[ROW_CONFIG].length, cell[ROW_CONFIG].at);
    settings[0] = 0;
    add(settings, "batch", cell[ROW_BATCH]);
    if (!zv_slice_equal(cell[ROW_TOKENS], "-")) {
        add(settings, "tokens", cell[ROW_TOKENS]);
    }
    add(settings, "weights", cell[ROW_WEIGHTS]);
    add(settings, "autocast", cell[ROW_AUTOCAST]);
    add(settings, "attention", cell[ROW_ATTENTION]);
    add_more(settings, cell[ROW_MORE]);
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
