#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/model_reader.h"

enum { FOLDER_LIMIT = 20000 }; /* entries */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool keep_names(struct model_reader *reader, struct dirent *const *entries, int count,
                       struct model_listing *to)
{
    to->at = zv_arena_array(reader->arena, (size_t)count, sizeof(char *));
    if (to->at == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const char *const name = entries[i]->d_name;
        to->at[i] = zv_arena_copy(reader->arena, name, strlen(name));
        if (to->at[i] == NULL) {
            return false;
        }
        to->count++;
    }
    return true;
}

enum zv_status model_list(struct model_reader *reader, const char *folder, struct model_listing *to,
                          struct zv_error *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, visible, by_name);
    enum zv_status status = ZV_OK;
    *to = (struct model_listing){0};
    if (count < 0) {
        status = zv_fail(err, ZV_E_IO, "the folder cannot be listed");
    } else if (count > FOLDER_LIMIT) {
        status = zv_fail(err, ZV_E_LIMIT, "a folder of more than %d files", FOLDER_LIMIT);
    } else if (!keep_names(reader, entries, count, to)) {
        status = zv_fail_memory(err, "a folder");
    }
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, folder);
}

bool model_listing_has(const struct model_listing *listing, const char *name)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->at[i], name) == 0) {
            return true;
        }
    }
    return false;
}

const char *model_listing_ending(const struct model_listing *listing, const char *end,
                                 const char *but)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct zv_slice name = zv_slice_of(listing->at[i]);
        if (zv_slice_ends(name, end) && !zv_slice_starts(name, but)) {
            return listing->at[i];
        }
    }
    return NULL;
}
