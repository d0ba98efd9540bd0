/*
 * Weights in another form than the file's: what the user asks for, or what a runtime does by itself
 * when it loads them. Storage and computation are two things; the file's own form is kept beside.
 */
#ifndef ZIRVE_ESTIMATE_WEIGHTS_AS_H
#define ZIRVE_ESTIMATE_WEIGHTS_AS_H

#include "job/job.h"
#include "model/model.h"
#include "zirve/arena.h"
#include "zirve/error.h"

/*
 * from as name says: a scheme ("nf4", "gptq", "fp8" …), an element type ("bf16", "q8_0"), or
 * "auto", "none" and nothing for as it is. A scheme the model has already changes nothing. Shares
 * what it can with from. Errors: ZV_E_UNSUPPORTED with the reason, ZV_E_OVERFLOW, ZV_E_LIMIT,
 * ZV_E_NOMEM.
 */
enum zv_status zv_weights_as(struct zv_model *to, const struct zv_model *from, struct zv_slice name,
                             struct zv_arena *arena, struct zv_error *err);

/* from as the job loads it: its quantisation, else its type, else the runtime's own cast. */
enum zv_status zv_weights_loaded(struct zv_model *to, const struct zv_model *from,
                                 const struct zv_job *job, struct zv_arena *arena,
                                 struct zv_error *err);

#endif
