/* zirve kv: the policies of one scenario, each run on the same memory. */
#ifndef ZIRVE_CLI_KV_POLICIES_H
#define ZIRVE_CLI_KV_POLICIES_H

#include "cli/kv_options.h"
#include "report/report_kv.h"

/* What the policies of all scenarios share. */
struct kv_policies {
    const struct kv_settings *settings;
    struct zv_arena *arena;
};

/* What pages there are of one size. */
struct kv_pages {
    uint64_t tokens;
    uint64_t count;
    const struct zv_kv_budget *budget; /* NULL: by hand */
    uint64_t window;                   /* by hand: tokens that every layer sees; 0: all */
};

/* Each adds its runs to the scenario. sequences: that run at once where the settings do not say.
 * Errors: those of zv_kv_run; ZV_E_LIMIT for too many pages. */
enum zv_status kv_run_contiguous(struct kv_policies *kv, struct report_kv_scenario *scenario,
                                 uint64_t slots, uint64_t sequences, struct zv_error *err);
enum zv_status kv_run_paged(struct kv_policies *kv, struct report_kv_scenario *scenario,
                            const struct kv_pages *pages, uint64_t sequences, struct zv_error *err);

/* Prefix policies without time, in so many tokens unless the settings say how much. */
enum zv_status kv_run_prefixes(const struct kv_policies *kv, struct report_kv_scenario *scenario,
                               uint64_t tokens, struct zv_error *err);

#endif
