/*
 * Branch and bound above the skylines: part by part (where no life crosses a border of sections),
 * only parts higher than the load, the load first, then targets halfway to the best height.
 */
#ifndef ZIRVE_PLACE_IMPROVE_H
#define ZIRVE_PLACE_IMPROVE_H

#include "place/problem.h"

struct place_improve {
    const struct place_problem *problem;
    const struct zv_place_options *options;
    bool (*expired)(void *context); /* NULL: no clock */
    void *context;
    uint64_t *offsets; /* by block: a placement; lowered */
    uint64_t bound_bytes;
    uint64_t nodes;
    enum zv_place_end end;
};

/* Errors: ZV_E_NOMEM. Room that lives only during the call comes from its own arena. */
enum zv_status place_improve(struct place_improve *improve, struct zv_error *err);

#endif
