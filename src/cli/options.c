#include "cli/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"

const struct option_spec common_options[] = {
    {"Output", "json", NULL, NULL, "machine-readable result (bytes as integers, null for unknown)",
     OPTION_FLAG},
    {"Output", "unit", NULL, "UNIT",
     "unit of printed bytes: both (GB and GiB), GiB, GB, MiB, MB, B", OPTION_VALUE},
    {"Output", "output", "o", "FILE",
     "write the result to FILE; an existing file is never overwritten", OPTION_VALUE},
    {"Output", "color", NULL, "WHEN", "auto, always or never (NO_COLOR is obeyed)", OPTION_VALUE},
    {"Output", "help", "h", NULL, "this text", OPTION_FLAG},
};
const size_t common_option_count = sizeof common_options / sizeof common_options[0];

static bool names_option(const struct option_spec *spec, struct zv_slice name)
{
    if (zv_slice_same_option(name, zv_slice_of(spec->name))) {
        return true;
    }
    struct zv_slice rest = zv_slice_of(spec->aliases);
    struct zv_slice alias;
    while (zv_slice_word(&rest, &alias)) {
        if (zv_slice_same_option(name, alias)) {
            return true;
        }
    }
    return false;
}

const struct option_spec *option_find(const struct verb *verb, struct zv_slice name)
{
    for (size_t i = 0; i < verb->option_count; i++) {
        if (names_option(&verb->options[i], name)) {
            return &verb->options[i];
        }
    }
    for (size_t i = 0; i < common_option_count; i++) {
        if (names_option(&common_options[i], name)) {
            return &common_options[i];
        }
    }
    return NULL;
}

static enum zv_status add_given(struct arguments *args, const struct option_spec *spec,
                                const char *value, const char *spelling, struct zv_error *err)
{
    if (args->given_count == ARGUMENTS_MAX) {
        return zv_fail(err, ZV_E_USAGE, "more than %d options", ARGUMENTS_MAX);
    }
    for (size_t i = 0; spec->kind == OPTION_VALUE && i < args->given_count; i++) {
        if (args->given[i].spec == spec) {
            return zv_fail(err, ZV_E_USAGE, "%s is given twice (%s and %s): expected it once",
                           spelling, args->given[i].value, value);
        }
    }
    args->given[args->given_count++] = (struct given_option){spec, value, spelling};
    return ZV_OK;
}

static enum zv_status fail_unknown(const struct verb *verb, struct zv_slice name, const char *word,
                                   struct zv_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*s", (int)(name.length < 60 ? name.length : 60), name.at);
    const char *const near = option_nearest(verb, text);
    return near != NULL
               ? zv_fail(err, ZV_E_USAGE, "unknown option %s: did you mean --%s?", word, near)
               : zv_fail(err, ZV_E_USAGE, "unknown option %s: 'zirve %s --help' lists them", word,
                         verb->name);
}

/* A word that starts with '-'; *at is its index and moves past a separate value. */
static enum zv_status parse_option(struct arguments *args, int count, char **words, int *at,
                                   struct zv_error *err)
{
    const char *const word = words[*at];
    const bool is_long = word[1] == '-';
    struct zv_slice rest = zv_slice_of(word + (is_long ? 2 : 1));
    const bool has_value = is_long && memchr(rest.at, '=', rest.length) != NULL;
    const struct zv_slice name = zv_slice_cut(&rest, '=');
    const struct option_spec *const spec = option_find(args->verb, name);
    if (spec == NULL || (is_long && name.length == 1)) {
        return fail_unknown(args->verb, name, word, err);
    }
    if (spec->kind == OPTION_FLAG) {
        return has_value ? zv_fail(err, ZV_E_USAGE, "--%s takes no value", spec->name)
                         : add_given(args, spec, NULL, word, err);
    }
    if (has_value) {
        return add_given(args, spec, rest.at, word, err);
    }
    if (*at + 1 >= count) {
        return zv_fail(err, ZV_E_USAGE, "--%s: expected %s after it", spec->name, spec->argument);
    }
    (*at)++;
    return add_given(args, spec, words[*at], word, err);
}

enum zv_status arguments_parse(struct arguments *args, const struct verb *verb, int count,
                               char **words, struct zv_error *err)
{
    *args = (struct arguments){.verb = verb};
    bool options_over = false;
    for (int at = 0; at < count; at++) {
        const char *const word = words[at];
        enum zv_status status = ZV_OK;
        const bool ends_options = !options_over && strcmp(word, "--") == 0;
        if (verb->starts_command && (ends_options || word[0] != '-' || word[1] == 0)) {
            args->command = words + at + ends_options;
            return args->command[0] != NULL
                       ? ZV_OK
                       : zv_fail(err, ZV_E_USAGE, "expected a command after --");
        }
        if (ends_options) {
            options_over = true;
        } else if (!options_over && word[0] == '-' && word[1] != 0) {
            status = parse_option(args, count, words, &at, err);
        } else if (args->operand_count == ARGUMENTS_MAX) {
            status = zv_fail(err, ZV_E_USAGE, "more than %d files", ARGUMENTS_MAX);
        } else {
            args->operands[args->operand_count++] = word;
        }
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

static const struct option_spec *must_find(const struct arguments *args, const char *name)
{
    const struct option_spec *const spec = option_find(args->verb, zv_slice_of(name));
    assert(spec != NULL);
    return spec;
}

bool arguments_has(const struct arguments *args, const char *name)
{
    const struct option_spec *const spec = must_find(args, name);
    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].spec == spec) {
            return true;
        }
    }
    return false;
}

const char *arguments_next(const struct arguments *args, const char *name, size_t *at)
{
    const struct option_spec *const spec = must_find(args, name);
    while (*at < args->given_count) {
        const struct given_option *const given = &args->given[(*at)++];
        if (given->spec == spec) {
            return given->value;
        }
    }
    return NULL;
}

const char *arguments_value(const struct arguments *args, const char *name)
{
    size_t at = 0;
    return arguments_next(args, name, &at);
}

/* Edit distance, capped: names are short. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[64];
    const size_t n = strlen(b);
    if (strlen(a) > 60 || n > 60) {
        return 99;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; a[i - 1] != 0; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            const unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            const unsigned shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < shift ? change : shift;
        }
    }
    return row[n];
}

const char *word_nearest(const char *const *words, size_t count, const char *word)
{
    const char *best = NULL;
    unsigned least = (unsigned)(strlen(word) / 3) + 2;
    for (size_t i = 0; i < count; i++) {
        const unsigned d = distance(word, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best;
}

const char *option_nearest(const struct verb *verb, const char *name)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; i < verb->option_count && count < 256; i++) {
        names[count++] = verb->options[i].name;
    }
    for (size_t i = 0; i < common_option_count && count < 256; i++) {
        names[count++] = common_options[i].name;
    }
    return word_nearest(names, count, name);
}
