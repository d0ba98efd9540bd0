/* A machine of files in a folder that is removed again: fake libraries under their real names, and
 * files below /sys and /proc. */
#ifndef ZIRVE_TESTS_FAKE_MACHINE_H
#define ZIRVE_TESTS_FAKE_MACHINE_H

#include <stdbool.h>

#include "probe/probe.h"

struct fake_machine {
    char folder[64];
    char libraries[96];
    char root[96];
    struct zv_probe_places places;
};

/* False without ZIRVE_FAKE_DIR, which says where the fake libraries are. FAKE_GPU is set to words.
 */
bool fake_machine_make(struct fake_machine *machine, const char *words);
void fake_machine_remove(struct fake_machine *machine);

/* "libcuda.so.1" is to be build ("fake_cuda_new.so"). */
void fake_machine_library(const struct fake_machine *machine, const char *name, const char *build);

/* Writes root/path, with its folders. */
void fake_machine_file(const struct fake_machine *machine, const char *path, const char *text);

#endif
