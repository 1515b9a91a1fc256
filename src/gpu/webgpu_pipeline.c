#include "webgpu_device.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include <string.h>

#define MAX_CONSTANTS 64

/* --- modules --- */

/* The engine takes the text for UTF-8 without looking. Source: RFC 3629, section 4. */
static bool is_utf8(wgt_str text) {
    for (size_t i = 0; i < text.size;) {
        unsigned char c = (unsigned char)text.data[i];
        size_t more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : 3;
        if ((c >= 0x80 && c < 0xC2) || c > 0xF4 || more >= text.size - i)
            return false;
        for (size_t k = 1; k <= more; k++)
            if (((unsigned char)text.data[i + k] & 0xC0) != 0x80)
                return false;
        unsigned char next = more ? (unsigned char)text.data[i + 1] : 0;
        if ((c == 0xE0 && next < 0xA0) || (c == 0xED && next > 0x9F) ||
            (c == 0xF0 && next < 0x90) || (c == 0xF4 && next > 0x8F))
            return false;
        i += more + 1;
    }
    return true;
}

wgt_status wgt_webgpu_module_create(wgt_gpu *gpu, const char *name, wgt_str code,
                                    wgt_gpu_module **module, wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    *module = NULL;
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status != WGT_OK)
        return status;
    if (!is_utf8(code))
        return wgt_fail(error, WGT_BAD_INPUT, "%s: the text is not UTF-8", name);
    wgt_gpu_module *made = wgt_webgpu_new(device, sizeof *made, &device->modules);
    if (!made)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a module's handle");
    wgt_format(made->name, sizeof made->name, "%s", name);
    WGPUShaderSourceWGSL source = {.chain = {.sType = WGPUSType_ShaderSourceWGSL},
                                   .code = wgt_webgpu_view(code)};
    WGPUShaderModuleDescriptor descriptor = {.nextInChain = &source.chain};
    wgt_webgpu_guard(device);
    made->handle = device->procs.DeviceCreateShaderModule(device->device, &descriptor);
    status = wgt_webgpu_unguard(device, made->name, error);
    if (status == WGT_OK)
        *module = made;
    else
        wgt_webgpu_module_destroy(gpu, &made);
    return status;
}

void wgt_webgpu_module_destroy(wgt_gpu *gpu, wgt_gpu_module **module) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    if (!*module)
        return;
    if ((*module)->handle && !wgt_webgpu_gone(device))
        device->procs.ShaderModuleRelease((*module)->handle);
    wgt_webgpu_free(device, *module, sizeof **module);
    *module = NULL;
}

/* --- pipelines --- */

/* The engine makes a pipeline of any size that comes from an override, and on an NVIDIA H200 the
 * dispatch of one above the limit never came back: nothing past a limit may reach it. */
static wgt_status check_size(const wgt_limits *limits, const uint32_t size[3], wgt_error *error) {
    const struct {
        const char *name;
        uint64_t value, most;
    } rows[] = {
        {"maxComputeWorkgroupSizeX", size[0], limits->max_compute_workgroup_size_x},
        {"maxComputeWorkgroupSizeY", size[1], limits->max_compute_workgroup_size_y},
        {"maxComputeWorkgroupSizeZ", size[2], limits->max_compute_workgroup_size_z},
    };
    for (size_t i = 0; i < 3; i++) {
        if (rows[i].value == 0)
            return wgt_fail(error, WGT_USAGE, "a workgroup of %ux%ux%u: each axis is at least 1",
                            size[0], size[1], size[2]);
        if (rows[i].value > rows[i].most)
            return wgt_fail(error, WGT_BAD_INPUT, "a workgroup axis of %llu > %s %llu",
                            (unsigned long long)rows[i].value, rows[i].name,
                            (unsigned long long)rows[i].most);
    }
    /* Below 2^32 each, so that two of them fit; the limit is far below 2^32. */
    uint64_t plane = (uint64_t)size[0] * size[1],
             most = limits->max_compute_invocations_per_workgroup;
    if (plane > most || plane * size[2] > most)
        return wgt_fail(error, WGT_BAD_INPUT,
                        "%ux%ux%u invocations > maxComputeInvocationsPerWorkgroup %llu", size[0],
                        size[1], size[2], (unsigned long long)most);
    return WGT_OK;
}

static wgt_status check_options(const wgt_webgpu *device, const wgt_pipeline_options *options,
                                wgt_error *error) {
    const wgt_limits *limits = &device->adapter.limits;
    uint64_t groups = limits->max_bind_groups;
    groups = groups < WGT_WEBGPU_MAX_GROUPS ? groups : WGT_WEBGPU_MAX_GROUPS;
    if (!options->module || !options->entry || !is_utf8(wgt_str_from(options->entry)))
        return wgt_fail(error, WGT_USAGE, "a pipeline needs a module and an entry point");
    if (options->binding_count > WGT_WEBGPU_MAX_BINDINGS || options->constant_count > MAX_CONSTANTS)
        return wgt_fail(error, WGT_BAD_INPUT, "%zu bindings and %zu constants: at most %d and %d",
                        options->binding_count, options->constant_count, WGT_WEBGPU_MAX_BINDINGS,
                        MAX_CONSTANTS);
    for (size_t i = 0; i < options->binding_count; i++)
        if (options->bindings[i].group >= groups)
            return wgt_fail(error, WGT_BAD_INPUT, "@group(%u): this device has %llu groups",
                            options->bindings[i].group, (unsigned long long)groups);
    for (size_t i = 0; i < options->constant_count; i++)
        if (!wgt_is_finite(options->constants[i].value) || !options->constants[i].key ||
            !is_utf8(wgt_str_from(options->constants[i].key)))
            return wgt_fail(error, WGT_BAD_INPUT, "constant %zu has no name or no finite value", i);
    return check_size(limits, options->workgroup, error);
}

static WGPUBindGroupLayoutEntry layout_entry(const wgt_binding_layout *binding) {
    static const WGPUBufferBindingType types[] = {
        [WGT_BIND_STORAGE_READ] = WGPUBufferBindingType_ReadOnlyStorage,
        [WGT_BIND_STORAGE_READ_WRITE] = WGPUBufferBindingType_Storage,
        [WGT_BIND_UNIFORM] = WGPUBufferBindingType_Uniform,
    };
    return (WGPUBindGroupLayoutEntry){
        .binding = binding->binding,
        .visibility = WGPUShaderStage_Compute,
        .buffer = {.type = types[binding->kind], .minBindingSize = binding->min_bytes}};
}

/* One layout a group, empty ones in the gaps. */
static wgt_status make_layouts(wgt_webgpu *device, wgt_gpu_pipeline *pipeline, wgt_error *error) {
    wgt_status status = WGT_OK;
    for (size_t i = 0; i < pipeline->binding_count; i++)
        if (pipeline->bindings[i].group >= pipeline->group_count)
            pipeline->group_count = (size_t)pipeline->bindings[i].group + 1;
    for (size_t group = 0; group < pipeline->group_count && status == WGT_OK; group++) {
        WGPUBindGroupLayoutEntry entries[WGT_WEBGPU_MAX_BINDINGS];
        WGPUBindGroupLayoutDescriptor descriptor = {.entries = entries};
        for (size_t i = 0; i < pipeline->binding_count; i++)
            if (pipeline->bindings[i].group == group)
                entries[descriptor.entryCount++] = layout_entry(&pipeline->bindings[i]);
        wgt_webgpu_guard(device);
        pipeline->group_layouts[group] =
            device->procs.DeviceCreateBindGroupLayout(device->device, &descriptor);
        status = wgt_webgpu_unguard(device, "the layout of a bind group", error);
    }
    if (status != WGT_OK)
        return status;
    WGPUPipelineLayoutDescriptor descriptor = {.bindGroupLayoutCount = pipeline->group_count,
                                               .bindGroupLayouts = pipeline->group_layouts};
    wgt_webgpu_guard(device);
    pipeline->layout = device->procs.DeviceCreatePipelineLayout(device->device, &descriptor);
    return wgt_webgpu_unguard(device, "the layout of a pipeline", error);
}

static wgt_status compile(wgt_webgpu *device, const wgt_pipeline_options *options,
                          wgt_gpu_pipeline *pipeline, uint64_t *compile_ns, wgt_error *error) {
    WGPUConstantEntry constants[MAX_CONSTANTS];
    for (size_t i = 0; i < options->constant_count; i++)
        constants[i] =
            (WGPUConstantEntry){.key = wgt_webgpu_view(wgt_str_from(options->constants[i].key)),
                                .value = options->constants[i].value};
    WGPUComputePipelineDescriptor descriptor = {
        .layout = pipeline->layout,
        .compute = {.module = options->module->handle,
                    .entryPoint = wgt_webgpu_view(wgt_str_from(options->entry)),
                    .constantCount = options->constant_count,
                    .constants = constants}};
    wgt_webgpu_guard(device);
    uint64_t start = wgt_now_ns();
    pipeline->handle = device->procs.DeviceCreateComputePipeline(device->device, &descriptor);
    uint64_t end = wgt_now_ns();
    if (compile_ns)
        *compile_ns = end - start;
    return wgt_webgpu_unguard(device, options->module->name, error);
}

wgt_status wgt_webgpu_pipeline_create(wgt_gpu *gpu, const wgt_pipeline_options *options,
                                      wgt_gpu_pipeline **pipeline, uint64_t *compile_ns,
                                      wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    *pipeline = NULL;
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status == WGT_OK)
        status = check_options(device, options, error);
    if (status != WGT_OK)
        return status;
    wgt_gpu_pipeline *made = wgt_webgpu_new(device, sizeof *made, &device->pipelines);
    if (!made)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a pipeline's handle");
    made->binding_count = options->binding_count;
    if (options->binding_count > 0)
        memcpy(made->bindings, options->bindings, options->binding_count * sizeof *made->bindings);
    status = make_layouts(device, made, error);
    if (status == WGT_OK)
        status = compile(device, options, made, compile_ns, error);
    if (status == WGT_OK)
        *pipeline = made;
    else
        wgt_webgpu_pipeline_destroy(gpu, &made);
    return status;
}

void wgt_webgpu_groups_release(wgt_webgpu *device, wgt_gpu_pipeline *pipeline) {
    for (size_t i = 0; i < WGT_WEBGPU_MAX_GROUPS; i++) {
        if (pipeline->groups[i])
            device->procs.BindGroupRelease(pipeline->groups[i]);
        pipeline->groups[i] = NULL;
    }
    memset(pipeline->serials, 0, sizeof pipeline->serials);
}

static void release(wgt_webgpu *device, wgt_gpu_pipeline *pipeline) {
    const wgt_webgpu_procs *procs = &device->procs;
    wgt_webgpu_groups_release(device, pipeline);
    if (pipeline->handle)
        procs->ComputePipelineRelease(pipeline->handle);
    if (pipeline->layout)
        procs->PipelineLayoutRelease(pipeline->layout);
    for (size_t i = 0; i < pipeline->group_count; i++)
        if (pipeline->group_layouts[i])
            procs->BindGroupLayoutRelease(pipeline->group_layouts[i]);
}

void wgt_webgpu_pipeline_destroy(wgt_gpu *gpu, wgt_gpu_pipeline **pipeline) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    if (!*pipeline)
        return;
    if (!wgt_webgpu_gone(device))
        release(device, *pipeline);
    wgt_webgpu_free(device, *pipeline, sizeof **pipeline);
    *pipeline = NULL;
}
