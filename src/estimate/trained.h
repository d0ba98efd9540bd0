/* What trains on one rank: every weight, or adapters beside frozen ones. Room-internal. */
#ifndef ZIRVE_ESTIMATE_TRAINED_H
#define ZIRVE_ESTIMATE_TRAINED_H

#include "estimate/build.h"
#include "estimate/optimizer.h"

/* What trains on one rank of a stage. */
struct trained {
    uint64_t values;
    uint64_t state_bytes;
    uint64_t largest; /* values of the largest tensor */
    uint64_t tensors;
    uint64_t layer_values;  /* of the layer with most, all its weights */
    uint64_t hidden_shapes; /* adapted weights whose sizes the packed file does not show */
};

struct train_sizes {
    struct optimizer optimizer;
    uint64_t tokens; /* of a micro-batch */
    uint64_t value_bytes;
    uint64_t gradient_bytes;
    uint64_t state_value_bytes;
    bool lora;
    bool master; /* a float32 copy beside 16-bit weights */
};

/* Counts what trains on a rank of the stage. Fails the build when quantised weights are to train.
 */
void trained_collect(struct build *build, struct trained *sum, const struct train_sizes *sizes,
                     int stage);

/* The error when adapters are asked for and no weight gets one: what could be named. */
enum zv_status trained_none(const struct zv_train *train, const struct zv_model *model,
                            struct zv_error *err);

#endif
