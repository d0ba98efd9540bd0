/*
 * Plan: which rank holds which layer and what share of a tensor. Room-internal.
 *
 * A stage is a device group: identical ranks that hold the same layers. tp and ep cut tensors
 * within a stage. llama.cpp places layer by layer, and single tensors by pattern, on cards or the
 * host.
 */
#ifndef ZIRVE_ESTIMATE_PLAN_H
#define ZIRVE_ESTIMATE_PLAN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job/job.h"
#include "model/model.h"
#include "zirve/quantity.h"

enum { PLAN_MAX_STAGES = ZV_JOB_MAX_DEVICES, PLAN_HOST = ZV_SCOPE_HOST };

struct plan {
    size_t stages;
    uint32_t tp;
    uint32_t ep;
    uint32_t dp;
    uint32_t attention_tp;  /* ranks that share one sequence's heads: tp, less when attention is
                               data parallel within it */
    uint32_t ranks;         /* of a stage */
    uint32_t replicas;      /* groups of ranks that each serve other sequences */
    uint32_t weight_ways;   /* data-parallel ranks that share the weights; 1 without sharding */
    bool vocabulary_padded; /* vLLM, SGLang: to a multiple of 64 before it is cut */
    bool embedding_on_host; /* llama.cpp: the token embedding always stays there */
    uint32_t cpu_moe_layers;
    int *layer_stage; /* model->layer_count entries: a stage or PLAN_HOST */
    int head_stage;
    int first_stage; /* where the embedding and the towers are */
    int scopes[PLAN_MAX_STAGES];
    struct zv_override overrides[40]; /* tensors by name, before everything else */
    int override_stage[40];
    regex_t patterns[40];
    size_t override_count;
};

/* The stage of a tensor, or PLAN_HOST. */
int plan_stage_of(const struct plan *plan, const struct zv_model *model,
                  const struct zv_tensor *tensor);

/* Bytes of a tensor that one rank of its stage computes with: tensor and expert parallelism. */
uint64_t plan_rank_bytes(const struct plan *plan, const struct zv_model *model,
                         const struct zv_tensor *tensor);

/* … that it keeps all the time: ZeRO-3 and FSDP leave a rank its part of that. */
uint64_t plan_stored_bytes(const struct plan *plan, const struct zv_model *model,
                           const struct zv_tensor *tensor);

void plan_free(struct plan *plan);

#endif
