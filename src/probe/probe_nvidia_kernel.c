/*
 * The NVIDIA kernel driver's files below /proc/driver/nvidia: they are there when its libraries are
 * not. gpus/ADDRESS/information names model and UUID; it does not tell the memory.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "probe/probe_session.h"

enum { MAX_GPUS = PROBE_MAX_DEVICES };

static void read_information(struct probe_session *session, struct zv_probed_device *device,
                             const char *path)
{
    static const struct {
        const char *key;
        enum zv_probe_word word;
    } rows[] = {{"Model:", ZV_PROBE_MODEL}, {"GPU UUID:", ZV_PROBE_UUID}};
    char line[512];
    FILE *const file = probe_open(session, path);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct zv_slice text = zv_slice_of(line);
            const size_t skip = strlen(rows[i].key);
            if (zv_slice_starts(text, rows[i].key)) {
                const struct zv_slice value =
                    zv_slice_trim((struct zv_slice){text.at + skip, text.length - skip});
                word_take(&device->words[rows[i].word],
                          probe_print(session, "%.*s", (int)value.length, value.at), path);
            }
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The version stands behind "Kernel Module" in "NVRM version: NVIDIA ... Kernel Module  550.54 ..."
 */
static const char *version_of(struct probe_session *session, const char *line)
{
    static const char before[] = "Kernel Module";
    const char *const at = strstr(line, before);
    struct zv_slice rest = zv_slice_of(at != NULL ? at + sizeof before - 1 : line);
    struct zv_slice word = rest;
    while (zv_slice_word(&rest, &word)) {
        if (zv_is_digit(word.at[0])) {
            return probe_print(session, "%.*s", (int)word.length, word.at);
        }
    }
    return NULL;
}

void probe_nvidia_kernel(struct probe_session *session)
{
    static const char root[] = "/proc/driver/nvidia";
    const char *names[MAX_GPUS];
    size_t count = 0;
    struct zv_probe_source *const source = probe_source(session, "NVIDIA kernel driver", root);
    const char *const line = probe_line(session, probe_print(session, "%s/version", root));
    DIR *const folder = probe_list(session, probe_print(session, "%s/gpus", root));
    const struct dirent *entry;
    while (folder != NULL && count < MAX_GPUS &&
           (entry = readdir(folder)) != NULL) { /* NOLINT(concurrency-mt-unsafe) */
        if (entry->d_name[0] != '.') {
            names[count++] = probe_print(session, "%s", entry->d_name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    qsort(names, count, sizeof names[0], compare_names);
    for (size_t i = 0; i < count; i++) {
        const char *const path = probe_print(session, "%s/gpus/%s/information", root, names[i]);
        struct zv_probed_device *const device =
            probe_device(session, ZV_PROBE_NVIDIA, names[i], NULL, path);
        if (device != NULL) {
            read_information(session, device, path);
        }
    }
    source->there = line != NULL;
    source->answers = line != NULL;
    source->devices = (uint32_t)count;
    source->driver = line != NULL ? version_of(session, line) : NULL;
    source->said = line != NULL ? NULL : probe_print(session, "%s/version is not there", root);
}
