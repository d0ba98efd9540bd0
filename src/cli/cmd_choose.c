#include "base/date.h"
#include "base/fail.h"
#include "cli/card_files.h"
#include "cli/choose_subject.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/report_choose.h"

enum { MAX_FILES = 64 };

/* Everything one run holds. */
struct choosing {
    struct choose_subject subject;
    struct card_files cards;
    struct zv_file files[MAX_FILES];
    size_t file_count;
    struct zv_offers offers;
    struct zv_rates rates;
    struct zv_arena arena;
    int32_t today;
    uint64_t days;
    uint64_t top;
};

static enum zv_status read_options(struct choosing *choosing, const struct arguments *args,
                                   struct zv_error *err)
{
    const char *const today = arguments_value(args, "today");
    size_t at = 0;
    choosing->today = zv_date_today();
    choosing->top = 10;
    if (today != NULL && !zv_date_parse(zv_slice_of(today), &choosing->today)) {
        return zv_fail(err, ZV_E_USAGE, "--today %s: expected a date such as 2026-11-29", today);
    }
    enum zv_status status = arguments_u64(args, "days", &choosing->days, err);
    if (status == ZV_OK) {
        status = arguments_u64(args, "top", &choosing->top, err);
    }
    for (const char *rate = arguments_next(args, "rate", &at); status == ZV_OK && rate != NULL;
         rate = arguments_next(args, "rate", &at)) {
        status = zv_rates_add(&choosing->rates, rate, err);
    }
    if (status == ZV_OK && args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one job file, kept estimate or record");
    }
    if (status == ZV_OK && !arguments_has(args, "offers") && !arguments_has(args, "card")) {
        return zv_fail(err, ZV_E_USAGE, "expected --offers FILE or --card NAME to choose from");
    }
    return status;
}

static enum zv_status read_offers(struct choosing *choosing, const struct arguments *args,
                                  struct zv_error *err)
{
    const struct zv_offers_options options = {choosing->today, arguments_has(args, "spot")};
    enum zv_status status = ZV_OK;
    size_t at = 0;
    for (const char *path = arguments_next(args, "offers", &at); status == ZV_OK && path != NULL;
         path = arguments_next(args, "offers", &at)) {
        struct zv_file *const file = &choosing->files[choosing->file_count];
        if (choosing->file_count == MAX_FILES) {
            return zv_fail(err, ZV_E_USAGE, "more than %d files of offers", MAX_FILES);
        }
        status = zv_file_open(file, path, err);
        if (status == ZV_OK) {
            choosing->file_count++;
            status = zv_offers_read(&choosing->offers, zv_file_slice(file), path, &options,
                                    &choosing->arena, err);
        }
    }
    return status;
}

/* Cards alone, as many of each as the job's layout takes. */
static enum zv_status read_cards(struct choosing *choosing, const struct arguments *args,
                                 struct zv_error *err)
{
    const uint32_t devices = choosing->subject.required.devices;
    enum zv_status status = ZV_OK;
    size_t at = 0;
    for (const char *name = arguments_next(args, "card", &at); status == ZV_OK && name != NULL;
         name = arguments_next(args, "card", &at)) {
        struct zv_capacity capacity;
        status = zv_capacity_of(&choosing->cards.table, name, &capacity, &choosing->arena, err);
        if (status == ZV_OK) {
            status = zv_offers_add_card(&choosing->offers, zv_slice_of(name),
                                        devices != 0 ? devices : 1, &choosing->arena, err);
        }
    }
    return status;
}

static enum zv_status read_evidence(struct choosing *choosing, const struct arguments *args,
                                    struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    size_t at = 0;
    for (const char *path = arguments_next(args, "evidence", &at); status == ZV_OK && path != NULL;
         path = arguments_next(args, "evidence", &at)) {
        status = choose_subject_evidence(&choosing->subject, path, err);
    }
    return status;
}

static enum zv_status choose(struct choosing *choosing, const char *subject, struct output *out,
                             struct zv_error *err)
{
    static const int codes[] = {0, 6, 1};
    struct choose_subject *const of = &choosing->subject;
    zv_variations_find(&of->required, &of->evidence);

    const struct zv_job_file *const job = of->has_job ? &of->input.file : NULL;
    const struct zv_choose_input input = {
        .required = &of->required,
        .needs = &of->needs,
        .evidence = &of->evidence,
        .declared = {job, of->required.devices, choosing->today},
        .offers = &choosing->offers,
        .cards = &choosing->cards.table,
        .rates = &choosing->rates,
        .days = choosing->days != 0 || job == NULL ? choosing->days : job->days,
    };
    struct zv_choice choice;
    const enum zv_status status = zv_choose(&choice, &input, &choosing->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    unsigned best = 0;
    while (best < ZV_EXCLUDED && choice.states[best] == 0) {
        best++;
    }
    out->exit_code = codes[best];
    const struct report_choose report = {&choice, subject, (size_t)choosing->top, &choosing->arena};
    return out->json ? report_choose_json(&out->sink, &report, err)
                     : report_choose_text(&out->sink, &out->style, &report, err);
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct choosing choosing;
    choosing = (struct choosing){0};
    enum zv_status status = read_options(&choosing, args, err);
    if (status == ZV_OK) {
        status = card_files_open(&choosing.cards, &choosing.arena, err);
    }
    if (status == ZV_OK) {
        status = choose_subject_open(&choosing.subject, args->operands[0], choosing.today, err);
    }
    if (status == ZV_OK) {
        status = read_evidence(&choosing, args, err);
    }
    if (status == ZV_OK) {
        status = read_offers(&choosing, args, err);
    }
    if (status == ZV_OK) {
        status = read_cards(&choosing, args, err);
    }
    if (status == ZV_OK) {
        status = choose(&choosing, args->operands[0], out, err);
    }
    for (size_t i = 0; i < choosing.file_count; i++) {
        zv_file_close(&choosing.files[i]);
    }
    choose_subject_close(&choosing.subject);
    card_files_close(&choosing.cards);
    zv_arena_free(&choosing.arena);
    return status;
}

static const struct option_spec options[] = {
    {"Offers", "offers", NULL, "FILE",
     "own CSV, YAML or JSON, SkyPilot or gpuhunt CSV, vast.ai JSON; repeatable", OPTION_LIST},
    {"Offers", "card", "gpu", "NAME",
     "a card alone, from 'zirve cards' or a size: what an offer must state is to be verified; "
     "repeatable",
     OPTION_LIST},
    {"Offers", "days", NULL, "N", "how long the card is needed (days: of the job file)",
     OPTION_VALUE},
    {"Offers", "rate", NULL, "FROM:TO=RATE",
     "joins lists of different currencies: USD:EUR=0.92; repeatable", OPTION_LIST},
    {"Offers", "spot", NULL, NULL, "prices of what can be withdrawn, where a catalog has both",
     OPTION_FLAG},
    {"Evidence", "evidence", NULL, "FILE",
     "documents besides the job file's (zirve.evidence/1); repeatable", OPTION_LIST},
    {"Evidence", "today", NULL, "DATE", "the day that documents must be current on", OPTION_VALUE},
    {"Answer", "top", NULL, "N", "candidates shown of each kind (10)", OPTION_VALUE},
};

const struct verb verb_choose = {
    .name = "choose",
    .question = "which card or offer, under these needs?",
    .usage = "[options] JOB.yaml|ESTIMATE.json|RECORD --offers FILE...|--card NAME...",
    .about =
        "Holds every offer against every need of a job. A need is admissible when a current "
        "document proves it on the job's own load, excluded when a failure is proven, to be "
        "verified otherwise, and it says what is missing. A calculation can prove that a job does "
        "not fit, never that it runs. Candidates are ordered by total cost, then useful margin, "
        "then first day; currencies are lists of their own. Exit status: 0 something is "
        "admissible, 6 something is to be verified, 1 everything is excluded. The formats are in "
        "docs/JOBS.md.",
    .examples = "  zirve choose job.yaml --offers offers.csv\n"
                "  zirve choose job.yaml --offers vms.csv --days 3 --rate USD:EUR=0.92 --top 3\n"
                "  zirve choose job.yaml --card 4090 --card L40S --card 24GB\n"
                "  zirve choose job.yaml --offers offers.csv --evidence runs.yaml --json\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
