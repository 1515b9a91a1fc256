/* A result for a person at a terminal: eighty columns, aligned, units always. */
#ifndef WGT_REPORT_TERMINAL_H
#define WGT_REPORT_TERMINAL_H

#include "wgtune/result.h"
#include "../base/text.h"

typedef struct wgt_terminal_options {
    bool color;
    bool full;          /* every candidate's row, not only the telling ones */
    const char *saved;  /* the entry's name in wisdom; NULL: not saved */
} wgt_terminal_options;

void wgt_report_result(wgt_out *out, const wgt_result *result, const wgt_terminal_options *options);

/* "67,108,864"; other numbers as JSON writes them. Returns the length. */
size_t wgt_report_count(double value, char *text, size_t capacity);
/* "702.6 µs" with four significant digits in a fitting unit. */
size_t wgt_report_time(double ns, char *text, size_t capacity);
/* "NVIDIA H200 · vulkan · wgpu-native 29.0.1.1 · driver 580.159.04", a CPU adapter named as one. */
void wgt_report_adapter(wgt_out *out, const wgt_adapter *adapter);

#endif
