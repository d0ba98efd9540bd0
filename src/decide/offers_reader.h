/* What the readers of offers share. Room-internal. */
#ifndef ZIRVE_DECIDE_OFFERS_READER_H
#define ZIRVE_DECIDE_OFFERS_READER_H

#include "decide/offers.h"
#include "format/csv.h"

struct offers_reader {
    struct zv_offers *offers;
    const struct zv_offers_options *options;
    struct zv_slice text;
    const char *file;
    struct zv_arena *arena;
    struct zv_error *err;
};

enum zv_status offers_read_own_csv(struct offers_reader *reader, struct zv_csv *csv);
enum zv_status offers_read_own_yaml(struct offers_reader *reader);
enum zv_status offers_read_skypilot(struct offers_reader *reader, struct zv_csv *csv);
enum zv_status offers_read_gpuhunt(struct offers_reader *reader, struct zv_csv *csv);
enum zv_status offers_read_vast(struct offers_reader *reader);

/* Room for more offers at once; offers_add then takes no memory. */
enum zv_status offers_reserve(struct offers_reader *reader, size_t more);
enum zv_status offers_add(struct offers_reader *reader, const struct zv_offer *offer);

/* "line 3: column price: ..."; returns ZV_E_SYNTAX. */
enum zv_status offers_fail(const struct offers_reader *reader, uint64_t line, const char *column,
                           struct zv_slice cell, const char *expected);

/* An hourly price in USD; a negative or odd one is an error, an empty one is none (*has false). */
enum zv_status offers_hourly(const struct offers_reader *reader, uint64_t line, const char *column,
                             struct zv_slice cell, struct zv_offer *offer, bool *has);

/* "1", "8.0": a whole number of cards; false for anything else. */
bool offers_count(struct zv_slice cell, uint32_t *to);

/* A decimal number of units, such as 15.25 GiB, as bytes. */
bool offers_size(struct zv_slice cell, uint64_t unit, uint64_t *bytes);

/* The columns a format needs; ZV_E_SYNTAX names the first that is missing. */
enum zv_status offers_need_columns(const struct offers_reader *reader, const struct zv_csv *csv,
                                   const char *const *names, size_t count);

#endif
