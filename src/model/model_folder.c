#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "model/model_index.h"
#include "model/model_reader.h"

/* ---- weights ---- */

/* Files to read, in order. */
struct paths {
    const char **at;
    size_t count;
};

static enum zv_status finish_tensors(struct model_reader *reader, const struct paths *paths,
                                     struct zv_error *err)
{
    struct model_tensors tensors;
    enum zv_status status = model_read_safetensors(reader, paths->at, paths->count, &tensors, err);
    if (status == ZV_OK) {
        status = model_unpack(reader, &tensors, err);
    }
    return status == ZV_OK ? model_take_tensors(reader, &tensors, err) : status;
}

/* The shards that the index names, each once. */
static enum zv_status shards_of(struct model_reader *reader, const char *folder,
                                const struct model_index *index, struct paths *to,
                                struct zv_error *err)
{
    const struct zv_strmap *const names = &index->shards;
    to->at = zv_arena_array(reader->arena, names->count, sizeof *to->at);
    to->count = 0;
    for (size_t i = 0; to->at != NULL && i < names->count; i++) {
        to->at[to->count] = model_path(reader, folder, names->entries[i].key);
        to->count += to->at[to->count] != NULL;
    }
    return to->count == names->count ? ZV_OK : zv_fail_memory(err, "shard names");
}

static enum zv_status check_shards(const struct paths *paths, struct zv_error *err)
{
    size_t missing = 0;
    const char *first = NULL;
    for (size_t i = 0; i < paths->count; i++) {
        struct stat info;
        if (stat(paths->at[i], &info) != 0) {
            first = missing++ == 0 ? paths->at[i] : first;
        }
    }
    if (missing == 0) {
        return ZV_OK;
    }
    (void)zv_fail(err, ZV_E_NOT_FOUND, "%zu of %zu shards are missing, such as this one%s", missing,
                  paths->count,
                  missing == paths->count ? "; a config.json alone, named itself, is enough" : "");
    return zv_fail_where(err, first);
}

/* What the index says against what the shards hold. */
static void compare_index(struct model_reader *reader, const struct model_index *index)
{
    const uint64_t tensors = zv_model_tensors(reader->model);
    uint64_t held = 0;
    for (size_t i = 0; i < reader->model->tensor_count; i++) {
        held += reader->model->tensors[i].bytes * zv_tensor_copies(&reader->model->tensors[i]);
    }
    if (index->has_total_size && index->total_size != held) {
        model_note(reader, "the index says total_size %llu, the shards' tensors are %llu bytes",
                   (unsigned long long)index->total_size, (unsigned long long)held);
    }
    if (index->tensor_count != tensors) {
        model_note(reader, "the index lists %zu tensors, the shards hold %llu", index->tensor_count,
                   (unsigned long long)tensors);
    }
}

static enum zv_status read_index(struct model_reader *reader, const char *folder, const char *path,
                                 struct zv_error *err)
{
    struct model_index index;
    struct paths paths;
    enum zv_status status = model_index_read(&index, reader, path, err);
    status = status == ZV_OK ? shards_of(reader, folder, &index, &paths, err) : status;
    status = status == ZV_OK ? check_shards(&paths, err) : status;
    status = status == ZV_OK ? finish_tensors(reader, &paths, err) : status;
    if (status == ZV_OK) {
        compare_index(reader, &index);
    }
    model_index_close(&index);
    return status;
}

/* Shards of one name, as a sorted listing has them. */
struct shards {
    struct zv_slice stem;
    unsigned seen;
    unsigned count;
    bool gap; /* one is not the next number, or says another count */
};

static bool five_digits(const char *text, unsigned *number)
{
    uint64_t value;
    if (strlen(text) < 5 || !zv_slice_u64((struct zv_slice){text, 5}, &value)) {
        return false;
    }
    *number = (unsigned)value;
    return true;
}

/* "NAME-00001-of-00004.safetensors": false when the name is no part of several. */
static bool shard_number(const char *name, struct zv_slice *stem, unsigned *number, unsigned *count)
{
    const char *const of = strstr(name, "-of-");
    if (of == NULL || of - name < 6) {
        return false;
    }
    *stem = (struct zv_slice){name, (size_t)(of - 5 - name)};
    return five_digits(of - 5, number) && five_digits(of + 4, count) &&
           strcmp(of + 9, ".safetensors") == 0;
}

static enum zv_status close_shards(const struct shards *shards, const char *folder,
                                   struct zv_error *err)
{
    if (shards->seen == shards->count && !shards->gap) {
        return ZV_OK;
    }
    (void)zv_fail(err, ZV_E_NOT_FOUND,
                  shards->gap ? "%u shards of %u are not those from first to last, and no index "
                                "says which belong together"
                              : "%u of %u shards are there and no index says which",
                  shards->seen, shards->count);
    return zv_fail_where(err, folder);
}

/* Takes a file of the listing into account; one of another name closes the shards before it. */
static enum zv_status count_shard(struct shards *shards, const char *name, const char *folder,
                                  struct zv_error *err)
{
    struct zv_slice stem;
    unsigned number;
    unsigned count;
    if (!shard_number(name, &stem, &number, &count)) {
        return ZV_OK;
    }
    if (shards->count == 0 || !zv_slice_same(stem, shards->stem)) {
        const enum zv_status status = close_shards(shards, folder, err);
        if (status != ZV_OK) {
            return status;
        }
        *shards = (struct shards){.stem = stem, .count = count};
    }
    shards->seen++;
    shards->gap |= number == 0 || number > count || count != shards->count;
    return ZV_OK;
}

/* "x.fp16.safetensors" beside "x.safetensors": the same weights in another form. */
static bool is_variant(const struct model_listing *listing, struct zv_slice name)
{
    char plain[512];
    struct zv_slice rest = name;
    const struct zv_slice stem = zv_slice_cut(&rest, '.');
    if (zv_slice_equal(rest, "safetensors") || stem.length > sizeof plain - 16) {
        return false;
    }
    memcpy(plain, stem.at, stem.length);
    memcpy(plain + stem.length, ".safetensors", sizeof ".safetensors");
    return model_listing_has(listing, plain);
}

/* Without an index: every .safetensors, and shards must be complete. */
static enum zv_status read_loose(struct model_reader *reader, const char *folder,
                                 const struct model_listing *listing, struct zv_error *err)
{
    struct paths paths = {zv_arena_array(reader->arena, listing->count, sizeof *paths.at), 0};
    if (paths.at == NULL) {
        return zv_fail_memory(err, "a folder");
    }
    const bool others = model_listing_ending(listing, ".safetensors", "consolidated") != NULL;
    struct shards shards = {0};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < listing->count; i++) {
        const struct zv_slice name = zv_slice_of(listing->at[i]);
        if (!zv_slice_ends(name, ".safetensors") || is_variant(listing, name) ||
            (others && zv_slice_starts(name, "consolidated"))) {
            continue;
        }
        status = count_shard(&shards, listing->at[i], folder, err);
        paths.at[paths.count] = model_path(reader, folder, name);
        if (paths.at[paths.count++] == NULL) {
            return zv_fail_memory(err, "a path");
        }
    }
    if (status == ZV_OK) {
        status = close_shards(&shards, folder, err);
    }
    return status == ZV_OK ? finish_tensors(reader, &paths, err) : status;
}

static enum zv_status read_weights(struct model_reader *reader, const char *folder,
                                   const struct model_listing *listing, struct zv_error *err)
{
    const bool own = model_listing_ending(listing, ".safetensors", "consolidated") != NULL;
    for (size_t i = 0; own && i < listing->count; i++) {
        if (zv_slice_starts(zv_slice_of(listing->at[i]), "consolidated")) {
            model_note(reader, "%s holds the same weights once more and is left out",
                       listing->at[i]);
            break;
        }
    }
    const char *const index =
        model_listing_ending(listing, ".safetensors.index.json", "consolidated");
    if (index != NULL) {
        const char *const path = model_path(reader, folder, zv_slice_of(index));
        return path != NULL ? read_index(reader, folder, path, err) : zv_fail_memory(err, "a path");
    }
    if (model_listing_has(listing, "model.safetensors")) {
        const char *path = model_path(reader, folder, zv_slice_of("model.safetensors"));
        const struct paths paths = {&path, 1};
        return path != NULL ? finish_tensors(reader, &paths, err) : zv_fail_memory(err, "a path");
    }
    return read_loose(reader, folder, listing, err);
}

/* ---- GGUF in a folder ---- */

static enum zv_status read_gguf_folder(struct model_reader *reader, const char *folder,
                                       const struct model_listing *listing, struct zv_error *err)
{
    const char *first = NULL;
    size_t models = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const struct zv_slice name = zv_slice_of(listing->at[i]);
        const bool later =
            zv_slice_contains(name, "-of-") && !zv_slice_contains(name, "-00001-of-");
        if (!zv_slice_ends(name, ".gguf") || zv_slice_contains(name, "mmproj") || later) {
            continue;
        }
        first = models++ == 0 ? listing->at[i] : first;
    }
    if (models != 1) {
        (void)zv_fail(err, ZV_E_NOT_FOUND,
                      models == 0 ? "no first file of a GGUF model" : "%zu GGUF models: name one",
                      models);
        return zv_fail_where(err, folder);
    }
    const char *const path = model_path(reader, folder, zv_slice_of(first));
    return path != NULL ? model_read_gguf(reader, path, err) : zv_fail_memory(err, "a path");
}

/* ---- the folder ---- */

/* The last segment of a path, in the path. */
static struct zv_slice last_segment(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    return (struct zv_slice){path + start, end - start};
}

/* The model is named after its file or folder; the path is the caller's and may go away. */
static void name_after(struct model_reader *reader, const char *path)
{
    const struct zv_slice last = last_segment(path);
    if (!zv_slice_equal(last, ".") && !zv_slice_equal(last, "..") && !zv_slice_equal(last, "/")) {
        reader->model->name = zv_slice_of(zv_arena_copy(reader->arena, last.at, last.length));
    }
}

static enum zv_status read_config_file(struct model_reader *reader, const char *folder,
                                       struct zv_error *err)
{
    const char *const path = model_path(reader, folder, zv_slice_of("config.json"));
    const struct zv_json_value *root;
    if (path == NULL) {
        return zv_fail_memory(err, "a path");
    }
    const enum zv_status status = model_map_json(reader, path, &root, err);
    return status == ZV_OK ? model_read_config(reader, path, root, err) : status;
}

enum zv_status model_read_folder(struct model_reader *reader, const char *folder,
                                 struct zv_error *err)
{
    struct model_listing listing;
    enum zv_status status = model_list(reader, folder, &listing, err);
    if (status != ZV_OK) {
        return status;
    }
    if (model_listing_has(&listing, "model_index.json")) {
        return model_read_pipeline(reader, folder, err);
    }
    const bool config = model_listing_has(&listing, "config.json");
    const bool weights = model_listing_ending(&listing, ".safetensors", "\n") != NULL ||
                         model_listing_ending(&listing, ".safetensors.index.json", "\n") != NULL;
    if (!weights && model_listing_ending(&listing, ".gguf", "\n") != NULL) {
        return read_gguf_folder(reader, folder, &listing, err);
    }
    if (!config && !weights) {
        (void)zv_fail(err, ZV_E_NOT_FOUND,
                      "no config.json, no .safetensors, no .gguf: this is no folder of a model");
        return zv_fail_where(err, folder);
    }
    if (config) {
        status = read_config_file(reader, folder, err);
    } else {
        model_unknown(reader, "layers, caches and states: the folder has no config.json");
    }
    if (reader->model->name.length == 0 || !config) {
        name_after(reader, folder);
    }
    if (status == ZV_OK && weights) {
        status = read_weights(reader, folder, &listing, err);
    } else if (status == ZV_OK && model_listing_ending(&listing, ".bin", "\n") != NULL) {
        model_note(reader, "the weights are in pytorch_model.bin, which is not read: sizes are "
                           "calculated from config.json");
    }
    return status;
}

enum zv_status model_read_weights_file(struct model_reader *reader, const char *path,
                                       struct zv_error *err)
{
    const struct paths paths = {&path, 1};
    name_after(reader, path);
    model_unknown(reader, "layers, caches and states: a .safetensors alone says nothing of them");
    return finish_tensors(reader, &paths, err);
}

enum zv_status model_read_index(struct model_reader *reader, const char *path, struct zv_error *err)
{
    const struct zv_slice file = last_segment(path);
    const size_t length = (size_t)(file.at - path);
    const char *const folder = length == 0 ? "." : zv_arena_copy(reader->arena, path, length);
    struct stat info;
    if (folder == NULL) {
        return zv_fail_memory(err, "a path");
    }
    enum zv_status status = ZV_OK;
    const char *const config = model_path(reader, folder, zv_slice_of("config.json"));
    if (config != NULL && stat(config, &info) == 0) {
        status = read_config_file(reader, folder, err);
    } else {
        model_unknown(reader, "layers, caches and states: no config.json beside the index");
    }
    return status == ZV_OK ? read_index(reader, folder, path, err) : status;
}
