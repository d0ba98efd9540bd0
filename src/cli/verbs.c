#include "cli/verbs.h"

const struct verb *const verbs[] = {
    &verb_estimate, &verb_cards,       &verb_choose,  &verb_explain,  &verb_replay,
    &verb_view,     &verb_place,       &verb_run,     &verb_record,   &verb_compare,
    &verb_kv,       &verb_environment, &verb_measure, &verb_selftest,
};
const size_t verb_count = sizeof verbs / sizeof verbs[0];
