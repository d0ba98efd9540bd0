/* A measured figure as printed: what it says, to what precision, and what else prints the same. */
#ifndef ZIRVE_SELFTEST_MEASURED_H
#define ZIRVE_SELFTEST_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/units.h"

struct measured {
    struct zv_slice number; /* "2440.00" */
    enum zv_unit unit;
    unsigned decimals;
    uint64_t bytes; /* of the printed figure, rounded */
    uint64_t low;   /* least bytes that print so */
    uint64_t high;  /* most */
};

/*
 * The first size in text ("2440.00 MiB", "KV self size  =  180.00 MiB, …", "2713,50 MiB"). A number
 * alone has unit `alone` (ZV_UNIT_COUNT: then it is no size). binary: GB and MB mean GiB and MiB.
 */
bool measured_read(struct zv_slice text, enum zv_unit alone, bool binary, struct measured *to);

/* The same for what follows the first occurrence of label. */
bool measured_after(struct zv_slice text, const char *label, bool binary, struct measured *to);

/* bytes in the figure's unit and decimals, as printf's %.2f rounds: halves to even. */
void measured_print(const struct measured *like, uint64_t bytes, char to[ZV_BYTES_TEXT]);

/* Whether bytes would have been printed as the figure was. */
bool measured_equal(const struct measured *figure, uint64_t bytes);

#endif
