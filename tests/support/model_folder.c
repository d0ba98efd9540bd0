#include "support/model_folder.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "support/test.h"

void model_folder_make(struct model_folder *opened, const char *name)
{
    *opened = (struct model_folder){0};
    assert_true(sparse_model_make(name, opened->folder));
}

enum zv_status model_folder_open(struct model_folder *opened, const char *file)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    return zv_model_open(&opened->model, &opened->files, path, &opened->arena, &opened->err);
}

void model_folder_drop(struct model_folder *opened, const char *file)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    assert_int_equal(unlink(path), 0);
}

void model_folder_put(struct model_folder *opened, const char *file, const char *text)
{
    char path[2 * SPARSE_MODEL_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", opened->folder, file);
    assert_int_equal(zv_file_create(path, zv_slice_of(text), NULL), ZV_OK);
}

void model_folder_done(struct model_folder *opened)
{
    zv_model_close(opened->files);
    zv_arena_free(&opened->arena);
    sparse_model_remove(opened->folder);
}
