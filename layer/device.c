/* What a physical device says of itself, asked of the next layer. */
#include "internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct extension_list {
    VkExtensionProperties *items; /* NULL: none, or no memory */
    uint32_t count;
} extension_list;

static extension_list list_extensions(const wgl_physical *next, VkPhysicalDevice device) {
    extension_list list = {NULL, 0};
    if (next->extensions == NULL ||
        next->extensions(device, NULL, &list.count, NULL) != VK_SUCCESS || list.count == 0)
        return (extension_list){NULL, 0};
    list.items = calloc(list.count, sizeof *list.items);
    if (list.items == NULL ||
        next->extensions(device, NULL, &list.count, list.items) < VK_SUCCESS) {
        free(list.items);
        return (extension_list){NULL, 0};
    }
    return list;
}

static bool listed(const extension_list *list, const char *name) {
    for (uint32_t i = 0; list->items != NULL && i < list->count; i++)
        if (strcmp(list->items[i].extensionName, name) == 0)
            return true;
    return false;
}

bool wgl_has_extension(const wgl_physical *next, VkPhysicalDevice device, const char *name) {
    extension_list list = list_extensions(next, device);
    bool found = listed(&list, name);
    free(list.items);
    return found;
}

/* The core queries need a 1.1 device, the extension's work with any. */
static bool may_query(const wgl_physical *next, VkPhysicalDevice device) {
    VkPhysicalDeviceProperties properties;
    if (!next->queries2 || next->properties == NULL)
        return false;
    next->properties(device, &properties);
    return next->extension2 || properties.apiVersion >= VK_API_VERSION_1_1;
}

bool wgl_can_capture(const wgl_physical *next, VkPhysicalDevice device) {
    if (next->features2 == NULL || !may_query(next, device) ||
        !wgl_has_extension(next, device, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
        return false;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR capture = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &capture};
    next->features2(device, &features);
    return capture.pipelineExecutableInfo == VK_TRUE;
}

/* Not in headers before 1.3.243. */
typedef struct core_properties_arm {
    VkStructureType sType;
    void *pNext;
    uint32_t pixelRate, texelRate, fmaRate;
} core_properties_arm;
#define CORE_PROPERTIES_ARM_TYPE ((VkStructureType)1000415000)
#define CORE_PROPERTIES_ARM_NAME "VK_ARM_shader_core_properties"
/* Not in headers before 1.3.230. */
typedef struct core_builtins_arm {
    VkStructureType sType;
    void *pNext;
    uint64_t shaderCoreMask;
    uint32_t shaderCoreCount, shaderWarpsPerCore;
} core_builtins_arm;
#define CORE_BUILTINS_ARM_TYPE ((VkStructureType)1000497001)
#define CORE_BUILTINS_ARM_NAME "VK_ARM_shader_core_builtins"

/* All structs that may be asked for, in one place so that one call fills those that are linked. */
typedef struct answers {
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceSubgroupSizeControlProperties control;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
    VkPhysicalDeviceShaderCoreProperties2AMD amd2;
    core_properties_arm arm;
    core_builtins_arm arm_builtins;
} answers;

static void link_answers(answers *a, VkPhysicalDeviceProperties2 *root, const extension_list *list,
                         uint32_t version) {
    const struct {
        void *answer;
        VkStructureType type;
        uint32_t core; /* part of Vulkan from here; 0: never */
        const char *extension;
    } rows[] = {
        {&a->driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, VK_API_VERSION_1_2,
         VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME},
        {&a->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, VK_API_VERSION_1_1,
         ""},
        {&a->control, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
         VK_API_VERSION_1_3, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME},
        {&a->sm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV, 0,
         VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME},
        {&a->amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD, 0,
         VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME},
        {&a->amd2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD, 0,
         VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME},
        {&a->arm, CORE_PROPERTIES_ARM_TYPE, 0, CORE_PROPERTIES_ARM_NAME},
        {&a->arm_builtins, CORE_BUILTINS_ARM_TYPE, 0, CORE_BUILTINS_ARM_NAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!(rows[i].core != 0 && version >= rows[i].core) && !listed(list, rows[i].extension))
            continue;
        VkBaseOutStructure *answer = rows[i].answer;
        answer->sType = rows[i].type;
        answer->pNext = root->pNext;
        root->pNext = answer;
    }
}

/* Drivers leave a number 0 where it has no meaning. */
static uint64_t known(uint64_t value) {
    return value != 0 ? value : WGTUNE_LAYER_UNKNOWN;
}

static void read_answers(const answers *a, wgtune_layer_device *d) {
    d->driver_id = (uint32_t)a->driver.driverID;
    memcpy(d->driver, a->driver.driverName, sizeof d->driver - 1);
    memcpy(d->driver_info, a->driver.driverInfo, sizeof d->driver_info - 1);
    d->subgroup_size = known(a->subgroup.subgroupSize);
    d->subgroup_min = known(a->control.minSubgroupSize);
    d->subgroup_max = known(a->control.maxSubgroupSize);
    uint64_t amd_units = (uint64_t)a->amd.shaderEngineCount * a->amd.shaderArraysPerEngineCount *
                         a->amd.computeUnitsPerShaderArray;
    if (a->amd2.activeComputeUnitCount !=
        0) /* the product counts units that are switched off too */
        amd_units = a->amd2.activeComputeUnitCount;
    uint64_t amd_waves = (uint64_t)a->amd.simdPerComputeUnit * a->amd.wavefrontsPerSimd;
    /* A device is of one vendor: the numbers of the others are 0. */
    d->compute_units = known(a->sm.shaderSMCount + amd_units + a->arm_builtins.shaderCoreCount);
    d->warps_per_unit =
        known(a->sm.shaderWarpsPerSM + amd_waves + a->arm_builtins.shaderWarpsPerCore);
    d->simds_per_unit = known(a->amd.simdPerComputeUnit);
    d->registers_per_simd = known(a->amd.vgprsPerSimd);
    d->register_granularity = known(a->amd.vgprAllocationGranularity);
    d->fma_rate = known(a->arm.fmaRate);
}

void wgl_describe(const wgl_physical *next, VkPhysicalDevice device, wgtune_layer_device *d) {
    answers a;
    memset(&a, 0, sizeof a);
    memset(d, 0, sizeof *d);
    VkPhysicalDeviceProperties2 root = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    if (next->properties != NULL)
        next->properties(device, &root.properties);
    if (next->properties2 != NULL && may_query(next, device)) {
        extension_list list = list_extensions(next, device);
        link_answers(&a, &root, &list, root.properties.apiVersion);
        next->properties2(device, &root);
        free(list.items);
    }
    d->vendor_id = root.properties.vendorID;
    d->device_id = root.properties.deviceID;
    memcpy(d->name, root.properties.deviceName, sizeof d->name - 1);
    read_answers(&a, d);
}
