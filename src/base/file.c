#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"

enum { READ_STEP = 65536 }; /* bytes asked for at once */

/* strerror is not thread-safe; the GNU strerror_r is. */
static enum zv_status fail_system(struct zv_error *err, const char *path, const char *what)
{
    char text[128];
    const char *const reason = strerror_r(errno, text, sizeof text);
    (void)zv_fail(err, ZV_E_IO, "%s: %s", what, reason);
    (void)zv_fail_where(err, path);
    return ZV_E_IO;
}

static enum zv_status read_all(struct zv_file *file, int fd, const char *path, struct zv_error *err)
{
    struct zv_buffer buffer = {.limit = ZV_FILE_PIPE_LIMIT};
    for (;;) {
        char *const to = zv_buffer_reserve(&buffer, READ_STEP);
        if (to == NULL) {
            const bool full = buffer.size + READ_STEP > buffer.limit;
            zv_buffer_free(&buffer);
            (void)zv_fail(err, full ? ZV_E_LIMIT : ZV_E_NOMEM,
                          full ? "more than %d bytes from what is no regular file"
                               : "no host memory to read %d bytes",
                          ZV_FILE_PIPE_LIMIT);
            (void)zv_fail_where(err, path);
            return full ? ZV_E_LIMIT : ZV_E_NOMEM;
        }
        const ssize_t got = read(fd, to, READ_STEP);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            zv_buffer_free(&buffer);
            return fail_system(err, path, "cannot be read");
        }
        buffer.size += (size_t)got;
        if (got == 0) {
            break;
        }
    }
    *file = (struct zv_file){(const unsigned char *)buffer.data, buffer.size, false};
    return ZV_OK;
}

static enum zv_status map(struct zv_file *file, int fd, size_t size, const char *path,
                          struct zv_error *err)
{
    void *const data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        return fail_system(err, path, "cannot be mapped");
    }
    *file = (struct zv_file){data, size, true};
    return ZV_OK;
}

static enum zv_status fail_kind(struct zv_error *err, const char *path, const char *text)
{
    (void)zv_fail(err, ZV_E_IO, "%s", text);
    (void)zv_fail_where(err, path);
    return ZV_E_IO;
}

static enum zv_status open_path(struct zv_file *file, const char *path, bool only_regular,
                                struct zv_error *err)
{
    /* O_NONBLOCK: a pipe without a writer must not stop us before we know what it is */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (only_regular ? O_NONBLOCK : 0));
    if (fd < 0) {
        return fail_system(err, path, "cannot be opened");
    }
    struct stat info;
    enum zv_status status;
    if (fstat(fd, &info) != 0) {
        status = fail_system(err, path, "cannot be examined");
    } else if (S_ISDIR(info.st_mode)) {
        status = fail_kind(err, path, "is a folder, expected a file");
    } else if (only_regular && !S_ISREG(info.st_mode)) {
        status = fail_kind(err, path, "is no regular file");
    } else if (S_ISREG(info.st_mode) && info.st_size > 0) {
        status = map(file, fd, (size_t)info.st_size, path, err);
    } else {
        status = read_all(file, fd, path, err);
    }
    (void)close(fd);
    return status;
}

enum zv_status zv_file_open(struct zv_file *file, const char *path, struct zv_error *err)
{
    *file = (struct zv_file){0};
    return strcmp(path, "-") == 0 ? read_all(file, STDIN_FILENO, "standard input", err)
                                  : open_path(file, path, false, err);
}

enum zv_status zv_file_open_found(struct zv_file *file, const char *path, struct zv_error *err)
{
    *file = (struct zv_file){0};
    return open_path(file, path, true, err);
}

void zv_file_close(struct zv_file *file)
{
    union { /* munmap and free take what we only ever read */
        const unsigned char *from;
        void *to;
    } data = {file->data};
    if (file->data != NULL && file->mapped) {
        (void)munmap(data.to, file->size);
    } else {
        zv_memory_free(data.to);
    }
    *file = (struct zv_file){0};
}

struct zv_slice zv_file_slice(const struct zv_file *file)
{
    return (struct zv_slice){(const char *)file->data, file->size};
}

static bool write_all(int fd, struct zv_slice data)
{
    while (data.length != 0) {
        const ssize_t done = write(fd, data.at, data.length);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        data.at += done;
        data.length -= (size_t)done;
    }
    return true;
}

/* link refuses an existing name, which rename replaces: also a device's or a pipe's. */
static enum zv_status give_name(const char *temporary, const char *path, bool replace,
                                struct zv_error *err)
{
    struct stat info;
    if (replace && stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return fail_kind(err, path, "is no regular file and is not replaced");
    }
    if ((replace ? rename(temporary, path) : link(temporary, path)) == 0) {
        return ZV_OK;
    }
    if (errno != EEXIST) {
        return fail_system(err, path, "cannot be written");
    }
    (void)zv_fail(err, ZV_E_EXISTS, "exists already and is not overwritten");
    (void)zv_fail_where(err, path);
    return ZV_E_EXISTS;
}

static enum zv_status write_file(const char *path, struct zv_slice data, bool replace,
                                 struct zv_error *err)
{
    char temporary[4096];
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        (void)zv_fail(err, ZV_E_IO, "the name is too long");
        (void)zv_fail_where(err, path);
        return ZV_E_IO;
    }
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        return fail_system(err, path, "cannot be written");
    }
    enum zv_status status = ZV_OK;
    const mode_t mask = umask(0);
    (void)umask(mask);
    if (!write_all(fd, data) || fchmod(fd, 0666 & ~mask) != 0 || fsync(fd) != 0) {
        status = fail_system(err, path, "cannot be written");
    }
    if (close(fd) != 0 && status == ZV_OK) {
        status = fail_system(err, path, "cannot be written");
    }
    if (status == ZV_OK) {
        status = give_name(temporary, path, replace, err);
    }
    if (status != ZV_OK || !replace) {
        (void)unlink(temporary);
    }
    return status;
}

enum zv_status zv_file_create(const char *path, struct zv_slice data, struct zv_error *err)
{
    return write_file(path, data, false, err);
}

enum zv_status zv_file_replace(const char *path, struct zv_slice data, struct zv_error *err)
{
    return write_file(path, data, true, err);
}
