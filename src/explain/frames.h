/* Room-internal: what frames.c tells groups.c. */
#ifndef ZIRVE_EXPLAIN_FRAMES_H
#define ZIRVE_EXPLAIN_FRAMES_H

#include "explain/groups.h"

/* The path without its folders, of either system. */
struct zv_slice frame_file_name(struct zv_slice path);

#endif
