/*
 * A model small enough to calculate by hand: 4 layers of 2 KV heads x 8, hidden 32, vocabulary 64.
 * bf16 weights: embedding and head 4096 B each, a layer 2048 B of attention and 8192 B of MLP.
 */
#ifndef ZIRVE_TESTS_TINY_MODEL_H
#define ZIRVE_TESTS_TINY_MODEL_H

#include "model/model.h"

enum { TINY_LAYERS = 4, TINY_EMBEDDING = 4096, TINY_ATTENTION = 2048, TINY_MLP = 8192 };

struct tiny_model {
    struct zv_model model;
    struct zv_layer layers[TINY_LAYERS];
    struct zv_tensor tensors[2 + 2 * TINY_LAYERS];
};

void tiny_model_make(struct tiny_model *tiny);

#endif
