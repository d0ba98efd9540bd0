/* Options that say what a record is and which part of it is meant; of every verb that reads one. */
#ifndef ZIRVE_CLI_RECORD_OPTIONS_H
#define ZIRVE_CLI_RECORD_OPTIONS_H

#include "cli/options.h"
#include "explain/record.h"
#include "zirve/arena.h"

/* Rows of an option table. */
#define RECORD_OPTIONS                                                                             \
    {"Record",    "device", NULL, "N", "device of the record (the one with most events)",          \
     OPTION_VALUE},                                                                                \
        {"Record",                                                                                 \
         "alloc-conf",                                                                             \
         "pytorch-alloc-conf pytorch-cuda-alloc-conf",                                             \
         "CONF",                                                                                   \
         "settings of the recorded run (as the file says)",                                        \
         OPTION_VALUE},                                                                            \
        {"Record",    "torch", NULL, "VERSION", "the PyTorch that ran (told by the file's keys)",  \
         OPTION_VALUE},                                                                            \
        {"Record",    "capacity", NULL, "SIZE", "memory of the card it ran on, such as 24GB",      \
         OPTION_VALUE},                                                                            \
        {"Record", "card", NULL, "NAME", "the card it ran on, from 'zirve cards'", OPTION_VALUE},  \
    {                                                                                              \
        "Record", "range", NULL, "FROM-TO",                                                        \
            "only these events (1000-2000) or this time since the first (1.5s-2s)", OPTION_VALUE   \
    }

/* Cards are looked up while this runs. Errors: ZV_E_USAGE, ZV_E_UNSUPPORTED, ZV_E_NOT_FOUND. */
enum zv_status record_options_read(const struct arguments *args, struct zv_record_options *to,
                                   struct zv_arena *arena, struct zv_error *err);

#endif
