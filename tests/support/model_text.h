/* A model as text: for golden output and for looking at one while working on a family table. */
#ifndef ZIRVE_TESTS_MODEL_TEXT_H
#define ZIRVE_TESTS_MODEL_TEXT_H

#include "base/stream.h"
#include "model/model.h"

/* Facts, layers (equal neighbours as one line) and, if wanted, every tensor. */
void model_text(const struct zv_model *model, bool tensors, struct zv_sink *sink);

#endif
