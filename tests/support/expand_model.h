/* A model whose entries all stand for one tensor: what a reader of files would have made of it. */
#ifndef ZIRVE_TESTS_EXPAND_MODEL_H
#define ZIRVE_TESTS_EXPAND_MODEL_H

#include <stdbool.h>

#include "model/model.h"

/* false without memory. Shares all but the tensors and their names with from. */
bool expand_model(struct zv_model *to, const struct zv_model *from, struct zv_arena *arena);

#endif
