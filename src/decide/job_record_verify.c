#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/sha256.h"
#include "decide/job_record.h"

enum { PATH_TEXT = 4096 };

enum zv_status zv_findings_add(struct zv_findings *findings, struct zv_finding finding,
                               struct zv_arena *arena, struct zv_error *err)
{
    if (findings->count == findings->capacity) {
        const size_t capacity = findings->capacity == 0 ? 16 : findings->capacity * 2;
        struct zv_finding *const items = zv_arena_array(arena, capacity, sizeof *items);
        if (items == NULL) {
            return zv_fail_memory(err, "findings");
        }
        if (findings->count != 0) {
            memcpy(items, findings->items, findings->count * sizeof *items);
        }
        findings->items = items;
        findings->capacity = capacity;
    }
    finding.where = zv_arena_copy(arena, finding.where, strlen(finding.where));
    finding.text = zv_arena_copy(arena, finding.text, strlen(finding.text));
    if (finding.where == NULL || finding.text == NULL) {
        return zv_fail_memory(err, "findings");
    }
    findings->items[findings->count++] = finding;
    return ZV_OK;
}

/* The hash of entry number i against what the next one says it was. */
static enum zv_status verify_chain(struct zv_findings *findings, const struct zv_job_record *record,
                                   size_t i, struct zv_arena *arena, struct zv_error *err)
{
    char path[PATH_TEXT];
    char name[32];
    char hash[ZV_SHA256_TEXT] = "";
    struct zv_file file = {0};
    const bool last = i + 1 == record->count;
    (void)snprintf(name, sizeof name, "%04zu.json", i + 1);
    (void)snprintf(path, sizeof path, "%.4000s/%s", record->path, name);
    if (i == 0 && record->entries[0].previous.length != 0) {
        return zv_findings_add(findings,
                               (struct zv_finding){true, name, "the first entry follows another"},
                               arena, err);
    }
    if (last || zv_file_open(&file, path, NULL) != ZV_OK) {
        return ZV_OK; /* nothing says what the last one was */
    }
    const enum zv_status status = zv_sha256(hash, zv_file_slice(&file), err);
    zv_file_close(&file);
    if (status != ZV_OK || zv_slice_equal(record->entries[i + 1].previous, hash)) {
        return status;
    }
    return zv_findings_add(
        findings, (struct zv_finding){true, name, "changed since the next entry was added"}, arena,
        err);
}

static enum zv_status verify_attachment(struct zv_findings *findings,
                                        const struct zv_job_record *record,
                                        const struct zv_entry *entry, struct zv_arena *arena,
                                        struct zv_error *err)
{
    struct zv_file file = {0};
    struct zv_error cause = {0};
    const enum zv_status status = zv_job_record_open(&file, record, entry, arena, &cause);
    if (status == ZV_OK) {
        zv_file_close(&file);
        return ZV_OK;
    }
    if (status == ZV_E_NOMEM) {
        return zv_fail_memory(err, "an attachment");
    }
    return zv_findings_add(findings, (struct zv_finding){true, entry->file.at, cause.text}, arena,
                           err);
}

static bool is_named(const struct zv_job_record *record, const char *name)
{
    for (size_t i = 0; i < record->count; i++) {
        if (record->entries[i].file.length > 6 &&
            strcmp(record->entries[i].file.at + 6, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Files that no entry names; readdir has no order, so the count alone is said. */
static enum zv_status verify_folder(struct zv_findings *findings,
                                    const struct zv_job_record *record, struct zv_arena *arena,
                                    struct zv_error *err)
{
    char text[96];
    char name[PATH_TEXT];
    size_t strange = 0;
    (void)snprintf(name, sizeof name, "%.4000s/files", record->path);
    DIR *const folder = opendir(name);
    if (folder == NULL) {
        return ZV_OK;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; /* NOLINT: one thread */
         entry = readdir(folder)) {                                   /* NOLINT */
        strange += entry->d_name[0] != '.' && !is_named(record, entry->d_name);
    }
    (void)closedir(folder);
    if (strange == 0) {
        return ZV_OK;
    }
    (void)snprintf(text, sizeof text, "%zu files that no entry names", strange);
    return zv_findings_add(findings, (struct zv_finding){true, "files", text}, arena, err);
}

enum zv_status zv_job_record_verify(struct zv_findings *findings,
                                    const struct zv_job_record *record, struct zv_arena *arena,
                                    struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < record->count; i++) {
        status = verify_chain(findings, record, i, arena, err);
        if (status == ZV_OK) {
            status = verify_attachment(findings, record, &record->entries[i], arena, err);
        }
    }
    return status == ZV_OK ? verify_folder(findings, record, arena, err) : status;
}
