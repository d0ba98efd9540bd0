#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/slice.h"
#include "cli/output.h"
#include "cli/probe_places.h"
#include "cli/verbs.h"
#include "report/report_environment.h"

/* "cuda:0", "0": PyTorch's name, under HIP too. */
static enum zv_status read_device(const struct arguments *args, const char **asked,
                                  uint32_t *ordinal, struct zv_error *err)
{
    static const char prefix[] = "cuda:";
    const char *const value = arguments_value(args, "device");
    struct zv_slice number = zv_slice_of(value);
    uint64_t wide = 0;
    *asked = value;
    if (zv_slice_starts(number, prefix)) {
        number.at += sizeof prefix - 1;
        number.length -= sizeof prefix - 1;
    }
    if (value != NULL && (!zv_slice_u64(number, &wide) || wide > UINT32_MAX)) {
        return zv_fail(err, ZV_E_USAGE, "--device %s: expected cuda:N, such as cuda:0", value);
    }
    *ordinal = (uint32_t)wide;
    return ZV_OK;
}

static bool any_usable(const struct zv_environment *env)
{
    for (size_t i = 0; i < env->device_count; i++) {
        if (zv_device_usable(&env->devices[i])) {
            return true;
        }
    }
    return false;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct zv_environment env;
    struct zv_arena arena = {0};
    struct report_environment machine = {.env = &env};
    uint32_t ordinal = 0;
    char name[32];
    const struct zv_probe_places places = probe_places();
    enum zv_status status = read_device(args, &machine.asked, &ordinal, err);
    if (status == ZV_OK && args->operand_count != 0) {
        status = zv_fail(err, ZV_E_USAGE, "takes no operand: '%s'", args->operands[0]);
    }
    if (status == ZV_OK) {
        status = zv_probe_environment(&env, &places, &arena, err);
    }
    if (status == ZV_OK) {
        if (machine.asked != NULL) {
            (void)snprintf(name, sizeof name, "cuda:%u", ordinal);
            machine.asked = name;
            machine.only = zv_device_named(&env, ordinal);
        }
        machine.usable = machine.asked != NULL ? machine.only != NULL : any_usable(&env);
        out->exit_code = machine.usable ? 0 : 2;
        if (out->json) {
            report_environment_json(&out->sink, &machine);
        } else {
            report_environment_text(&out->sink, &out->style, &machine);
        }
    }
    zv_arena_free(&arena);
    return status;
}

static const struct option_spec options[] = {
    {"Devices", "device", NULL, "cuda:N", "this device alone, by the name that PyTorch gives it",
     OPTION_VALUE},
};

const struct verb verb_environment = {
    .name = "environment",
    .question = "what is this machine: devices, drivers, capacities, settings?",
    .usage = "[--device cuda:N] [options]",
    .about =
        "Asks every library and driver that may know of a GPU: NVML, the CUDA driver, AMD SMI, "
        "ROCm SMI, the HIP runtime, and the kernel's files. Each figure comes with the call that "
        "gave it; what is not known is named with the reason. A backend is there when its runtime "
        "lists the device. PyTorch calls devices cuda:N under HIP too. Settings and the versions "
        "of Python and PyTorch are read from the environment and from files: no program is run and "
        "no memory is taken on a device. Exit status 2 when no GPU can be used, with what was "
        "looked for and what was found instead.",
    .examples = "  zirve environment\n"
                "  zirve environment --device cuda:0\n"
                "  zirve environment --json\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
