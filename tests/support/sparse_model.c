#include "support/sparse_model.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/little_endian.h"
#include "format/gguf.h"

/* More than any tensor of a fixture ends at; only address space is needed for it. */
static const uint64_t room_bytes = UINT64_C(1) << 42;

/* nftw has no context: where from and where to. */
static size_t from_length;
static char to_folder[SPARSE_MODEL_PATH];

/* 8 + N + the largest end of data_offsets. */
static uint64_t safetensors_length(struct zv_slice header)
{
    static const char key[] = "\"data_offsets\"";
    uint64_t largest = 0;
    struct zv_slice rest = header;
    const char *found;
    while (rest.length != 0 &&
           (found = memmem(rest.at, rest.length, key, sizeof key - 1)) != NULL) {
        rest.length -= (size_t)(found - rest.at) + sizeof key - 1;
        rest.at = found + sizeof key - 1;
        (void)zv_slice_cut(&rest, ',');
        uint64_t end;
        const struct zv_slice number = zv_slice_trim(zv_slice_cut(&rest, ']'));
        if (zv_slice_u64(number, &end) && end > largest) {
            largest = end;
        }
    }
    return 8 + zv_le64(header.at) + largest;
}

/* The end of the last tensor, padded. The reader wants a whole file: give it a very long one. */
static uint64_t gguf_length(const char *path)
{
    char copy[] = "/tmp/zirve-header-XXXXXX";
    struct zv_file source;
    uint64_t length = 0;
    const int fd = mkstemp(copy);
    if (fd < 0 || zv_file_open(&source, path, NULL) != ZV_OK) {
        return 0;
    }
    void *map = MAP_FAILED;
    if (write(fd, source.data, source.size) == (ssize_t)source.size &&
        ftruncate(fd, (off_t)room_bytes) == 0) {
        map = mmap(NULL, room_bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    }
    if (map != MAP_FAILED) {
        struct zv_arena arena = {0};
        struct zv_gguf file;
        const struct zv_slice input = {map, room_bytes};
        if (zv_gguf_read(&file, input, &arena, NULL) == ZV_OK) {
            (void)zv_round_up(file.data_end, file.alignment, &length);
        }
        zv_arena_free(&arena);
        (void)munmap(map, room_bytes);
    }
    zv_file_close(&source);
    (void)close(fd);
    (void)unlink(copy);
    return length;
}

uint64_t sparse_model_length(const char *header_path)
{
    struct zv_file file;
    if (zv_file_open(&file, header_path, NULL) != ZV_OK) {
        return 0;
    }
    const struct zv_slice header = zv_file_slice(&file);
    const bool is_gguf = zv_slice_starts(header, "GGUF");
    const uint64_t length = is_gguf             ? gguf_length(header_path)
                            : header.length > 8 ? safetensors_length(header)
                                                : 0;
    zv_file_close(&file);
    return length;
}

/* Copies path to target, without ".header" and then at full length. */
static bool copy_file(const char *path, const char *target)
{
    char name[SPARSE_MODEL_PATH];
    struct zv_file source;
    const bool is_header = zv_slice_ends(zv_slice_of(target), ".header");
    const size_t length = strlen(target) - (is_header ? strlen(".header") : 0);
    const uint64_t size = is_header ? sparse_model_length(path) : 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, target);
    if ((is_header && size == 0) || zv_file_open(&source, path, NULL) != ZV_OK) {
        return false;
    }
    FILE *const to = fopen(name, "wbx"); /* zv_file_create would wait for the disk each time */
    bool done = to != NULL && fwrite(source.data, 1, source.size, to) == source.size;
    done = to != NULL && fclose(to) == 0 && done;
    done = done && (!is_header || truncate(name, (off_t)size) == 0);
    zv_file_close(&source);
    return done;
}

static int copy_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    char target[2 * SPARSE_MODEL_PATH];
    (void)snprintf(target, sizeof target, "%s%s", to_folder, path + from_length);
    if (kind == FTW_D) {
        return path[from_length] == 0 || mkdir(target, 0700) == 0 ? 0 : -1;
    }
    return kind == FTW_F && copy_file(path, target) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

void sparse_model_remove(const char *folder)
{
    if (strncmp(folder, "/tmp/zirve-model-", 17) == 0) {
        (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

bool sparse_model_make(const char *name, char folder[SPARSE_MODEL_PATH])
{
    char from[SPARSE_MODEL_PATH];
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    (void)snprintf(from, sizeof from, "%s%s%s", name[0] == '/' || root == NULL ? "" : root,
                   name[0] == '/' ? "" : "/tests/data/models/", name);
    (void)snprintf(folder, SPARSE_MODEL_PATH, "/tmp/zirve-model-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    (void)snprintf(to_folder, sizeof to_folder, "%s", folder);
    const char *const base = strrchr(from, '/');
    const bool is_file = zv_slice_ends(zv_slice_of(from), ".header");
    from_length = is_file && base != NULL ? (size_t)(base - from) : strlen(from);
    const bool done = nftw(from, copy_entry, 16, FTW_PHYS) == 0;
    if (!done) {
        sparse_model_remove(folder);
    }
    return done;
}
