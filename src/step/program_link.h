/*
 * Programs brought together: a loop's habits, a family's own sections, the shared library. Which
 * procedure a name means is found once; then a step can be run any number of times.
 *
 * A procedure of an earlier program hides those of the same name in later ones, so a habit replaces
 * what the library does, and a family what both do.
 */
#ifndef ZIRVE_STEP_PROGRAM_LINK_H
#define ZIRVE_STEP_PROGRAM_LINK_H

#include "model/family.h"
#include "step/program.h"

enum { STEP_MAX_PROGRAMS = 24, STEP_MAX_LINKED = 256 };

/* A setting that some program has or asks for. */
struct step_link_setting {
    struct zv_slice name;
    struct zv_slice value; /* of the first program that has it; length 0: to be stated */
    struct zv_slice basis; /* whose default that is */
    struct zv_slice file;  /* where it is used or set first */
    struct step_place place;
};

struct step_link {
    const struct step_program *programs[STEP_MAX_PROGRAMS];
    size_t program_count;
    const struct family *family; /* NULL: none */
    struct step_procedure *procedures[STEP_MAX_LINKED];
    size_t procedure_count;
    struct step_link_setting settings[STEP_MAX_SETTINGS];
    size_t setting_count;
};

/* Adds a program; those added first win. Errors: ZV_E_LIMIT. */
enum zv_status step_link_add(struct step_link *link, const struct step_program *program,
                             struct zv_error *err);

/* Gives every name its meaning. Errors: ZV_E_SYNTAX (file, line and column: a call of what is no
 * procedure and no operation). */
enum zv_status step_link_finish(struct step_link *link, struct zv_error *err);

/* Settings of a link, a bit each. */
struct step_setting_set {
    uint64_t words[STEP_MAX_SETTINGS / 64];
};

static inline bool step_setting_is_in(const struct step_setting_set *set, size_t setting)
{
    return (set->words[setting / 64] >> setting % 64 & 1) != 0;
}

static inline void step_setting_put(struct step_setting_set *set, size_t setting)
{
    set->words[setting / 64] |= UINT64_C(1) << setting % 64;
}

/* Index of a procedure or setting, -1 when there is none. */
int step_link_procedure(const struct step_link *link, struct zv_slice name);
int step_link_setting(const struct step_link *link, struct zv_slice name);

/*
 * Whether a value (or each of "a | b") is one of those that some program names for a setting; where
 * none names more than one, any of the kind of the first program's default is: a switch, a whole
 * number, a number, a type; where that is a word or to be stated, any that is no negative number.
 * known: what there is, for a message.
 */
bool step_link_allows(const struct step_link *link, size_t setting, struct zv_slice value,
                      char *known, size_t size);

#endif
