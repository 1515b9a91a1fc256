/* Tests only: a Vulkan layer that plays a driver with pipeline statistics, to be stacked right
 * above the real one (which has none). What it plays is read from the environment when an instance
 * is created:
 *
 *   WGTUNE_FAKE_STATISTICS  "Register Count=40;f:Cycles=1.5;b:Flag=1;i:Signed=-3|VGPRs=8": what
 * every pipeline that was created with the capture flag reports; "|" starts the next executable
 *   WGTUNE_FAKE_SUBGROUP    the executables' subgroup size (0: not told)
 *   WGTUNE_FAKE_DRIVER      VkDriverId     WGTUNE_FAKE_VENDOR   vendor id     (unset: the real
 * ones) WGTUNE_FAKE_CORE        nv | amd | arm: announces that vendor's core properties
 *   WGTUNE_FAKE_ABSENT      the extension is not announced
 *   WGTUNE_FAKE_UNSUPPORTED the extension is announced, its feature is not supported
 *   WGTUNE_FAKE_REFUSE      creating a device with the extension fails
 *   WGTUNE_FAKE_TRACE       a file: one line a device ("device 1" with the extension, "device 0"
 * without) and a pipeline ("pipeline 1" with the capture flag, "pipeline 0" without)
 *
 * One instance and one device at a time. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

#define EXTENSION VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME
#define PIPELINES 4096

static struct {
    pthread_mutex_t lock;
    VkInstance instance;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkGetDeviceProcAddr get_device;
    PFN_vkEnumerateDeviceExtensionProperties extensions;
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceProperties2 properties2;
    PFN_vkGetPhysicalDeviceFeatures2 features2;
    PFN_vkCreateComputePipelines create_compute;
    bool enabled; /* on the device */
    VkPipeline captured[PIPELINES];
    size_t captured_count;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_set(const char *name) {
    return getenv(name) != NULL;
}

static void trace(const char *what, int value) {
    const char *path = getenv("WGTUNE_FAKE_TRACE");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file != NULL) {
        fprintf(file, "%s %d\n", what, value);
        fclose(file);
    }
}

static const char *core_extensions(size_t index) {
    const char *core = getenv("WGTUNE_FAKE_CORE");
    static const char *const names[3][2] = {
        {VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, NULL},
        {VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME,
         VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME},
        {"VK_ARM_shader_core_builtins", "VK_ARM_shader_core_properties"}};
    if (core == NULL || index > 1)
        return NULL;
    return names[strcmp(core, "nv") == 0 ? 0 : strcmp(core, "amd") == 0 ? 1 : 2][index];
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_extensions(VkPhysicalDevice device, const char *layer,
                                                      uint32_t *count,
                                                      VkExtensionProperties *items) {
    uint32_t real = 0;
    const char *added[3];
    uint32_t added_count = 0;
    if (layer != NULL)
        return fake.extensions(device, layer, count, items);
    if (!is_set("WGTUNE_FAKE_ABSENT"))
        added[added_count++] = EXTENSION;
    for (size_t i = 0; core_extensions(i) != NULL; i++)
        added[added_count++] = core_extensions(i);
    VkResult result = fake.extensions(device, NULL, &real, NULL);
    if (result != VK_SUCCESS || items == NULL) {
        *count = real + added_count;
        return result;
    }
    if (*count < real + added_count)
        return VK_INCOMPLETE;
    result = fake.extensions(device, NULL, &real, items);
    for (uint32_t i = 0; i < added_count; i++) {
        memset(&items[real + i], 0, sizeof items[0]);
        snprintf(items[real + i].extensionName, sizeof items[0].extensionName, "%s", added[i]);
        items[real + i].specVersion = 1;
    }
    *count = real + added_count;
    return result;
}

static VKAPI_ATTR void VKAPI_CALL fake_features2(VkPhysicalDevice device,
                                                 VkPhysicalDeviceFeatures2 *features) {
    fake.features2(device, features);
    for (VkBaseOutStructure *p = features->pNext; p != NULL; p = p->pNext)
        if (p->sType ==
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR)
            ((VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR *)p)->pipelineExecutableInfo =
                !is_set("WGTUNE_FAKE_ABSENT") && !is_set("WGTUNE_FAKE_UNSUPPORTED");
}

static void change_properties(VkPhysicalDeviceProperties *properties) {
    if (is_set("WGTUNE_FAKE_VENDOR"))
        properties->vendorID = (uint32_t)strtoul(getenv("WGTUNE_FAKE_VENDOR"), NULL, 0);
    if (is_set("WGTUNE_FAKE_OLD"))
        properties->apiVersion = VK_API_VERSION_1_0;
}

static VKAPI_ATTR void VKAPI_CALL fake_properties(VkPhysicalDevice device,
                                                  VkPhysicalDeviceProperties *properties) {
    fake.properties(device, properties);
    change_properties(properties);
}

/* sType, pNext, then the numbers: those of the two Arm structs, which older headers lack. */
typedef struct arm_builtins {
    VkStructureType sType;
    void *pNext;
    uint64_t mask;
    uint32_t count, warps;
} arm_builtins;
typedef struct arm_properties {
    VkStructureType sType;
    void *pNext;
    uint32_t pixel, texel, fma;
} arm_properties;

static void fill_core(VkBaseOutStructure *p) {
    if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV) {
        VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *sm = (void *)p;
        sm->shaderSMCount = 132;
        sm->shaderWarpsPerSM = 64;
    } else if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD) {
        VkPhysicalDeviceShaderCorePropertiesAMD *amd = (void *)p;
        amd->shaderEngineCount = 4;
        amd->shaderArraysPerEngineCount = 2;
        amd->computeUnitsPerShaderArray = 10;
        amd->simdPerComputeUnit = 2;
        amd->wavefrontsPerSimd = 16;
        amd->vgprsPerSimd = 1024;
        amd->vgprAllocationGranularity = 16;
    } else if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD) {
        ((VkPhysicalDeviceShaderCoreProperties2AMD *)(void *)p)->activeComputeUnitCount = 72;
    } else if (p->sType == (VkStructureType)1000497001) {
        arm_builtins *arm = (void *)p;
        arm->count = 10;
        arm->warps = 48;
    } else if (p->sType == (VkStructureType)1000415000) {
        ((arm_properties *)(void *)p)->fma = 128;
    } else if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES &&
               is_set("WGTUNE_FAKE_DRIVER")) {
        ((VkPhysicalDeviceDriverProperties *)(void *)p)->driverID =
            (VkDriverId)strtoul(getenv("WGTUNE_FAKE_DRIVER"), NULL, 0);
    }
}

static VKAPI_ATTR void VKAPI_CALL fake_properties2(VkPhysicalDevice device,
                                                   VkPhysicalDeviceProperties2 *properties) {
    fake.properties2(device, properties);
    change_properties(&properties->properties);
    for (VkBaseOutStructure *p = properties->pNext; p != NULL; p = p->pNext)
        fill_core(p);
}

/* ---- the executables that the environment describes ---- */

static const char *executable_text(uint32_t index) {
    const char *text = getenv("WGTUNE_FAKE_STATISTICS");
    for (; text != NULL && index > 0; index--) {
        text = strchr(text, '|');
        if (text != NULL)
            text++;
    }
    return text;
}

static bool is_captured(VkPipeline pipeline) {
    bool found = false;
    pthread_mutex_lock(&fake.lock);
    for (size_t i = 0; i < fake.captured_count && !found; i++)
        found = fake.captured[i] == pipeline;
    pthread_mutex_unlock(&fake.lock);
    return found;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_executables(VkDevice device, const VkPipelineInfoKHR *info, uint32_t *count,
                 VkPipelineExecutablePropertiesKHR *properties) {
    (void)device;
    uint32_t total = 0;
    while (is_captured(info->pipeline) && executable_text(total) != NULL)
        total++;
    uint32_t written = 0;
    for (; properties != NULL && written < *count && written < total; written++) {
        VkPipelineExecutablePropertiesKHR *p = &properties[written];
        if (p->sType != VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR)
            return VK_ERROR_UNKNOWN;
        p->stages = VK_SHADER_STAGE_COMPUTE_BIT;
        p->subgroupSize =
            is_set("WGTUNE_FAKE_SUBGROUP") ? (uint32_t)atoi(getenv("WGTUNE_FAKE_SUBGROUP")) : 32;
        snprintf(p->name, sizeof p->name, "executable %u", (unsigned)written);
        p->description[0] = '\0';
    }
    *count = properties != NULL ? written : total;
    return properties != NULL && written < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/* Reads one "k:Name=value" and returns what follows its semicolon. */
static const char *read_statistic(const char *text, VkPipelineExecutableStatisticKHR *s) {
    size_t length = strcspn(text, ";|");
    char kind = length > 1 && text[1] == ':' ? text[0] : 'u';
    const char *name = length > 1 && text[1] == ':' ? text + 2 : text;
    size_t name_size = strcspn(name, "=");
    const char *value = name + name_size + 1;
    snprintf(s->name, sizeof s->name, "%.*s", (int)name_size, name);
    s->description[0] = '\0';
    s->format = kind == 'f'   ? VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR
                : kind == 'b' ? VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR
                : kind == 'i' ? VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR
                              : VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
    if (kind == 'f')
        s->value.f64 = strtod(value, NULL);
    else if (kind == 'b')
        s->value.b32 = (VkBool32)atoi(value);
    else if (kind == 'i')
        s->value.i64 = strtoll(value, NULL, 0);
    else
        s->value.u64 = strtoull(value, NULL, 0);
    return text[length] == ';' ? text + length + 1 : text + length;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_statistics(VkDevice device, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
                VkPipelineExecutableStatisticKHR *statistics) {
    (void)device;
    VkPipelineExecutableStatisticKHR ignored;
    uint32_t total = 0, written = 0;
    if (!is_captured(info->pipeline))
        return VK_ERROR_UNKNOWN;
    for (const char *text = executable_text(info->executableIndex);
         text != NULL && *text != '\0' && *text != '|'; total++) {
        bool wanted = statistics != NULL && written < *count;
        if (wanted &&
            statistics[written].sType != VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR)
            return VK_ERROR_UNKNOWN;
        text = read_statistic(text, wanted ? &statistics[written++] : &ignored);
    }
    *count = statistics != NULL ? written : total;
    return statistics != NULL && written < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/* ---- creation: what the real driver does not know is taken out ---- */

/* VkPipelineCreateFlags2CreateInfo, which older headers lack. */
typedef struct flags2_info {
    VkStructureType sType;
    const void *pNext;
    uint64_t flags;
} flags2_info;

/* Takes the struct out of a copy when it heads the chain: the real driver does not know it. */
static void drop_flags2(VkComputePipelineCreateInfo *info) {
    const flags2_info *head = info->pNext;
    if (head != NULL && head->sType == (VkStructureType)1000470005) {
        trace("flags2", (head->flags & VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR) != 0);
        info->pNext = head->pNext;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_create_compute(VkDevice device, VkPipelineCache cache,
                                                          uint32_t count,
                                                          const VkComputePipelineCreateInfo *infos,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkPipeline *pipelines) {
    VkComputePipelineCreateInfo *copies = calloc(count, sizeof *copies);
    if (copies == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = infos[i];
        copies[i].flags &= ~(VkPipelineCreateFlags)VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
        drop_flags2(&copies[i]);
    }
    VkResult result = fake.create_compute(device, cache, count, copies, allocator, pipelines);
    free(copies);
    for (uint32_t i = 0; i < count; i++) {
        bool flag = (infos[i].flags & VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR) != 0;
        pthread_mutex_lock(&fake.lock);
        trace("pipeline", flag);
        if (flag && fake.enabled && pipelines[i] != VK_NULL_HANDLE &&
            fake.captured_count < PIPELINES)
            fake.captured[fake.captured_count++] = pipelines[i];
        pthread_mutex_unlock(&fake.lock);
    }
    return result;
}

static VkLayerDeviceCreateInfo *find_link(const VkDeviceCreateInfo *info) {
    for (const VkBaseInStructure *p = info->pNext; p != NULL; p = p->pNext)
        if (p->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
            ((const VkLayerDeviceCreateInfo *)p)->function == VK_LAYER_LINK_INFO)
            return (VkLayerDeviceCreateInfo *)(uintptr_t)p;
    return NULL;
}

/* Takes the feature's struct out of the chain, which must be given back as it was; returns the
 * place. */
static VkBaseOutStructure **unlink_feature(VkDeviceCreateInfo *info, VkBaseOutStructure **feature) {
    VkBaseOutStructure **place = (VkBaseOutStructure **)(uintptr_t)&info->pNext;
    while (*place != NULL &&
           (*place)->sType !=
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR)
        place = &(*place)->pNext;
    *feature = *place;
    if (*feature != NULL)
        *place = (*feature)->pNext;
    return place;
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_create_device(VkPhysicalDevice physical,
                                                         const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkDevice *device) {
    VkLayerDeviceCreateInfo *link = find_link(info);
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
        fake.instance, "vkCreateDevice");
    fake.get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof *names);
    VkDeviceCreateInfo copy = *info;
    if (names == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    copy.ppEnabledExtensionNames = names;
    copy.enabledExtensionCount = 0;
    unsigned named = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], EXTENSION) == 0)
            named++;
        else
            names[copy.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    }
    VkBaseOutStructure *feature;
    VkBaseOutStructure **place = unlink_feature(&copy, &feature);
    /* A driver refuses a name twice, a feature without its extension, and what it does not support.
     */
    bool wrong = named > 1 || (feature != NULL && named == 0) ||
                 (named > 0 && is_set("WGTUNE_FAKE_ABSENT")) ||
                 (named > 0 && is_set("WGTUNE_FAKE_REFUSE"));
    trace("device", (int)named);
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result =
        wrong ? VK_ERROR_FEATURE_NOT_PRESENT : create(physical, &copy, allocator, device);
    if (feature != NULL)
        *place = feature;
    free(names);
    if (result == VK_SUCCESS) {
        fake.enabled = named > 0 && feature != NULL &&
                       ((VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR *)feature)
                           ->pipelineExecutableInfo;
        fake.create_compute =
            (PFN_vkCreateComputePipelines)fake.get_device(*device, "vkCreateComputePipelines");
        fake.captured_count = 0;
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL fake_create_instance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkInstance *instance) {
    VkLayerInstanceCreateInfo *link = NULL;
    for (const VkBaseInStructure *p = info->pNext; p != NULL && link == NULL; p = p->pNext)
        if (p->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
            ((const VkLayerInstanceCreateInfo *)p)->function == VK_LAYER_LINK_INFO)
            link = (VkLayerInstanceCreateInfo *)(uintptr_t)p;
    fake.get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)fake.get(VK_NULL_HANDLE, "vkCreateInstance");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    fake.instance = *instance;
    fake.extensions = (PFN_vkEnumerateDeviceExtensionProperties)fake.get(
        *instance, "vkEnumerateDeviceExtensionProperties");
    fake.properties =
        (PFN_vkGetPhysicalDeviceProperties)fake.get(*instance, "vkGetPhysicalDeviceProperties");
    fake.properties2 =
        (PFN_vkGetPhysicalDeviceProperties2)fake.get(*instance, "vkGetPhysicalDeviceProperties2");
    fake.features2 =
        (PFN_vkGetPhysicalDeviceFeatures2)fake.get(*instance, "vkGetPhysicalDeviceFeatures2");
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_instance(VkInstance instance,
                                                                  const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_device(VkDevice device, const char *name);

static PFN_vkVoidFunction find(const char *name, bool device_only) {
    const struct {
        const char *name;
        PFN_vkVoidFunction function;
        bool of_device;
    } table[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)fake_get_instance, false},
        {"vkCreateInstance", (PFN_vkVoidFunction)fake_create_instance, false},
        {"vkCreateDevice", (PFN_vkVoidFunction)fake_create_device, false},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)fake_extensions, false},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)fake_features2, false},
        {"vkGetPhysicalDeviceFeatures2KHR", (PFN_vkVoidFunction)fake_features2, false},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)fake_properties, false},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)fake_properties2, false},
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)fake_properties2, false},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)fake_get_device, true},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)fake_create_compute, true},
        {"vkGetPipelineExecutablePropertiesKHR", (PFN_vkVoidFunction)fake_executables, true},
        {"vkGetPipelineExecutableStatisticsKHR", (PFN_vkVoidFunction)fake_statistics, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((table[i].of_device || !device_only) && strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_instance(VkInstance instance,
                                                                  const char *name) {
    PFN_vkVoidFunction ours = find(name, false);
    return ours != NULL || instance == VK_NULL_HANDLE ? ours : fake.get(instance, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_device(VkDevice device, const char *name) {
    PFN_vkVoidFunction ours = find(name, true);
    return ours != NULL ? ours : fake.get_device(device, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = fake_get_instance;
    interface->pfnGetDeviceProcAddr = fake_get_device;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
