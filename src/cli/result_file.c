#include "cli/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

static enum zv_status fail_path(const struct result_file *file, enum zv_status status,
                                const char *text, struct zv_error *err)
{
    (void)zv_fail(err, status, "%s", text);
    (void)zv_fail_where(err, file->path);
    return status;
}

static bool write_file(void *context, const char *data, size_t size)
{
    const struct result_file *const file = context;
    return fwrite(data, 1, size, file->file) == size;
}

static bool copy_to_stdout(FILE *file)
{
    static char buffer[1 << 16];
    rewind(file);
    for (;;) {
        const size_t count = fread(buffer, 1, sizeof buffer, file);
        if (count == 0) {
            return ferror(file) == 0;
        }
        if (fwrite(buffer, 1, count, stdout) != count) {
            return errno == EPIPE; /* nobody reads on: no error of ours */
        }
    }
}

enum zv_status result_file_open(struct result_file *to, const char *path, struct zv_error *err)
{
    *to = (struct result_file){.path = path, .sink = {.write = write_file, .context = to}};
    if (path == NULL) {
        return ZV_OK;
    }
    if (strcmp(path, "-") == 0) {
        to->file = tmpfile();
        return to->file != NULL ? ZV_OK : fail_path(to, ZV_E_IO, "has no room to wait", err);
    }
    if (access(path, F_OK) == 0) {
        return fail_path(to, ZV_E_EXISTS, "exists already and is not overwritten", err);
    }
    const int length = snprintf(to->temporary, sizeof to->temporary, "%s.XXXXXX", path);
    const int fd = length > 0 && (size_t)length < sizeof to->temporary
                       ? mkostemp(to->temporary, O_CLOEXEC)
                       : -1;
    to->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (to->file == NULL) {
        if (fd >= 0) {
            (void)close(fd);
            (void)unlink(to->temporary);
        }
        return fail_path(to, ZV_E_IO, "cannot be written", err);
    }
    return ZV_OK;
}

enum zv_status result_file_keep(struct result_file *file, struct zv_error *err)
{
    if (file->file == NULL) {
        return ZV_OK;
    }
    if (file->temporary[0] == 0) {
        return !file->sink.failed && fflush(file->file) == 0 && copy_to_stdout(file->file)
                   ? ZV_OK
                   : fail_path(file, ZV_E_IO, "cannot be written", err);
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    if (file->sink.failed || fflush(file->file) != 0 ||
        fchmod(fileno(file->file), 0666 & ~mask) != 0 || fsync(fileno(file->file)) != 0) {
        return fail_path(file, ZV_E_IO, "cannot be written", err);
    }
    if (link(file->temporary, file->path) != 0) { /* refuses an existing name */
        return errno == EEXIST
                   ? fail_path(file, ZV_E_EXISTS, "exists already and is not overwritten", err)
                   : fail_path(file, ZV_E_IO, "cannot be written", err);
    }
    return ZV_OK;
}

void result_file_close(struct result_file *file)
{
    if (file->file != NULL) {
        (void)fclose(file->file);
        if (file->temporary[0] != 0) {
            (void)unlink(file->temporary);
        }
        file->file = NULL;
    }
}
