/* wgtune/arch.h: GPU architectures: a table of what their compute units have, look-up by name, and
 * identification from whatever evidence there is. Pure; the table is generated from
 * data/gpu_arch.csv, data/gpu_pci.csv and data/gpu_names.csv, which name the source of each row. */
#ifndef WGTUNE_ARCH_H
#define WGTUNE_ARCH_H

#include "wgtune/adapter.h"
#include "wgtune/occupancy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WGT_MAX_ALIASES 48

typedef struct wgt_arch {
    const char *id;     /* "sm_90", "gfx1100", "apple8", "a7xx", ... */
    const char *vendor; /* "NVIDIA", "AMD", "Intel", "Apple", "Qualcomm", "ARM", "Mesa", "Google" */
    uint32_t vendor_id; /* PCI */
    const char *title;  /* as the table's source calls it */
    const char *parts;  /* examples of parts */
    const char *webgpu_architecture; /* what Dawn calls it; "" when it has no word for it */
    const char *const *aliases;      /* ends in NULL */
    const char *confidence;          /* what kind of source the numbers have */
    const char *source, *notes;
    wgt_unit unit;        /* AMD from RDNA on: the CU */
    wgt_unit shared_unit; /* AMD from RDNA on: the WGP (two CUs), where compute kernels run by
                             default; else the same as `unit` */
} wgt_arch;

/* All of them, in the order of the file. */
WGT_API const wgt_arch *wgt_arch_table(size_t *count);

/* By id, title or alias; case, spaces, '-' and '_' do not count. NULL: none. */
WGT_API const wgt_arch *wgt_arch_find(wgt_str name);
/* The ids or aliases nearest to a misspelt name, best first; returns how many (≤ capacity, ≤ 8). */
WGT_API size_t wgt_arch_nearest(wgt_str name, const char **names, size_t capacity);
/* wgt_arch_find, or WGT_BAD_INPUT with `unknown architecture 'x', did you mean 'a', 'b'?`. */
WGT_API wgt_status wgt_arch_get(wgt_str name, const wgt_arch **arch, wgt_error *error);

/* The unit that a workgroup is placed on; `cu_mode`: AMD's compute unit alone instead of the WGP.
 */
WGT_API const wgt_unit *wgt_arch_unit(const wgt_arch *arch, bool cu_mode);
/* Whether the table says enough of it to compute an occupancy. */
WGT_API bool wgt_arch_is_known(const wgt_arch *arch);
/* Checks a subgroup width (0: the default is fine). WGT_BAD_INPUT with the widths there are. */
WGT_API wgt_status wgt_arch_check_subgroup(const wgt_arch *arch, uint32_t subgroup,
                                           wgt_error *error);

/* What is known of a GPU; all optional: zero-initialise it and fill in what there is. */
typedef struct wgt_evidence {
    wgt_str vendor; /* "nvidia", "NVIDIA Corporation" */
    uint32_t vendor_id, device_id;
    wgt_str architecture;        /* WebGPU's adapter.info.architecture */
    wgt_str device, description; /* names */
    wgt_str driver;
    uint32_t subgroup_min, subgroup_max;
    /* The driver's core properties (Vulkan extensions of NVIDIA, AMD, Arm). */
    uint32_t warps_per_unit; /* shaderWarpsPerSM, shaderWarpsPerCore */
    uint32_t simds_per_unit, waves_per_simd, vgprs_per_simd;
    /* The probe's. */
    uint32_t workgroup_slots, invocations_per_unit;
    uint64_t registers_per_unit;
} wgt_evidence;

/* What narrowed the list down, as bits of wgt_identified.by. */
enum {
    WGT_BY_VENDOR = 1,
    WGT_BY_PCI = 2,
    WGT_BY_NAME = 4,
    WGT_BY_ARCHITECTURE = 8,
    WGT_BY_SUBGROUP = 16,
    WGT_BY_PROPERTIES = 32,
    WGT_BY_PROBE = 64
};
#define WGT_MAX_IDENTIFIED 24
typedef struct wgt_identified {
    const wgt_arch *archs[WGT_MAX_IDENTIFIED];
    size_t count; /* 0: nothing known of it */
    unsigned by;
} wgt_identified;

/* Every row that the evidence allows, in the table's order. One piece of evidence after another
 * narrows the list (PCI ids, names, WebGPU's word, subgroup widths, core properties, the probe);
 * one that would leave nothing is passed over. Evidence that says nothing leaves count 0: a vendor
 * alone gives the vendor's rows, in so far as WGT_MAX_IDENTIFIED holds them. */
WGT_API void wgt_arch_identify(const wgt_evidence *evidence, wgt_identified *identified);
/* The evidence in an adapter. The views are of the adapter's own texts. */
WGT_API wgt_evidence wgt_evidence_of_adapter(const wgt_adapter *adapter);

#ifdef __cplusplus
}
#endif
#endif
