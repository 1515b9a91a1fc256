/* A minimal Vulkan program for the tests of the layer: an instance, a device, compute pipelines. */
#ifndef VULKAN_APP_H
#define VULKAN_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

typedef struct app {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkShaderModule shader;
    VkPipelineLayout layout;
    VkResult result; /* of the first call that failed */
} app;

typedef struct app_options {
    uint32_t api_version;         /* 0: 1.2 */
    const void *device_chain;     /* pNext of vkCreateDevice */
    const char *device_extension; /* enabled; NULL: none */
    const char *instance_extension;
} app_options;

/* false: see `result`; what was made is there to be closed. */
bool app_open(app *a, const app_options *options);
void app_close(app *a);
/* `count` pipelines in one call. */
VkResult app_pipelines(app *a, VkPipelineCache cache, const void *chain, uint32_t count,
                       VkPipeline *pipelines);

#endif
