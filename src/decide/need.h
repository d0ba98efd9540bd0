/*
 * Needs: what a card must give, besides running at all. Mandatory ones decide; a preference is
 * shown and never offsets an exclusion.
 *
 *   needs:
 *     memory: mandatory
 *     delivery: {by: 2026-12-15}                        a limit makes it mandatory
 *     interconnect: {is: NVLink, strength: preference}
 *
 * memory, load, compatibility and quality are mandatory unless the job says otherwise: without
 * them nothing is known to run.
 */
#ifndef ZIRVE_DECIDE_NEED_H
#define ZIRVE_DECIDE_NEED_H

#include <stdint.h>

#include "decide/money.h"
#include "format/yaml.h"
#include "zirve/error.h"

enum zv_need_kind {
    ZV_NEED_MEMORY,
    ZV_NEED_LOAD,
    ZV_NEED_COMPATIBILITY,
    ZV_NEED_QUALITY,
    ZV_NEED_PRICE,
    ZV_NEED_DELIVERY,
    ZV_NEED_HOST_RAM,
    ZV_NEED_ENVIRONMENT,
    ZV_NEED_INTERCONNECT,
    ZV_NEED_LATENCY,
    ZV_NEED_REGION,
    ZV_NEED_KINDS
};

enum zv_strength { ZV_NOT_NEEDED, ZV_PREFERENCE, ZV_MANDATORY };

struct zv_need {
    enum zv_strength strength;
    bool limited;          /* the limit below is given */
    struct zv_money price; /* price */
    uint64_t bytes;        /* host_ram */
    int32_t day;           /* delivery */
    uint64_t number;       /* latency in ms; quality in millionths */
    struct zv_slice text;  /* the limit as written */
};

struct zv_needs {
    struct zv_need kinds[ZV_NEED_KINDS];
};

const char *zv_need_name(enum zv_need_kind kind);
const char *zv_strength_name(enum zv_strength strength);

/*
 * Reads the maps needs and quality of a job file, both may be NULL. today: a delivery day that has
 * passed is an error. Errors: ZV_E_SYNTAX with line and column.
 */
enum zv_status zv_needs_read(struct zv_needs *needs, const struct zv_yaml_value *map,
                             const struct zv_yaml_value *quality, int32_t today,
                             struct zv_error *err);

#endif
