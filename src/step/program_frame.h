/* What evaluating expressions (program_evaluate.c and the files named below), running statements
 * (program_run.c) and calling procedures (program_procedure.c) share. */
#ifndef ZIRVE_STEP_PROGRAM_FRAME_H
#define ZIRVE_STEP_PROGRAM_FRAME_H

#include "step/program_run.h"

/* A procedure that runs. */
struct step_frame {
    const struct step_procedure *procedure;
    struct step_value locals[STEP_MAX_LOCALS];
    struct step_value result;
};

/* Says where in the program a failure happened, unless that is known already. */
void step_blame(struct step_run *run, struct step_place place);

const char *step_kind_name(enum step_value_kind kind); /* "a tensor" */
bool step_is_true(const struct step_value *value);

/* Whether the arguments suit the operation; false with the error set. program_arguments.c */
bool step_check_arguments(struct step_run *run, const struct step_expression *x,
                          const struct step_operation *operation, const struct step_value *args,
                          size_t count);

/* Runs the statements of a procedure, to its end or its return. program_run.c */
void step_run_body(struct step_run *run, const struct step_statement *body);

/* What a name, a setting, or a member of a value is. program_names.c */
struct step_value step_name_value(struct step_run *run, const struct step_expression *x);
struct step_value step_setting_value(struct step_run *run, const struct step_expression *x);
struct step_value step_member(struct step_run *run, const struct step_expression *x,
                              const struct step_value *of, struct zv_slice name);

/* The entry of a list that x[index] names; NULL with the error set. */
struct step_value *step_entry(struct step_run *run, const struct step_expression *x,
                              const struct step_value *of, int64_t index);

#endif
