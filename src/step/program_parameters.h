/* Operations of the language on the model's parameters, and on the graph as a whole. */
#ifndef ZIRVE_STEP_PROGRAM_PARAMETERS_H
#define ZIRVE_STEP_PROGRAM_PARAMETERS_H

#include "step/program_run.h"

struct step_value step_op_exists(struct step_call *call);   /* whether a name is there */
struct step_value step_op_declared(struct step_call *call); /* the family's tensors, in order */
struct step_value step_op_is_linear(struct step_call *call);
struct step_value step_op_is_embedding(struct step_call *call);
struct step_value step_op_declared_size(struct step_call *call); /* a weight of a linear layer */
struct step_value step_op_allocate(struct step_call *call);      /* as declared: type, trains */
struct step_value step_op_pack(struct step_call *call);      /* 4 bits: double, keeps, type, ao */
struct step_value step_op_parameter(struct step_call *call); /* new: name, shape, type, trains */
struct step_value step_op_module_of(struct step_call *call); /* what a parameter belongs to */
struct step_value step_op_named(struct step_call *call);     /* whether it is one of a list */
struct step_value step_op_trained(struct step_call *call);   /* parameters that train */
struct step_value step_op_untrain(struct step_call *call);   /* no longer one of them */
struct step_value step_op_grad(struct step_call *call);      /* of a leaf, or none */
struct step_value step_op_clear_grad(struct step_call *call);
struct step_value step_op_this_layer(struct step_call *call);
struct step_value step_op_state(struct step_call *call); /* of the optimizer, or none */
struct step_value step_op_set_state(struct step_call *call);
struct step_value step_op_after_grad(struct step_call *call); /* a procedure of a parameter */
struct step_value step_op_backward(struct step_call *call);
struct step_value step_op_mark(struct step_call *call);  /* an instant, for tests */
struct step_value step_op_phase(struct step_call *call); /* a part of the run with its own peaks */

#endif
