#include "vulkan_app.h"
#include <stdlib.h>
#include <string.h>

/* void main() {} with a workgroup of one invocation. */
static const uint32_t shader_words[] = {
    0x07230203, 0x00010000, 0,  5,          0,    /* magic, version 1.0, generator, bound, schema */
    0x00020011, 1,                                /* OpCapability Shader */
    0x0003000e, 0,          1,                    /* OpMemoryModel Logical GLSL450 */
    0x0005000f, 5,          1,  0x6e69616d, 0,    /* OpEntryPoint GLCompute %1 "main" */
    0x00060010, 1,          17, 1,          1, 1, /* OpExecutionMode %1 LocalSize 1 1 1 */
    0x00020013, 2,                                /* %2 = OpTypeVoid */
    0x00030021, 3,          2,                    /* %3 = OpTypeFunction %2 */
    0x00050036, 2,          1,  0,          3,    /* %1 = OpFunction %2 None %3 */
    0x000200f8, 4,                                /* %4 = OpLabel */
    0x000100fd, 0x00010038,                       /* OpReturn, OpFunctionEnd */
};

static bool ok(app *a, VkResult result) {
    if (a->result == VK_SUCCESS)
        a->result = result;
    return result == VK_SUCCESS;
}

static bool open_instance(app *a, const app_options *options) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = options->api_version != 0 ? options->api_version
                                                                             : VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = options->instance_extension != NULL,
                                 .ppEnabledExtensionNames = &options->instance_extension};
    uint32_t count = 1;
    if (!ok(a, vkCreateInstance(&info, NULL, &a->instance)))
        return false;
    VkResult result = vkEnumeratePhysicalDevices(a->instance, &count, &a->physical);
    return ok(a, result == VK_INCOMPLETE ? VK_SUCCESS
                 : count == 0            ? VK_ERROR_INCOMPATIBLE_DRIVER
                                         : result);
}

static bool open_device(app *a, const app_options *options) {
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = options->device_chain,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = options->device_extension != NULL,
                               .ppEnabledExtensionNames = &options->device_extension};
    return ok(a, vkCreateDevice(a->physical, &info, NULL, &a->device));
}

bool app_open(app *a, const app_options *options) {
    static const app_options none;
    memset(a, 0, sizeof *a);
    if (options == NULL)
        options = &none;
    VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                       .codeSize = sizeof shader_words,
                                       .pCode = shader_words};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    return open_instance(a, options) && open_device(a, options) &&
           ok(a, vkCreateShaderModule(a->device, &shader, NULL, &a->shader)) &&
           ok(a, vkCreatePipelineLayout(a->device, &layout, NULL, &a->layout));
}

void app_close(app *a) {
    if (a->device != VK_NULL_HANDLE) {
        vkDestroyPipelineLayout(a->device, a->layout, NULL);
        vkDestroyShaderModule(a->device, a->shader, NULL);
        vkDestroyDevice(a->device, NULL);
    }
    if (a->instance != VK_NULL_HANDLE)
        vkDestroyInstance(a->instance, NULL);
    memset(a, 0, sizeof *a);
}

VkResult app_pipelines(app *a, VkPipelineCache cache, const void *chain, uint32_t count,
                       VkPipeline *pipelines) {
    VkComputePipelineCreateInfo *infos = calloc(count, sizeof *infos);
    if (infos == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        infos[i] = (VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .pNext = chain,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = a->shader,
                      .pName = "main"},
            .layout = a->layout,
            .basePipelineIndex = -1};
    VkResult result = vkCreateComputePipelines(a->device, cache, count, infos, NULL, pipelines);
    free(infos);
    return result;
}
