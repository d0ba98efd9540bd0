/*
 * Extras: what a serving job holds beside the model itself. Room-internal.
 *
 *   draft model, the model's own draft layers   weights and a cache by the same runtime's rules
 *   projector file, towers of a multimodal model
 *   LoRA adapters                               slots of a fixed rank, or the adapters' own bytes
 *   encoder                                     cross-attention cache, its activations and output
 *
 * Sources of every rule: docs/FORMULAS.md, "Beside the model".
 */
#ifndef ZIRVE_ESTIMATE_EXTRAS_H
#define ZIRVE_ESTIMATE_EXTRAS_H

#include "estimate/build.h"
#include "estimate/sizes.h"

/* A tensor of the checkpoint that this job does not load: unused draft layers, towers that are left
 * out. */
bool extras_skip_tensor(const struct build *build, const struct zv_tensor *tensor);

/* Every extra of a serving job, in the order above; those of files of their own below it. */
void serve_extras(struct build *build, const struct serve_sizes *sizes);
void extras_adapters(struct build *build, const struct serve_sizes *sizes);
void extras_encoder(struct build *build, const struct serve_sizes *sizes);

/* Σ bytes of the tensors that loading keeps. */
uint64_t extras_model_bytes(struct build *build, const struct zv_model *model);

#endif
