/* The rows of a recorded table below tests/data/steps, for a test of the step engine. */
#ifndef ZIRVE_TESTS_STEP_ROWS_H
#define ZIRVE_TESTS_STEP_ROWS_H

#include <stddef.h>

#include "base/slice.h"

/* Families and programs beside a table, in FOLDER/zirve, are looked at before the project's own. */
void step_rows_use(const char *folder);

/* The columns of a recorded training step of a transformers model (tests/tooling/step_saved.py). */
enum row_column {
    ROW_CONFIG,
    ROW_CLASS,
    ROW_BATCH,
    ROW_TOKENS, /* "-": a sample has no length */
    ROW_WEIGHTS,
    ROW_AUTOCAST,
    ROW_ATTENTION,
    ROW_MORE, /* "nocache+one", "nocache+reentrant": a cache, experts, checkpointing */
    ROW_COLUMNS
};

/* Cuts a line into count cells. */
void step_rows_cells(struct zv_slice line, struct zv_slice *cell, size_t count);

enum { ROW_TEXT = 320 };

/* What a row runs: its config below the source folder, and settings. */
void step_rows_case(const struct zv_slice cell[ROW_COLUMNS], char config[ROW_TEXT],
                    char settings[ROW_TEXT]);

/* Calls check for every line of FOLDER/FILE that is no comment; how many there were. */
size_t step_rows_each(const char *folder, const char *file, void (*check)(struct zv_slice line));

#endif
