/*
 * Family model: a family table applied to the keys of one model.
 *
 *   keys + model_type ──► family table ──► parts (towers, the text model of a multimodal one)
 *                             │ definitions
 *                             ├─► layers: what each keeps besides weights
 *                             └─► tensors: names, shapes, places
 *
 * Definitions with these names are facts of the model (all optional):
 *   hidden vocab context source tied causal layers
 *   per layer: attention heads kv_heads head_dim head_dim_k head_dim_v latent_rank rope_dim
 * index_dim query_rank window chunked shares_cache repeats_heads cross state d_conv d_inner d_state
 * state_groups state_heads state_head_dim key_heads key_head_dim ffn gated experts experts_used
 * expert_ffn shared_ffn and encoder_layers encoder_hidden encoder_heads encoder_head_dim
 * encoder_ffn.
 */
#ifndef ZIRVE_MODEL_FAMILY_MODEL_H
#define ZIRVE_MODEL_FAMILY_MODEL_H

#include "model/family.h"
#include "model/tensor_parts.h"

enum { MODEL_MAX_LAYERS = 100000, MODEL_MAX_TENSORS = 4 * 1000 * 1000 };

struct family_request {
    struct model_keys keys;
    struct zv_slice model_type;
    struct zv_slice class_name;
    enum zv_dtype dtype; /* of tensors whose line names none */
    bool gguf;           /* keys are those of a GGUF, model_type its architecture */
    bool with_tensors;
    struct tensor_parts *places;
};

/*
 * Fills the facts, layers and (with_tensors) tensors of model, and family_known; *model is left as
 * it is when no table serves the model. Errors: ZV_E_SYNTAX (a key is missing or makes no sense;
 * the byte offset is the key's), ZV_E_LIMIT, ZV_E_OVERFLOW, ZV_E_NOMEM, ZV_E_BUG.
 */
enum zv_status family_model_build(struct zv_model *model, const struct family_request *request,
                                  struct zv_arena *arena, struct zv_error *err);

#endif
