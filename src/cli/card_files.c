#include "cli/card_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"

/* "" when neither variable is set. */
static void user_path(char *to, size_t size, const char *name)
{
    const char *const config = getenv("XDG_CONFIG_HOME"); /* NOLINT(concurrency-mt-unsafe) */
    const char *const home = getenv("HOME");              /* NOLINT(concurrency-mt-unsafe) */
    to[0] = 0;
    if (config != NULL && config[0] != 0) {
        (void)snprintf(to, size, "%s/zirve/%s", config, name);
    } else if (home != NULL && home[0] != 0) {
        (void)snprintf(to, size, "%s/.config/zirve/%s", home, name);
    }
}

static enum zv_status open_if_there(struct zv_file *file, const char *path, struct zv_error *err)
{
    return path[0] != 0 && access(path, F_OK) == 0 ? zv_file_open_found(file, path, err) : ZV_OK;
}

enum zv_status card_files_open(struct card_files *files, struct zv_arena *arena,
                               struct zv_error *err)
{
    char cards[4096];
    char readings[4096];
    *files = (struct card_files){0};
    user_path(cards, sizeof cards, "cards.tsv");
    user_path(readings, sizeof readings, "card_readings.tsv");
    enum zv_status status = open_if_there(&files->cards, cards, err);
    if (status == ZV_OK) {
        status = open_if_there(&files->readings, readings, err);
    }
    if (status == ZV_OK) {
        status = zv_card_table_load(&files->table, zv_file_slice(&files->cards),
                                    zv_file_slice(&files->readings), arena, err);
        if (status != ZV_OK) { /* the built-in table is ours; only a user's file can be wrong */
            (void)zv_fail_where(err, files->cards.data != NULL ? cards : readings);
        }
    }
    return status;
}

void card_files_close(struct card_files *files)
{
    if (files->cards.data != NULL) {
        zv_file_close(&files->cards);
    }
    if (files->readings.data != NULL) {
        zv_file_close(&files->readings);
    }
}
