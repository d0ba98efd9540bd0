#include "report/report_environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 24, VALUE = 24, LINE = 1024 };

static void label(struct zv_sink *sink, const char *text)
{
    zv_sink_print(sink, "  %-*s", LABEL - 2, text);
}

/* A label and words that may be long. */
static void words(struct zv_sink *sink, const struct report_style *style, const char *name,
                  const char *text)
{
    label(sink, name);
    report_fold(sink, style, LABEL, LABEL, text);
}

/* The last part of a path is enough for people; results in JSON have all of it. */
static const char *short_source(const char *source)
{
    const char *const slash = source != NULL ? strrchr(source, '/') : NULL;
    return slash != NULL ? slash + 1 : source != NULL ? source : "";
}

static void show_readings(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_probed *readings)
{
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        const struct zv_probed *const reading = &readings[i];
        char bytes[REPORT_BYTES_TEXT];
        if (!reading->known) {
            continue;
        }
        if (zv_probe_readings[i].bytes) {
            report_bytes(bytes, style, reading->value);
            label(sink, zv_probe_readings[i].text);
            zv_sink_print(sink, "%-*s %s\n", VALUE, bytes, short_source(reading->source));
        } else {
            zv_sink_print(sink, "  %s: %s\n", zv_probe_readings[i].text,
                          reading->value != 0 ? "yes" : "no");
        }
    }
}

static void show_words(struct zv_sink *sink, const struct zv_probed_text *list)
{
    for (unsigned i = ZV_PROBE_MODEL + 1; i < ZV_PROBE_WORDS; i++) {
        if (list[i].text != NULL) {
            label(sink, zv_probe_words[i].text);
            zv_sink_print(sink, "%s%s\n", list[i].text,
                          list[i].assumed ? " (assumed: the emulated card's is not known)" : "");
        }
    }
}

/* What is not known of a device, and why. */
struct missing {
    const char *names[ZV_PROBE_WORDS + ZV_PROBE_READINGS + 1];
    const char *whys[ZV_PROBE_WORDS + ZV_PROBE_READINGS + 1];
    size_t count;
};

static void miss(struct missing *missing, const char *name, const char *why)
{
    missing->names[missing->count] = name;
    missing->whys[missing->count++] = why != NULL ? why : "nobody to ask";
}

/* Of what nobody was there to ask only the memory is missed. */
static void miss_fields(struct missing *missing, const struct zv_probed_text *list,
                        const struct zv_probed *readings)
{
    for (unsigned i = 0; i < ZV_PROBE_WORDS; i++) {
        if (list[i].text == NULL && list[i].why != NULL) {
            miss(missing, zv_probe_words[i].text, list[i].why);
        }
    }
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        if (!readings[i].known && (readings[i].why != NULL || i == ZV_PROBE_CAPACITY ||
                                   i == ZV_PROBE_USED || i == ZV_PROBE_FREE)) {
            miss(missing, zv_probe_readings[i].text, readings[i].why);
        }
    }
}

/* One line a reason, with all that it concerns. */
static void show_missing(struct zv_sink *sink, const struct report_style *style,
                         const struct missing *missing)
{
    for (size_t i = 0; i < missing->count; i++) {
        char text[LINE] = "not known";
        size_t at = strlen(text);
        bool said = false;
        for (size_t n = 0; n < missing->count && at < sizeof text; n++) {
            const bool same = strcmp(missing->whys[i], missing->whys[n]) == 0;
            said = said || (same && n < i);
            if (same) {
                const int length = snprintf(text + at, sizeof text - at, "%s %s",
                                            n == i ? ":" : ",", missing->names[n]);
                at += length > 0 ? (size_t)length : 0;
            }
        }
        if (!said && at < sizeof text) {
            (void)snprintf(text + at, sizeof text - at, " (%s)", missing->whys[i]);
            report_fold(sink, style, 2, 0, text);
        }
    }
}

static void show_processes(struct zv_sink *sink, const struct report_style *style,
                           const struct zv_process_list *list)
{
    if (!list->known) {
        return;
    }
    zv_sink_print(sink, "  %-*s%zu\n", LABEL - 2, "processes", list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct zv_gpu_process *const process = &list->items[i];
        char bytes[REPORT_BYTES_TEXT] = "holds an unknown amount";
        char slice[32] = "";
        if (process->used.known) {
            report_bytes(bytes, style, process->used.value);
        }
        if (process->instance != ZV_PROBE_NO_INSTANCE) {
            (void)snprintf(slice, sizeof slice, ", slice %" PRIu32, process->instance);
        }
        zv_sink_print(sink, "    %8" PRIu32 "  %-16.16s %-*s %s%s\n", process->pid,
                      process->name != NULL ? process->name : "(not here)", VALUE, bytes,
                      process->kind, slice);
    }
}

static void show_instance(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_probed_slice *instance)
{
    const char *const model = instance->words[ZV_PROBE_MODEL].text;
    zv_sink_print(sink, "  slice ");
    if (instance->gpu_instance != ZV_PROBE_NO_INSTANCE) {
        zv_sink_print(sink, "%" PRIu32, instance->gpu_instance);
    } else {
        zv_sink_text(sink, "?");
    }
    if (instance->compute_instance != ZV_PROBE_NO_INSTANCE) {
        zv_sink_print(sink, "/%" PRIu32, instance->compute_instance);
    }
    zv_sink_print(sink, "  %s\n", model != NULL ? model : "");
    show_readings(sink, style, instance->readings);
    show_words(sink, instance->words);
    struct missing missing = {0};
    miss_fields(&missing, instance->words, instance->readings);
    show_missing(sink, style, &missing);
}

static void show_device(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_probed_device *device)
{
    char head[LINE];
    char name[ZV_DEVICE_NAME_TEXT];
    struct missing missing = {0};
    const char *const model = device->words[ZV_PROBE_MODEL].text;
    if (device->backend != NULL) {
        zv_device_name_print(name, device->ordinal);
        (void)snprintf(head, sizeof head, "%s  %s  (%s)", name,
                       model != NULL ? model : "name not known", device->backend);
    } else {
        (void)snprintf(head, sizeof head, "GPU  %s  (%s)", model != NULL ? model : "name not known",
                       device->unusable == NULL ? "no runtime here to ask" : "not usable");
    }
    report_bold(sink, style, head);
    zv_sink_text(sink, "\n");
    if (device->unusable != NULL) {
        words(sink, style, "not usable", device->unusable);
    }
    show_readings(sink, style, device->readings);
    if (device->used_counts_reserved) {
        zv_sink_text(sink, "  used counts what the driver keeps for itself\n");
    }
    show_words(sink, device->words);
    show_processes(sink, style, &device->processes);
    miss_fields(&missing, device->words, device->readings);
    if (!device->processes.known) {
        miss(&missing, "processes", device->processes.why);
    }
    show_missing(sink, style, &missing);
    for (size_t i = 0; i < device->instance_count; i++) {
        show_instance(sink, style, &device->instances[i]);
    }
    zv_sink_text(sink, "\n");
}

static void show_sources(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_environment *env)
{
    report_bold(sink, style, "looked for");
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < env->source_count; i++) {
        const struct zv_probe_source *const source = &env->sources[i];
        char text[LINE];
        const char *const said = source->said != NULL ? source->said : "";
        if (source->answers) {
            (void)snprintf(text, sizeof text, "%s%s%" PRIu32 " %s%s%s",
                           source->driver != NULL ? source->driver : "",
                           source->driver != NULL ? ", " : "", source->devices,
                           source->devices == 1 ? "device" : "devices", said[0] != 0 ? "; " : "",
                           said);
        } else {
            (void)snprintf(text, sizeof text, "%s", said);
        }
        words(sink, style, source->what, text);
    }
}

static void show_settings(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_environment *env)
{
    report_bold(sink, style, "\nsettings");
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < env->setting_count; i++) {
        char text[LINE];
        (void)snprintf(text, sizeof text, "%s=%s", env->settings[i].name, env->settings[i].value);
        report_fold(sink, style, 2, 0, text);
    }
    if (env->setting_count == 0) {
        zv_sink_text(sink, "  none that change what memory a GPU program takes or sees\n");
    }
}

static void show_pythons(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_environment *env)
{
    report_bold(sink, style, "\nPython, by its files");
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < env->python_count; i++) {
        const struct zv_python *const python = &env->pythons[i];
        const char *const backend = python->torch_backend;
        label(sink, python->version != NULL ? python->version : "version not known");
        zv_sink_print(sink, "%s\n", python->prefix);
        label(sink, "");
        if (python->torch == NULL) {
            zv_sink_text(sink, "no PyTorch\n");
        } else {
            zv_sink_print(sink, "PyTorch %s, built for %s\n", python->torch,
                          backend != NULL ? backend : "what its files do not say");
        }
    }
    if (env->python_count == 0) {
        zv_sink_text(sink, "  none found\n");
    }
}

/* The answer, one line. */
static void show_answer(struct zv_sink *sink, const struct report_style *style,
                        const struct report_environment *machine)
{
    char text[LINE] = "no usable GPU";
    size_t count = 0;
    for (size_t i = 0; i < machine->env->device_count; i++) {
        count += zv_probed_usable(&machine->env->devices[i]);
    }
    if (machine->asked != NULL && machine->only == NULL) {
        (void)snprintf(text, sizeof text, "no usable GPU %s: no runtime lists it", machine->asked);
    } else if (machine->asked != NULL && machine->usable) {
        char name[ZV_DEVICE_NAME_TEXT];
        zv_device_name_print(name, machine->only->ordinal);
        (void)snprintf(text, sizeof text, "usable: %s", name);
    } else if (machine->usable) {
        (void)snprintf(text, sizeof text, "usable: %zu of %zu %s", count,
                       machine->env->device_count,
                       machine->env->device_count == 1 ? "device" : "devices");
    }
    report_bold(sink, style, text);
    zv_sink_text(sink, "\n");
    if (machine->env->emulated) {
        zv_sink_text(sink, "EMULATED: a library that answered says that no device is behind it.\n");
    }
    zv_sink_text(sink, "\n");
}

void report_environment_text(struct zv_sink *sink, const struct report_style *style,
                             const struct report_environment *machine)
{
    const struct zv_environment *const env = machine->env;
    show_answer(sink, style, machine);
    if (machine->only != NULL) {
        show_device(sink, style, machine->only);
    }
    for (size_t i = 0; machine->only == NULL && i < env->device_count; i++) {
        show_device(sink, style, &env->devices[i]);
    }
    show_sources(sink, style, env);
    show_settings(sink, style, env);
    show_pythons(sink, style, env);
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0,
                "One look at one instant: used is what all processes held then. Several devices "
                "are not one pool. A device that is listed is no proof that a job runs on it.");
}
