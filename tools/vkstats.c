/* vkstats: asks a Vulkan driver for the statistics of a compute shader without any layer, to hold
 * against what the layer reports.
 *
 *     vkstats [--device N] [--entry NAME] [FILE.spv]
 *
 * Without a file an empty shader is compiled. Buffers that the shader names are put into the
 * pipeline's layout; other resources are not known. Prints "executable N: NAME, subgroup size S",
 * then "  NAME = VALUE" lines. Exit codes: 0 done, 1 the driver has no statistics, 2 usage, 3 the
 * file is off, 4 no device, 5 Vulkan failed. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define MAX_WORDS (1u << 22)
#define MAX_BINDINGS 64
#define MAX_SETS 8
#define MAX_DEVICES 16
#define MAX_EXECUTABLES 8
#define MAX_STATISTICS 64

/* void main() {} with a workgroup of 64. */
static const uint32_t empty_shader[] = {
    0x07230203, 0x00010000, 0, 5,          0,         0x00020011, 1,          0x0003000e, 0,  1,
    0x0005000f, 5,          1, 0x6e69616d, 0,         0x00060010, 1,          17,         64, 1,
    1,          0x00020013, 2, 0x00030021, 3,         2,          0x00050036, 2,          1,  0,
    3,          0x000200f8, 4, 0x000100fd, 0x00010038};

typedef struct shader {
    const uint32_t *words;
    size_t count;
    char entry[256]; /* the first compute entry point unless named */
} shader;

typedef struct variable {
    uint32_t id, type, storage, set, binding;
    bool has_set, has_binding;
} variable;

typedef struct bindings {
    VkDescriptorSetLayoutBinding items[MAX_BINDINGS];
    uint32_t sets[MAX_BINDINGS];
    uint32_t count;
} bindings;

static int fail(int code, const char *what) {
    fprintf(stderr, "vkstats: %s\n", what);
    return code;
}

static bool read_file(const char *path, shader *s) {
    FILE *file = fopen(path, "rb");
    uint32_t *words = file != NULL ? malloc(MAX_WORDS * sizeof *words) : NULL;
    s->count = words != NULL ? fread(words, sizeof *words, MAX_WORDS, file) : 0;
    s->words = words;
    if (file != NULL)
        fclose(file);
    return s->count > 5 && s->count < MAX_WORDS && words[0] == 0x07230203;
}

enum { OP_ENTRY_POINT = 15, OP_TYPE_POINTER = 32, OP_VARIABLE = 59, OP_DECORATE = 71 };
enum { DECORATION_BUFFER_BLOCK = 3, DECORATION_BINDING = 33, DECORATION_SET = 34 };
enum { STORAGE_UNIFORM = 2, STORAGE_BUFFER = 12, MODEL_COMPUTE = 5 };

/* The instruction at `*at`, or NULL at the end; *size gets its words. */
static const uint32_t *next_instruction(const shader *s, size_t *at, uint32_t *size) {
    if (*at >= s->count)
        return NULL;
    const uint32_t *op = s->words + *at;
    *size = op[0] >> 16;
    if (*size == 0 || *size > s->count - *at)
        return NULL;
    *at += *size;
    return op;
}

static void find_entry(shader *s) {
    uint32_t size;
    size_t at = 5;
    for (const uint32_t *op; s->entry[0] == '\0' && (op = next_instruction(s, &at, &size)) != NULL;)
        if ((op[0] & 0xffff) == OP_ENTRY_POINT && size > 3 && op[1] == MODEL_COMPUTE)
            snprintf(s->entry, sizeof s->entry, "%.*s", (int)((size - 3) * 4),
                     (const char *)(op + 3));
}

static variable *find_variable(variable *list, size_t count, uint32_t id) {
    for (size_t i = 0; i < count; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

/* A Uniform variable holds a storage buffer where its struct has the old BufferBlock decoration. */
static bool is_buffer_block(const shader *s, uint32_t pointer) {
    uint32_t size, pointee = 0;
    size_t at = 5;
    for (const uint32_t *op; (op = next_instruction(s, &at, &size)) != NULL;)
        if ((op[0] & 0xffff) == OP_TYPE_POINTER && size == 4 && op[1] == pointer)
            pointee = op[3];
    at = 5;
    for (const uint32_t *op; (op = next_instruction(s, &at, &size)) != NULL;)
        if ((op[0] & 0xffff) == OP_DECORATE && size == 3 && op[1] == pointee &&
            op[2] == DECORATION_BUFFER_BLOCK)
            return true;
    return false;
}

static void find_bindings(const shader *s, bindings *b) {
    variable list[MAX_BINDINGS];
    size_t count = 0, at = 5;
    uint32_t size;
    b->count = 0;
    for (const uint32_t *op; (op = next_instruction(s, &at, &size)) != NULL;)
        if ((op[0] & 0xffff) == OP_VARIABLE && size >= 4 && count < MAX_BINDINGS &&
            (op[3] == STORAGE_UNIFORM || op[3] == STORAGE_BUFFER))
            list[count++] = (variable){.id = op[2], .type = op[1], .storage = op[3]};
    at = 5;
    for (const uint32_t *op; (op = next_instruction(s, &at, &size)) != NULL;) {
        variable *v =
            (op[0] & 0xffff) == OP_DECORATE && size == 4 ? find_variable(list, count, op[1]) : NULL;
        if (v != NULL && op[2] == DECORATION_SET)
            v->set = op[3], v->has_set = true;
        if (v != NULL && op[2] == DECORATION_BINDING)
            v->binding = op[3], v->has_binding = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!list[i].has_set || !list[i].has_binding || list[i].set >= MAX_SETS)
            continue;
        bool storage = list[i].storage == STORAGE_BUFFER || is_buffer_block(s, list[i].type);
        b->sets[b->count] = list[i].set;
        b->items[b->count++] = (VkDescriptorSetLayoutBinding){
            .binding = list[i].binding,
            .descriptorType =
                storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
}

static VkPipelineLayout make_layout(VkDevice device, const bindings *b) {
    VkDescriptorSetLayout sets[MAX_SETS];
    VkPipelineLayout layout = VK_NULL_HANDLE;
    uint32_t set_count = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->sets[i] + 1 > set_count)
            set_count = b->sets[i] + 1;
    for (uint32_t set = 0; set < set_count; set++) {
        VkDescriptorSetLayoutBinding items[MAX_BINDINGS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < b->count; i++)
            if (b->sets[i] == set)
                items[count++] = b->items[i];
        VkDescriptorSetLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = count,
            .pBindings = items};
        if (vkCreateDescriptorSetLayout(device, &info, NULL, &sets[set]) != VK_SUCCESS)
            return VK_NULL_HANDLE;
    }
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = set_count,
                                       .pSetLayouts = sets};
    return vkCreatePipelineLayout(device, &info, NULL, &layout) == VK_SUCCESS ? layout
                                                                              : VK_NULL_HANDLE;
}

static VkPipeline make_pipeline(VkDevice device, const shader *s) {
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = s->count * 4,
                                            .pCode = s->words};
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    bindings b;
    find_bindings(s, &b);
    VkPipelineLayout layout = make_layout(device, &b);
    if (layout == VK_NULL_HANDLE ||
        vkCreateShaderModule(device, &module_info, NULL, &module) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = s->entry},
        .layout = layout,
        .basePipelineIndex = -1};
    if (vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    return pipeline;
}

static void print_statistic(const VkPipelineExecutableStatisticKHR *s) {
    printf("  %s = ", s->name);
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        puts(s->value.b32 ? "true" : "false");
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        printf("%" PRId64 "\n", s->value.i64);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        printf("%" PRIu64 "\n", s->value.u64);
        break;
    default:
        printf("%.17g\n", s->value.f64);
        break;
    }
}

static int print_pipeline(VkDevice device, VkPipeline pipeline) {
    PFN_vkGetPipelineExecutablePropertiesKHR get_executables =
        (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(
            device, "vkGetPipelineExecutablePropertiesKHR");
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics =
        (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
            device, "vkGetPipelineExecutableStatisticsKHR");
    static VkPipelineExecutablePropertiesKHR executables[MAX_EXECUTABLES];
    static VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS];
    uint32_t count = MAX_EXECUTABLES;
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    for (uint32_t i = 0; i < MAX_EXECUTABLES; i++)
        executables[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    for (uint32_t i = 0; i < MAX_STATISTICS; i++)
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    if (get_executables == NULL || get_statistics == NULL ||
        get_executables(device, &info, &count, executables) < 0)
        return fail(5, "the driver answers no questions on pipelines");
    for (uint32_t i = 0; i < count; i++) {
        VkPipelineExecutableInfoKHR which = {.sType =
                                                 VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                             .pipeline = pipeline,
                                             .executableIndex = i};
        uint32_t n = MAX_STATISTICS;
        printf("executable %" PRIu32 ": %s, subgroup size %" PRIu32 "\n", i, executables[i].name,
               executables[i].subgroupSize);
        if (get_statistics(device, &which, &n, statistics) < 0)
            return fail(5, "the driver gives no statistics");
        for (uint32_t k = 0; k < n; k++)
            print_statistic(&statistics[k]);
    }
    return 0;
}

static bool can_capture(VkPhysicalDevice physical) {
    uint32_t count = 0;
    bool named = false;
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS)
        return false;
    VkExtensionProperties *list = calloc(count + 1, sizeof *list);
    if (list != NULL && vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list) >= 0)
        for (uint32_t i = 0; i < count; i++)
            named |= strcmp(list[i].extensionName,
                            VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME) == 0;
    free(list);
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &feature};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return named && feature.pipelineExecutableInfo;
}

/* The features that compute shaders commonly use are taken where the device has them. */
static VkDevice make_device(VkPhysicalDevice physical) {
    const char *name = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    float priority = 1;
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR capture = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &capture};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v12};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &name};
    return vkCreateDevice(physical, &info, NULL, &device) == VK_SUCCESS ? device : VK_NULL_HANDLE;
}

static int run(const shader *s, uint32_t index) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    VkInstance instance;
    VkPhysicalDevice physicals[MAX_DEVICES];
    uint32_t count = MAX_DEVICES;
    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS)
        return fail(4, "no Vulkan instance");
    if (vkEnumeratePhysicalDevices(instance, &count, physicals) < 0 || index >= count)
        return fail(4, "no such device");
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physicals[index], &properties);
    printf("%s, entry %s\n", properties.deviceName, s->entry);
    if (!can_capture(physicals[index]))
        return fail(1, "the driver has no pipeline statistics");
    VkDevice device = make_device(physicals[index]);
    VkPipeline pipeline = device != VK_NULL_HANDLE ? make_pipeline(device, s) : VK_NULL_HANDLE;
    int code = pipeline != VK_NULL_HANDLE ? print_pipeline(device, pipeline)
                                          : fail(5, "no pipeline can be made");
    if (device != VK_NULL_HANDLE) {
        vkDestroyPipeline(device, pipeline, NULL);
        vkDestroyDevice(device, NULL); /* the layouts and the module go with the process */
    }
    vkDestroyInstance(instance, NULL);
    return code;
}

int main(int argc, char **argv) {
    shader s = {empty_shader, sizeof empty_shader / 4, ""};
    uint32_t device = 0;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            device = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--entry") == 0 && i + 1 < argc)
            snprintf(s.entry, sizeof s.entry, "%s", argv[++i]);
        else if (argv[i][0] != '-' && path == NULL)
            path = argv[i];
        else
            return fail(2, "usage: vkstats [--device N] [--entry NAME] [FILE.spv]");
    }
    if (path != NULL && !read_file(path, &s))
        return fail(3, "the file cannot be read or is no SPIR-V of this machine's byte order");
    find_entry(&s);
    return run(&s, device);
}
