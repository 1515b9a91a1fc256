/* A wgpu-native device and what its parts share. webgpu_device.c opens and closes it,
 * webgpu_adapter.c finds it, webgpu_error.c turns its errors and waits into statuses,
 * webgpu_buffer.c, webgpu_pipeline.c and webgpu_dispatch.c are its function table. */
#ifndef WGT_GPU_WEBGPU_DEVICE_H
#define WGT_GPU_WEBGPU_DEVICE_H

#include "webgpu_load.h"
#include "wgtune/gpu.h"

#define WGT_WEBGPU_MAX_GROUPS 8
#define WGT_WEBGPU_MAX_BINDINGS 64

/* What the engine's callbacks write. On its own on the heap: the engine keeps the address as long
 * as the device lives, which after wgt_gpu_abandon is for ever. */
typedef struct wgt_webgpu_events {
    bool lost, closing;
    WGPUErrorType uncaptured;     /* NoError: none */
    bool idle, mapped, failed;    /* of the last wait */
    char message[WGT_ERROR_SIZE]; /* of the first loss, else of the first uncaptured error */
} wgt_webgpu_events;

/* Handles die with their device: each hangs in a list. */
typedef struct wgt_webgpu_node {
    struct wgt_webgpu_node *next, **link;
} wgt_webgpu_node;

struct wgt_gpu_buffer {
    wgt_webgpu_node node; /* first in each of the three */
    WGPUBuffer handle;
    uint64_t asked;  /* bytes */
    uint64_t bytes;  /* rounded up: to 4, for a uniform to 16 */
    uint64_t serial; /* never used twice on a device */
};

struct wgt_gpu_module {
    wgt_webgpu_node node;
    WGPUShaderModule handle;
    char name[256];
};

struct wgt_gpu_pipeline {
    wgt_webgpu_node node;
    WGPUComputePipeline handle;
    WGPUPipelineLayout layout;
    WGPUBindGroupLayout group_layouts[WGT_WEBGPU_MAX_GROUPS];
    size_t group_count;
    wgt_binding_layout bindings[WGT_WEBGPU_MAX_BINDINGS];
    size_t binding_count;
    /* The bind groups of the last dispatch, and the buffers that they were made for, by binding. */
    WGPUBindGroup groups[WGT_WEBGPU_MAX_GROUPS];
    uint64_t serials[WGT_WEBGPU_MAX_BINDINGS];
};

typedef struct wgt_webgpu {
    wgt_gpu base; /* first */
    wgt_webgpu_procs procs;
    const wgt_allocator *allocator;
    WGPUInstance instance; /* its own: what waits polls every device of an instance */
    WGPUAdapter adapter_handle;
    WGPUDevice device;
    WGPUQueue queue;
    wgt_adapter adapter;
    double period_ns; /* NaN without timestamps */
    wgt_webgpu_events *events;
    WGPUQuerySet stamps; /* two, reused; with a place to resolve to and one to read */
    WGPUBuffer stamps_resolved, stamps_read;
    WGPUBuffer staging; /* to read buffers through */
    uint64_t staging_bytes;
    wgt_webgpu_node *buffers, *modules, *pipelines;
    uint64_t next_serial;
    bool writes_pending; /* writes were queued that no wait has seen the end of */
    bool hung;           /* a wait ran out of time: nothing may be released any more */
} wgt_webgpu;

static inline wgt_webgpu *wgt_webgpu_from(wgt_gpu *gpu) {
    return (wgt_webgpu *)gpu;
}

/* --- webgpu_error.c --- */
WGPUStringView wgt_webgpu_view(wgt_str text);
wgt_str wgt_webgpu_str(WGPUStringView view);
/* OK, or WGT_NO_GPU for a device that was lost or hangs. */
wgt_status wgt_webgpu_usable(const wgt_webgpu *device, wgt_error *error);
/* Whether the device was lost or hangs. wgpu-native 29 aborts the process, or never returns, when
 * such a device or its queue is used or released, so nothing of it may be. */
bool wgt_webgpu_gone(const wgt_webgpu *device);
/* Looks whether the device was lost, where the engine would not tell by itself. */
void wgt_webgpu_look(wgt_webgpu *device);
/* Opens the scopes for validation and memory around a creation. Never nested. */
void wgt_webgpu_guard(wgt_webgpu *device);
/* Closes them. Errors: WGT_BAD_INPUT for what validation refused, WGT_NO_MEMORY, WGT_INTERNAL for
 * an error outside the scopes, WGT_NO_GPU for a device that was lost; `what` or, for a shader, its
 * name, is at the message's start. */
wgt_status wgt_webgpu_unguard(wgt_webgpu *device, const char *what, wgt_error *error);
/* The engine's own words about an error, in one line: `what:line:column: words` where they carry a
 * place. For people only. */
void wgt_webgpu_explain(const char *what, wgt_str words, wgt_error *error);
/* When a wait of `deadline_ns` from now ends, by wgt_now_ns. */
uint64_t wgt_webgpu_until(uint64_t deadline_ns);
/* Polls until `*done`. Errors: WGT_NEGATIVE "timeout" (the device then counts as hung), WGT_NO_GPU.
 */
wgt_status wgt_webgpu_wait(wgt_webgpu *device, const bool *done, uint64_t until_ns,
                           wgt_error *error);
/* Waits until all that was submitted is done. */
wgt_status wgt_webgpu_wait_idle(wgt_webgpu *device, uint64_t until_ns, wgt_error *error);
/* Starts a command encoder, with the guard up; NULL never. */
WGPUCommandEncoder wgt_webgpu_encode(wgt_webgpu *device);
/* Ends the encoder, takes the guard down and hands the commands to the device when they are valid
 * (the engine may abort at invalid ones). `*submitted_ns`, unless NULL, is when. */
wgt_status wgt_webgpu_submit(wgt_webgpu *device, WGPUCommandEncoder encoder, const char *what,
                             uint64_t *submitted_ns, wgt_error *error);
/* Maps the first `bytes` of a buffer for reading and copies them out. */
wgt_status wgt_webgpu_map(wgt_webgpu *device, WGPUBuffer buffer, void *data, size_t bytes,
                          uint64_t until_ns, wgt_error *error);

/* --- webgpu_adapter.c --- */
#define WGT_WEBGPU_MAX_ADAPTERS 64
typedef struct wgt_webgpu_found {
    WGPUAdapter handle;
    wgt_adapter adapter;
    size_t instance; /* which of the list's */
} wgt_webgpu_found;
typedef struct wgt_webgpu_list {
    WGPUInstance instances[2];
    size_t instance_count;
    wgt_webgpu_found found[WGT_WEBGPU_MAX_ADAPTERS]; /* best first */
    size_t count;
} wgt_webgpu_list;
/* Lists the adapters; `best_only` allows leaving out those that cannot come first. Errors:
 * WGT_NO_GPU. */
wgt_status wgt_webgpu_list_make(const wgt_webgpu_procs *procs, bool best_only,
                                wgt_webgpu_list *list, wgt_error *error);
void wgt_webgpu_list_release(const wgt_webgpu_procs *procs, wgt_webgpu_list *list);
/* The index of the adapter that `wanted` means (as wgt_gpu_options.adapter). Errors: WGT_NO_GPU. */
wgt_status wgt_webgpu_list_pick(const wgt_webgpu_list *list, const char *wanted, size_t *index,
                                wgt_error *error);
void wgt_webgpu_limits_read(const WGPULimits *from, wgt_limits *to);
void wgt_webgpu_limits_write(const wgt_limits *from, WGPULimits *to);

/* --- webgpu_device.c --- */
/* Zeroed memory for a handle, hung into a list; NULL when there is none. */
void *wgt_webgpu_new(wgt_webgpu *device, size_t size, wgt_webgpu_node **list);
/* Takes it out of its list and frees it. */
void wgt_webgpu_free(wgt_webgpu *device, void *node, size_t size);
/* A buffer of the device's own, without a handle. */
wgt_status wgt_webgpu_raw_buffer(wgt_webgpu *device, WGPUBufferUsage usage, uint64_t bytes,
                                 WGPUBuffer *buffer, wgt_error *error);

/* --- the function table --- */
wgt_status wgt_webgpu_buffer_create(wgt_gpu *gpu, uint64_t bytes, bool uniform,
                                    wgt_gpu_buffer **buffer, wgt_error *error);
void wgt_webgpu_buffer_destroy(wgt_gpu *gpu, wgt_gpu_buffer **buffer);
wgt_status wgt_webgpu_buffer_write(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset,
                                   const void *data, size_t bytes, wgt_error *error);
wgt_status wgt_webgpu_buffer_read(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset, void *data,
                                  size_t bytes, uint64_t deadline_ns, wgt_error *error);
wgt_status wgt_webgpu_copy(wgt_gpu *gpu, const wgt_copy *copies, size_t count, uint64_t deadline_ns,
                           wgt_error *error);
wgt_status wgt_webgpu_copy_until(wgt_webgpu *device, const wgt_copy *copies, size_t count,
                                 uint64_t until_ns, wgt_error *error);
wgt_status wgt_webgpu_module_create(wgt_gpu *gpu, const char *name, wgt_str code,
                                    wgt_gpu_module **module, wgt_error *error);
void wgt_webgpu_module_destroy(wgt_gpu *gpu, wgt_gpu_module **module);
wgt_status wgt_webgpu_pipeline_create(wgt_gpu *gpu, const wgt_pipeline_options *options,
                                      wgt_gpu_pipeline **pipeline, uint64_t *compile_ns,
                                      wgt_error *error);
void wgt_webgpu_pipeline_destroy(wgt_gpu *gpu, wgt_gpu_pipeline **pipeline);
void wgt_webgpu_groups_release(wgt_webgpu *device, wgt_gpu_pipeline *pipeline);
wgt_status wgt_webgpu_dispatch(wgt_gpu *gpu, const wgt_dispatch *dispatch, uint64_t deadline_ns,
                               wgt_span *span, wgt_error *error);

#endif
