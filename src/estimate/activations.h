/* Sizes of what a layer computes, by formula. First answers, always tagged assumed: the exact ones
 * need the step op by op. Room-internal; sources in docs/FORMULAS.md, "Activations". */
#ifndef ZIRVE_ESTIMATE_ACTIVATIONS_H
#define ZIRVE_ESTIMATE_ACTIVATIONS_H

#include "estimate/build.h"

/* Values per token that are alive at once in one layer of a forward pass without gradients: of the
 * layer where they are most. Like all sums of the room, too large a size fails the build. */
uint64_t activation_forward_peak(struct build *build, const struct zv_layer *layers, size_t count,
                                 uint64_t hidden);

/*
 * Bytes one layer keeps per token for its backward pass. flash: no scores are kept (else the caller
 * adds heads x length x (2 value_bytes + 4)); trained: the layer's own weights train.
 */
uint64_t activation_saved_bytes(struct build *build, const struct zv_layer *layer, uint64_t hidden,
                                uint64_t value_bytes, bool trained);

#endif
