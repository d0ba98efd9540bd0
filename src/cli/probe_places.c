#include "cli/probe_places.h"

#include <stdlib.h>

struct zv_probe_places probe_places(void)
{
    return (struct zv_probe_places){
        .libraries = getenv("ZIRVE_LIBRARIES"), /* NOLINT(concurrency-mt-unsafe) */
        .root = getenv("ZIRVE_ROOT"),           /* NOLINT(concurrency-mt-unsafe) */
    };
}
