/*
 * Offers: what is for sale, out of the formats people have.
 *
 *   own CSV, YAML, JSON ("zirve.offers/1")      price of a batch of days, document, dates
 *   SkyPilot catalog CSV (vms.csv)              USD an hour; GpuInfo is a Python repr
 *   gpuhunt CSV                                 USD an hour; gpu_memory is nominal GB
 *   vast.ai JSON                                USD an hour without storage; gpu_ram is MiB
 *
 * None of them states what a runtime can allocate: that comes from the card. Rows without a card
 * or without a price are counted, not guessed at. docs/JOBS.md has the columns and the traps.
 */
#ifndef ZIRVE_DECIDE_OFFERS_H
#define ZIRVE_DECIDE_OFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/date.h"
#include "base/slice.h"
#include "decide/money.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_offer_format {
    ZV_OFFERS_OWN,
    ZV_OFFERS_SKYPILOT,
    ZV_OFFERS_GPUHUNT,
    ZV_OFFERS_VAST,
    ZV_OFFERS_FORMATS
};

struct zv_offer {
    struct zv_slice id;    /* the seller's own name for it, or empty */
    struct zv_slice card;  /* as written */
    uint32_t count;        /* cards */
    struct zv_money price; /* of one batch; no currency: a card alone, nothing is offered */
    uint32_t batch_days;   /* the price is for so many days; 0: for an hour */
    uint64_t memory_bytes; /* of one card, nominal as stated; 0 not stated */
    uint64_t host_ram_bytes;
    int32_t available;   /* first day; ZV_DATE_NONE unknown */
    int32_t valid_until; /* last day of the offer */
    int32_t document_date;
    struct zv_slice region;
    struct zv_slice document; /* what states the offer; empty: nothing does */
    const char *file;
    uint64_t line; /* 0: none */
};

/* Zero-initialise before the first file; more files add to it. */
struct zv_offers {
    struct zv_offer *items;
    size_t count;
    size_t capacity;
    size_t without_card;  /* rows without an accelerator */
    size_t without_price; /* rows that state none (of the kind asked for) */
    size_t mended;        /* memory in another unit than the column says */
};

struct zv_offers_options {
    int32_t today;
    bool spot; /* the price that can be withdrawn, where a catalog has both */
};

enum { ZV_OFFERS_MAX = 2000000 };

/* Adds the offers of one file. Slices live in text or the arena. Errors, with the line and, of a
 * cell, its column's name: ZV_E_SYNTAX, ZV_E_UNSUPPORTED (no format that is known), ZV_E_LIMIT. */
enum zv_status zv_offers_read(struct zv_offers *offers, struct zv_slice text, const char *file,
                              const struct zv_offers_options *options, struct zv_arena *arena,
                              struct zv_error *err);

/* Adds a card that nobody offers, as many as a layout takes: price and dates stay to be verified.
 * Errors: ZV_E_NOMEM, ZV_E_LIMIT. */
enum zv_status zv_offers_add_card(struct zv_offers *offers, struct zv_slice card, uint32_t count,
                                  struct zv_arena *arena, struct zv_error *err);

#endif
