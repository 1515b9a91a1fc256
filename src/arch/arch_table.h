/* The tables that tools/gen-arch makes. Sets of architectures are masks: bit i is row i. Internal.
 */
#ifndef WGT_ARCH_TABLE_H
#define WGT_ARCH_TABLE_H

#include "wgtune/arch.h"

typedef struct wgt_pci_row {
    uint32_t vendor_id, first, last;
    uint64_t archs;
} wgt_pci_row;

typedef struct wgt_name_row {
    uint32_t vendor_id;
    const char *pattern; /* lower-case words, '#' is a digit */
    uint64_t archs;
} wgt_name_row;

extern const wgt_arch wgt_arch_rows[];
extern const size_t wgt_arch_row_count;
extern const wgt_pci_row wgt_pci_rows[];
extern const size_t wgt_pci_row_count;
extern const wgt_name_row wgt_name_rows[];
extern const size_t wgt_name_row_count;

#endif
