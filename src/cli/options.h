/*
 * Options: one table per verb feeds parsing, --help, the man page and the shell completions.
 *
 * A verb is a row: name, question, options, a function. Long names only; the field's other words
 * for the same thing are aliases; '_' and '-' are the same in a name. Values come as text: what
 * they mean is decided where they are used, so that an error can name the option.
 */
#ifndef ZIRVE_CLI_OPTIONS_H
#define ZIRVE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "zirve/error.h"

enum option_kind {
    OPTION_FLAG,
    OPTION_VALUE, /* given twice is an error */
    OPTION_LIST   /* repeatable */
};

struct option_spec {
    const char *group; /* heading in the help */
    const char *name;
    const char *aliases;  /* other long names, space-separated, or NULL; single letters are -x */
    const char *argument; /* "TOKENS"; NULL for a flag */
    const char *help;     /* one sentence fragment, no full stop */
    enum option_kind kind;
};

struct arguments;
struct output;

struct verb {
    const char *name;
    const char *question; /* "what should it need?" */
    const char *usage;    /* after the verb: "[options] MODEL" */
    const char *actions;  /* space-separated first operands, or NULL */
    const char *about;    /* a paragraph for help and man page */
    const char *examples; /* one command a line, each followed by a comment line "# …" or none */
    const struct option_spec *options;
    size_t option_count;
    bool starts_command; /* "--" or the first operand begins a command, whose words are its own */
    int failure_code;    /* exit code of our own failures; 0: as the status says */
    /* Writes the result to out; the exit code is the answer's when ZV_OK is returned. */
    enum zv_status (*run)(const struct arguments *args, struct output *out, struct zv_error *err);
};

struct given_option {
    const struct option_spec *spec;
    const char *value;    /* NULL for a flag */
    const char *spelling; /* as the user wrote the name, for errors */
};

enum { ARGUMENTS_MAX = 512 };

struct arguments {
    const struct verb *verb;
    struct given_option given[ARGUMENTS_MAX];
    size_t given_count;
    const char *operands[ARGUMENTS_MAX];
    size_t operand_count;
    char **command; /* of a verb that starts one: ends with NULL; NULL: none given */
};

/* Options that every verb has: --json, --unit, --output, --color, --help. */
extern const struct option_spec common_options[];
extern const size_t common_option_count;

/* Parses argv after the verb. Errors: ZV_E_USAGE naming the option and what was expected. */
enum zv_status arguments_parse(struct arguments *args, const struct verb *verb, int count,
                               char **words, struct zv_error *err);

/* name must be in the verb's table (or common): anything else is our bug. */
bool arguments_has(const struct arguments *args, const char *name);
const char *arguments_value(const struct arguments *args, const char *name); /* NULL: not given */

/* The next value of a repeatable option; *at starts at 0. NULL when there are no more. */
const char *arguments_next(const struct arguments *args, const char *name, size_t *at);

/*
 * Values with their meaning; *to is untouched when the option is not given. Errors: ZV_E_USAGE
 * naming the option, what was written and what was expected.
 */
enum zv_status arguments_u64(const struct arguments *args, const char *name, uint64_t *to,
                             struct zv_error *err); /* "8192", "32k" (1024s), "7e9", "7B" refused */
enum zv_status arguments_u32(const struct arguments *args, const char *name, uint32_t *to,
                             struct zv_error *err);
/* "90", "1.5s", "10m", "2h": in thousandths of a second, not 0. */
enum zv_status arguments_duration(const struct arguments *args, const char *name, uint64_t *to_ms,
                                  struct zv_error *err);
enum zv_status arguments_bytes(const struct arguments *args, const char *name, uint64_t *to,
                               struct zv_error *err);
/* A decimal in millionths: "0.9" is 900000. */
enum zv_status arguments_millionths(const struct arguments *args, const char *name, uint64_t *to,
                                    struct zv_error *err);
/* "16,8,4": whole numbers above 0, at most COUNT_LIST_MAX. */
enum { COUNT_LIST_MAX = 16 };
struct count_list {
    uint64_t values[COUNT_LIST_MAX];
    size_t count;
};
enum zv_status arguments_counts(const struct arguments *args, const char *name,
                                struct count_list *to, struct zv_error *err);
/* One of the words in a NULL-terminated list: its index. */
enum zv_status arguments_choice(const struct arguments *args, const char *name,
                                const char *const *words, unsigned *to, struct zv_error *err);

/* The spec that a long name (without dashes) means in this verb, or NULL. */
const struct option_spec *option_find(const struct verb *verb, struct zv_slice name);

/* The known name nearest to a mistyped one, or NULL when none is near. */
const char *option_nearest(const struct verb *verb, const char *name);
const char *word_nearest(const char *const *words, size_t count, const char *word);

#endif
