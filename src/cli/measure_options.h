/* What `zirve measure` was asked for. */
#ifndef ZIRVE_CLI_MEASURE_OPTIONS_H
#define ZIRVE_CLI_MEASURE_OPTIONS_H

#include "cli/options.h"
#include "measure/measure.h"

enum { MEASURE_MOST_PROCESSES = 1000 };

struct measure_settings {
    struct measure_condition condition;
    struct measure_place places[MEASURE_MOST_DEVICES];
    size_t place_count;
    uint32_t processes; /* --series */
    bool unsynchronised;
    const char *searched; /* "batch", "context", "width"; NULL: no search */
};

enum { MEASURE_OPTIONS = 18 };
extern const struct option_spec measure_options[MEASURE_OPTIONS];

/* Errors: ZV_E_USAGE naming the option, those of option_emulate. */
enum zv_status measure_settings_read(struct measure_settings *to, const struct arguments *args,
                                     struct zv_arena *arena, struct zv_error *err);

/* The size that is searched over. */
uint64_t *measure_searched(const struct measure_settings *settings,
                           struct measure_condition *condition);

#endif
