/* wgpu-native, loaded at run time: a program that already has the library shares it, and a build
 * without the library still runs. */
#ifndef WGT_GPU_WEBGPU_LOAD_H
#define WGT_GPU_WEBGPU_LOAD_H

#include "wgtune/base.h"
#include <webgpu.h>
#include <wgpu.h>

/* The standard functions in use, by their names without `wgpu`: webgpu.h has a type for each. */
#define WGT_WEBGPU_PROCS(X)                                                                        \
    X(CreateInstance)                                                                              \
    X(InstanceProcessEvents)                                                                       \
    X(InstanceRelease)                                                                             \
    X(AdapterGetInfo)                                                                              \
    X(AdapterGetLimits)                                                                            \
    X(AdapterHasFeature)                                                                           \
    X(AdapterInfoFreeMembers)                                                                      \
    X(AdapterRelease)                                                                              \
    X(AdapterRequestDevice)                                                                        \
    X(BindGroupLayoutRelease)                                                                      \
    X(BindGroupRelease)                                                                            \
    X(BufferDestroy)                                                                               \
    X(BufferGetConstMappedRange)                                                                   \
    X(BufferMapAsync)                                                                              \
    X(BufferRelease)                                                                               \
    X(BufferUnmap)                                                                                 \
    X(CommandBufferRelease)                                                                        \
    X(CommandEncoderBeginComputePass)                                                              \
    X(CommandEncoderCopyBufferToBuffer)                                                            \
    X(CommandEncoderFinish)                                                                        \
    X(CommandEncoderRelease)                                                                       \
    X(CommandEncoderResolveQuerySet)                                                               \
    X(ComputePassEncoderDispatchWorkgroups)                                                        \
    X(ComputePassEncoderEnd)                                                                       \
    X(ComputePassEncoderRelease)                                                                   \
    X(ComputePassEncoderSetBindGroup)                                                              \
    X(ComputePassEncoderSetPipeline)                                                               \
    X(ComputePipelineRelease)                                                                      \
    X(DeviceCreateBindGroup)                                                                       \
    X(DeviceCreateBindGroupLayout)                                                                 \
    X(DeviceCreateBuffer)                                                                          \
    X(DeviceCreateCommandEncoder)                                                                  \
    X(DeviceCreateComputePipeline)                                                                 \
    X(DeviceCreatePipelineLayout)                                                                  \
    X(DeviceCreateQuerySet)                                                                        \
    X(DeviceCreateShaderModule)                                                                    \
    X(DeviceDestroy)                                                                               \
    X(DeviceGetLimits)                                                                             \
    X(DeviceGetQueue)                                                                              \
    X(DevicePopErrorScope)                                                                         \
    X(DevicePushErrorScope)                                                                        \
    X(DeviceRelease)                                                                               \
    X(PipelineLayoutRelease)                                                                       \
    X(QuerySetRelease)                                                                             \
    X(QueueOnSubmittedWorkDone)                                                                    \
    X(QueueRelease)                                                                                \
    X(QueueSubmit)                                                                                 \
    X(QueueWriteBuffer)                                                                            \
    X(ShaderModuleRelease)

/* wgpu.h declares its own functions without a type for each. */
typedef uint32_t (*wgt_proc_GetVersion)(void);
typedef size_t (*wgt_proc_InstanceEnumerateAdapters)(WGPUInstance,
                                                     const WGPUInstanceEnumerateAdapterOptions *,
                                                     WGPUAdapter *);
typedef float (*wgt_proc_QueueGetTimestampPeriod)(WGPUQueue);

#define WGT_NATIVE_PROCS(X)                                                                        \
    X(GetVersion)                                                                                  \
    X(InstanceEnumerateAdapters)                                                                   \
    X(QueueGetTimestampPeriod)

typedef struct wgt_webgpu_procs {
#define WGT_MEMBER(name) WGPUProc##name name;
    WGT_WEBGPU_PROCS(WGT_MEMBER)
#undef WGT_MEMBER
#define WGT_MEMBER(name) wgt_proc_##name name;
    WGT_NATIVE_PROCS(WGT_MEMBER)
#undef WGT_MEMBER
    char version[32]; /* "29.0.1.1" */
} wgt_webgpu_procs;

/* Finds and loads the library: `path`, else $WGTUNE_WGPU_LIB (either alone, when given), else
 * beside the program, the folder that it is installed in, the system's. It stays loaded until the
 * process ends, since an engine's threads may outlive its last device. Errors: WGT_NO_GPU (not
 * there, not wgpu-native, another major version than the headers that this was built with). */
wgt_status wgt_webgpu_load(const char *path, wgt_webgpu_procs *procs, wgt_error *error);

#endif
