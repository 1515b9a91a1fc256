/* A Vulkan layer that loses the device on command: from lost_layer_lose(1) on, each submission and
 * each look at a fence or a semaphore answers VK_ERROR_DEVICE_LOST. For one instance and device at
 * a time. */
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#define EXPORT __attribute__((visibility("default")))

static struct {
    VkInstance instance;
    PFN_vkGetInstanceProcAddr instance_proc;
    PFN_vkGetDeviceProcAddr device_proc;
    PFN_vkQueueSubmit submit;
    PFN_vkAllocateMemory allocate;
    PFN_vkWaitForFences wait_fences;
    PFN_vkGetFenceStatus fence_status;
    PFN_vkWaitSemaphores wait_semaphores;
    PFN_vkGetSemaphoreCounterValue counter;
} next;

static volatile int lost, starved;

EXPORT void lost_layer_lose(int now);
void lost_layer_lose(int now) {
    lost = now;
}

EXPORT void lost_layer_starve(int now);
void lost_layer_starve(int now) {
    starved = now;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *allocator,
                                               VkDeviceMemory *memory) {
    return starved ? VK_ERROR_OUT_OF_DEVICE_MEMORY : next.allocate(device, info, allocator, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo *submits, VkFence fence) {
    return lost ? VK_ERROR_DEVICE_LOST : next.submit(queue, count, submits, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, uint32_t count,
                                                  const VkFence *fences, VkBool32 all,
                                                  uint64_t timeout) {
    return lost ? VK_ERROR_DEVICE_LOST : next.wait_fences(device, count, fences, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence) {
    return lost ? VK_ERROR_DEVICE_LOST : next.fence_status(device, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device,
                                                      const VkSemaphoreWaitInfo *info,
                                                      uint64_t timeout) {
    return lost ? VK_ERROR_DEVICE_LOST : next.wait_semaphores(device, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL counter(VkDevice device, VkSemaphore semaphore,
                                              uint64_t *value) {
    return lost ? VK_ERROR_DEVICE_LOST : next.counter(device, semaphore, value);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance) {
    const VkBaseInStructure *at = info->pNext;
    for (; at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
            ((const VkLayerInstanceCreateInfo *)at)->function == VK_LAYER_LINK_INFO)
            break;
    if (!at)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkLayerInstanceLink **link = &((VkLayerInstanceCreateInfo *)(uintptr_t)at)->u.pLayerInfo;
    next.instance_proc = (*link)->pfnNextGetInstanceProcAddr;
    *link = (*link)->pNext;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)next.instance_proc(NULL, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    next.instance = *instance;
    return result;
}

static PFN_vkVoidFunction device_function(VkDevice device, const char *name,
                                          const char *extension_name) {
    PFN_vkVoidFunction function = next.device_proc(device, name);
    return function ? function : next.device_proc(device, extension_name);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *device) {
    const VkBaseInStructure *at = info->pNext;
    for (; at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
            ((const VkLayerDeviceCreateInfo *)at)->function == VK_LAYER_LINK_INFO)
            break;
    if (!at)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkLayerDeviceLink **link = &((VkLayerDeviceCreateInfo *)(uintptr_t)at)->u.pLayerInfo;
    PFN_vkGetInstanceProcAddr instance_proc = (*link)->pfnNextGetInstanceProcAddr;
    next.device_proc = (*link)->pfnNextGetDeviceProcAddr;
    *link = (*link)->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)instance_proc(next.instance, "vkCreateDevice");
    VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS)
        return result;
    next.submit = (PFN_vkQueueSubmit)next.device_proc(*device, "vkQueueSubmit");
    next.allocate = (PFN_vkAllocateMemory)next.device_proc(*device, "vkAllocateMemory");
    next.wait_fences = (PFN_vkWaitForFences)next.device_proc(*device, "vkWaitForFences");
    next.fence_status = (PFN_vkGetFenceStatus)next.device_proc(*device, "vkGetFenceStatus");
    next.wait_semaphores =
        (PFN_vkWaitSemaphores)device_function(*device, "vkWaitSemaphores", "vkWaitSemaphoresKHR");
    next.counter = (PFN_vkGetSemaphoreCounterValue)device_function(
        *device, "vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR");
    return VK_SUCCESS;
}

EXPORT PFN_vkVoidFunction lost_layer_instance_proc(VkInstance instance, const char *name);
EXPORT PFN_vkVoidFunction lost_layer_device_proc(VkDevice device, const char *name);

static PFN_vkVoidFunction own(const char *name) {
#define ROW(name, function)                                                                        \
    { name, (PFN_vkVoidFunction)(function) }
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } rows[] = {
        ROW("vkGetInstanceProcAddr", lost_layer_instance_proc),
        ROW("vkGetDeviceProcAddr", lost_layer_device_proc),
        ROW("vkCreateInstance", create_instance),
        ROW("vkCreateDevice", create_device),
        ROW("vkQueueSubmit", submit),
        ROW("vkAllocateMemory", allocate),
        ROW("vkWaitForFences", wait_fences),
        ROW("vkGetFenceStatus", fence_status),
        ROW("vkWaitSemaphores", wait_semaphores),
        ROW("vkWaitSemaphoresKHR", wait_semaphores),
        ROW("vkGetSemaphoreCounterValue", counter),
        ROW("vkGetSemaphoreCounterValueKHR", counter),
    };
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].function;
    return NULL;
}

PFN_vkVoidFunction lost_layer_instance_proc(VkInstance instance, const char *name) {
    PFN_vkVoidFunction function = own(name);
    return function ? function : next.instance_proc(instance, name);
}

PFN_vkVoidFunction lost_layer_device_proc(VkDevice device, const char *name) {
    PFN_vkVoidFunction function = own(name);
    return function ? function : next.device_proc(device, name);
}
