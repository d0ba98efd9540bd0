#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fail_memory.h"
#include "support/test.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/zirve-file-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder); /* fails when a test left something behind */
}

static const char *in_folder(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static size_t count_entries(void)
{
    DIR *const entries = opendir(folder);
    assert_non_null(entries);
    size_t count = 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    (void)closedir(entries);
    return count;
}

static void test_create(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct zv_file file;
    const char *const path = in_folder("result");
    const mode_t before = umask(027);
    assert_int_equal(zv_file_create(path, zv_slice_of("first"), &err), ZV_OK);
    (void)umask(before);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(zv_file_create(path, zv_slice_of("second"), &err), ZV_E_EXISTS);
    assert_string_equal(err.where, path);
    assert_int_equal(count_entries(), 1); /* no temporary name is left */
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_true(file.mapped);
    assert_true(zv_slice_equal(zv_file_slice(&file), "first"));
    zv_file_close(&file);
    assert_null(file.data);
    assert_int_equal(unlink(path), 0);
}

static void test_create_refused(void **state)
{
    (void)state;
    struct zv_error err = {0};
    char longest[5000];
    assert_int_equal(zv_file_create(in_folder("no/where"), zv_slice_of("x"), &err), ZV_E_IO);
    assert_non_null(strstr(err.text, "No such file"));
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    err = (struct zv_error){0};
    assert_int_equal(zv_file_create(longest, zv_slice_of("x"), &err), ZV_E_IO);
    assert_non_null(strstr(err.text, "too long"));
    const char *const link = in_folder("link"); /* also a link to nothing is a name in use */
    assert_int_equal(symlink("/nowhere", link), 0);
    assert_int_equal(zv_file_create(link, zv_slice_of("x"), NULL), ZV_E_EXISTS);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(count_entries(), 0);
}

static void test_replace(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct zv_file file;
    const char *const path = in_folder("result");
    assert_int_equal(zv_file_replace(path, zv_slice_of("first"), &err), ZV_OK);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_int_equal(zv_file_replace(path, zv_slice_of("second"), &err), ZV_OK);
    assert_true(zv_slice_equal(zv_file_slice(&file), "first")); /* a reader keeps what it opened */
    zv_file_close(&file);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_true(zv_slice_equal(zv_file_slice(&file), "second"));
    zv_file_close(&file);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* a folder is not replaced */
    assert_int_equal(zv_file_replace(path, zv_slice_of("third"), &err), ZV_E_IO);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* nor a pipe or a device, which rename would */
    assert_int_equal(zv_file_replace(path, zv_slice_of("fourth"), &err), ZV_E_IO);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_int_equal(count_entries(), 1);
    assert_int_equal(unlink(path), 0);
}

static void test_open_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *says;
    } rows[] = {{"missing", "No such file"}, {"", "is a folder"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_error err = {0};
        struct zv_file file;
        assert_int_equal(zv_file_open(&file, in_folder(rows[i].name), &err), ZV_E_IO);
        assert_string_equal(err.where, in_folder(rows[i].name));
        assert_non_null(strstr(err.text, rows[i].says));
        assert_null(file.data);
        zv_file_close(&file); /* harmless */
    }
}

/* What a folder leads to is opened without waiting for anybody. */
static void test_found(void **state)
{
    (void)state;
    struct zv_file file;
    struct zv_error err = {0};
    const char *const pipe_path = in_folder("pipe");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(zv_file_open_found(&file, pipe_path, &err), ZV_E_IO);
    assert_string_equal(err.text, "is no regular file");
    assert_string_equal(err.where, pipe_path);
    assert_int_equal(zv_file_open_found(&file, "/dev/zero", NULL), ZV_E_IO);
    assert_int_equal(zv_file_open_found(&file, in_folder(""), NULL), ZV_E_IO);
    assert_int_equal(zv_file_open_found(&file, in_folder("missing"), NULL), ZV_E_IO);
    assert_int_equal(unlink(in_folder("pipe")), 0);
    assert_int_equal(zv_file_create(in_folder("plain"), zv_slice_of("x"), NULL), ZV_OK);
    assert_int_equal(zv_file_open_found(&file, in_folder("plain"), NULL), ZV_OK);
    assert_int_equal(file.size, 1);
    zv_file_close(&file);
    assert_int_equal(unlink(in_folder("plain")), 0);
}

static void test_empty(void **state)
{
    (void)state;
    struct zv_file file;
    const char *const path = in_folder("empty");
    assert_int_equal(zv_file_create(path, (struct zv_slice){0}, NULL), ZV_OK);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_non_null(file.data);
    assert_int_equal(file.size, 0);
    zv_file_close(&file);
    assert_int_equal(unlink(path), 0);
}

/* The writer's end of a pipe with size bytes 'x' in it, closed; returns the reader's. */
static int fill_pipe(size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(write(ends[1], "x", 1), 1);
    }
    (void)close(ends[1]);
    return ends[0];
}

static void test_pipe(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 4096, 60000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct zv_file file;
        char path[32];
        const int end = fill_pipe(sizes[i]);
        (void)snprintf(path, sizeof path, "/dev/fd/%d", end);
        assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
        assert_false(file.mapped);
        assert_int_equal(file.size, sizes[i]);
        zv_file_close(&file);
        (void)close(end);
    }
}

static void test_stdin(void **state)
{
    (void)state;
    struct zv_file file;
    const int before = dup(STDIN_FILENO);
    const int end = fill_pipe(5);
    assert_int_equal(dup2(end, STDIN_FILENO), STDIN_FILENO);
    (void)close(end);
    assert_int_equal(zv_file_open(&file, "-", NULL), ZV_OK);
    assert_true(zv_slice_equal(zv_file_slice(&file), "xxxxx"));
    zv_file_close(&file);
    if (before >= 0) {
        (void)dup2(before, STDIN_FILENO);
        (void)close(before);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct zv_file file;
    char path[32];
    const int end = fill_pipe(5);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", end);
    fail_memory_start(1);
    assert_int_equal(zv_file_open(&file, path, &err), ZV_E_NOMEM);
    fail_memory_stop();
    assert_string_equal(err.where, path);
    assert_int_equal(fail_memory.blocks, 0);
    (void)close(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),        cmocka_unit_test(test_create_refused),
        cmocka_unit_test(test_replace),       cmocka_unit_test(test_open_refused),
        cmocka_unit_test(test_found),         cmocka_unit_test(test_empty),
        cmocka_unit_test(test_pipe),          cmocka_unit_test(test_stdin),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("file", tests, set_up, tear_down);
}
