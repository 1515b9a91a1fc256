/* wgtune/gpu.h: a device behind one function table. `webgpu.c` puts wgpu-native behind it, `fake.c` a
 * simulated GPU with a known truth.
 *
 * Lifecycle: wgt_gpu_open → gpu->api->... → wgt_gpu_close. All handles of a device die with it. One
 * thread at a time per device. */
#ifndef WGTUNE_GPU_H
#define WGTUNE_GPU_H

#include "wgtune/adapter.h"
#include "wgtune/wgsl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_gpu wgt_gpu;
typedef struct wgt_gpu_buffer wgt_gpu_buffer;
typedef struct wgt_gpu_module wgt_gpu_module;
typedef struct wgt_gpu_pipeline wgt_gpu_pipeline;

typedef struct wgt_binding_layout {
    uint32_t group, binding;
    wgt_binding_kind kind;
    uint64_t min_bytes; /* 0: none demanded */
} wgt_binding_layout;

typedef struct wgt_constant {
    const char *key; /* the decimal @id if the override has one, else its name */
    double value;
} wgt_constant;

typedef struct wgt_pipeline_options {
    wgt_gpu_module *module;
    const char *entry;
    const wgt_constant *constants;
    size_t constant_count;
    const wgt_binding_layout *bindings; /* one explicit layout for all candidates of a sweep */
    size_t binding_count;
    uint32_t workgroup[3];              /* what the size will be: known to the caller; the fake needs it */
} wgt_pipeline_options;

typedef struct wgt_bound_buffer {
    uint32_t group, binding;
    wgt_gpu_buffer *buffer;
} wgt_bound_buffer;

typedef struct wgt_copy {
    wgt_gpu_buffer *from, *to;
    uint64_t bytes;
} wgt_copy;

/* One span: copies first (outside the span), then `batch` dispatches of the same pipeline in one
 * compute pass with a timestamp at either end; waits until it is done. */
typedef struct wgt_dispatch {
    wgt_gpu_pipeline *pipeline;
    const wgt_bound_buffer *buffers;
    size_t buffer_count;
    uint32_t workgroups[3];
    uint32_t batch;
    const wgt_copy *before; /* restores of the initial state */
    size_t before_count;
    bool timed;             /* false: no timestamps; span_ns is then wall time */
} wgt_dispatch;

typedef struct wgt_span {
    double gpu_ns;  /* between the timestamps, the period applied; NaN: no timestamps, or an invalid pair
                       (zero, backwards) */
    double wall_ns; /* from submit to done, by the host's clock */
} wgt_span;

/* Every function that can fail takes a wgt_error. `deadline_ns` is how long to wait for the device;
 * WGT_NEGATIVE with "timeout" when it did not come back: the device is then unusable and must be
 * abandoned (wgt_gpu_abandon; wgt_gpu_close then does no more than that). WGT_NO_GPU: the device was lost.
 * WGT_BAD_INPUT: it is over a limit (named, with both numbers) or the engine's validation refused it, with
 * the engine's message. WGT_NO_MEMORY: the host's or the device's memory does not suffice. */
typedef struct wgt_gpu_api {
    void (*close)(wgt_gpu *gpu);
    /* Gives up a device that hangs: frees what can be freed without waiting. */
    void (*abandon)(wgt_gpu *gpu);
    const wgt_adapter *(*adapter)(const wgt_gpu *gpu);

    wgt_status (*buffer_create)(wgt_gpu *gpu, uint64_t bytes, bool uniform, wgt_gpu_buffer **buffer,
                                wgt_error *error);
    void (*buffer_destroy)(wgt_gpu *gpu, wgt_gpu_buffer **buffer);
    wgt_status (*buffer_write)(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset, const void *data,
                               size_t bytes, wgt_error *error);
    /* Reads in pieces as needed; offset and bytes are multiples of 4. */
    wgt_status (*buffer_read)(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset, void *data,
                              size_t bytes, uint64_t deadline_ns, wgt_error *error);
    /* Copies and waits. */
    wgt_status (*copy)(wgt_gpu *gpu, const wgt_copy *copies, size_t count, uint64_t deadline_ns,
                       wgt_error *error);

    /* `name` is the file's, for messages. A compile error comes back as WGT_BAD_INPUT with
     * `name:line:column: message` (or `name: message` when the engine gives no place). */
    wgt_status (*module_create)(wgt_gpu *gpu, const char *name, wgt_str code, wgt_gpu_module **module,
                                wgt_error *error);
    void (*module_destroy)(wgt_gpu *gpu, wgt_gpu_module **module);
    wgt_status (*pipeline_create)(wgt_gpu *gpu, const wgt_pipeline_options *options,
                                  wgt_gpu_pipeline **pipeline, uint64_t *compile_ns, wgt_error *error);
    void (*pipeline_destroy)(wgt_gpu *gpu, wgt_gpu_pipeline **pipeline);
    wgt_status (*dispatch)(wgt_gpu *gpu, const wgt_dispatch *dispatch, uint64_t deadline_ns,
                           wgt_span *span, wgt_error *error);
} wgt_gpu_api;

struct wgt_gpu {
    const wgt_gpu_api *api;
};

/* Which adapter to take. */
typedef struct wgt_gpu_options {
    const char *library;      /* path of wgpu-native; NULL: $WGTUNE_WGPU_LIB, beside the program, the
                                 install prefix, the system */
    const char *adapter;      /* NULL or "": the best; a number: the index in wgt_gpu_adapters' order; else a
                                 part of its device or vendor name, case ignored */
    bool portable_limits;     /* request WebGPU's default limits instead of the adapter's */
    const wgt_allocator *allocator; /* NULL: malloc */
    const char *fake;         /* a fake GPU's truth (JSON text) instead of an engine; NULL: none */
} wgt_gpu_options;

/* The adapters, best first (discrete, integrated, unknown, CPU; Vulkan, Metal, D3D12 before OpenGL; then the
 * engine's order), written to `adapters` up to `capacity`; *count is how many there are. The same GPU
 * under a second backend is listed only when it is the sole way to reach it. Limits are the adapter's;
 * subgroup sizes are filled where a kernel or the engine told. Errors: WGT_NO_GPU with what is missing and what
 * to install. */
WGT_API wgt_status wgt_gpu_adapters(const wgt_gpu_options *options, wgt_adapter *adapters, size_t capacity,
                                    size_t *count, wgt_error *error);
/* Opens a device. Errors: WGT_NO_GPU (no library, no adapter, none of that name: with the list). Like
 * wgt_gpu_adapters it sets the environment variable NODEVICE_SELECT=1 unless it is set (Mesa's device-select layer
 * would look for a display, slowly and with complaints): call it before other threads read the environment. */
WGT_API wgt_status wgt_gpu_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error);
WGT_API void wgt_gpu_close(wgt_gpu **gpu);
WGT_API void wgt_gpu_abandon(wgt_gpu **gpu);

/* Tests the device's clock with short kernels: resolves, monotone, non-zero, the quantum (the greatest
 * common step of the spans). Falls back to the wall clock with a note. */
WGT_API wgt_status wgt_gpu_clock(wgt_gpu *gpu, wgt_clock *clock, wgt_error *error);

#ifdef __cplusplus
}
#endif
#endif
