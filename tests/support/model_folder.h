/* A sparse model's folder (sparse_model.h) that a test changes and opens. */
#ifndef ZIRVE_TESTS_MODEL_FOLDER_H
#define ZIRVE_TESTS_MODEL_FOLDER_H

#include "model/model.h"
#include "support/sparse_model.h"

struct model_folder {
    char folder[SPARSE_MODEL_PATH];
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

void model_folder_make(struct model_folder *opened, const char *name);
void model_folder_done(struct model_folder *opened);

/* Opens the model at a path in the folder, "." for the folder itself. */
enum zv_status model_folder_open(struct model_folder *opened, const char *file);

/* Takes a file away, and writes a new one. */
void model_folder_drop(struct model_folder *opened, const char *file);
void model_folder_put(struct model_folder *opened, const char *file, const char *text);

#endif
