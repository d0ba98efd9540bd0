/* --in-use BYTES|auto: what others use of the card, given or read off the live device. */
#ifndef ZIRVE_CLI_IN_USE_H
#define ZIRVE_CLI_IN_USE_H

#include <stdint.h>

#include "cli/options.h"

/*
 * 0 when the option is not given. auto reads device --device (0) and says on standard error what it
 * read. Errors: ZV_E_USAGE, ZV_E_DEVICE.
 */
enum zv_status option_in_use(const struct arguments *args, uint64_t *bytes, struct zv_error *err);

#endif
