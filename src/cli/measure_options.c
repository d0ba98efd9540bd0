#include "cli/measure_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/device_name.h"
#include "base/fail.h"
#include "cli/emulated_cards.h"

const struct option_spec measure_options[MEASURE_OPTIONS] = {
    {"Device", "device", NULL, "LIST", "cuda:N or hip:N, several with commas (cuda:0)",
     OPTION_VALUE},
    {"Device", "emulate", NULL, "CARD", "no device but an emulated CARD; again for one more",
     OPTION_LIST},
    {"Device", "alloc-conf", NULL, "SETTINGS", "allocator settings, as PYTORCH_ALLOC_CONF",
     OPTION_VALUE},
    {"Device", "torch", NULL, "VERSION", "allocator of this PyTorch (the newest known)",
     OPTION_VALUE},
    {"Exercise", "batch", "batch-size", "N", "rows are batch x context (1)", OPTION_VALUE},
    {"Exercise", "context", NULL, "N", "a dimension of this network, no model's length (16)",
     OPTION_VALUE},
    {"Exercise", "width", NULL, "N", "values a row, and a layer (64)", OPTION_VALUE},
    {"Exercise", "depth", NULL, "N", "layers (2)", OPTION_VALUE},
    {"Exercise", "dtype", NULL, "TYPE", "float32, float16 or bfloat16 (float32)", OPTION_VALUE},
    {"Exercise", "train", NULL, NULL, "forward, loss, backward, updates, evaluation, export",
     OPTION_FLAG},
    {"Exercise", "optimizer", NULL, "NAME", "sgd or adam, with --train (adam)", OPTION_VALUE},
    {"Exercise", "seed", NULL, "N", "of weights and inputs (0)", OPTION_VALUE},
    {"Protocol", "warmup", NULL, "N", "forwards, or steps, before those that count (1)",
     OPTION_VALUE},
    {"Protocol", "repeats", NULL, "N", "forwards, or steps, a phase each, in one process (2)",
     OPTION_VALUE},
    {"Protocol", "series", NULL, "N", "the whole in N new processes, one after the other (1)",
     OPTION_VALUE},
    {"Protocol", "empty-cache", NULL, "WHEN", "between: give the cache back between phases",
     OPTION_VALUE},
    {"Protocol", "unsynchronised", "unsynchronized", NULL,
     "once more without phase boundaries, in a new process", OPTION_FLAG},
    {"Protocol", "search", NULL, "SIZE", "batch, context or width: the largest that passes",
     OPTION_VALUE},
};

static enum zv_status read_size(const struct arguments *args, const char *name, uint64_t most,
                                uint64_t *to, struct zv_error *err)
{
    const enum zv_status status = arguments_u64(args, name, to, err);
    if (status == ZV_OK && (*to == 0 || *to > most)) {
        return zv_fail(err, ZV_E_USAGE, "--%s %s: expected 1 to %llu", name,
                       arguments_value(args, name), (unsigned long long)most);
    }
    return status;
}

static enum zv_status read_sizes(struct measure_settings *to, const struct arguments *args,
                                 struct zv_error *err)
{
    struct measure_condition *const c = &to->condition;
    uint64_t depth = 2;
    uint64_t repeats = 2;
    uint64_t processes = 1;
    const struct {
        const char *name;
        uint64_t most;
        uint64_t *to;
    } rows[] = {
        {"batch", MEASURE_MOST_SIZE, &c->batch},     {"context", MEASURE_MOST_SIZE, &c->context},
        {"width", MEASURE_MOST_WIDTH, &c->width},    {"depth", MEASURE_MOST_DEPTH, &depth},
        {"repeats", MEASURE_MOST_REPEATS, &repeats}, {"series", MEASURE_MOST_PROCESSES, &processes},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum zv_status status = read_size(args, rows[i].name, rows[i].most, rows[i].to, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    c->depth = (uint32_t)depth;
    c->repeats = (uint32_t)repeats;
    to->processes = (uint32_t)processes;
    const enum zv_status status = arguments_u64(args, "seed", &c->seed, err);
    return status == ZV_OK ? arguments_u32(args, "warmup", &c->warmup, err) : status;
}

static enum zv_status read_choices(struct measure_settings *to, const struct arguments *args,
                                   struct zv_error *err)
{
    static const char *const dtypes[] = {"float32", "float16", "bfloat16", NULL};
    static const char *const optimizers[] = {"sgd", "adam", NULL};
    static const char *const times[] = {"never", "between", NULL};
    static const char *const searched[] = {"batch", "context", "width", NULL};
    struct measure_condition *const c = &to->condition;
    unsigned dtype = MEASURE_F32;
    unsigned optimizer = MEASURE_ADAM;
    unsigned empties = 0;
    unsigned search = 0;
    const struct {
        const char *name;
        const char *const *words;
        unsigned *to;
    } rows[] = {{"dtype", dtypes, &dtype},
                {"optimizer", optimizers, &optimizer},
                {"empty-cache", times, &empties},
                {"search", searched, &search}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum zv_status status =
            arguments_choice(args, rows[i].name, rows[i].words, rows[i].to, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    c->dtype = (enum measure_dtype)dtype;
    c->optimizer = (enum measure_optimizer)optimizer;
    c->empties_cache = empties != 0;
    to->searched = arguments_has(args, "search") ? searched[search] : NULL;
    return ZV_OK;
}

/* Two devices of one number would both be cuda:N in the result, whatever their backend. */
static enum zv_status check_places(const struct measure_settings *settings, const char *given,
                                   const char *one, struct zv_error *err)
{
    struct zv_device_name name = {0};
    struct zv_device_name other = {0};
    enum zv_status status = zv_device_name_read(&name, zv_slice_of(one), err);
    for (size_t i = 0; status == ZV_OK && i < settings->place_count; i++) {
        status = zv_device_name_read(&other, zv_slice_of(settings->places[i].device), err);
        if (status == ZV_OK && other.index == name.index) {
            char shown[ZV_DEVICE_NAME_TEXT];
            zv_device_name_print(shown, name.index);
            return zv_fail(err, ZV_E_USAGE, "--device %s: %s is named twice", given, shown);
        }
    }
    return status;
}

/* "cuda:0,cuda:1" */
static enum zv_status read_places(struct measure_settings *to, const struct arguments *args,
                                  const char *library, struct zv_arena *arena, struct zv_error *err)
{
    const char *const given = arguments_value(args, "device");
    const char *const folder = getenv("ZIRVE_LIBRARIES"); /* NOLINT(concurrency-mt-unsafe) */
    struct zv_slice rest = zv_slice_of(given != NULL ? given : "cuda:0");
    while (rest.length != 0 || to->place_count == 0) {
        const struct zv_slice name = zv_slice_trim(zv_slice_cut(&rest, ','));
        const char *const device = zv_arena_copy(arena, name.at, name.length);
        if (device == NULL) {
            return zv_fail_memory(err, "a device's name");
        }
        if (to->place_count == MEASURE_MOST_DEVICES) {
            return zv_fail(err, ZV_E_USAGE, "--device: at most %d", (int)MEASURE_MOST_DEVICES);
        }
        const enum zv_status status = check_places(to, given, device, err);
        if (status != ZV_OK) {
            return status;
        }
        to->places[to->place_count++] =
            (struct measure_place){.device = device,
                                   .library = library,
                                   .folder = folder != NULL && folder[0] != 0 ? folder : NULL,
                                   .compiler = library,
                                   .must_be_emulated = library != NULL};
    }
    return ZV_OK;
}

static enum zv_status check_together(const struct measure_settings *settings,
                                     const struct arguments *args, struct zv_error *err)
{
    if (args->operand_count != 0) {
        return zv_fail(err, ZV_E_USAGE, "'%s': measure takes options only", args->operands[0]);
    }
    if (arguments_has(args, "optimizer") && !settings->condition.trains) {
        return zv_fail(err, ZV_E_USAGE,
                       "--optimizer is for training: add --train, or leave it out");
    }
    if (settings->searched != NULL && (settings->processes != 1 || settings->unsynchronised)) {
        return zv_fail(err, ZV_E_USAGE,
                       "--search makes a new process a try: without --series and --unsynchronised");
    }
    return ZV_OK;
}

enum zv_status measure_settings_read(struct measure_settings *to, const struct arguments *args,
                                     struct zv_arena *arena, struct zv_error *err)
{
    const char *const torch = arguments_value(args, "torch");
    const char *library = NULL;
    *to = (struct measure_settings){.condition = {.batch = 1,
                                                  .context = 16,
                                                  .width = 64,
                                                  .warmup = 1,
                                                  .trains = arguments_has(args, "train"),
                                                  .profile = ZV_TORCH_2_14,
                                                  .conf = arguments_value(args, "alloc-conf")},
                                    .unsynchronised = arguments_has(args, "unsynchronised")};
    if (torch != NULL && !zv_torch_profile_parse(torch, &to->condition.profile)) {
        return zv_fail(err, ZV_E_USAGE, "--torch %s: expected a version of PyTorch from 2.1 on",
                       torch);
    }
    enum zv_status status = read_sizes(to, args, err);
    if (status == ZV_OK) {
        status = read_choices(to, args, err);
    }
    if (status == ZV_OK) {
        status = check_together(to, args, err);
    }
    if (status == ZV_OK) {
        status = option_emulate(args, &library, arena, err);
    }
    return status == ZV_OK ? read_places(to, args, library, arena, err) : status;
}

uint64_t *measure_searched(const struct measure_settings *settings,
                           struct measure_condition *condition)
{
    return strcmp(settings->searched, "batch") == 0     ? &condition->batch
           : strcmp(settings->searched, "context") == 0 ? &condition->context
                                                        : &condition->width;
}
