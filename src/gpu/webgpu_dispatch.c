#include "webgpu_device.h"
#include "../base/host/host.h"
#include "../base/number.h"

static wgt_status check(const wgt_webgpu *device, const wgt_dispatch *dispatch, wgt_error *error) {
    const uint32_t *size = dispatch->workgroups;
    uint64_t most = device->adapter.limits.max_compute_workgroups_per_dimension;
    if (!dispatch->pipeline || dispatch->batch == 0)
        return wgt_fail(error, WGT_USAGE, "a dispatch needs a pipeline and a batch of at least 1");
    for (size_t axis = 0; axis < 3; axis++) {
        if (size[axis] == 0)
            return wgt_fail(error, WGT_USAGE, "a dispatch of %ux%ux%u workgroups does nothing",
                            size[0], size[1], size[2]);
        if (size[axis] > most)
            return wgt_fail(error, WGT_BAD_INPUT,
                            "%u workgroups > maxComputeWorkgroupsPerDimension %llu", size[axis],
                            (unsigned long long)most);
    }
    return WGT_OK;
}

/* --- bind groups --- */

static const wgt_bound_buffer *bound_to(const wgt_dispatch *dispatch,
                                        const wgt_binding_layout *binding) {
    for (size_t i = 0; i < dispatch->buffer_count; i++)
        if (dispatch->buffers[i].group == binding->group &&
            dispatch->buffers[i].binding == binding->binding && dispatch->buffers[i].buffer)
            return &dispatch->buffers[i];
    return NULL;
}

static wgt_status make_groups(wgt_webgpu *device, const wgt_dispatch *dispatch, wgt_error *error) {
    wgt_gpu_pipeline *pipeline = dispatch->pipeline;
    wgt_status status = WGT_OK;
    for (size_t group = 0; group < pipeline->group_count && status == WGT_OK; group++) {
        WGPUBindGroupEntry entries[WGT_WEBGPU_MAX_BINDINGS];
        WGPUBindGroupDescriptor descriptor = {.layout = pipeline->group_layouts[group],
                                              .entries = entries};
        for (size_t i = 0; i < pipeline->binding_count; i++) {
            const wgt_binding_layout *binding = &pipeline->bindings[i];
            if (binding->group != group)
                continue;
            const wgt_gpu_buffer *buffer = bound_to(dispatch, binding)->buffer;
            entries[descriptor.entryCount++] = (WGPUBindGroupEntry){
                .binding = binding->binding, .buffer = buffer->handle, .size = buffer->bytes};
        }
        wgt_webgpu_guard(device);
        pipeline->groups[group] = device->procs.DeviceCreateBindGroup(device->device, &descriptor);
        status = wgt_webgpu_unguard(device, "binding the buffers", error);
    }
    return status;
}

/* A sweep dispatches the same buffers over and over: their bind groups are kept. */
static wgt_status bind(wgt_webgpu *device, const wgt_dispatch *dispatch, wgt_error *error) {
    wgt_gpu_pipeline *pipeline = dispatch->pipeline;
    bool same = pipeline->group_count == 0 || pipeline->groups[0] != NULL;
    uint64_t serials[WGT_WEBGPU_MAX_BINDINGS];
    for (size_t i = 0; i < pipeline->binding_count; i++) {
        const wgt_binding_layout *binding = &pipeline->bindings[i];
        const wgt_bound_buffer *bound = bound_to(dispatch, binding);
        if (!bound)
            return wgt_fail(error, WGT_USAGE, "no buffer for @group(%u) @binding(%u)",
                            binding->group, binding->binding);
        serials[i] = bound->buffer->serial;
        same = same && serials[i] == pipeline->serials[i];
    }
    if (same)
        return WGT_OK;
    wgt_webgpu_groups_release(device, pipeline);
    wgt_status status = make_groups(device, dispatch, error);
    if (status != WGT_OK) {
        wgt_webgpu_groups_release(device, pipeline);
        return status;
    }
    for (size_t i = 0; i < pipeline->binding_count; i++)
        pipeline->serials[i] = serials[i];
    return WGT_OK;
}

/* --- the span --- */

static void encode_pass(wgt_webgpu *device, WGPUCommandEncoder encoder,
                        const wgt_dispatch *dispatch, bool stamped) {
    const wgt_webgpu_procs *procs = &device->procs;
    const wgt_gpu_pipeline *pipeline = dispatch->pipeline;
    WGPUPassTimestampWrites stamps = {
        .querySet = device->stamps, .beginningOfPassWriteIndex = 0, .endOfPassWriteIndex = 1};
    WGPUComputePassDescriptor descriptor = {.timestampWrites = stamped ? &stamps : NULL};
    WGPUComputePassEncoder pass = procs->CommandEncoderBeginComputePass(encoder, &descriptor);
    procs->ComputePassEncoderSetPipeline(pass, pipeline->handle);
    for (uint32_t group = 0; group < pipeline->group_count; group++)
        procs->ComputePassEncoderSetBindGroup(pass, group, pipeline->groups[group], 0, NULL);
    for (uint32_t i = 0; i < dispatch->batch; i++)
        procs->ComputePassEncoderDispatchWorkgroups(
            pass, dispatch->workgroups[0], dispatch->workgroups[1], dispatch->workgroups[2]);
    procs->ComputePassEncoderEnd(pass);
    procs->ComputePassEncoderRelease(pass);
}

/* In a submission of its own, after the pass is done: some drivers resolve zeros when it comes
 * sooner. */
static wgt_status read_stamps(wgt_webgpu *device, uint64_t until_ns, double *gpu_ns,
                              wgt_error *error) {
    const wgt_webgpu_procs *procs = &device->procs;
    uint64_t ticks[2] = {0, 0};
    WGPUCommandEncoder encoder = wgt_webgpu_encode(device);
    procs->CommandEncoderResolveQuerySet(encoder, device->stamps, 0, 2, device->stamps_resolved, 0);
    procs->CommandEncoderCopyBufferToBuffer(encoder, device->stamps_resolved, 0,
                                            device->stamps_read, 0, sizeof ticks);
    wgt_status status = wgt_webgpu_submit(device, encoder, "resolving timestamps", NULL, error);
    if (status == WGT_OK)
        status = wgt_webgpu_map(device, device->stamps_read, ticks, sizeof ticks, until_ns, error);
    bool valid = ticks[0] != 0 && ticks[1] > ticks[0];
    if (status == WGT_OK && valid)
        *gpu_ns = (double)(ticks[1] - ticks[0]) * device->period_ns;
    return status;
}

static wgt_status run(wgt_webgpu *device, const wgt_dispatch *dispatch, uint64_t until_ns,
                      wgt_span *span, wgt_error *error) {
    bool stamped = dispatch->timed && device->adapter.has_timestamps;
    uint64_t submitted_ns = 0;
    WGPUCommandEncoder encoder = wgt_webgpu_encode(device);
    encode_pass(device, encoder, dispatch, stamped);
    wgt_status status = wgt_webgpu_submit(device, encoder, "the dispatch", &submitted_ns, error);
    if (status == WGT_OK)
        status = wgt_webgpu_wait_idle(device, until_ns, error);
    if (status != WGT_OK)
        return status;
    span->wall_ns = (double)(wgt_now_ns() - submitted_ns);
    return stamped ? read_stamps(device, until_ns, &span->gpu_ns, error) : WGT_OK;
}

wgt_status wgt_webgpu_dispatch(wgt_gpu *gpu, const wgt_dispatch *dispatch, uint64_t deadline_ns,
                               wgt_span *span, wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    uint64_t until_ns = wgt_webgpu_until(deadline_ns);
    *span = (wgt_span){wgt_nan(), wgt_nan()};
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status == WGT_OK)
        status = check(device, dispatch, error);
    if (status == WGT_OK)
        status = bind(device, dispatch, error);
    /* Nothing else may run beside the span: not what was written before, nor the copies. */
    if (status == WGT_OK && device->writes_pending)
        status = wgt_webgpu_wait_idle(device, until_ns, error);
    if (status == WGT_OK && dispatch->before_count > 0)
        status = wgt_webgpu_copy_until(device, dispatch->before, dispatch->before_count, until_ns,
                                       error);
    return status == WGT_OK ? run(device, dispatch, until_ns, span, error) : status;
}
