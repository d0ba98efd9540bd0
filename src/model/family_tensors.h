/* The tensors that a model's family tables list. */
#ifndef ZIRVE_MODEL_FAMILY_TENSORS_H
#define ZIRVE_MODEL_FAMILY_TENSORS_H

#include "model/family_scope.h"

/* Fills tensors and tensor_count of model. */
enum zv_status family_tensors_build(struct zv_model *model, const struct family_scopes *scopes,
                                    const struct family_request *request, struct zv_arena *arena,
                                    struct zv_error *err);

#endif
