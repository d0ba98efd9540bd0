/* The card table and one card, as text and as JSON ("zirve.cards/1"). */
#ifndef ZIRVE_REPORT_REPORT_CARDS_H
#define ZIRVE_REPORT_REPORT_CARDS_H

#include "base/stream.h"
#include "card/card.h"
#include "report/style.h"

void report_cards_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_card_table *table);
void report_card_text(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_card *card);
void report_cards_json(struct zv_sink *sink, const struct zv_card *cards, size_t count);

#endif
