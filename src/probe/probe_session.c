#include "probe/probe_session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/printable.h"
#include "base/slice.h"

enum { TEXT_SIZE = 4096 };

void probe_no_memory(struct probe_session *session)
{
    session->status = zv_fail_memory(session->err, "what the machine says");
}

const char *probe_print(struct probe_session *session, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    zv_make_printable(text);
    const char *const copy = zv_arena_copy(session->arena, text, strlen(text));
    if (copy == NULL) {
        probe_no_memory(session);
    }
    return copy != NULL ? copy : "";
}

static const char *below_root(struct probe_session *session, const char *path)
{
    return session->places.root != NULL ? probe_print(session, "%s%s", session->places.root, path)
                                        : path;
}

FILE *probe_open(struct probe_session *session, const char *path)
{
    return fopen(below_root(session, path), "re");
}

DIR *probe_list(struct probe_session *session, const char *path)
{
    return opendir(below_root(session, path));
}

const char *probe_line(struct probe_session *session, const char *path)
{
    char text[TEXT_SIZE];
    FILE *const file = probe_open(session, path);
    if (file == NULL) {
        return NULL;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    const struct zv_slice line = zv_slice_trim(zv_slice_of(text));
    return line.length != 0 ? probe_print(session, "%.*s", (int)line.length, line.at) : NULL;
}

void probe_read_bytes(struct probe_session *session, struct zv_probed *reading, const char *path)
{
    uint64_t bytes;
    const char *const line = probe_line(session, path);
    if (line == NULL) {
        reading_miss(reading, probe_print(session, "%s cannot be read", path));
    } else if (!zv_slice_u64(zv_slice_of(line), &bytes)) {
        reading_miss(reading, probe_print(session, "%s says \"%.40s\"", path, line));
    } else {
        reading_take(reading, bytes, path);
    }
}

struct zv_probe_source *probe_source(struct probe_session *session, const char *what,
                                     const char *place)
{
    static struct zv_probe_source spare;
    struct zv_environment *const env = session->env;
    struct zv_probe_source *const source =
        env->source_count < PROBE_MAX_SOURCES ? &env->sources[env->source_count++] : &spare;
    *source = (struct zv_probe_source){.what = what, .place = place};
    return source;
}

void reading_take(struct zv_probed *reading, uint64_t value, const char *source)
{
    if (!reading->known) {
        *reading = (struct zv_probed){.known = true, .value = value, .source = source};
    }
}

void word_take(struct zv_probed_text *word, const char *text, const char *source)
{
    if (word->text == NULL) {
        *word = (struct zv_probed_text){.text = text, .source = source};
    }
}

void reading_miss(struct zv_probed *reading, const char *why)
{
    if (!reading->known && reading->why == NULL) {
        reading->why = why;
    }
}

void word_miss(struct zv_probed_text *word, const char *why)
{
    if (word->text == NULL && word->why == NULL) {
        word->why = why;
    }
}

/* Hexadecimal digits up to the character at; false when there are none or too many. */
static bool cut_hex(const char **from, char at, unsigned long *value)
{
    unsigned digits = 0;
    *value = 0;
    for (; digits < 8; digits++) {
        const char c = **from;
        const unsigned digit = zv_is_digit(c)         ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                      : 16;
        if (digit == 16) {
            break;
        }
        *value = *value * 16 + digit;
        (*from)++;
    }
    if (digits == 0 || **from != at) {
        return false;
    }
    *from += at != 0;
    return true;
}

bool bus_id_normal(char to[BUS_ID_TEXT], const char *from)
{
    unsigned long domain;
    unsigned long bus;
    unsigned long device;
    unsigned long function;
    if (from == NULL || !cut_hex(&from, ':', &domain) || !cut_hex(&from, ':', &bus) ||
        !cut_hex(&from, '.', &device) || !cut_hex(&from, 0, &function)) {
        return false;
    }
    (void)snprintf(to, BUS_ID_TEXT, "%04lx:%02lx:%02lx.%lx", domain, bus & 0xff, device & 0x1f,
                   function & 7);
    return true;
}

struct zv_probed_device *probe_new_device(struct probe_session *session,
                                          enum zv_probe_vendor vendor)
{
    struct zv_environment *const env = session->env;
    if (env->device_count == PROBE_MAX_DEVICES) {
        return NULL;
    }
    struct zv_probed_device *const device = &env->devices[env->device_count++];
    *device = (struct zv_probed_device){.vendor = vendor};
    return device;
}

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

struct zv_probed_device *probe_device(struct probe_session *session, enum zv_probe_vendor vendor,
                                      const char *bus_id, const char *uuid, const char *source)
{
    struct zv_environment *const env = session->env;
    char address[BUS_ID_TEXT];
    const char *const at = bus_id_normal(address, bus_id) ? address : NULL;
    for (size_t i = 0; i < env->device_count; i++) {
        const struct zv_probed_text *const words = env->devices[i].words;
        if (env->devices[i].vendor == vendor && (same_text(words[ZV_PROBE_BUS_ID].text, at) ||
                                                 same_text(words[ZV_PROBE_UUID].text, uuid))) {
            return &env->devices[i];
        }
    }
    struct zv_probed_device *const device = probe_new_device(session, vendor);
    if (device != NULL && at != NULL) {
        word_take(&device->words[ZV_PROBE_BUS_ID], probe_print(session, "%s", at), source);
    }
    return device;
}
