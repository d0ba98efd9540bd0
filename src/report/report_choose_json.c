#include "base/date.h"
#include "report/json_fields.h"
#include "report/report_choose.h"

static void write_date(struct zv_json_writer *json, const char *key, int32_t day)
{
    char text[ZV_DATE_TEXT];
    zv_date_print(text, day);
    json_text(json, key, day == ZV_DATE_NONE ? NULL : text);
}

static void write_required(struct zv_json_writer *json, const struct zv_required *required)
{
    zv_json_write_key(json, "required");
    zv_json_begin_object(json);
    json_bytes(json, "at_least_bytes", required->known, required->at_least);
    json_bytes(json, "expected_bytes", required->known, required->expected);
    json_bytes(json, "variation_bytes", true, required->varied);
    json_bytes(json, "unknown_items", required->known, required->unknown);
    json_bytes(json, "devices", required->known, required->devices);
    json_text(json, "source", required->source);
    zv_json_write_key(json, "variations");
    zv_json_begin_array(json);
    for (size_t i = 0; i < required->variation_count; i++) {
        const struct zv_variation *const one = &required->variations[i];
        zv_json_begin_object(json);
        json_slice(json, "name", one->name);
        json_bytes(json, "bytes", true, one->bytes);
        json_text(json, "known", one->documented ? "measured" : "assumed");
        json_text(json, "evidence", one->evidence.length != 0 ? one->evidence.at : NULL);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void write_offer(struct zv_json_writer *json, const struct zv_offer *offer)
{
    char price[ZV_MONEY_TEXT];
    const bool is_offered = offer->price.currency[0] != 0; /* else a card alone */
    zv_money_print(price, &offer->price);
    zv_json_write_key(json, "offer");
    zv_json_begin_object(json);
    json_slice(json, "id", offer->id);
    json_slice(json, "card", offer->card);
    json_bytes(json, "count", true, offer->count);
    json_text(json, "price", is_offered ? price : NULL);
    json_bytes(json, "batch_days", offer->batch_days != 0, offer->batch_days);
    json_bytes(json, "memory_bytes", offer->memory_bytes != 0, offer->memory_bytes);
    json_bytes(json, "host_ram_bytes", offer->host_ram_bytes != 0, offer->host_ram_bytes);
    write_date(json, "available", offer->available);
    write_date(json, "valid_until", offer->valid_until);
    json_slice(json, "region", offer->region);
    json_slice(json, "document", offer->document);
    write_date(json, "document_date", offer->document_date);
    json_text(json, "file", is_offered ? offer->file : NULL);
    json_bytes(json, "line", is_offered, offer->line);
    zv_json_end_object(json);
}

static void write_needs(struct zv_json_writer *json, const struct zv_choice *choice,
                        const struct zv_judgement *judgements)
{
    zv_json_write_key(json, "needs");
    zv_json_begin_array(json);
    for (unsigned kind = 0; kind < ZV_NEED_KINDS; kind++) {
        const struct zv_need *const need = &choice->input.needs->kinds[kind];
        if (need->strength == ZV_NOT_NEEDED) {
            continue;
        }
        const struct zv_evidence *const proof = judgements[kind].proof;
        zv_json_begin_object(json);
        json_text(json, "need", zv_need_name((enum zv_need_kind)kind));
        json_text(json, "strength", zv_strength_name(need->strength));
        json_text(json, "limit", need->limited ? need->text.at : NULL);
        json_text(json, "state", zv_state_name(judgements[kind].state));
        json_text(json, "why", judgements[kind].text);
        json_text(json, "proof", proof != NULL ? proof->id.at : NULL);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static enum zv_status write_candidate(struct zv_json_writer *json,
                                      const struct report_choose *report,
                                      const struct zv_candidate *candidate, struct zv_error *err)
{
    struct zv_judgement judgements[ZV_NEED_KINDS];
    const enum zv_status status =
        zv_choose_judge(judgements, report->choice, candidate, report->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    zv_json_begin_object(json);
    json_text(json, "state", zv_state_name(candidate->state));
    json_bytes(json, "rank", true, candidate->rank);
    json_bytes(json, "cost_nano", candidate->has_cost, candidate->cost.nano);
    json_text(json, "currency", candidate->has_cost ? candidate->cost.currency : NULL);
    json_bytes(json, "usable_bytes", candidate->capacity != NULL, candidate->usable);
    json_text(json, "usable_basis", candidate->basis);
    if (candidate->has_margin) {
        json_signed(json, "margin_bytes", candidate->over, candidate->margin);
    } else {
        json_bytes(json, "margin_bytes", false, 0);
    }
    write_offer(json, candidate->offer);
    write_needs(json, report->choice, judgements);
    zv_json_end_object(json);
    return ZV_OK;
}

enum zv_status report_choose_json(struct zv_sink *sink, const struct report_choose *report,
                                  struct zv_error *err)
{
    const struct zv_choice *const choice = report->choice;
    struct zv_json_writer json = {.sink = sink};
    size_t shown[ZV_STATES] = {0};
    enum zv_status status = ZV_OK;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.choose/1");
    json_text(&json, "subject", report->subject);
    write_date(&json, "today", choice->input.declared.today);
    json_bytes(&json, "days", true, choice->days);
    write_required(&json, choice->input.required);
    zv_json_write_key(&json, "counts");
    zv_json_begin_object(&json);
    json_bytes(&json, "admissible", true, choice->states[ZV_ADMISSIBLE]);
    json_bytes(&json, "to_verify", true, choice->states[ZV_TO_VERIFY]);
    json_bytes(&json, "excluded", true, choice->states[ZV_EXCLUDED]);
    json_bytes(&json, "rows_without_card", true, choice->input.offers->without_card);
    json_bytes(&json, "rows_without_price", true, choice->input.offers->without_price);
    zv_json_end_object(&json);
    zv_json_write_key(&json, "candidates");
    zv_json_begin_array(&json);
    for (size_t i = 0; status == ZV_OK && i < choice->count; i++) {
        if (shown[choice->candidates[i].state]++ < report->top) {
            status = write_candidate(&json, report, &choice->candidates[i], err);
        }
    }
    if (status == ZV_OK) {
        zv_json_end_array(&json);
        zv_json_end_object(&json);
        zv_json_finish(&json);
    }
    return status;
}
