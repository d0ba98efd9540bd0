/*
 * Fake vendor libraries for the tests. Which functions one has is fixed when it is built
 * (-DFAKE_BUILD=…), as with real libraries of different ages; what goes wrong is said by words in
 * the variable FAKE_GPU, looked at in every call: "refused", "lost", "mig", …
 */
#ifndef ZIRVE_TESTS_FAKE_H
#define ZIRVE_TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAKE_NEW, FAKE_OLD, FAKE_NO_START, FAKE_BARE, FAKE_R530 };

#ifndef FAKE_BUILD
#define FAKE_BUILD FAKE_NEW
#endif

/* A function that the library exports. */
#define FAKE(type, name, ...)                                                                      \
    type name(__VA_ARGS__);                                                                        \
    __attribute__((visibility("default"))) type name(__VA_ARGS__)

static inline bool fake_is(const char *word)
{
    const char *const words = getenv("FAKE_GPU"); /* NOLINT(concurrency-mt-unsafe) */
    return words != NULL && strstr(words, word) != NULL;
}

static inline int fake_text(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
    return 0;
}

/* Two NVIDIA devices at most, one AMD device. */
static const char *const fake_bus[2] = {"0000:01:00.0", "0000:82:00.0"};
static const uint64_t fake_total[2] = {24000000000, 48000000000};
enum { FAKE_AMD_BDF = 3 << 8 }; /* 0000:03:00.0 */

#endif
