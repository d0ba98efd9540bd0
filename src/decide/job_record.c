#include "decide/job_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/sha256.h"
#include "format/json_tree.h"
#include "format/json_writer.h"

enum { ENTRY_MAX_BYTES = 64 * 1024, PATH_TEXT = 4096, NAME_MAX_CHARS = 80 };

static enum zv_status fail_path(const char *path, enum zv_status status, const char *text,
                                struct zv_error *err)
{
    (void)zv_fail(err, status, "%s", text);
    (void)zv_fail_where(err, path);
    return status;
}

static bool join(char to[PATH_TEXT], const char *path, const char *name)
{
    const int length = snprintf(to, PATH_TEXT, "%s/%s", path, name);
    return length > 0 && length < PATH_TEXT;
}

enum zv_status zv_job_record_create(const char *path, struct zv_error *err)
{
    char files[PATH_TEXT];
    if (!join(files, path, "files")) {
        return fail_path(path, ZV_E_LIMIT, "the path is too long", err);
    }
    if (mkdir(path, 0777) != 0) {
        return errno == EEXIST
                   ? fail_path(path, ZV_E_EXISTS, "exists already and is not overwritten", err)
                   : fail_path(path, ZV_E_IO, "cannot be made", err);
    }
    return mkdir(files, 0777) == 0 ? ZV_OK : fail_path(files, ZV_E_IO, "cannot be made", err);
}

/* ---- reading ---- */

static bool take_text(const struct zv_json_value *root, const char *key, struct zv_slice *to)
{
    const struct zv_json_value *const value = zv_json_find(root, key);
    return zv_json_is(value, ZV_JSON_IS_NULL) || zv_json_string(value, to);
}

/* Attachments lie in files/, and nowhere else: an entry must not point out of the record. */
static bool stays_inside(struct zv_slice file)
{
    return zv_slice_starts(file, "files/") && !zv_slice_contains(file, "..") &&
           memchr(file.at + 6, '/', file.length - 6) == NULL;
}

enum zv_status zv_entry_read(struct zv_entry *entry, struct zv_slice text, uint32_t number,
                             struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root;
    struct zv_slice schema = {0};
    struct zv_slice kind = {0};
    uint64_t count = 0;
    *entry = (struct zv_entry){.number = number};
    const enum zv_status status = zv_json_tree_read(&root, text, ZV_JSON_STRICT, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    (void)zv_json_string(zv_json_find(root, "schema"), &schema);
    if (!zv_slice_equal(schema, "zirve.record/1")) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "expected an entry of schema zirve.record/1");
    }
    const bool good =
        zv_json_u64(zv_json_find(root, "entry"), &count) && count == number &&
        zv_json_string(zv_json_find(root, "kind"), &kind) &&
        zv_entry_kind_parse(kind, &entry->kind) &&
        zv_json_u64(zv_json_find(root, "bytes"), &entry->bytes) &&
        take_text(root, "date", &entry->date) && take_text(root, "name", &entry->name) &&
        take_text(root, "file", &entry->file) && take_text(root, "sha256", &entry->sha256) &&
        take_text(root, "previous", &entry->previous) && take_text(root, "note", &entry->note) &&
        (zv_json_find(root, "known") == NULL || take_text(root, "known", &entry->known)) &&
        entry->sha256.length == 64 && stays_inside(entry->file);
    return good ? ZV_OK
                : zv_fail(err, ZV_E_SYNTAX, "expected entry %u with its attachment and hash",
                          number);
}

static enum zv_status open_entry(struct zv_file *file, const char *path, uint32_t number,
                                 char name[PATH_TEXT], struct zv_error *err)
{
    char base[16];
    (void)snprintf(base, sizeof base, "%04u.json", number % 10000);
    if (!join(name, path, base)) {
        return fail_path(path, ZV_E_LIMIT, "the path is too long", err);
    }
    const enum zv_status status = zv_file_open(file, name, err);
    if (status == ZV_OK && file->size > ENTRY_MAX_BYTES) {
        zv_file_close(file);
        return fail_path(name, ZV_E_LIMIT, "too large for an entry", err);
    }
    return status;
}

static uint32_t count_entries(const char *path)
{
    char name[PATH_TEXT];
    char base[16];
    uint32_t count = 0;
    while (count < ZV_RECORD_MAX_ENTRIES) {
        (void)snprintf(base, sizeof base, "%04u.json", count + 1);
        if (!join(name, path, base) || access(name, F_OK) != 0) {
            break;
        }
        count++;
    }
    return count;
}

enum zv_status zv_job_record_read(struct zv_job_record *record, const char *path,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const uint32_t count = count_entries(path);
    char files[PATH_TEXT];
    *record = (struct zv_job_record){.path = path};
    if (!join(files, path, "files") || access(files, F_OK) != 0) {
        return fail_path(path, ZV_E_NOT_FOUND, "no record: 'zirve record new' makes one", err);
    }
    record->entries = zv_arena_array(arena, count, sizeof *record->entries);
    if (record->entries == NULL) {
        return zv_fail_memory(err, "a record");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct zv_file file = {0};
        char name[PATH_TEXT];
        enum zv_status status = open_entry(&file, path, i + 1, name, err);
        if (status == ZV_OK) {
            status = zv_entry_read(&record->entries[i], zv_file_slice(&file), i + 1, arena, err);
            zv_file_close(&file);
        }
        if (status != ZV_OK) {
            (void)zv_fail_where(err, name);
            return status;
        }
        record->count++;
    }
    return ZV_OK;
}

const struct zv_entry *zv_job_record_latest(const struct zv_job_record *record,
                                            enum zv_entry_kind kind)
{
    for (size_t i = record->count; i != 0; i--) {
        if (record->entries[i - 1].kind == kind) {
            return &record->entries[i - 1];
        }
    }
    return NULL;
}

enum zv_status zv_job_record_open(struct zv_file *file, const struct zv_job_record *record,
                                  const struct zv_entry *entry, struct zv_arena *arena,
                                  struct zv_error *err)
{
    char hash[ZV_SHA256_TEXT];
    const char *const path =
        zv_arena_print(arena, "%s/%.*s", record->path, (int)entry->file.length, entry->file.at);
    if (path == NULL) {
        return zv_fail_memory(err, "a path");
    }
    enum zv_status status = zv_file_open(file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    status = zv_sha256(hash, zv_file_slice(file), err);
    if (status == ZV_OK && !zv_slice_equal(entry->sha256, hash)) {
        status =
            fail_path(path, ZV_E_SYNTAX, "changed since it was attached: its hash differs", err);
    }
    if (status != ZV_OK) {
        zv_file_close(file);
    }
    return status;
}

/* ---- adding ---- */

/* A name that is safe in any file system. */
static void safe_name(char to[NAME_MAX_CHARS + 1], struct zv_slice name)
{
    size_t used = 0;
    const char *const slash = name.length != 0 ? memrchr(name.at, '/', name.length) : NULL;
    const char *at = slash != NULL ? slash + 1 : name.at;
    for (; used < NAME_MAX_CHARS && name.length != 0 && at < name.at + name.length; at++) {
        const char c = *at;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || zv_is_digit(c) ||
                           c == '-' || c == '_' || (c == '.' && (used == 0 || to[used - 1] != '.'));
        const bool hidden = c == '.' && used == 0;
        to[used] = plain && !hidden ? c : '_';
        used++;
    }
    to[used] = 0;
}

static void write_text(struct zv_json_writer *json, const char *key, struct zv_slice text)
{
    zv_json_write_key(json, key);
    if (text.length != 0) {
        zv_json_write_slice(json, text);
    } else {
        zv_json_write_null(json);
    }
}

static void write_entry(struct zv_sink *sink, const struct zv_entry *entry)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    write_text(&json, "schema", zv_slice_of("zirve.record/1"));
    zv_json_write_key(&json, "entry");
    zv_json_write_u64(&json, entry->number);
    write_text(&json, "kind", zv_slice_of(zv_entry_kind_name(entry->kind)));
    write_text(&json, "known", zv_slice_of(zv_entry_known(entry)));
    write_text(&json, "date", entry->date);
    write_text(&json, "name", entry->name);
    write_text(&json, "file", entry->file);
    zv_json_write_key(&json, "bytes");
    zv_json_write_u64(&json, entry->bytes);
    write_text(&json, "sha256", entry->sha256);
    write_text(&json, "previous", entry->previous);
    write_text(&json, "note", entry->note);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

static enum zv_status hash_entry(char to[ZV_SHA256_TEXT], const struct zv_job_record *record,
                                 uint32_t number, struct zv_error *err)
{
    struct zv_file file = {0};
    char name[PATH_TEXT];
    enum zv_status status = open_entry(&file, record->path, number, name, err);
    if (status == ZV_OK) {
        status = zv_sha256(to, zv_file_slice(&file), err);
        zv_file_close(&file);
    }
    return status;
}

enum zv_status zv_job_record_add(const struct zv_job_record *record, const struct zv_entry *added,
                                 struct zv_slice content, struct zv_error *err)
{
    char name[NAME_MAX_CHARS + 1];
    char file[NAME_MAX_CHARS + 32];
    char hash[ZV_SHA256_TEXT];
    char previous[ZV_SHA256_TEXT] = "";
    char path[PATH_TEXT];
    char base[16];
    struct zv_buffer buffer = {.limit = ENTRY_MAX_BYTES};
    struct zv_entry entry = *added;
    if (record->count == ZV_RECORD_MAX_ENTRIES) {
        return fail_path(record->path, ZV_E_LIMIT, "a record has at most 9999 entries", err);
    }
    entry.number = (uint32_t)record->count + 1;
    safe_name(name, added->name);
    (void)snprintf(file, sizeof file, "files/%04u-%s", entry.number, name);
    (void)snprintf(base, sizeof base, "%04u.json", entry.number % 10000);
    enum zv_status status = zv_sha256(hash, content, err);
    if (status == ZV_OK && entry.number > 1) {
        status = hash_entry(previous, record, entry.number - 1, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    entry.file = zv_slice_of(file);
    entry.sha256 = zv_slice_of(hash);
    entry.previous = zv_slice_of(previous);
    entry.bytes = content.length;
    struct zv_sink sink = zv_buffer_sink(&buffer);
    write_entry(&sink, &entry);
    if (sink.failed) {
        status = zv_fail(err, ZV_E_LIMIT, "an entry of more than %d bytes", ENTRY_MAX_BYTES);
    } else if (!join(path, record->path, file)) {
        status = fail_path(record->path, ZV_E_LIMIT, "the path is too long", err);
    } else {
        status = zv_file_create(path, content, err);
    }
    if (status == ZV_OK) { /* the entry comes last: without it there is no attachment */
        status = join(path, record->path, base)
                     ? zv_file_create(path, (struct zv_slice){buffer.data, buffer.size}, err)
                     : fail_path(record->path, ZV_E_LIMIT, "the path is too long", err);
    }
    zv_buffer_free(&buffer);
    return status;
}
