/* The built-in card table together with the user's own files below $XDG_CONFIG_HOME/zirve. */
#ifndef ZIRVE_CLI_CARD_FILES_H
#define ZIRVE_CLI_CARD_FILES_H

#include "base/file.h"
#include "card/card.h"

struct card_files {
    struct zv_card_table table;
    struct zv_file cards;
    struct zv_file readings;
};

/* Missing user files are no error. Close with card_files_close, also after a failure. */
enum zv_status card_files_open(struct card_files *files, struct zv_arena *arena,
                               struct zv_error *err);
void card_files_close(struct card_files *files);

#endif
