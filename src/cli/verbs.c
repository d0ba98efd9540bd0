#include "cli/verbs.h"

const struct verb *const verbs[] = {
    &verb_estimate,
    &verb_cards,
};
const size_t verb_count = sizeof verbs / sizeof verbs[0];
