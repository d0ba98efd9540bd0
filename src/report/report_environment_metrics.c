#include <inttypes.h>
#include <stdio.h>

#include "report/report_environment.h"

/* TYPE, UNIT and HELP of a family; its samples follow at once. */
static void begin(struct zv_sink *sink, const char *name, bool bytes, const char *help)
{
    zv_sink_print(sink, "# TYPE %s gauge\n", name);
    if (bytes) {
        zv_sink_print(sink, "# UNIT %s bytes\n", name);
    }
    zv_sink_print(sink, "# HELP %s %s.\n", name, help);
}

/* A label's value: backslash, quote and line break escaped. */
static void label(struct zv_sink *sink, char before, const char *name, const char *value)
{
    zv_sink_print(sink, "%c%s=\"", before, name);
    for (const char *p = value != NULL ? value : ""; *p != 0; p++) {
        if (*p == '\\' || *p == '"') {
            zv_sink_print(sink, "\\%c", *p);
        } else if (*p == '\n') {
            zv_sink_text(sink, "\\n");
        } else {
            zv_sink_write(sink, p, 1);
        }
    }
    zv_sink_text(sink, "\"");
}

/* "{gpu="0",uuid="…",bus_id="…"", still open: gpu, the place in the result, tells devices apart
 * whose drivers tell neither. */
static void identify(struct zv_sink *sink, const char *name, const struct zv_environment *env,
                     const struct zv_probed_device *device)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%td", device - env->devices);
    zv_sink_text(sink, name);
    label(sink, '{', "gpu", number);
    label(sink, ',', "uuid", device->words[ZV_PROBE_UUID].text);
    label(sink, ',', "bus_id", device->words[ZV_PROBE_BUS_ID].text);
}

static void label_number(struct zv_sink *sink, const char *name, uint32_t value)
{
    char number[24] = "";
    if (value != ZV_PROBE_NO_INSTANCE) {
        (void)snprintf(number, sizeof number, "%" PRIu32, value);
    }
    label(sink, ',', name, number);
}

static void end(struct zv_sink *sink, uint64_t value)
{
    zv_sink_print(sink, "} %" PRIu64 "\n", value);
}

/* The devices that the result is of, one after another; NULL after the last. */
static const struct zv_probed_device *next(const struct report_environment *machine, size_t *at)
{
    const struct zv_environment *const env = machine->env;
    if (machine->only != NULL) {
        return (*at)++ == 0 ? machine->only : NULL;
    }
    return *at < env->device_count ? &env->devices[(*at)++] : NULL;
}

static void write_info(struct zv_sink *sink, const struct report_environment *machine)
{
    static const char name[] = "zirve_device_info";
    const struct zv_probed_device *device;
    begin(sink, name, false, "Which device this is");
    for (size_t at = 0; (device = next(machine, &at)) != NULL;) {
        char ordinal[ZV_DEVICE_NAME_TEXT] = "";
        if (device->backend != NULL) {
            zv_device_name_print(ordinal, device->ordinal);
        }
        identify(sink, name, machine->env, device);
        label(sink, ',', "device", ordinal);
        label(sink, ',', "backend", device->backend);
        label(sink, ',', "model", device->words[ZV_PROBE_MODEL].text);
        label(sink, ',', "architecture", device->words[ZV_PROBE_ARCHITECTURE].text);
        end(sink, 1);
    }
}

static void write_usable(struct zv_sink *sink, const struct report_environment *machine)
{
    static const char name[] = "zirve_device_usable";
    const struct zv_probed_device *device;
    begin(sink, name, false, "Whether a program can compute on the device");
    for (size_t at = 0; (device = next(machine, &at)) != NULL;) {
        identify(sink, name, machine->env, device);
        end(sink, zv_probed_usable(device));
    }
}

static void write_readings(struct zv_sink *sink, const struct report_environment *machine,
                           enum zv_probe_reading field)
{
    char name[96];
    const struct zv_probed_device *device;
    (void)snprintf(name, sizeof name, "zirve_device_%s", zv_probe_readings[field].key);
    begin(sink, name, true, zv_probe_readings[field].help);
    for (size_t at = 0; (device = next(machine, &at)) != NULL;) {
        if (device->readings[field].known) {
            identify(sink, name, machine->env, device);
            end(sink, device->readings[field].value);
        }
    }
}

static void write_instances(struct zv_sink *sink, const struct report_environment *machine,
                            enum zv_probe_reading field)
{
    char name[96];
    const struct zv_probed_device *device;
    (void)snprintf(name, sizeof name, "zirve_instance_%s", zv_probe_readings[field].key);
    begin(sink, name, true, zv_probe_readings[field].help);
    for (size_t at = 0; (device = next(machine, &at)) != NULL;) {
        for (size_t i = 0; i < device->instance_count; i++) {
            const struct zv_probed_slice *const instance = &device->instances[i];
            if (instance->readings[field].known) {
                identify(sink, name, machine->env, device);
                label_number(sink, "gpu_instance", instance->gpu_instance);
                label_number(sink, "compute_instance", instance->compute_instance);
                label(sink, ',', "instance_uuid", instance->words[ZV_PROBE_UUID].text);
                end(sink, instance->readings[field].value);
            }
        }
    }
}

static void write_processes(struct zv_sink *sink, const struct report_environment *machine)
{
    static const char name[] = "zirve_process_used_bytes";
    const struct zv_probed_device *device;
    begin(sink, name, true, "Memory of the device that a process holds");
    for (size_t at = 0; (device = next(machine, &at)) != NULL;) {
        for (size_t i = 0; i < device->processes.count; i++) {
            const struct zv_gpu_process *const process = &device->processes.items[i];
            if (process->used.known) {
                identify(sink, name, machine->env, device);
                label_number(sink, "gpu_instance", process->instance);
                zv_sink_print(sink, ",pid=\"%" PRIu32 "\"", process->pid);
                label(sink, ',', "process", process->name);
                end(sink, process->used.value);
            }
        }
    }
}

static void write_sources(struct zv_sink *sink, const struct zv_environment *env)
{
    static const char name[] = "zirve_source_answers";
    begin(sink, name, false, "Whether a library or driver that was looked for answers");
    for (size_t i = 0; i < env->source_count; i++) {
        zv_sink_text(sink, name);
        label(sink, '{', "source", env->sources[i].what);
        end(sink, env->sources[i].answers);
    }
}

static void write_flag(struct zv_sink *sink, const char *name, const char *help, bool value)
{
    begin(sink, name, false, help);
    zv_sink_print(sink, "%s %d\n", name, value);
}

void report_environment_metrics(struct zv_sink *sink, const struct report_environment *machine)
{
    write_flag(sink, "zirve_environment_usable", "Whether a GPU can be used", machine->usable);
    write_flag(sink, "zirve_environment_emulated", "Whether the devices are an emulation",
               machine->env->emulated);
    write_info(sink, machine);
    write_usable(sink, machine);
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        if (zv_probe_readings[i].bytes) {
            write_readings(sink, machine, (enum zv_probe_reading)i);
        }
    }
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        if (zv_probe_readings[i].bytes) {
            write_instances(sink, machine, (enum zv_probe_reading)i);
        }
    }
    write_processes(sink, machine);
    write_sources(sink, machine->env);
    zv_sink_text(sink, "# EOF\n");
}
