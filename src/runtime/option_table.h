/*
 * Option tables: which words of a runtime's command line set what in a job.
 *
 * A row names an option with all its spellings ("--ctx-size -c $LLAMA_ARG_CTX_SIZE": '$' marks an
 * environment variable), whether a value follows, and the function that takes it. '_' and '-' are
 * the same in a long name.
 */
#ifndef ZIRVE_RUNTIME_OPTION_TABLE_H
#define ZIRVE_RUNTIME_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "job/job.h"
#include "runtime/command_line.h"
#include "zirve/error.h"

enum option_value {
    VALUE_NONE,
    VALUE_ONE,
    VALUE_MAYBE, /* a yes/no word or a number may follow: "-fa on", "--enable-x False" */
    VALUE_MANY   /* all words up to the next option */
};

/* What a command line is being read into. */
struct option_target {
    struct zv_job *job;
    struct zv_command *command;
    bool lists;            /* llama-bench: values are comma-separated lists */
    uint64_t bench_prompt; /* llama-bench: largest of -p, -n, -d and the pairs of -pg */
    uint64_t bench_generate;
    uint64_t bench_depth;
    uint64_t bench_pair;
    bool expert_parallel;
    bool passed; /* a setter leaves the value to the row's why */
};

struct option_row;
typedef enum zv_status option_setter(struct option_target *target, const struct option_row *row,
                                     struct zv_slice value, struct zv_error *err);

struct option_row {
    const char *names;
    enum option_value value;
    option_setter *set; /* NULL: see why */
    size_t at;          /* offset in struct zv_job, for the generic setters */
    const char *why;    /* without set, or when it passes: NULL = harmless, else what it changes */
};

struct option_rows {
    const struct option_row *at;
    size_t count;
    bool prefixes; /* unique prefixes of long names are accepted (Python's argparse) */
};

extern const struct option_rows options_llamacpp;
extern const struct option_rows options_vllm;
extern const struct option_rows options_sglang;

/* The row of an option as written (without "=value"), or NULL. */
const struct option_row *option_row_find(const struct option_rows *rows, struct zv_slice name);

/* The first spelling of a row, for messages. */
struct zv_slice option_row_name(const struct option_row *row);

/* Generic setters: the field at row->at is a uint64_t, uint32_t, zv_tristate or zv_slice. */
option_setter set_tokens;    /* "8192", "32k", "32K" */
option_setter set_small;     /* uint32_t, digits */
option_setter set_fraction;  /* "0.9" as millionths */
option_setter set_bytes;     /* "4GiB", "4G", "1024" */
option_setter set_gibibytes; /* "4", "4.5" of GiB */
option_setter set_text;
option_setter set_yes; /* tristate; a value "off", "0", "false" says no */
option_setter set_no;

/* Ways of drafting by name: "mtp", "draft-mtp", "deepseek_mtp", "NEXTN" are the model's own layers.
 */
option_setter set_drafting;

/* "on", "true", "1", "yes" … or the opposite; false when it is neither. */
bool option_yes_no(struct zv_slice text, bool *to);

/* A count as people write it: digits, "32k" = 32768, "1.5M". */
bool option_count(struct zv_slice text, uint64_t *to);

/* The value is not of the form the option takes. */
enum zv_status option_bad(const struct option_row *row, struct zv_slice value, const char *expected,
                          struct zv_error *err);

#endif
