/* What the loader calls: a handful of functions are intercepted, everything else goes straight to
 * the next layer. Sources: the Vulkan loader's LoaderLayerInterface document (interface version 2)
 * and the specification of VK_KHR_pipeline_executable_properties. */
#include "internal.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#define EXPORT __attribute__((visibility("default")))

/* A dispatchable handle starts with the loader's table, which an instance shares with its physical
 * devices and a device with its queues. */
static void *key_of(const void *handle) {
    return *(void *const *)handle;
}

typedef struct instance_node {
    struct instance_node *following;
    void *key;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkDestroyInstance destroy;
    wgl_physical physical;
} instance_node;

typedef struct device_node {
    struct device_node *following;
    void *key;
    PFN_vkGetDeviceProcAddr get;
    PFN_vkDestroyDevice destroy;
    PFN_vkCreateComputePipelines create_compute;
    PFN_vkGetPipelineExecutablePropertiesKHR executables; /* NULL: no statistics */
    PFN_vkGetPipelineExecutableStatisticsKHR statistics;
    uint32_t driver_id, vendor_id;
} device_node;

/* The loader keeps nothing for a layer: handles are found again here. A node stays where it is
 * while its handle lives, and Vulkan forbids destroying a handle that another call uses, so a found
 * node may be used after the lock is gone. */
static struct {
    pthread_mutex_t lock;
    instance_node *instances;
    device_node *devices;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static instance_node *find_instance(const void *handle) {
    pthread_mutex_lock(&state.lock);
    instance_node *node = state.instances;
    while (node != NULL && node->key != key_of(handle))
        node = node->following;
    pthread_mutex_unlock(&state.lock);
    return node;
}

static device_node *find_device(VkDevice handle) {
    pthread_mutex_lock(&state.lock);
    device_node *node = state.devices;
    while (node != NULL && node->key != key_of(handle))
        node = node->following;
    pthread_mutex_unlock(&state.lock);
    return node;
}

/* ---- instances ---- */

static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info) {
    const VkBaseInStructure *p = info->pNext;
    for (; p != NULL; p = p->pNext) {
        VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)(uintptr_t)p;
        if (p->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
            link->function == VK_LAYER_LINK_INFO)
            return link;
    }
    return NULL;
}

static bool names_extension(const char *const *names, uint32_t count, const char *wanted) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], wanted) == 0)
            return true;
    return false;
}

/* Looked up now and not at need: a function of a lower layer must be asked for with the instance.
 */
static void fill_instance(instance_node *node, const VkInstanceCreateInfo *info) {
    uint32_t version = info->pApplicationInfo != NULL ? info->pApplicationInfo->apiVersion : 0;
    bool extension = names_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                     VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
    VkInstance handle = node->handle;
    wgl_physical *physical = &node->physical;
    physical->extension2 = extension;
    physical->queries2 = extension || version >= VK_API_VERSION_1_1;
    node->destroy = (PFN_vkDestroyInstance)node->get(handle, "vkDestroyInstance");
    physical->extensions = (PFN_vkEnumerateDeviceExtensionProperties)node->get(
        handle, "vkEnumerateDeviceExtensionProperties");
    physical->properties =
        (PFN_vkGetPhysicalDeviceProperties)node->get(handle, "vkGetPhysicalDeviceProperties");
    physical->properties2 = (PFN_vkGetPhysicalDeviceProperties2)node->get(
        handle, extension ? "vkGetPhysicalDeviceProperties2KHR" : "vkGetPhysicalDeviceProperties2");
    physical->features2 = (PFN_vkGetPhysicalDeviceFeatures2)node->get(
        handle, extension ? "vkGetPhysicalDeviceFeatures2KHR" : "vkGetPhysicalDeviceFeatures2");
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_create_instance(const VkInstanceCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkInstance *instance) {
    VkLayerInstanceCreateInfo *link = instance_link(info);
    if (link == NULL || link->u.pLayerInfo == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(VK_NULL_HANDLE, "vkCreateInstance");
    if (create == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    instance_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    wgl_log_open(); /* before a browser's sandbox closes the files */
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS) {
        free(node);
        return result;
    }
    node->key = key_of(*instance);
    node->handle = *instance;
    node->get = get;
    fill_instance(node, info);
    pthread_mutex_lock(&state.lock);
    node->following = state.instances;
    state.instances = node;
    pthread_mutex_unlock(&state.lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL layer_destroy_instance(VkInstance instance,
                                                         const VkAllocationCallbacks *allocator) {
    if (instance == VK_NULL_HANDLE)
        return;
    instance_node *node = find_instance(instance);
    if (node == NULL)
        return;
    pthread_mutex_lock(&state.lock);
    instance_node **place = &state.instances;
    while (*place != NULL && *place != node)
        place = &(*place)->following;
    if (*place != NULL)
        *place = node->following;
    pthread_mutex_unlock(&state.lock);
    node->destroy(instance, allocator);
    free(node);
}

/* ---- devices ---- */

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info) {
    const VkBaseInStructure *p = info->pNext;
    for (; p != NULL; p = p->pNext) {
        VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)(uintptr_t)p;
        if (p->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
            link->function == VK_LAYER_LINK_INFO)
            return link;
    }
    return NULL;
}

static const VkBaseInStructure *find_struct(const void *chain, VkStructureType type) {
    const VkBaseInStructure *p = chain;
    while (p != NULL && p->sType != type)
        p = p->pNext;
    return p;
}

/* The caller's request with the extension and its feature added. */
typedef struct capture_request {
    VkDeviceCreateInfo info;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature;
    const char **names; /* NULL: the caller's list serves */
} capture_request;

/* false: nothing to add, or it cannot be. A caller that has the feature's struct in its chain keeps
 * it as it is: the chain is the caller's memory, and a second struct of a kind is not allowed. */
static bool request_capture(capture_request *request, const VkDeviceCreateInfo *info) {
    static const char name[] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    bool named = names_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount, name);
    if (find_struct(
            info->pNext,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR) != NULL)
        return false;
    request->info = *info;
    request->names = NULL;
    request->feature = (VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pNext = (void *)(uintptr_t)info->pNext,
        .pipelineExecutableInfo = VK_TRUE};
    request->info.pNext = &request->feature;
    if (named)
        return true;
    uint32_t count = info->enabledExtensionCount;
    request->names = malloc(((size_t)count + 1) * sizeof *request->names);
    if (request->names == NULL)
        return false;
    if (count > 0)
        memcpy(request->names, info->ppEnabledExtensionNames, count * sizeof *request->names);
    request->names[count] = name;
    request->info.ppEnabledExtensionNames = request->names;
    request->info.enabledExtensionCount = count + 1;
    return true;
}

/* The caller asked for all of it by itself. */
static bool requested_already(const VkDeviceCreateInfo *info) {
    const VkBaseInStructure *feature = find_struct(
        info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    return feature != NULL &&
           ((const VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR *)feature)
               ->pipelineExecutableInfo &&
           names_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                           VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
}

/* With the extension where it can be had, again without it where that fails: a program whose device
 * fails may abort. */
static VkResult create_device(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                              const VkDeviceCreateInfo *info,
                              const VkAllocationCallbacks *allocator, bool can_capture,
                              VkLayerDeviceCreateInfo *link, VkDevice *device, bool *capture) {
    VkLayerDeviceLink *below = link->u.pLayerInfo->pNext;
    capture_request request;
    *capture = false;
    if (can_capture && request_capture(&request, info)) {
        link->u.pLayerInfo = below;
        VkResult result = create(physical, &request.info, allocator, device);
        free(request.names);
        *capture = result == VK_SUCCESS;
        if (*capture)
            return result;
    }
    link->u.pLayerInfo = below; /* the layers below moved it on */
    VkResult result = create(physical, info, allocator, device);
    *capture = result == VK_SUCCESS && can_capture && requested_already(info);
    return result;
}

static void fill_device(device_node *node, VkDevice device, bool capture) {
    node->key = key_of(device);
    node->destroy = (PFN_vkDestroyDevice)node->get(device, "vkDestroyDevice");
    node->create_compute =
        (PFN_vkCreateComputePipelines)node->get(device, "vkCreateComputePipelines");
    if (!capture)
        return;
    node->executables = (PFN_vkGetPipelineExecutablePropertiesKHR)node->get(
        device, "vkGetPipelineExecutablePropertiesKHR");
    node->statistics = (PFN_vkGetPipelineExecutableStatisticsKHR)node->get(
        device, "vkGetPipelineExecutableStatisticsKHR");
    if (node->statistics == NULL)
        node->executables = NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_create_device(VkPhysicalDevice physical,
                                                          const VkDeviceCreateInfo *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkDevice *device) {
    instance_node *instance = find_instance(physical);
    VkLayerDeviceCreateInfo *link = device_link(info);
    if (instance == NULL || link == NULL || link->u.pLayerInfo == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance->handle, "vkCreateDevice");
    if (create == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    device_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    bool capture;
    VkResult result =
        create_device(create, physical, info, allocator,
                      wgl_can_capture(&instance->physical, physical), link, device, &capture);
    if (result != VK_SUCCESS) {
        free(node);
        return result;
    }
    wgtune_layer_device description;
    wgl_describe(&instance->physical, physical, &description);
    node->get = get_device;
    node->driver_id = description.driver_id;
    node->vendor_id = description.vendor_id;
    fill_device(node, *device, capture);
    description.statistics = node->executables != NULL;
    description.thread = wgl_thread();
    pthread_mutex_lock(&state.lock);
    node->following = state.devices;
    state.devices = node;
    pthread_mutex_unlock(&state.lock);
    wgl_devices_add(&description);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL layer_destroy_device(VkDevice device,
                                                       const VkAllocationCallbacks *allocator) {
    if (device == VK_NULL_HANDLE)
        return;
    device_node *node = find_device(device);
    if (node == NULL)
        return;
    pthread_mutex_lock(&state.lock);
    device_node **place = &state.devices;
    while (*place != NULL && *place != node)
        place = &(*place)->following;
    if (*place != NULL)
        *place = node->following;
    pthread_mutex_unlock(&state.lock);
    node->destroy(device, allocator);
    free(node);
}

/* ---- pipelines ---- */

/* VkPipelineCreateFlags2CreateInfo, not in older headers: where it is chained, the old flags are
 * not read. */
typedef struct flags2_info {
    VkStructureType sType;
    const void *pNext;
    uint64_t flags;
} flags2_info;
#define FLAGS2_TYPE ((VkStructureType)1000470005)

/* Adds the flag to a copy. `flags2` is the place for a copy of a struct that heads the chain; one
 * that is deeper in it cannot be replaced without changing the caller's memory: that pipeline stays
 * as it is. */
static void add_flag(VkComputePipelineCreateInfo *info, flags2_info *flags2) {
    const VkBaseInStructure *given = find_struct(info->pNext, FLAGS2_TYPE);
    if (given == NULL) {
        info->flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    } else if (given == info->pNext) {
        *flags2 = *(const flags2_info *)given;
        flags2->flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
        info->pNext = flags2;
    }
}

#define EXECUTABLES 8

static void keep_statistics(wgtune_layer_record *record, uint32_t executable,
                            const VkPipelineExecutableStatisticKHR *statistics, uint32_t count) {
    for (uint32_t i = 0; i < count && record->statistic_count < WGTUNE_LAYER_STATISTICS; i++) {
        wgtune_layer_statistic *kept = &record->statistics[record->statistic_count++];
        memcpy(kept->name, statistics[i].name, sizeof kept->name - 1);
        kept->executable = executable;
        kept->kind = (uint32_t)statistics[i].format;
        if (statistics[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR)
            kept->value.boolean = statistics[i].value.b32 != VK_FALSE;
        else
            kept->value.u64 = statistics[i].value.u64;
    }
}

static void read_executable(const device_node *node, VkDevice device, VkPipeline pipeline,
                            uint32_t index, wgtune_layer_record *record) {
    VkPipelineExecutableStatisticKHR statistics[WGTUNE_LAYER_STATISTICS];
    VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                        .pipeline = pipeline,
                                        .executableIndex = index};
    uint32_t total = 0;
    if (node->statistics(device, &info, &total, NULL) < VK_SUCCESS)
        return;
    uint32_t count = total < WGTUNE_LAYER_STATISTICS ? total : WGTUNE_LAYER_STATISTICS;
    memset(statistics, 0, sizeof statistics);
    for (uint32_t i = 0; i < count; i++)
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    if (count > 0 && node->statistics(device, &info, &count, statistics) < VK_SUCCESS)
        return;
    record->statistic_total += total;
    keep_statistics(record, index, statistics, count);
}

static void read_pipeline(const device_node *node, VkDevice device, VkPipeline pipeline,
                          const char *entry) {
    wgtune_layer_record record;
    uint32_t subgroups[EXECUTABLES] = {0};
    uint32_t total = 0, count = 0;
    memset(&record, 0, sizeof record);
    memcpy(&record.pipeline, &pipeline, sizeof pipeline);
    if (entry != NULL)
        strncpy(record.entry, entry, sizeof record.entry - 1);
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    if (node->executables != NULL && node->executables(device, &info, &total, NULL) >= VK_SUCCESS) {
        VkPipelineExecutablePropertiesKHR properties[EXECUTABLES];
        memset(properties, 0, sizeof properties);
        for (uint32_t i = 0; i < EXECUTABLES; i++)
            properties[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
        count = total < EXECUTABLES ? total : EXECUTABLES;
        if (count > 0 && node->executables(device, &info, &count, properties) < VK_SUCCESS)
            count = 0;
        for (uint32_t i = 0; i < count; i++)
            subgroups[i] = properties[i].subgroupSize;
    }
    record.executable_count = total;
    for (uint32_t i = 0; i < count; i++)
        read_executable(node, device, pipeline, i, &record);
    wgl_interpret(&record, node->driver_id, node->vendor_id, subgroups, count);
    wgl_records_add(&record);
}

#define FEW 4

static VkResult create_with_flag(const device_node *node, VkDevice device, VkPipelineCache cache,
                                 uint32_t count, const VkComputePipelineCreateInfo *infos,
                                 const VkAllocationCallbacks *allocator, VkPipeline *pipelines) {
    VkComputePipelineCreateInfo few[FEW] = {{0}};
    flags2_info few_flags2[FEW] = {{0}};
    bool heap = count > FEW;
    VkComputePipelineCreateInfo *copies = heap ? calloc(count, sizeof *copies) : few;
    flags2_info *flags2 = heap ? calloc(count, sizeof *flags2) : few_flags2;
    VkResult result;
    if (copies != NULL && flags2 != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            copies[i] = infos[i];
            add_flag(&copies[i], &flags2[i]);
        }
        result = node->create_compute(device, cache, count, copies, allocator, pipelines);
    } else {
        result = node->create_compute(device, cache, count, infos, allocator, pipelines);
    }
    if (heap) {
        free(copies);
        free(flags2);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_create_compute(VkDevice device, VkPipelineCache cache,
                                                           uint32_t count,
                                                           const VkComputePipelineCreateInfo *infos,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkPipeline *pipelines) {
    device_node *node = find_device(device);
    if (node == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result =
        node->executables != NULL
            ? create_with_flag(node, device, cache, count, infos, allocator, pipelines)
            : node->create_compute(device, cache, count, infos, allocator, pipelines);
    /* Some of a batch may exist though the call failed. */
    for (uint32_t i = 0; i < count; i++)
        if (pipelines[i] != VK_NULL_HANDLE)
            read_pipeline(node, device, pipelines[i], infos[i].stage.pName);
    return result;
}

/* ---- the way in ---- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_instance(VkInstance instance,
                                                                   const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_device(VkDevice device, const char *name);

typedef struct intercept {
    const char *name;
    PFN_vkVoidFunction function;
    bool of_device;
} intercept;

static PFN_vkVoidFunction find_intercept(const char *name, bool device_only) {
    const intercept table[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)layer_get_instance, false},
        {"vkCreateInstance", (PFN_vkVoidFunction)layer_create_instance, false},
        {"vkDestroyInstance", (PFN_vkVoidFunction)layer_destroy_instance, false},
        {"vkCreateDevice", (PFN_vkVoidFunction)layer_create_device, false},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)layer_get_device, true},
        {"vkDestroyDevice", (PFN_vkVoidFunction)layer_destroy_device, true},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)layer_create_compute, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((table[i].of_device || !device_only) && strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_instance(VkInstance instance,
                                                                   const char *name) {
    PFN_vkVoidFunction ours = find_intercept(name, false);
    if (ours != NULL || instance == VK_NULL_HANDLE)
        return ours;
    instance_node *node = find_instance(instance);
    return node != NULL ? node->get(instance, name) : NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_device(VkDevice device,
                                                                 const char *name) {
    PFN_vkVoidFunction ours = find_intercept(name, true);
    if (ours != NULL)
        return ours;
    device_node *node = find_device(device);
    return node != NULL ? node->get(device, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    if (interface == NULL || interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = layer_get_instance;
    interface->pfnGetDeviceProcAddr = layer_get_device;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
