/* A step's peak as text and JSON (zirve.step/1). */
#ifndef ZIRVE_REPORT_REPORT_STEP_H
#define ZIRVE_REPORT_REPORT_STEP_H

#include "card/card.h"
#include "model/model.h"
#include "report/style.h"
#include "step/peak.h"

struct report_step {
    const struct zv_model *model;
    struct zv_slice habit;
    const struct zv_step_peak *peak;
    const struct step_card *card;
    const char *card_basis;             /* whose kernels */
    const struct zv_capacity *capacity; /* NULL: none */
    const struct zv_step_advice *advice;
    const char *conf;                       /* PYTORCH_ALLOC_CONF, NULL: none */
    const struct zv_step_setting *settings; /* as stated */
    size_t setting_count;
    const struct zv_step_search *search; /* NULL: none */
    bool verbose;                        /* everything that is live, not the largest of it */
};

void report_step_text(struct zv_sink *sink, const struct report_style *style,
                      const struct report_step *report);
void report_step_json(struct zv_sink *sink, const struct report_step *report);

#endif
