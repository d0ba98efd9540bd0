/* The plan as a picture: every block from its birth to its death, where it lies. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/html_boxes.h"
#include "report/report_estimate.h"
#include "report/report_place.h"

enum { MAX_TEXT = 1 << 22, PAGE_WIDTH = 100, VERDICT_TEXT = 256 };

/* A page counts in doubles. */
#define MOST_DRAWN (UINT64_C(1) << 53)

static enum zv_status fill_boxes(struct html_box *boxes, const struct zv_place_block *blocks,
                                 size_t count, struct zv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct zv_place_block *const block = &blocks[i];
        boxes[i] = (struct html_box){block->birth, block->death, block->offset, block->bytes};
        if (block->death >= MOST_DRAWN || block->offset + block->bytes >= MOST_DRAWN) {
            return zv_fail(err, ZV_E_UNSUPPORTED,
                           "block %zu: a page draws times and bytes below 2^53", i);
        }
    }
    return ZV_OK;
}

static void put_verdict(char to[VERDICT_TEXT], const struct report_style *style,
                        const struct report_place *place, size_t count)
{
    const uint64_t height = report_place_height(place);
    char text[REPORT_BYTES_TEXT];
    char blocks[32];
    if (place->placement != NULL) {
        report_bytes(text, style, height);
    } else { /* of a CSV whole bytes: sizes may be of any unit */
        report_count(text, height);
    }
    report_count(blocks, count);
    (void)snprintf(to, VERDICT_TEXT, "%s block%s in %s%s, %s.", blocks, count == 1 ? "" : "s", text,
                   place->placement != NULL ? "" : " B",
                   height == report_place_bound(place) ? "optimal: no placement needs less"
                                                       : "the best that was found");
}

static const char *basis_of(const struct report_place *place)
{
    static const char *const texts[ZV_TRACE_KNOWN] = {
        [ZV_TRACE_RECORDED] = "A plan for the lives that were recorded. Time is counted in events.",
        [ZV_TRACE_EMULATED] = "A plan for emulated lives. Time is counted in events.",
        [ZV_TRACE_CALCULATED] = "A plan for calculated lives. Time is counted in events.",
    };
    return place->placement == NULL ? "A plan for the lives in the file."
                                    : texts[place->record->trace.known];
}

enum zv_status report_place_html(struct zv_sink *sink, const struct report_style *style,
                                 const struct report_place *place,
                                 const struct zv_place_block *blocks, size_t count,
                                 struct zv_error *err)
{
    struct zv_buffer text = {.limit = MAX_TEXT};
    struct zv_sink words = zv_buffer_sink(&text);
    struct report_style plain = *style;
    char verdict[VERDICT_TEXT];
    plain.color = false;
    plain.width = PAGE_WIDTH;
    report_place_text(&words, &plain, place);
    put_verdict(verdict, style, place, count);
    struct html_boxes page = {
        .title = zv_slice_of("zirve place"),
        .verdict = zv_slice_of(verdict),
        .words = {text.data, text.size},
        .basis = basis_of(place),
        .note = place->placement != NULL && place->placement->plan.arena_count > 1
                    ? "Planned addresses, not recorded ones; the pools' arenas one above the other."
                    : "Planned addresses, not recorded ones.",
        .boxes = zv_memory_alloc((count + 1) * sizeof *page.boxes),
        .count = count,
        .levels = {{"height", report_place_height(place)},
                   {"proven infeasible below", report_place_bound(place)}},
        .level_count = 2};
    enum zv_status status = page.boxes != NULL ? fill_boxes(page.boxes, blocks, count, err)
                                               : zv_fail_memory(err, "a page");
    status = status == ZV_OK ? html_boxes_page(sink, &page, err) : status;
    sink->failed |= words.failed;
    zv_memory_free(page.boxes);
    zv_buffer_free(&text);
    return status;
}
