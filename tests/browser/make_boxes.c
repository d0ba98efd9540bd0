/* Writes a page of boxes to standard output: three blocks, one of which lies on the two others. */
#include <stdio.h>
#include <stdlib.h>

#include "report/html_boxes.h"

static bool write_out(void *context, const char *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size;
}

int main(void)
{
    struct zv_sink sink = {.write = write_out};
    struct html_box boxes[] = {
        {1005, 1020, 3 << 20, 2 << 20}, {1000, 1010, 0, 1 << 20}, {1003, 1020, 1 << 20, 2 << 20}};
    const struct html_boxes page = {.title = zv_slice_of("boxes"),
                                    .verdict = zv_slice_of("Three blocks in 5 MiB."),
                                    .basis = "Made up.",
                                    .note = "Each block from its beginning to its end.",
                                    .boxes = boxes,
                                    .count = 3,
                                    .levels = {{"height", 5 << 20}},
                                    .level_count = 1};
    return html_boxes_page(&sink, &page, NULL) == ZV_OK && !sink.failed ? EXIT_SUCCESS
                                                                        : EXIT_FAILURE;
}
