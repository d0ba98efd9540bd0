#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"
#include "base/file.h"
#include "model/family.h"

enum { USER_FILES_LIMIT = 256 };

static bool equal(struct zv_slice a, struct zv_slice b)
{
    return a.length != 0 && zv_slice_same(a, b);
}

/* Whether a table's head has a line that starts with word and names what. */
static bool serves(struct zv_slice text, const char *word, struct zv_slice what)
{
    struct zv_slice line;
    size_t sections = 0;
    while (zv_slice_line(&text, &line)) {
        sections += line.length != 0 && line.at[0] == '[';
        if (sections > 1) {
            break;
        }
        struct zv_slice name;
        if (!zv_slice_word(&line, &name) || !zv_slice_equal(name, word)) {
            continue;
        }
        while (zv_slice_word(&line, &name)) {
            if (equal(name, what)) {
                return true;
            }
        }
    }
    return false;
}

/* 3: the model_type is served; 2: it is the table's name; 1: the class is served; 0: no. */
static int fit(struct zv_slice text, struct zv_slice model_type, struct zv_slice class_name)
{
    if (serves(text, "model_type", model_type)) {
        return 3;
    }
    if (serves(text, "name", model_type)) {
        return 2;
    }
    return serves(text, "class", class_name) ? 1 : 0;
}

struct search {
    struct zv_slice model_type;
    struct zv_slice class_name;
    struct zv_slice gguf; /* instead of the other two */
    int best;
    struct family_source *source;
};

static int rank_of(const struct search *search, struct zv_slice text)
{
    return search->gguf.length != 0 ? serves(text, "gguf", search->gguf)
                                    : fit(text, search->model_type, search->class_name);
}

static void consider(struct search *search, struct zv_slice file, struct zv_slice text)
{
    const int rank = rank_of(search, text);
    if (rank > search->best) {
        search->best = rank;
        *search->source = (struct family_source){file, text};
    }
}

static enum zv_status read_user_file(struct search *search, const char *path,
                                     struct zv_arena *arena, struct zv_error *err)
{
    struct zv_file file;
    enum zv_status status = zv_file_open_found(&file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    if (file.size > FAMILY_MAX_BYTES) {
        status = zv_fail(err, ZV_E_LIMIT, "a family table of more than %d bytes", FAMILY_MAX_BYTES);
        (void)zv_fail_where(err, path);
    } else if (rank_of(search, zv_file_slice(&file)) > search->best) {
        const char *const text = zv_arena_copy(arena, (const char *)file.data, file.size);
        const char *const name = zv_arena_copy(arena, path, strlen(path));
        if (text == NULL || name == NULL) {
            status = zv_fail_memory(err, "a family table");
        } else {
            consider(search, zv_slice_of(name), (struct zv_slice){text, file.size});
        }
    }
    zv_file_close(&file);
    return status;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_table(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && zv_slice_ends(zv_slice_of(entry->d_name), ".family");
}

static bool user_folder(char *path, size_t size)
{
    const char *const config = getenv("XDG_CONFIG_HOME"); /* NOLINT(concurrency-mt-unsafe) */
    const char *const home = getenv("HOME");              /* NOLINT(concurrency-mt-unsafe) */
    int length = -1;
    if (config != NULL && config[0] == '/') {
        length = snprintf(path, size, "%s/zirve/families", config);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, size, "%s/.config/zirve/families", home);
    }
    return length > 0 && (size_t)length < size;
}

static enum zv_status search_user(struct search *search, struct zv_arena *arena,
                                  struct zv_error *err)
{
    char folder[3072];
    struct dirent **entries = NULL;
    const int count =
        user_folder(folder, sizeof folder) ? scandir(folder, &entries, is_table, by_name) : -1;
    enum zv_status status = ZV_OK;
    for (int i = 0; i < count; i++) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == ZV_OK && i < USER_FILES_LIMIT && length > 0 && (size_t)length < sizeof path) {
            status = read_user_file(search, path, arena, err);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum zv_status run(struct search *search, struct zv_arena *arena, struct zv_error *err)
{
    *search->source = (struct family_source){0};
    const enum zv_status status = search_user(search, arena, err);
    for (size_t i = 0; status == ZV_OK && i < zv_data_file_count; i++) {
        const struct zv_data_file *const file = &zv_data_files[i];
        const struct zv_slice name = zv_slice_of(file->name);
        if (zv_slice_starts(name, "families/")) {
            consider(search, name, (struct zv_slice){(const char *)file->bytes, file->size});
        }
    }
    return status;
}

enum zv_status family_find(struct family_source *source, struct zv_slice model_type,
                           struct zv_slice class_name, struct zv_arena *arena, struct zv_error *err)
{
    struct search search = {.model_type = model_type, .class_name = class_name, .source = source};
    return run(&search, arena, err);
}

enum zv_status family_find_gguf(struct family_source *source, struct zv_slice architecture,
                                struct zv_arena *arena, struct zv_error *err)
{
    struct search search = {.gguf = architecture, .source = source};
    return run(&search, arena, err);
}
