#include "cli/emulated_cards.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "cli/card_files.h"

enum { CARDS_LIMIT = 64 * 1024, PATH_LIMIT = 4096 };

/* What the driver says of it; the same fields said beside the name come after these and win. */
static void put_kernels(struct zv_sink *sink, const struct zv_card *card)
{
    if (card->kernels.capability != NULL) {
        zv_sink_print(sink, ",cc=%u.%u", card->kernels.capability->major,
                      card->kernels.capability->minor);
    }
    if (card->kernels.processors != 0) {
        zv_sink_print(sink, ",processors=%u", card->kernels.processors);
    }
    if (card->unified) {
        zv_sink_text(sink, ",integrated=yes");
    }
}

/* FIELD=VALUE after the name, each of the driver's (emulate/emulate_config.c); values are its own.
 */
static enum zv_status check_fields(const char *text, struct zv_slice fields, struct zv_error *err)
{
    static const char *const names[] = {"name",       "total", "used",   "cc",   "processors",
                                        "integrated", "vmm",   "events", "fault"};
    while (fields.length != 0) {
        struct zv_slice value = zv_slice_cut(&fields, ',');
        const struct zv_slice field = value;
        const struct zv_slice name = zv_slice_trim(zv_slice_cut(&value, '='));
        bool known = false;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            known = known || (name.length != field.length && zv_slice_equal(name, names[i]));
        }
        if (!known) {
            return zv_fail(err, ZV_E_USAGE,
                           "--emulate %.80s: '%.*s' is no FIELD=VALUE of docs/FORMATS.md; one more "
                           "card is one more --emulate",
                           text, (int)(field.length < 40 ? field.length : 40), field.at);
        }
    }
    return ZV_OK;
}

/* One card: its name and the lowest of its capacities, then what was said beside the name. */
static enum zv_status put_card(struct zv_sink *sink, const struct zv_card_table *table,
                               const char *text, struct zv_arena *arena, struct zv_error *err)
{
    struct zv_capacity capacity;
    struct zv_slice fields = zv_slice_of(text);
    const struct zv_slice name = zv_slice_trim(zv_slice_cut(&fields, ','));
    const char *const wanted = zv_arena_copy(arena, name.at, name.length);
    if (wanted == NULL) {
        return zv_fail_memory(err, "a card");
    }
    enum zv_status status = check_fields(text, fields, err);
    if (status == ZV_OK) {
        status = zv_capacity_of(table, wanted, &capacity, arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    zv_sink_print(sink, "%sname=%.*s,total=%llu", sink->written != 0 ? ";" : "",
                  (int)capacity.name.length, capacity.name.at, (unsigned long long)capacity.low);
    if (capacity.card != NULL) {
        put_kernels(sink, capacity.card);
    }
    if (fields.length != 0) {
        zv_sink_text(sink, ",");
        zv_sink_write(sink, fields.at, fields.length);
    }
    return ZV_OK;
}

static enum zv_status put_cards(const struct arguments *args, struct zv_arena *arena,
                                struct zv_error *err)
{
    struct zv_buffer text = {.limit = CARDS_LIMIT};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct card_files files;
    size_t at = 0;
    enum zv_status status = card_files_open(&files, arena, err);
    for (const char *card;
         status == ZV_OK && (card = arguments_next(args, "emulate", &at)) != NULL;) {
        status = put_card(&sink, &files.table, card, arena, err);
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started */
    if (status == ZV_OK && (sink.failed || setenv("ZIRVE_EMULATED_CARDS", text.data, 1) != 0)) {
        status = zv_fail_memory(err, "emulated cards");
    }
    card_files_close(&files);
    zv_buffer_free(&text);
    return status;
}

static enum zv_status find_library(const char **library, struct zv_arena *arena,
                                   struct zv_error *err)
{
    static const char *const places[] = {"libzirve-emulate.so", "../emulate/libzirve-emulate.so",
                                         "../lib/libzirve-emulate.so",
                                         "../lib/x86_64-linux-gnu/libzirve-emulate.so"};
    const char *const named = getenv("ZIRVE_EMULATE_LIBRARY"); /* NOLINT(concurrency-mt-unsafe) */
    char own[PATH_LIMIT];
    if (named != NULL && named[0] != 0) {
        *library = named;
        return ZV_OK;
    }
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    char *const slash = strrchr(own, '/');
    if (slash != NULL) {
        *slash = 0;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0] && slash != NULL; i++) {
        const char *const path = zv_arena_print(arena, "%s/%s", own, places[i]);
        if (path == NULL) {
            return zv_fail_memory(err, "a path");
        }
        if (access(path, R_OK) == 0) {
            *library = path;
            return ZV_OK;
        }
    }
    return zv_fail(err, ZV_E_NOT_FOUND,
                   "--emulate: libzirve-emulate.so is neither beside this program nor in its "
                   "library folder; ZIRVE_EMULATE_LIBRARY names it");
}

enum zv_status option_emulate(const struct arguments *args, const char **library,
                              struct zv_arena *arena, struct zv_error *err)
{
    *library = NULL;
    if (!arguments_has(args, "emulate")) {
        return ZV_OK;
    }
    const enum zv_status status = put_cards(args, arena, err);
    return status == ZV_OK ? find_library(library, arena, err) : status;
}
