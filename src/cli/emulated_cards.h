/*
 * --emulate CARD[,FIELD=VALUE...]: the emulated driver in place of a real one, with a card of the
 * table; each --emulate is one more device. Fields are those of docs/FORMATS.md.
 */
#ifndef ZIRVE_CLI_EMULATED_CARDS_H
#define ZIRVE_CLI_EMULATED_CARDS_H

#include "cli/options.h"
#include "zirve/arena.h"

/*
 * Puts the cards into the environment, where the driver looks for them, and finds its library:
 * ZIRVE_EMULATE_LIBRARY, else beside this program or in the library folder. *library stays NULL
 * without --emulate. Errors: ZV_E_NOT_FOUND for a card or the library, ZV_E_USAGE, ZV_E_NOMEM.
 */
enum zv_status option_emulate(const struct arguments *args, const char **library,
                              struct zv_arena *arena, struct zv_error *err);

#endif
