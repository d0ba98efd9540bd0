/* A grid of fits as text and as JSON ("zirve.estimate-grid/1"). */
#ifndef ZIRVE_REPORT_REPORT_GRID_H
#define ZIRVE_REPORT_REPORT_GRID_H

#include "estimate/grid.h"
#include "report/style.h"

void report_grid_text(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_grid *grid);
void report_grid_json(struct zv_sink *sink, const struct zv_grid *grid);

#endif
