/* What the statistics of each driver mean. NVIDIA's rows were checked on silicon (H200, driver
 * 580.159.04); the others are read from the drivers' public sources: Mesa's
 * src/util/shader_stats.xml and, for older releases, anv_pipeline.c, nvk_shader.c and hk_shader.c.
 */
#include "internal.h"
#include <string.h>

typedef enum field { FIELD_REGISTERS, FIELD_SPILL, FIELD_SHARED, FIELD_COUNT } field;

/* The field = ceil(value * multiply / (divide * subgroup size where per_subgroup)). */
typedef struct name_row {
    VkDriverId driver;
    uint32_t vendor_id; /* decides when the driver's id is unknown */
    const char *name;
    field field;
    uint32_t multiply, divide;
    bool per_subgroup, low_half;
} name_row;

enum {
    VENDOR_AMD = 0x1002,
    VENDOR_NVIDIA = 0x10de,
    VENDOR_INTEL = 0x8086,
    VENDOR_ARM = 0x13b5,
    VENDOR_QUALCOMM = 0x5143,
    VENDOR_MESA = 0x10005,
    DRIVER_HONEYKRISP = 26 /* VK_DRIVER_ID_MESA_HONEYKRISP, not in older headers */
};
#define DRIVER_NVK ((VkDriverId)24) /* VK_DRIVER_ID_MESA_NVK, likewise */

static const name_row rows[] = {
    /* Local Memory Size: only the low half of the 64 bits is meaningful. */
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, VENDOR_NVIDIA, "Register Count", FIELD_REGISTERS, 1, 1, false,
     false},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, VENDOR_NVIDIA, "Local Memory Size", FIELD_SPILL, 1, 1, false,
     true},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, VENDOR_NVIDIA, "Shared Memory Size", FIELD_SHARED, 1, 1,
     false, false},
    {DRIVER_NVK, VENDOR_NVIDIA, "Number of GPRs", FIELD_REGISTERS, 1, 1, false, false},
    {DRIVER_NVK, VENDOR_NVIDIA, "SLM Size", FIELD_SPILL, 1, 1, false, false},
    {DRIVER_NVK, VENDOR_NVIDIA, "SLM size", FIELD_SPILL, 1, 1, false, false},
    /* A VGPR holds 32 bits of each lane; scratch is counted for the whole wave. */
    {VK_DRIVER_ID_MESA_RADV, VENDOR_AMD, "VGPRs", FIELD_REGISTERS, 1, 1, false, false},
    {VK_DRIVER_ID_MESA_RADV, VENDOR_AMD, "Scratch size", FIELD_SPILL, 1, 1, true, false},
    {VK_DRIVER_ID_MESA_RADV, VENDOR_AMD, "LDS size", FIELD_SHARED, 1, 1, false, false},
    {VK_DRIVER_ID_AMD_PROPRIETARY, VENDOR_AMD, "numUsedVgprs", FIELD_REGISTERS, 1, 1, false, false},
    {VK_DRIVER_ID_AMD_PROPRIETARY, VENDOR_AMD, "ldsUsageSizeInBytes", FIELD_SHARED, 1, 1, false,
     false},
    {VK_DRIVER_ID_AMD_OPEN_SOURCE, VENDOR_AMD, "numUsedVgprs", FIELD_REGISTERS, 1, 1, false, false},
    {VK_DRIVER_ID_AMD_OPEN_SOURCE, VENDOR_AMD, "ldsUsageSizeInBytes", FIELD_SHARED, 1, 1, false,
     false},
    /* A hardware thread's registers of 32 bytes, shared by the lanes of its SIMD width. */
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, VENDOR_INTEL, "Max live registers", FIELD_REGISTERS, 8, 1,
     true, false},
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, VENDOR_INTEL, "Scratch Memory Size", FIELD_SPILL, 1, 1,
     true, false},
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, VENDOR_INTEL, "Workgroup Memory Size", FIELD_SHARED, 1, 1,
     false, false},
    /* Counted in vec4 registers. */
    {VK_DRIVER_ID_MESA_TURNIP, VENDOR_QUALCOMM, "Registers used", FIELD_REGISTERS, 4, 1, false,
     false},
    {VK_DRIVER_ID_MESA_PANVK, VENDOR_ARM, "Registers used", FIELD_REGISTERS, 1, 1, false, false},
    /* Counted in 16-bit registers. */
    {(VkDriverId)DRIVER_HONEYKRISP, VENDOR_MESA, "GPRs", FIELD_REGISTERS, 1, 2, false, false},
    {(VkDriverId)DRIVER_HONEYKRISP, VENDOR_MESA, "Scratch", FIELD_SPILL, 1, 1, false, false},
};

static const name_row *find_row(uint32_t driver_id, uint32_t vendor_id, const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool ours =
            driver_id != 0 ? (uint32_t)rows[i].driver == driver_id : rows[i].vendor_id == vendor_id;
        if (ours && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

static bool whole_value(const wgtune_layer_statistic *statistic, uint64_t *value) {
    switch (statistic->kind) {
    case WGTUNE_LAYER_U64:
        *value = statistic->value.u64;
        return true;
    case WGTUNE_LAYER_I64:
        *value = (uint64_t)statistic->value.i64;
        return statistic->value.i64 >= 0;
    default:
        return false;
    }
}

static bool convert(const name_row *row, uint64_t value, uint32_t subgroup, uint64_t *result) {
    if (row->low_half)
        value &= UINT32_MAX;
    uint64_t divide = row->divide;
    if (row->per_subgroup) {
        if (subgroup == 0)
            return value == 0 ? (*result = 0, true) : false;
        divide *= subgroup;
    }
    if (value > (UINT64_MAX - divide) / row->multiply)
        return false;
    *result = (value * row->multiply + divide - 1) / divide;
    return true;
}

static void raise(uint64_t *number, uint64_t value) {
    if (*number == WGTUNE_LAYER_UNKNOWN || *number < value)
        *number = value;
}

void wgl_interpret(wgtune_layer_record *record, uint32_t driver_id, uint32_t vendor_id,
                   const uint32_t *subgroups, uint32_t executables) {
    uint64_t *fields[FIELD_COUNT] = {&record->registers, &record->spill_bytes,
                                     &record->shared_bytes};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        *fields[i] = WGTUNE_LAYER_UNKNOWN;
    record->subgroup_size = WGTUNE_LAYER_UNKNOWN;
    for (uint32_t i = 0; i < executables; i++)
        if (subgroups[i] != 0)
            raise(&record->subgroup_size, subgroups[i]);
    for (uint32_t i = 0; i < record->statistic_count; i++) {
        const wgtune_layer_statistic *statistic = &record->statistics[i];
        const name_row *row = find_row(driver_id, vendor_id, statistic->name);
        uint32_t subgroup =
            statistic->executable < executables ? subgroups[statistic->executable] : 0;
        uint64_t value;
        if (row != NULL && whole_value(statistic, &value) && convert(row, value, subgroup, &value))
            raise(fields[row->field], value);
    }
}
