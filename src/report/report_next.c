#include "report/report_next.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NEXT_SNAPSHOT = 1, NEXT_PROFILER = 2, NEXT_TIMELINE = 4, NEXT_ANY = 7 };
enum { PATH_TEXT = 256, OPTION_TEXT = 40 };

/* A row of the list: FILE and what a process could get of the card are filled in. */
static const struct next {
    uint32_t kinds; /* bits of enum zv_cause_kind */
    unsigned sources;
    const char *verb;
    const char *options; /* after FILE */
    bool with_capacity;
    const char *why;
} nexts[] = {
    {1U << ZV_CAUSE_FRAGMENTATION, NEXT_SNAPSHOT, "replay", " --advise", true,
     "settings under which it fits"},
    {1U << ZV_CAUSE_CAPACITY | 1U << ZV_CAUSE_FRAGMENTATION, NEXT_SNAPSHOT, "explain", " --advise",
     false, "what to change"},
    {1U << ZV_CAUSE_CAPACITY, NEXT_SNAPSHOT, "explain", " --by stack", false,
     "who holds it, with callers"},
    {1U << ZV_CAUSE_PEAK, NEXT_SNAPSHOT | NEXT_PROFILER, "replay", " --advise", false,
     "settings that reserve less"},
    {1U << ZV_CAUSE_PEAK, NEXT_SNAPSHOT, "explain", " --habits", false,
     "what grows, never empties"},
    {UINT32_MAX, NEXT_ANY, "view", " -o report.html", false, "memory over time, as a page"},
};

/* As a shell takes it; false: nothing that a user could copy. */
static bool put_path(char to[PATH_TEXT], const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._/+,:@%=-";
    const size_t length = strlen(path);
    if (length == 0 || length + 3 > PATH_TEXT || path[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)path[i] < ' ' || (unsigned char)path[i] > '~' || path[i] == '\'') {
            return false;
        }
    }
    const char *const quote = strspn(path, plain) == length ? "" : "'";
    (void)snprintf(to, PATH_TEXT, "%s%s%s", quote, path, quote);
    return true;
}

static bool applies(const struct next *next, const struct report_explain *explain)
{
    return !(explain->with_habits && strcmp(next->options, " --habits") == 0) &&
           (next->kinds >> explain->verdict->kind & 1U) != 0 &&
           (next->sources >> explain->record->trace.source & 1U) != 0;
}

void report_next_text(struct zv_sink *sink, const struct report_explain *explain)
{
    char path[PATH_TEXT];
    if (explain->path == NULL || !put_path(path, explain->path)) {
        return;
    }
    zv_sink_text(sink, "\nNext:\n");
    if (explain->verdict->kind == ZV_CAUSE_OUTSIDE || explain->verdict->kind == ZV_CAUSE_LIMIT) {
        zv_sink_print(sink, "  %-28s zirve environment\n", "who else uses the card");
    }
    if (explain->verdict->kind == ZV_CAUSE_STATIC) {
        zv_sink_print(sink, "  %-28s torch.cuda.memory._record_memory_history()\n",
                      "before the run, in Python");
    }
    for (size_t i = 0; i < sizeof nexts / sizeof nexts[0]; i++) {
        char capacity[OPTION_TEXT] = "";
        if (!applies(&nexts[i], explain)) {
            continue;
        }
        if (nexts[i].with_capacity) {
            (void)snprintf(capacity, sizeof capacity, " --capacity %" PRIu64 "B",
                           explain->cause_heap->usage.reserved_bytes +
                               explain->verdict->device_free_bytes);
        }
        zv_sink_print(sink, "  %-28s zirve %s %s%s%s\n", nexts[i].why, nexts[i].verb, path,
                      capacity, nexts[i].options);
    }
}
