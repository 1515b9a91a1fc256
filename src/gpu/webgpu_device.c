#include "webgpu_device.h"
#include "engine.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include <string.h>

#define OPEN_DEADLINE_NS 20000000000u

/* --- memory --- */

void *wgt_webgpu_new(wgt_webgpu *device, size_t size, wgt_webgpu_node **list) {
    wgt_webgpu_node *node = device->allocator->resize(device->allocator->user, NULL, 0, size);
    if (!node)
        return NULL;
    memset(node, 0, size);
    node->next = *list;
    node->link = list;
    if (*list)
        (*list)->link = &node->next;
    *list = node;
    return node;
}

void wgt_webgpu_free(wgt_webgpu *device, void *memory, size_t size) {
    wgt_webgpu_node *node = memory;
    *node->link = node->next;
    if (node->next)
        node->next->link = node->link;
    device->allocator->resize(device->allocator->user, memory, size, 0);
}

/* --- callbacks --- */

static void note(wgt_webgpu_events *events, WGPUStringView message) {
    wgt_str words = wgt_webgpu_str(message);
    wgt_format(events->message, sizeof events->message, "%.*s", (int)words.size, words.data);
}

static void on_lost(const WGPUDevice *handle, WGPUDeviceLostReason reason, WGPUStringView message,
                    void *user, void *unused) {
    (void)handle;
    (void)unused;
    /* wgpu-native 29 gives the reason "destroyed" for a loss too. */
    (void)reason;
    wgt_webgpu_events *events = user;
    if (events->lost || events->closing)
        return;
    events->lost = true;
    note(events, message);
}

static void on_error(const WGPUDevice *handle, WGPUErrorType type, WGPUStringView message,
                     void *user, void *unused) {
    (void)handle;
    (void)unused;
    wgt_webgpu_events *events = user;
    if (events->lost || events->uncaptured != WGPUErrorType_NoError)
        return;
    events->uncaptured = type;
    note(events, message);
}

typedef struct request {
    WGPUDevice device;
    char message[WGT_ERROR_SIZE];
} request;

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *user, void *unused) {
    (void)unused;
    request *made = user;
    if (status == WGPURequestDeviceStatus_Success)
        made->device = device;
    wgt_str words = wgt_webgpu_str(message);
    wgt_format(made->message, sizeof made->message, "%.*s", (int)words.size, words.data);
}

/* --- opening --- */

static wgt_status request_device(wgt_webgpu *device, bool portable, wgt_error *error) {
    WGPULimits limits = {0};
    device->procs.AdapterGetLimits(device->adapter_handle, &limits);
    limits.nextInChain = NULL;
    if (portable) {
        wgt_limits ask = wgt_limits_portable();
        ask = wgt_limits_min(&ask, &device->adapter.limits);
        wgt_webgpu_limits_write(&ask, &limits);
    }
    WGPUFeatureName features[3];
    size_t count = 0;
    if (device->adapter.has_timestamps)
        features[count++] = WGPUFeatureName_TimestampQuery;
    if (device->adapter.has_subgroups)
        features[count++] = (WGPUFeatureName)WGPUNativeFeature_Subgroup;
    if (device->adapter.has_f16)
        features[count++] = WGPUFeatureName_ShaderF16;
    WGPUDeviceDescriptor descriptor = {
        .requiredFeatureCount = count,
        .requiredFeatures = features,
        .requiredLimits = &limits,
        .deviceLostCallbackInfo = {.mode = WGPUCallbackMode_AllowSpontaneous,
                                   .callback = on_lost,
                                   .userdata1 = device->events},
        .uncapturedErrorCallbackInfo = {.callback = on_error, .userdata1 = device->events},
    };
    request made = {0};
    /* wgpu-native calls back inside the call. */
    device->procs.AdapterRequestDevice(
        device->adapter_handle, &descriptor,
        (WGPURequestDeviceCallbackInfo){
            .mode = WGPUCallbackMode_AllowSpontaneous, .callback = on_device, .userdata1 = &made});
    if (!made.device)
        return wgt_fail(error, WGT_NO_GPU, "%s gives no device: %s", device->adapter.device,
                        made.message[0] ? made.message : "the engine gives no reason");
    device->device = made.device;
    device->queue = device->procs.DeviceGetQueue(made.device);
    WGPULimits granted = {0};
    if (device->procs.DeviceGetLimits(made.device, &granted) == WGPUStatus_Success)
        wgt_webgpu_limits_read(&granted, &device->adapter.limits);
    return WGT_OK;
}

/* Without them the device still works: then there are no timestamps. */
static void make_stamps(wgt_webgpu *device) {
    const uint64_t bytes = 2 * sizeof(uint64_t);
    device->period_ns = wgt_nan();
    if (!device->adapter.has_timestamps)
        return;
    WGPUQuerySetDescriptor descriptor = {.type = WGPUQueryType_Timestamp, .count = 2};
    wgt_webgpu_guard(device);
    device->stamps = device->procs.DeviceCreateQuerySet(device->device, &descriptor);
    wgt_status status = wgt_webgpu_unguard(device, "timestamps", NULL);
    if (status == WGT_OK)
        status =
            wgt_webgpu_raw_buffer(device, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc,
                                  bytes, &device->stamps_resolved, NULL);
    if (status == WGT_OK)
        status = wgt_webgpu_raw_buffer(device, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                       bytes, &device->stamps_read, NULL);
    device->adapter.has_timestamps = status == WGT_OK;
    if (status == WGT_OK)
        device->period_ns = (double)device->procs.QueueGetTimestampPeriod(device->queue);
}

/* The engine tells no subgroup size, a kernel does. Any failure leaves it unknown, but for a device
 * that is gone. */
static wgt_status ask_subgroup_size(wgt_webgpu *device, wgt_error *error) {
    static const char code[] = "@group(0) @binding(0) var<storage, read_write> size: array<u32>;\n"
                               "@compute @workgroup_size(1)\n"
                               "fn main(@builtin(subgroup_size) width: u32) { size[0] = width; }\n";
    if (!device->adapter.has_subgroups || device->adapter.subgroup_max)
        return WGT_OK;
    wgt_gpu *gpu = &device->base;
    wgt_gpu_module *module = NULL;
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_gpu_buffer *buffer = NULL;
    wgt_span span;
    uint32_t size = 0;
    wgt_binding_layout layout = {.kind = WGT_BIND_STORAGE_READ_WRITE};
    wgt_status status =
        wgt_webgpu_module_create(gpu, "subgroup size", wgt_str_from(code), &module, error);
    if (status == WGT_OK)
        status = wgt_webgpu_buffer_create(gpu, sizeof size, false, &buffer, error);
    wgt_pipeline_options options = {.module = module,
                                    .entry = "main",
                                    .bindings = &layout,
                                    .binding_count = 1,
                                    .workgroup = {1, 1, 1}};
    if (status == WGT_OK)
        status = wgt_webgpu_pipeline_create(gpu, &options, &pipeline, NULL, error);
    wgt_bound_buffer bound = {.buffer = buffer};
    wgt_dispatch dispatch = {.pipeline = pipeline,
                             .buffers = &bound,
                             .buffer_count = 1,
                             .workgroups = {1, 1, 1},
                             .batch = 1};
    if (status == WGT_OK)
        status = wgt_webgpu_dispatch(gpu, &dispatch, OPEN_DEADLINE_NS, &span, error);
    if (status == WGT_OK)
        status =
            wgt_webgpu_buffer_read(gpu, buffer, 0, &size, sizeof size, OPEN_DEADLINE_NS, error);
    if (wgt_webgpu_gone(device))
        return wgt_fail(error, WGT_NO_GPU, "%s did not finish a one-invocation kernel",
                        device->adapter.device);
    if (status == WGT_OK && size > 0 && size <= 128 && (size & (size - 1)) == 0)
        device->adapter.subgroup_min = device->adapter.subgroup_max = size;
    wgt_webgpu_pipeline_destroy(gpu, &pipeline);
    wgt_webgpu_buffer_destroy(gpu, &buffer);
    wgt_webgpu_module_destroy(gpu, &module);
    return WGT_OK;
}

static wgt_status open_adapter(wgt_webgpu *device, const wgt_gpu_options *options,
                               wgt_error *error) {
    bool best = !options->adapter || !*options->adapter;
    wgt_webgpu_list list;
    wgt_status status = wgt_webgpu_list_make(&device->procs, best, &list, error);
    if (status != WGT_OK)
        return status;
    size_t index;
    status = wgt_webgpu_list_pick(&list, options->adapter, &index, error);
    if (status == WGT_OK) {
        device->adapter_handle = list.found[index].handle;
        device->adapter = list.found[index].adapter;
        device->instance = list.instances[list.found[index].instance];
        list.found[index].handle = NULL;
        list.instances[list.found[index].instance] = NULL;
    }
    wgt_webgpu_list_release(&device->procs, &list);
    return status;
}

/* --- closing --- */

static void free_list(wgt_webgpu *device, wgt_webgpu_node **list, size_t size) {
    while (*list)
        wgt_webgpu_free(device, *list, size);
}

static void free_host_memory(wgt_webgpu *device) {
    free_list(device, &device->pipelines, sizeof(wgt_gpu_pipeline));
    free_list(device, &device->modules, sizeof(wgt_gpu_module));
    free_list(device, &device->buffers, sizeof(wgt_gpu_buffer));
    device->allocator->resize(device->allocator->user, device, sizeof *device, 0);
}

static void abandon(wgt_gpu *gpu) {
    /* Nothing of the engine's is released, and the events that its callbacks write stay. */
    free_host_memory(wgt_webgpu_from(gpu));
}

static void close_device(wgt_gpu *gpu) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    const wgt_webgpu_procs *procs = &device->procs;
    if (device->device)
        wgt_webgpu_look(device);
    if (wgt_webgpu_gone(device)) {
        abandon(gpu);
        return;
    }
    device->events->closing = true;
    while (device->pipelines) {
        wgt_gpu_pipeline *pipeline = (wgt_gpu_pipeline *)device->pipelines;
        wgt_webgpu_pipeline_destroy(gpu, &pipeline);
    }
    while (device->modules) {
        wgt_gpu_module *module = (wgt_gpu_module *)device->modules;
        wgt_webgpu_module_destroy(gpu, &module);
    }
    while (device->buffers) {
        wgt_gpu_buffer *buffer = (wgt_gpu_buffer *)device->buffers;
        wgt_webgpu_buffer_destroy(gpu, &buffer);
    }
    WGPUBuffer own[] = {device->staging, device->stamps_read, device->stamps_resolved};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i])
            procs->BufferRelease(own[i]);
    if (device->stamps)
        procs->QuerySetRelease(device->stamps);
    if (device->queue)
        procs->QueueRelease(device->queue);
    if (device->device) {
        procs->DeviceDestroy(device->device);
        procs->DeviceRelease(device->device);
    }
    if (device->adapter_handle)
        procs->AdapterRelease(device->adapter_handle);
    if (device->instance)
        procs->InstanceRelease(device->instance);
    device->allocator->resize(device->allocator->user, device->events, sizeof *device->events, 0);
    free_host_memory(device);
}

static const wgt_adapter *adapter_of(const wgt_gpu *gpu) {
    return &((const wgt_webgpu *)gpu)->adapter;
}

static const wgt_gpu_api webgpu_api = {
    .close = close_device,
    .abandon = abandon,
    .adapter = adapter_of,
    .buffer_create = wgt_webgpu_buffer_create,
    .buffer_destroy = wgt_webgpu_buffer_destroy,
    .buffer_write = wgt_webgpu_buffer_write,
    .buffer_read = wgt_webgpu_buffer_read,
    .copy = wgt_webgpu_copy,
    .module_create = wgt_webgpu_module_create,
    .module_destroy = wgt_webgpu_module_destroy,
    .pipeline_create = wgt_webgpu_pipeline_create,
    .pipeline_destroy = wgt_webgpu_pipeline_destroy,
    .dispatch = wgt_webgpu_dispatch,
};

/* --- what engine.h promises --- */

double wgt_engine_period_ns(const wgt_gpu *gpu) {
    return gpu->api == &webgpu_api ? ((const wgt_webgpu *)gpu)->period_ns : wgt_nan();
}

static wgt_webgpu *device_new(const wgt_gpu_options *options) {
    const wgt_allocator *allocator = options->allocator ? options->allocator : wgt_heap();
    wgt_webgpu *device = allocator->resize(allocator->user, NULL, 0, sizeof *device);
    if (!device)
        return NULL;
    *device = (wgt_webgpu){.base = {&webgpu_api}, .allocator = allocator, .period_ns = wgt_nan()};
    device->events = allocator->resize(allocator->user, NULL, 0, sizeof *device->events);
    if (!device->events) {
        allocator->resize(allocator->user, device, sizeof *device, 0);
        return NULL;
    }
    *device->events = (wgt_webgpu_events){.uncaptured = WGPUErrorType_NoError};
    return device;
}

wgt_status wgt_engine_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error) {
    *gpu = NULL;
    wgt_webgpu *device = device_new(options);
    if (!device)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a device");
    wgt_status status = wgt_webgpu_load(options->library, &device->procs, error);
    if (status == WGT_OK)
        status = open_adapter(device, options, error);
    if (status == WGT_OK)
        status = request_device(device, options->portable_limits, error);
    if (status == WGT_OK) {
        make_stamps(device);
        status = ask_subgroup_size(device, error);
    }
    if (status == WGT_OK)
        *gpu = &device->base;
    else
        close_device(&device->base);
    return status;
}

wgt_status wgt_engine_adapters(const wgt_gpu_options *options, wgt_adapter *adapters,
                               size_t capacity, size_t *count, wgt_error *error) {
    wgt_webgpu_procs procs;
    wgt_webgpu_list list;
    *count = 0;
    wgt_status status = wgt_webgpu_load(options->library, &procs, error);
    if (status == WGT_OK)
        status = wgt_webgpu_list_make(&procs, false, &list, error);
    if (status != WGT_OK)
        return status;
    for (size_t i = 0; i < list.count && i < capacity; i++)
        adapters[i] = list.found[i].adapter;
    *count = list.count;
    wgt_webgpu_list_release(&procs, &list);
    return WGT_OK;
}
