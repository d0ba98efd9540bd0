#include "cli/step_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* ---- which options mean what ---- */

/* Of several rows for an option the first whose setting the program has. */
static const char as_count[] = "count";
static const char as_word[] = "word";
static const struct meaning {
    const char *option;
    const char *setting;
    const char *word; /* as it is written; NULL: any */
    /* what the program calls it; NULL: as it is written; as_count: as a number; as_word: with _ for
     * - */
    const char *value;
} meanings[] = {
    {"micro-batch", "batch", NULL, as_count},
    {"concurrency", "batch", NULL, as_count},
    {"seq-length", "tokens", NULL, as_count},
    {"cache", "cache", NULL, NULL},
    {"accumulation", "accumulation", NULL, as_count},
    {"lora-rank", "rank", NULL, as_count},
    {"lora-targets", "targets", NULL, NULL},
    {"dtype", "weights", NULL, NULL},
    {"dtype", "precision", NULL, NULL},
    {"quantization", "quantize", NULL, NULL},
    {"attention", "attention", NULL, NULL},
    {"autocast", "autocast", NULL, "bf16"},
    {"fused-loss", "loss", NULL, "fused"},
    {"dp", "ranks", NULL, as_count},
    {"fsdp", "parallel", NULL, "fsdp"},
    {"checkpointing", "checkpoint", "none", "false"},
    {"checkpointing", "checkpoint", "full", "true"},
    {"checkpointing", "checkpoint", NULL, NULL},
    {"optimizer", "optimizer", "adamw", "adamw_foreach|adamw_fused|adamw_loop"},
    {"optimizer", "optimizer", "adamw-forloop", "adamw_loop"},
    {"optimizer", "optimizer", NULL, as_word},
};

/* What else is taken, by the verb. The levers of --advise are part of every answer. */
static const char *const taken[] = {"task",       "framework", "set",    "trace",
                                    "alloc-conf", "card",      "in-use", "device",
                                    "search",     "verbose",   "advise"};

/* Why others are not, where that can be said; the rest is of no use to a step. */
static const struct reason {
    const char *option;
    const char *why;
} reasons[] = {
    {"zero", "it has no program for DeepSpeed: --fsdp, or --dp alone for DDP"},
    {"context", "the prompt is --seq-length, the answer --set generate=TOKENS"},
    {"tp", "it runs the step of one card"},
    {"pp", "it runs the step of one card"},
    {"ep", "it runs the step of one card"},
    {"gpus", "it runs one rank: --dp says how many there are"},
    {"grid", "it makes no table: run it for each value"},
    {"gradient-dtype", "gradients have the type that the program's operations give them"},
    {"optimizer-dtype", "states have the type that the optimizer gives them"},
    {"master-weights", "the program says what is kept: --dtype f32 --autocast"},
    {"no-master-weights", "the program says what is kept: --dtype, --autocast"},
    {"cpu-offload-gb", "offloading is outside it"},
    {"runtime", "it runs a training framework's program, not a server"},
    {"command", "it runs a training framework's program, not a server's command line"},
    {"from-log", "it runs a program and reads no log"},
    {"item", "it counts what the step allocates alone"},
    {"host-item", "it counts what the step allocates alone"},
    {"items", "it counts what the step allocates alone"},
};

static bool is_taken(const struct option_spec *spec)
{
    for (size_t i = 0; i < common_option_count; i++) {
        if (spec == &common_options[i]) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(spec->name, taken[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strcmp(spec->name, meanings[i].option) == 0) {
            return true;
        }
    }
    return false;
}

static const char *why_not(const struct option_spec *spec)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(spec->name, reasons[i].option) == 0) {
            return reasons[i].why;
        }
    }
    return "that is nothing of its program";
}

enum zv_status step_settings_check(const struct arguments *args, struct zv_error *err)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const struct given_option *const given = &args->given[i];
        if (!is_taken(given->spec)) {
            return zv_fail(err, ZV_E_USAGE, "%s: not with --framework: %s", given->spelling,
                           why_not(given->spec));
        }
    }
    return ZV_OK;
}

/* ---- settings ---- */

static enum zv_status add(struct step_settings *to, struct zv_step_setting setting,
                          struct zv_error *err)
{
    if (to->count == STEP_SETTINGS_MAX) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings of a step", STEP_SETTINGS_MAX);
    }
    for (size_t i = 0; i < to->count; i++) {
        const struct zv_step_setting *const other = &to->at[i];
        if (zv_slice_same(other->name, setting.name) &&
            !zv_slice_same(other->value, setting.value)) {
            return zv_fail(err, ZV_E_USAGE, "%.*s is stated twice: %.*s by %s and %.*s by %s",
                           (int)setting.name.length, setting.name.at, (int)other->value.length,
                           other->value.at, other->option, (int)setting.value.length,
                           setting.value.at, setting.option);
        }
    }
    to->at[to->count++] = setting;
    return ZV_OK;
}

/* "2k" is 2048 */
static enum zv_status add_count(struct step_settings *to, const struct arguments *args,
                                const struct given_option *given, const char *setting,
                                struct zv_error *err)
{
    uint64_t count = 0;
    char *const text = to->numbers[to->count % STEP_SETTINGS_MAX];
    const enum zv_status status = arguments_u64(args, given->spec->name, &count, err);
    (void)snprintf(text, sizeof to->numbers[0], "%" PRIu64, count);
    return status == ZV_OK ? add(to,
                                 (struct zv_step_setting){zv_slice_of(setting), zv_slice_of(text),
                                                          given->spelling},
                                 err)
                           : status;
}

/* "paged-adamw" is paged_adamw */
static enum zv_status add_word(struct step_settings *to, const struct given_option *given,
                               const char *setting, struct zv_error *err)
{
    char *const text = to->numbers[to->count % STEP_SETTINGS_MAX];
    const int length = snprintf(text, sizeof to->numbers[0], "%s", given->value);
    for (char *at = text; *at != 0; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    const bool whole = length >= 0 && (size_t)length < sizeof to->numbers[0];
    return add(to,
               (struct zv_step_setting){zv_slice_of(setting),
                                        zv_slice_of(whole ? text : given->value), given->spelling},
               err);
}

static enum zv_status add_option(struct step_settings *to, const struct arguments *args,
                                 const struct given_option *given, const struct zv_step *step,
                                 struct zv_error *err)
{
    const struct meaning *missing = NULL;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const struct meaning *const row = &meanings[i];
        if (strcmp(row->option, given->spec->name) != 0 ||
            (row->word != NULL && strcmp(row->word, given->value) != 0)) {
            continue;
        }
        missing = row;
        if (step_link_setting(&step->link, zv_slice_of(row->setting)) < 0) {
            continue;
        }
        if (row->value == as_count) {
            return add_count(to, args, given, row->setting, err);
        }
        if (row->value == as_word) {
            return add_word(to, given, row->setting, err);
        }
        const char *const value = row->value != NULL ? row->value : given->value;
        return add(to,
                   (struct zv_step_setting){zv_slice_of(row->setting), zv_slice_of(value),
                                            given->spelling},
                   err);
    }
    return missing == NULL ? ZV_OK
                           : zv_fail(err, ZV_E_USAGE, "%s: the step has no setting \"%s\"",
                                     given->spelling, missing->setting);
}

void step_settings_spell(struct zv_slice setting, char *to, size_t size)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (zv_slice_equal(setting, meanings[i].setting)) {
            (void)snprintf(to, size, "--%s", meanings[i].option);
            return;
        }
    }
    const bool selective = zv_slice_equal(setting, "selective");
    (void)snprintf(to, size, "--set %.*s=%s", (int)setting.length, setting.at,
                   selective ? "op, products, a number of layers, or operations (mm,flash)"
                             : "VALUE");
}

/* --set NAME=VALUE */
static enum zv_status add_set(struct step_settings *to, const char *text, struct zv_error *err)
{
    struct zv_slice value = zv_slice_of(text);
    const struct zv_slice name = zv_slice_cut(&value, '=');
    if (name.length == 0 || value.length == 0) {
        return zv_fail(err, ZV_E_USAGE, "--set %s: expected NAME=VALUE", text);
    }
    return add(to, (struct zv_step_setting){name, value, "--set"}, err);
}

/* Whether --set names a setting. */
static bool is_set(const struct arguments *args, const char *name)
{
    size_t at = 0;
    for (const char *text = arguments_next(args, "set", &at); text != NULL;
         text = arguments_next(args, "set", &at)) {
        struct zv_slice rest = zv_slice_of(text);
        if (zv_slice_equal(zv_slice_cut(&rest, '='), name)) {
            return true;
        }
    }
    return false;
}

enum zv_status step_settings_read(struct step_settings *to, const struct arguments *args,
                                  const struct zv_step *step, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    to->count = 0;
    for (size_t i = 0; status == ZV_OK && i < args->given_count; i++) {
        status = add_option(to, args, &args->given[i], step, err);
    }
    if (status == ZV_OK && arguments_has(args, "lora-rank")) {
        status = add(to,
                     (struct zv_step_setting){.name = zv_slice_of("full"),
                                              .value = zv_slice_of("false"),
                                              .option = "--lora-rank"},
                     err);
    }
    if (status == ZV_OK && arguments_has(args, "dp") && !arguments_has(args, "fsdp") &&
        !is_set(args, "parallel")) {
        status =
            add(to,
                (struct zv_step_setting){
                    .name = zv_slice_of("parallel"), .value = zv_slice_of("ddp"), .option = "--dp"},
                err);
    }
    size_t at = 0;
    for (const char *text = arguments_next(args, "set", &at); status == ZV_OK && text != NULL;
         text = arguments_next(args, "set", &at)) {
        status = add_set(to, text, err);
    }
    return status;
}

enum zv_status step_settings_search(const struct arguments *args, struct zv_slice *setting,
                                    struct zv_error *err)
{
    static const char *const words[] = {"batch",      "micro-batch", "context",
                                        "seq-length", "tokens",      NULL};
    static const char *const settings[] = {"batch", "batch", "tokens", "tokens", "tokens"};
    unsigned word = 0;
    const enum zv_status status = arguments_choice(args, "search", words, &word, err);
    *setting = zv_slice_of(settings[word]);
    return status;
}
