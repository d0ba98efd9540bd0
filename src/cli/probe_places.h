/* Where the probe looks. */
#ifndef ZIRVE_CLI_PROBE_PLACES_H
#define ZIRVE_CLI_PROBE_PLACES_H

#include "probe/probe.h"

/* The usual places, or those that ZIRVE_LIBRARIES (a folder of vendor libraries) and ZIRVE_ROOT (in
 * front of /sys and /proc) name. */
struct zv_probe_places probe_places(void);

#endif
