/* A fake machine (fake_machine.h) and what zv_probe_environment found on it, for tests of
 * src/probe. One at a time: probed_make, files, probed_look, questions, probed_end. */
#ifndef ZIRVE_TESTS_PROBED_MACHINE_H
#define ZIRVE_TESTS_PROBED_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe.h"
#include "support/fake_machine.h"

extern struct probed_machine {
    struct fake_machine machine;
    struct zv_arena arena;
    struct zv_environment env;
} probed;

/* The machine with these libraries, NULL for none; NVIDIA's, CUDA's, AMD's three in one. False,
 * with the reason said, where no fake libraries are. */
bool probed_make(const char *words, const char *nvml, const char *cuda, const char *amd);
void probed_look(void);
void probed_end(void);

/* One AMD device by its kernel driver, and by the one for compute. */
void probed_add_amd(void);
void probed_add_kfd(void);

/* The reading of a device, as text: bytes and their source, or "?" and the reason. */
const char *probed_say(size_t device, enum zv_probe_reading at);
const char *probed_word(size_t device, enum zv_probe_word at);

/* What the source of that name said of itself. */
const char *probed_said(const char *what);

#endif
