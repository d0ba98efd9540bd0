#include "report/json_fields.h"
#include "report/report_environment.h"

static void write_readings(struct zv_json_writer *json, const struct zv_probed *readings)
{
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        const struct zv_probe_field *const field = &zv_probe_readings[i];
        zv_json_write_key(json, field->key);
        if (!readings[i].known) {
            zv_json_write_null(json);
        } else if (field->bytes) {
            zv_json_write_u64(json, readings[i].value);
        } else {
            zv_json_write_bool(json, readings[i].value != 0);
        }
    }
}

/* Where each known field comes from, and why each other is not known. */
static void write_provenance(struct zv_json_writer *json, const struct zv_probed_text *words,
                             const struct zv_probed *readings)
{
    zv_json_write_key(json, "sources");
    zv_json_begin_object(json);
    for (unsigned i = 0; i < ZV_PROBE_WORDS; i++) {
        if (words[i].text != NULL) {
            json_text(json, zv_probe_words[i].key, words[i].source);
        }
    }
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        if (readings[i].known) {
            json_text(json, zv_probe_readings[i].key, readings[i].source);
        }
    }
    zv_json_end_object(json);
    zv_json_write_key(json, "unknown");
    zv_json_begin_object(json);
    for (unsigned i = 0; i < ZV_PROBE_WORDS; i++) {
        if (words[i].text == NULL) {
            json_text(json, zv_probe_words[i].key, words[i].why);
        }
    }
    for (unsigned i = 0; i < ZV_PROBE_READINGS; i++) {
        if (!readings[i].known) {
            json_text(json, zv_probe_readings[i].key, readings[i].why);
        }
    }
    zv_json_end_object(json);
}

static void write_fields(struct zv_json_writer *json, const struct zv_probed_text *words,
                         const struct zv_probed *readings)
{
    for (unsigned i = 0; i < ZV_PROBE_WORDS; i++) {
        json_text(json, zv_probe_words[i].key, words[i].text);
    }
    write_readings(json, readings);
    write_provenance(json, words, readings);
}

static void write_number(struct zv_json_writer *json, const char *key, uint32_t value)
{
    json_bytes(json, key, value != ZV_PROBE_NO_INSTANCE, value);
}

static void write_processes(struct zv_json_writer *json, const struct zv_process_list *list)
{
    zv_json_write_key(json, "processes");
    if (!list->known) {
        zv_json_write_null(json);
    } else {
        zv_json_begin_array(json);
        for (size_t i = 0; i < list->count; i++) {
            const struct zv_gpu_process *const process = &list->items[i];
            zv_json_begin_object(json);
            json_bytes(json, "pid", true, process->pid);
            json_text(json, "name", process->name);
            json_text(json, "kind", process->kind);
            write_number(json, "gpu_instance", process->instance);
            json_bytes(json, "used_bytes", process->used.known, process->used.value);
            zv_json_end_object(json);
        }
        zv_json_end_array(json);
    }
    json_text(json, "processes_source", list->known ? list->source : NULL);
    json_text(json, "processes_unknown", list->known ? NULL : list->why);
}

static void write_device(struct zv_json_writer *json, const struct zv_probed_device *device)
{
    const bool named = device->backend != NULL;
    zv_json_begin_object(json);
    json_text(json, "backend", device->backend);
    json_bytes(json, "ordinal", named, device->ordinal);
    json_text(json, "driver_of", device->vendor == ZV_PROBE_NVIDIA ? "NVIDIA" : "AMD");
    json_bool(json, "usable", zv_probed_usable(device));
    json_text(json, "not_usable_because", device->unusable);
    json_bool(json, "used_counts_reserved", device->used_counts_reserved);
    write_fields(json, device->words, device->readings);
    json_bool(json, "architecture_assumed", device->words[ZV_PROBE_ARCHITECTURE].assumed);
    write_processes(json, &device->processes);
    zv_json_write_key(json, "instances");
    zv_json_begin_array(json);
    for (size_t i = 0; i < device->instance_count; i++) {
        const struct zv_probed_slice *const instance = &device->instances[i];
        zv_json_begin_object(json);
        write_number(json, "gpu_instance", instance->gpu_instance);
        write_number(json, "compute_instance", instance->compute_instance);
        write_fields(json, instance->words, instance->readings);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void write_sources(struct zv_json_writer *json, const struct zv_environment *env)
{
    zv_json_write_key(json, "looked_for");
    zv_json_begin_array(json);
    for (size_t i = 0; i < env->source_count; i++) {
        const struct zv_probe_source *const source = &env->sources[i];
        zv_json_begin_object(json);
        json_text(json, "what", source->what);
        json_text(json, "place", source->place);
        json_bool(json, "there", source->there);
        json_bool(json, "answers", source->answers);
        json_text(json, "version", source->driver);
        json_bytes(json, "devices", true, source->devices);
        json_text(json, "said", source->said);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_software(struct zv_json_writer *json, const struct zv_environment *env)
{
    zv_json_write_key(json, "settings");
    zv_json_begin_object(json);
    for (size_t i = 0; i < env->setting_count; i++) {
        json_text(json, env->settings[i].name, env->settings[i].value);
    }
    zv_json_end_object(json);
    zv_json_write_key(json, "pythons");
    zv_json_begin_array(json);
    for (size_t i = 0; i < env->python_count; i++) {
        const struct zv_python *const python = &env->pythons[i];
        zv_json_begin_object(json);
        json_text(json, "prefix", python->prefix);
        json_text(json, "version", python->version);
        json_text(json, "torch", python->torch);
        json_text(json, "torch_file", python->torch_file);
        json_text(json, "torch_built_for", python->torch_backend);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

void report_environment_json(struct zv_sink *sink, const struct report_environment *machine)
{
    struct zv_json_writer json = {.sink = sink};
    const struct zv_environment *const env = machine->env;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.environment/1");
    json_text(&json, "known", env->emulated ? "emulated" : "measured");
    json_text(&json, "asked_for", machine->asked);
    json_bool(&json, "usable", machine->usable);
    zv_json_write_key(&json, "devices");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < env->device_count; i++) {
        if (machine->only == NULL || machine->only == &env->devices[i]) {
            write_device(&json, &env->devices[i]);
        }
    }
    zv_json_end_array(&json);
    write_sources(&json, env);
    write_software(&json, env);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
