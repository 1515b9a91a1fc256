#include "webgpu_device.h"
#include "../base/number.h"
#include "../base/text.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* --- limits --- */

typedef struct limit_row {
    size_t ours, theirs;
    bool wide; /* theirs has 64 bits, else 32 */
} limit_row;

#define NARROW(ours, theirs)                                                                       \
    { offsetof(wgt_limits, ours), offsetof(WGPULimits, theirs), false }
#define WIDE(ours, theirs)                                                                         \
    { offsetof(wgt_limits, ours), offsetof(WGPULimits, theirs), true }
static const limit_row limit_rows[] = {
    NARROW(max_compute_invocations_per_workgroup, maxComputeInvocationsPerWorkgroup),
    NARROW(max_compute_workgroup_size_x, maxComputeWorkgroupSizeX),
    NARROW(max_compute_workgroup_size_y, maxComputeWorkgroupSizeY),
    NARROW(max_compute_workgroup_size_z, maxComputeWorkgroupSizeZ),
    NARROW(max_compute_workgroup_storage_size, maxComputeWorkgroupStorageSize),
    NARROW(max_compute_workgroups_per_dimension, maxComputeWorkgroupsPerDimension),
    WIDE(max_storage_buffer_binding_size, maxStorageBufferBindingSize),
    WIDE(max_uniform_buffer_binding_size, maxUniformBufferBindingSize),
    WIDE(max_buffer_size, maxBufferSize),
    NARROW(max_storage_buffers_per_shader_stage, maxStorageBuffersPerShaderStage),
    NARROW(max_uniform_buffers_per_shader_stage, maxUniformBuffersPerShaderStage),
    NARROW(max_bind_groups, maxBindGroups),
    NARROW(max_bindings_per_bind_group, maxBindingsPerBindGroup),
    NARROW(max_texture_dimension_2d, maxTextureDimension2D),
    NARROW(min_storage_buffer_offset_alignment, minStorageBufferOffsetAlignment),
    NARROW(min_uniform_buffer_offset_alignment, minUniformBufferOffsetAlignment),
};
#undef NARROW
#undef WIDE

void wgt_webgpu_limits_read(const WGPULimits *from, wgt_limits *to) {
    for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++) {
        const limit_row *row = &limit_rows[i];
        const char *source = (const char *)from + row->theirs;
        uint64_t value = 0;
        uint32_t narrow;
        if (row->wide) {
            memcpy(&value, source, sizeof value);
        } else {
            memcpy(&narrow, source, sizeof narrow);
            value = narrow;
        }
        memcpy((char *)to + row->ours, &value, sizeof value);
    }
}

void wgt_webgpu_limits_write(const wgt_limits *from, WGPULimits *to) {
    for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++) {
        const limit_row *row = &limit_rows[i];
        char *target = (char *)to + row->theirs;
        uint64_t value;
        memcpy(&value, (const char *)from + row->ours, sizeof value);
        uint32_t narrow = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
        if (row->wide)
            memcpy(target, &value, sizeof value);
        else
            memcpy(target, &narrow, sizeof narrow);
    }
}

/* --- one adapter --- */

static const char *backend_name(WGPUBackendType type) {
    switch (type) {
    case WGPUBackendType_Vulkan:
        return "vulkan";
    case WGPUBackendType_Metal:
        return "metal";
    case WGPUBackendType_D3D12:
        return "d3d12";
    case WGPUBackendType_D3D11:
        return "d3d11";
    case WGPUBackendType_OpenGL:
    case WGPUBackendType_OpenGLES:
        return "opengl";
    default:
        return "unknown";
    }
}

static wgt_adapter_type type_of(WGPUAdapterType type) {
    switch (type) {
    case WGPUAdapterType_DiscreteGPU:
        return WGT_ADAPTER_DISCRETE;
    case WGPUAdapterType_IntegratedGPU:
        return WGT_ADAPTER_INTEGRATED;
    case WGPUAdapterType_CPU:
        return WGT_ADAPTER_CPU;
    default:
        return WGT_ADAPTER_UNKNOWN;
    }
}

static void take_text(char *memory, size_t capacity, WGPUStringView view) {
    wgt_str text = wgt_webgpu_str(view);
    wgt_format(memory, capacity, "%.*s", (int)text.size, text.data);
}

static void describe(const wgt_webgpu_procs *procs, WGPUAdapter handle, wgt_adapter *adapter) {
    WGPUAdapterInfo info = {0};
    WGPULimits limits = {0};
    *adapter = (wgt_adapter){0};
    if (procs->AdapterGetInfo(handle, &info) == WGPUStatus_Success) {
        take_text(adapter->vendor, sizeof adapter->vendor, info.vendor);
        take_text(adapter->architecture, sizeof adapter->architecture, info.architecture);
        take_text(adapter->device, sizeof adapter->device, info.device);
        take_text(adapter->description, sizeof adapter->description, info.description);
        /* wgpu-native describes an adapter by its driver. */
        take_text(adapter->driver, sizeof adapter->driver, info.description);
        wgt_format(adapter->backend, sizeof adapter->backend, "%s", backend_name(info.backendType));
        adapter->vendor_id = info.vendorID;
        adapter->device_id = info.deviceID;
        adapter->type = type_of(info.adapterType);
        adapter->subgroup_min = info.subgroupMinSize;
        adapter->subgroup_max = info.subgroupMaxSize;
        procs->AdapterInfoFreeMembers(info);
    }
    if (procs->AdapterGetLimits(handle, &limits) == WGPUStatus_Success)
        wgt_webgpu_limits_read(&limits, &adapter->limits);
    wgt_format(adapter->engine, sizeof adapter->engine, "wgpu-native");
    wgt_format(adapter->engine_version, sizeof adapter->engine_version, "%s", procs->version);
    adapter->has_timestamps =
        (uint8_t)procs->AdapterHasFeature(handle, WGPUFeatureName_TimestampQuery) != 0;
    adapter->has_subgroups =
        (uint8_t)procs->AdapterHasFeature(handle, (WGPUFeatureName)WGPUNativeFeature_Subgroup) != 0;
    adapter->has_f16 = (uint8_t)procs->AdapterHasFeature(handle, WGPUFeatureName_ShaderF16) != 0;
}

/* --- the list --- */

static unsigned rank_of(const wgt_adapter *adapter) {
    static const unsigned by_type[] = {[WGT_ADAPTER_DISCRETE] = 0,
                                       [WGT_ADAPTER_INTEGRATED] = 1,
                                       [WGT_ADAPTER_UNKNOWN] = 2,
                                       [WGT_ADAPTER_CPU] = 3};
    static const char *const backends[] = {"vulkan", "metal", "d3d12"};
    unsigned backend = 0, count = sizeof backends / sizeof *backends;
    while (backend < count && strcmp(adapter->backend, backends[backend]) != 0)
        backend++;
    return by_type[adapter->type] * (count + 1) + backend;
}

/* A device's name without what a backend adds: "Mesa Intel(R) UHD 620 (KBL GT2)" under OpenGL is
 * "Intel(R) UHD 620 (KBL GT2)" under Vulkan, "NVIDIA H200/PCIe/SSE2" is "NVIDIA H200". */
static wgt_str plain_name(const char *name) {
    wgt_str plain = wgt_str_from(name);
    if (wgt_str_starts(plain, "Mesa "))
        plain = (wgt_str){plain.data + 5, plain.size - 5};
    for (size_t i = 0; i + 1 < plain.size; i++)
        if (plain.data[i] == '/' || (plain.data[i] == ' ' && plain.data[i + 1] == '('))
            plain.size = i;
    return plain;
}

static bool same_device(const wgt_adapter *a, const wgt_adapter *b) {
    if (a->vendor_id && a->device_id && a->vendor_id == b->vendor_id &&
        a->device_id == b->device_id)
        return true;
    return wgt_str_equal(plain_name(a->device), plain_name(b->device));
}

/* The same GPU under a better backend hides this one. */
static bool hidden(const wgt_webgpu_list *list, const wgt_adapter *adapter) {
    for (size_t i = 0; i < list->count; i++) {
        const wgt_adapter *other = &list->found[i].adapter;
        if (strcmp(other->backend, adapter->backend) != 0 && same_device(other, adapter))
            return true;
    }
    return false;
}

static void list_insert(wgt_webgpu_list *list, const wgt_webgpu_found *found) {
    size_t at = list->count;
    while (at > 0 && rank_of(&list->found[at - 1].adapter) > rank_of(&found->adapter))
        at--;
    memmove(&list->found[at + 1], &list->found[at], (list->count - at) * sizeof *list->found);
    list->found[at] = *found;
    list->count++;
}

static void list_backends(const wgt_webgpu_procs *procs, WGPUInstanceBackend backends,
                          wgt_webgpu_list *list) {
    WGPUInstanceExtras extras = {
        .chain = {.sType = (WGPUSType)WGPUSType_InstanceExtras},
        .backends = backends,
    };
    WGPUInstanceDescriptor descriptor = {.nextInChain = &extras.chain};
    WGPUInstance instance = procs->CreateInstance(&descriptor);
    if (!instance)
        return;
    list->instances[list->instance_count++] = instance;
    WGPUAdapter handles[WGT_WEBGPU_MAX_ADAPTERS];
    size_t count = procs->InstanceEnumerateAdapters(instance, NULL, NULL);
    if (count == 0 || count > WGT_WEBGPU_MAX_ADAPTERS - list->count)
        return;
    count = procs->InstanceEnumerateAdapters(instance, NULL, handles);
    for (size_t i = 0; i < count; i++) {
        wgt_webgpu_found found = {.handle = handles[i], .instance = list->instance_count - 1};
        describe(procs, handles[i], &found.adapter);
        /* OpenGL offers adapters that cannot compute. */
        if (found.adapter.limits.max_compute_invocations_per_workgroup == 0 ||
            hidden(list, &found.adapter))
            procs->AdapterRelease(handles[i]);
        else
            list_insert(list, &found);
    }
}

static wgt_status nothing_found(wgt_error *error) {
    static const char *const variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !set; i++)
        set = getenv(variables[i]) ? variables[i] : NULL;
    void *loader = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (loader)
        dlclose(loader);
    return wgt_fail(error, WGT_NO_GPU,
                    "no adapter that can compute, under Vulkan or OpenGL%s%s%s; install the GPU's "
                    "driver%s, or for a CPU adapter mesa-vulkan-drivers (on Debian or Ubuntu)",
                    set ? " (the variable " : "", set ? set : "",
                    set ? " restricts the drivers)" : "",
                    loader ? "" : " and the Vulkan loader (libvulkan1)");
}

wgt_status wgt_webgpu_list_make(const wgt_webgpu_procs *procs, bool best_only,
                                wgt_webgpu_list *list, wgt_error *error) {
    *list = (wgt_webgpu_list){0};
    /* Mesa's device-select layer looks for a display and complains where there is none. It is read
     * when the Vulkan instance is made. */
    setenv("NODEVICE_SELECT", "1", 0);
    list_backends(procs, WGPUInstanceBackend_Primary, list);
    bool decided = list->count > 0 && list->found[0].adapter.type == WGT_ADAPTER_DISCRETE;
    if (!(best_only && decided))
        list_backends(procs, WGPUInstanceBackend_Secondary, list);
    if (list->count > 0)
        return WGT_OK;
    wgt_webgpu_list_release(procs, list);
    return nothing_found(error);
}

void wgt_webgpu_list_release(const wgt_webgpu_procs *procs, wgt_webgpu_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->found[i].handle)
            procs->AdapterRelease(list->found[i].handle);
    for (size_t i = 0; i < list->instance_count; i++)
        if (list->instances[i])
            procs->InstanceRelease(list->instances[i]);
    list->count = list->instance_count = 0;
}

/* --- which one --- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, const char *part) {
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

static wgt_status none_such(const wgt_webgpu_list *list, const char *wanted, wgt_error *error) {
    char memory[WGT_ERROR_SIZE];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    for (size_t i = 0; i < list->count; i++) {
        const wgt_adapter *adapter = &list->found[i].adapter;
        wgt_putf(&out, "%s%zu \"%s\" (%s)", i ? ", " : "", i,
                 adapter->device[0] ? adapter->device : "unnamed", adapter->backend);
    }
    return wgt_fail(error, WGT_NO_GPU, "no adapter \"%s\"; choose from %s", wanted, memory);
}

wgt_status wgt_webgpu_list_pick(const wgt_webgpu_list *list, const char *wanted, size_t *index,
                                wgt_error *error) {
    *index = 0;
    if (!wanted || !*wanted)
        return WGT_OK;
    uint64_t number;
    if (wgt_u64_parse(wgt_str_from(wanted), &number)) {
        *index = (size_t)number;
        return number < list->count ? WGT_OK : none_such(list, wanted, error);
    }
    for (*index = 0; *index < list->count; ++*index) {
        const wgt_adapter *adapter = &list->found[*index].adapter;
        if (contains(adapter->device, wanted) || contains(adapter->vendor, wanted))
            return WGT_OK;
    }
    return none_such(list, wanted, error);
}
