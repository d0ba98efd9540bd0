/* Operations of the language for wrappers of modules: hooks, and storages that come and go. */
#ifndef ZIRVE_STEP_PROGRAM_HOOKS_H
#define ZIRVE_STEP_PROGRAM_HOOKS_H

#include "step/program_run.h"

/* ---- hooks (op_hooks.c) ---- */

struct step_value step_op_around(struct step_call *call);          /* a procedure's calls */
struct step_value step_op_before_backward(struct step_call *call); /* of what made a tensor */
struct step_value step_op_passed(struct step_call *call);          /* tensors through a node */
struct step_value step_op_when_grad(struct step_call *call);       /* of a leaf */
struct step_value step_op_after_backward(struct step_call *call);

/* ---- what wrappers do with tensors (program_shards.c) ---- */

struct step_value step_op_object(struct step_call *call); /* something with members */
struct step_value
step_op_parts_of(struct step_call *call);                /* parameters under a procedure's `at` */
struct step_value step_op_parts(struct step_call *call); /* all parameters */
struct step_value step_op_procedure(struct step_call *call);     /* a procedure as a value */
struct step_value step_op_buffers_there(struct step_call *call); /* what else is on the card */
struct step_value step_op_release(struct step_call *call);       /* a storage's memory given back */
struct step_value step_op_refill(struct step_call *call);        /* and taken anew */
struct step_value step_op_used_here(struct step_call *call);     /* by the current stream, too */
struct step_value step_op_queued(struct step_call *call);        /* an event */
struct step_value step_op_wait_for(struct step_call *call);      /* of the host */
struct step_value step_op_as_strided(struct step_call *call);    /* a storage seen in a shape */
struct step_value step_op_leaf(struct step_call *call);          /* a parameter over a storage */
struct step_value step_op_set_tensor(struct step_call *call);    /* what a name stands for */
struct step_value step_op_set_grad(struct step_call *call);
struct step_value step_op_outside(struct step_call *call); /* what the job takes beside it */

#endif
