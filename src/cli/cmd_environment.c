#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/slice.h"
#include "cli/output.h"
#include "cli/probe_places.h"
#include "cli/verbs.h"
#include "report/report_environment.h"

enum { METRICS_LIMIT = 16 * 1024 * 1024 };

static bool any_usable(const struct zv_environment *env)
{
    for (size_t i = 0; i < env->device_count; i++) {
        if (zv_probed_usable(&env->devices[i])) {
            return true;
        }
    }
    return false;
}

/* --metrics FILE beside the result, or - in its place. */
static enum zv_status write_metrics(const char *path, const struct report_environment *machine,
                                    struct zv_error *err)
{
    struct zv_buffer buffer = {.limit = METRICS_LIMIT};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    report_environment_metrics(&sink, machine);
    const enum zv_status status =
        sink.failed
            ? zv_fail(err, ZV_E_LIMIT, "the metrics are larger than %d bytes", METRICS_LIMIT)
            : zv_file_replace(path, (struct zv_slice){buffer.data, buffer.size}, err);
    zv_buffer_free(&buffer);
    return status;
}

static enum zv_status show(const struct arguments *args, const struct report_environment *machine,
                           struct output *out, struct zv_error *err)
{
    const char *const metrics = arguments_value(args, "metrics");
    const bool instead = metrics != NULL && strcmp(metrics, "-") == 0;
    if (metrics != NULL && !instead) {
        const enum zv_status status = write_metrics(metrics, machine, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (instead) {
        report_environment_metrics(&out->sink, machine);
    } else if (out->json) {
        report_environment_json(&out->sink, machine);
    } else {
        report_environment_text(&out->sink, &out->style, machine);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct zv_environment env;
    struct zv_arena arena = {0};
    struct report_environment machine = {.env = &env};
    struct zv_device_name name = {0};
    const struct zv_probe_places places = probe_places();
    enum zv_status status = ZV_OK;
    machine.asked = arguments_value(args, "device");
    if (machine.asked != NULL) {
        status = zv_device_name_read(&name, zv_slice_of(machine.asked), err);
    }
    if (status == ZV_OK && args->operand_count != 0) {
        status = zv_fail(err, ZV_E_USAGE, "takes no operand: '%s'", args->operands[0]);
    }
    if (status == ZV_OK) {
        status = zv_probe_environment(&env, &places, &arena, err);
    }
    if (status == ZV_OK) {
        if (machine.asked != NULL) {
            machine.only = zv_probed_named(&env, name);
        }
        machine.usable = machine.asked != NULL ? machine.only != NULL : any_usable(&env);
        out->exit_code = machine.usable ? 0 : 2;
        status = show(args, &machine, out, err);
    }
    zv_arena_free(&arena);
    return status;
}

static const struct option_spec options[] = {
    {"Devices", "device", NULL, "NAME",
     "this device alone: cuda:N, PyTorch's name under HIP too, or hip:N", OPTION_VALUE},
    {"Result", "metrics", NULL, "FILE",
     "OpenMetrics as well, for a textfile collector; FILE is replaced as a whole, - shows them",
     OPTION_VALUE},
};

const struct verb verb_environment = {
    .name = "environment",
    .question = "what is this machine: devices, drivers, capacities, settings?",
    .usage = "[--device NAME] [options]",
    .about =
        "Asks every library and driver that may know of a GPU: NVML, the CUDA driver, AMD SMI, "
        "ROCm SMI, the HIP runtime, and the kernel's files. Each figure comes with the call that "
        "gave it; what is not known is named with the reason. A backend is there when its runtime "
        "lists the device. Devices are shown as cuda:N, PyTorch's name under HIP too; --device "
        "takes hip:N as well, for HIP's alone. Settings and the versions of Python and PyTorch are "
        "read from the environment and from files: no program is run and "
        "no memory is taken on a device. Exit status 2 when no GPU can be used, with what was "
        "looked for and what was found instead.",
    .examples = "  zirve environment\n"
                "  zirve environment --device cuda:0\n"
                "  zirve environment --json\n"
                "  zirve environment --metrics zirve.prom\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
