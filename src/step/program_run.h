/*
 * Running a program: statements over values, with Python's lifetimes.
 *
 * A variable holds its value until it is assigned again, deleted, or its procedure returns; then
 * variables die in the order in which they first appear. An operand without a name dies when the
 * operation that used it is done. A module's arguments live until it returns.
 */
#ifndef ZIRVE_STEP_PROGRAM_RUN_H
#define ZIRVE_STEP_PROGRAM_RUN_H

#include "base/strmap.h"
#include "model/family_evaluate.h"
#include "model/model.h"
#include "step/engine.h"
#include "step/program_link.h"

enum { STEP_MAX_STATES = 8, STEP_MAX_DEPTH = 48, STEP_NAME_LIMIT = 512 };
#define STEP_MAX_STATEMENTS (UINT64_C(1) << 25) /* of a run: half a minute or so */

enum step_value_kind {
    STEP_IS_NONE,
    STEP_IS_NUMBER,
    STEP_IS_SCALAR,
    STEP_IS_TEXT,
    STEP_IS_DTYPE,     /* number: enum zv_dtype */
    STEP_IS_TENSOR,    /* a counted reference */
    STEP_IS_LIST,      /* a counted reference */
    STEP_IS_OBJECT,    /* the same, in list: names and what they are by turns */
    STEP_IS_PATH,      /* a parameter, or a module that has some */
    STEP_IS_PROCEDURE, /* number: its index */
};

struct step_list;
struct step_path;

struct step_value {
    enum step_value_kind kind;
    int64_t number;
    struct zv_slice text;
    struct step_tensor *tensor;
    struct step_list *list;
    struct step_path *path;
};

struct step_list {
    uint32_t refs;
    uint32_t count;
    uint32_t capacity;
    struct step_value *items;
    struct step_list *next; /* unused ones */
};

/* A name of the model: a parameter, a module with parameters under it, or both. */
struct step_path {
    struct zv_slice name;
    const struct zv_tensor *declared; /* by the family's table */
    struct step_tensor *tensor;       /* once it is on the card */
    bool has_parts;
    struct zv_slice state_names[STEP_MAX_STATES];
    struct step_tensor *states[STEP_MAX_STATES];
    struct step_storage *extra[4]; /* what a packed weight has beside itself */
};

struct step_frame;

/* What is called around a procedure (op_hooks.c). */
struct step_around;

struct step_run {
    struct step_engine engine;
    const struct step_link *link;
    struct family_scope *scope; /* NULL: without a family */
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_strmap paths; /* name → index into path_list */
    struct step_path **path_list;
    size_t path_count;
    size_t path_capacity;
    struct step_path **trained; /* in the order in which they were made */
    size_t trained_count;
    size_t trained_capacity;
    struct step_value settings[STEP_MAX_SETTINGS];
    struct step_setting_set asked;
    uint64_t statements; /* that were run */
    struct step_frame *frame;
    int64_t layer; /* -1: in none */
    struct zv_slice prefix;
    bool active[STEP_MAX_LINKED];
    struct step_around *around[STEP_MAX_LINKED];
    uint32_t depth;
    void (*spell)(struct zv_slice setting, char *to, size_t size); /* step.h; may be NULL */
    bool lenient;        /* a name that is not there is none */
    uint32_t after_grad; /* the procedure that after_grad() named */
    struct step_list *unused_lists;
    struct step_value *wreck; /* what the variables of procedures held that were stopped */
    size_t wreck_count;
    size_t wreck_capacity;
    uint64_t marks[8];          /* events before mark k; as many as ZV_STEP_MARKS */
    struct zv_slice outside[4]; /* what no event here has; as many as ZV_STEP_OUTSIDE */
    size_t outside_count;
};

/* Declares the family's tensors (of which `model` has the list). */
enum zv_status step_run_begin(struct step_run *run, const struct zv_model *model);
void step_run_end(struct step_run *run);

/* Calls a procedure without arguments. */
enum zv_status step_run_call(struct step_run *run, const char *procedure);

/* ---- for operations (program_ops.c) and the parts of this ---- */

struct step_call {
    struct step_run *run;
    struct step_engine *e;
    struct step_value *args; /* as many as `takes` has, NONE where left out */
    size_t count;            /* given */
    const struct step_expression *at;
};

typedef struct step_value step_operation_fn(struct step_call *call);

/*
 * takes: a letter for each argument; after '?' they may be left out.
 *   T tensor   O tensor or none   N tensor or number   i number   d type   s text   n number or
 *   fraction   L list   P procedure   Q procedure, none where no program has it   B object
 *   M name of the model   v anything   * any more of anything
 */
struct step_operation {
    const char *name;
    const char *takes;
    step_operation_fn *run;
};

extern const struct step_operation step_operations[];
extern const size_t step_operation_count;

/* The value that a thing is; NULL: none. A reference is taken over. */
struct step_value step_value_of(struct step_tensor *tensor);
struct step_value step_list_value(struct step_list *list);
struct step_value step_path_value(struct step_path *path);
struct step_value step_number(int64_t number);
struct step_value step_value_hold(struct step_value value);
void step_value_drop(struct step_run *run, struct step_value *value);

struct step_list *step_list_new(struct step_run *run, uint32_t capacity);
bool step_list_add(struct step_run *run, struct step_list *list, struct step_value value);

/* The tensor of a value, borrowed; NULL for none. */
struct step_tensor *step_tensor_of(const struct step_value *value);

/* Calls procedure with arguments (borrowed). The result is owned. */
struct step_value step_call_procedure(struct step_run *run, uint32_t index,
                                      struct step_value *arguments, size_t count,
                                      const struct step_expression *at);

/* Drops what stopped procedures held: the innermost's variables first. */
void step_wreck_drop(struct step_run *run);

/* The same with what is around the procedure. */
struct step_value step_call_module(struct step_run *run, uint32_t index,
                                   struct step_value *arguments, size_t count,
                                   const struct step_expression *at);
/* Its halves: arguments may be put in the place of others; false after a failure. */
bool step_around_before(struct step_run *run, uint32_t index, struct step_value *arguments,
                        size_t count);
struct step_value step_around_after(struct step_run *run, uint32_t index, struct step_value result);

/* What an object has under a name: made when it is not there and `make`, else NULL. */
struct step_value *step_object_at(struct step_run *run, struct step_list *object,
                                  struct zv_slice name, bool make);

struct step_value step_evaluate(struct step_run *run, const struct step_expression *x);

/* The path of a name, made when it is not there yet; NULL without memory. */
struct step_path *step_path_make(struct step_run *run, struct zv_slice name);
struct step_path *step_path_find(struct step_run *run, struct zv_slice name);
/* prefix + name, joined by a dot where there is none. */
struct step_path *step_path_under(struct step_run *run, struct zv_slice prefix,
                                  struct zv_slice name);
bool step_path_train(struct step_run *run, struct step_path *path);

/* The prefix that `at` gives, in to; false with the error set. */
bool step_spell_prefix(struct step_run *run, const struct step_pattern *pattern,
                       char to[STEP_NAME_LIMIT], struct zv_slice *prefix);

/* Sets the layer and what depends on it. */
bool step_set_layer(struct step_run *run, int64_t layer);

/* A failure at a place of a program; always a NONE value. */
struct step_value step_run_fail(struct step_run *run, const struct step_expression *at,
                                enum zv_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Checkpointing (op_checkpoint.c): args[0] is the procedure. */
struct step_value step_op_checkpoint(struct step_call *call);
struct step_value step_op_own_backward(struct step_call *call);

/* The words of a label: "linear", "*"; empty for none. */
enum { STEP_LABEL_ARITHMETIC = 0x8000 };
struct zv_slice step_label_name(uint32_t label);

/* Where the run stands, to come back to. */
struct step_position {
    struct zv_slice prefix;
    int64_t layer;
};
struct step_position step_position_of(const struct step_run *run);
bool step_position_set(struct step_run *run, struct step_position position);

#endif
