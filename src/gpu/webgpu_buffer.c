#include "webgpu_device.h"
#include "../base/host/host.h"
#include <string.h>

/* Each queued write holds a copy of its bytes until the device has it. */
#define WRITE_PIECE_BYTES ((size_t)64 << 20)
#define WRITE_DEADLINE_NS 60000000000u
#define READ_PIECE_BYTES ((size_t)16 << 20)

static uint64_t round_up(uint64_t bytes, uint64_t to) {
    return bytes > UINT64_MAX - to ? UINT64_MAX : (bytes + to - 1) / to * to;
}

/* Whether `bytes` from `offset` on lie within a buffer of `size`. */
static bool within(uint64_t offset, uint64_t bytes, uint64_t size) {
    return offset <= size && bytes <= size - offset;
}

wgt_status wgt_webgpu_raw_buffer(wgt_webgpu *device, WGPUBufferUsage usage, uint64_t bytes,
                                 WGPUBuffer *buffer, wgt_error *error) {
    WGPUBufferDescriptor descriptor = {.usage = usage, .size = bytes};
    wgt_webgpu_guard(device);
    *buffer = device->procs.DeviceCreateBuffer(device->device, &descriptor);
    char what[64];
    wgt_format(what, sizeof what, "a buffer of %llu bytes", (unsigned long long)bytes);
    wgt_status status = wgt_webgpu_unguard(device, what, error);
    if (status == WGT_OK)
        return WGT_OK;
    if (*buffer)
        device->procs.BufferRelease(*buffer);
    *buffer = NULL;
    /* wgpu-native 29 reports a lack of memory as an error of validation; sizes and usages that
     * reach it were checked. */
    return status == WGT_BAD_INPUT ? WGT_NO_MEMORY : status;
}

/* The engine checks the first itself, the others only when the buffer is bound. */
static wgt_status check_limits(const wgt_limits *limits, uint64_t bytes, bool uniform,
                               wgt_error *error) {
    struct {
        const char *name;
        uint64_t most;
        bool applies;
    } rows[] = {
        {"maxBufferSize", limits->max_buffer_size, true},
        {"maxStorageBufferBindingSize", limits->max_storage_buffer_binding_size, !uniform},
        {"maxUniformBufferBindingSize", limits->max_uniform_buffer_binding_size, uniform},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].applies && bytes > rows[i].most)
            return wgt_fail(error, WGT_BAD_INPUT, "a buffer of %llu bytes > %s %llu",
                            (unsigned long long)bytes, rows[i].name,
                            (unsigned long long)rows[i].most);
    return WGT_OK;
}

wgt_status wgt_webgpu_buffer_create(wgt_gpu *gpu, uint64_t bytes, bool uniform,
                                    wgt_gpu_buffer **buffer, wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    *buffer = NULL;
    if (bytes == 0)
        return wgt_fail(error, WGT_USAGE, "a buffer of 0 bytes cannot be bound");
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status == WGT_OK)
        status = check_limits(&device->adapter.limits, bytes, uniform, error);
    if (status != WGT_OK)
        return status;
    wgt_gpu_buffer *made = wgt_webgpu_new(device, sizeof *made, &device->buffers);
    if (!made)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a buffer's handle");
    WGPUBufferUsage usage = uniform ? WGPUBufferUsage_Uniform : WGPUBufferUsage_Storage;
    made->asked = bytes;
    made->bytes = round_up(bytes, uniform ? 16 : 4);
    made->serial = ++device->next_serial;
    status =
        wgt_webgpu_raw_buffer(device, usage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst,
                              made->bytes, &made->handle, error);
    if (status != WGT_OK) {
        wgt_webgpu_free(device, made, sizeof *made);
        return status;
    }
    *buffer = made;
    return WGT_OK;
}

void wgt_webgpu_buffer_destroy(wgt_gpu *gpu, wgt_gpu_buffer **buffer) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    if (!*buffer)
        return;
    if (!wgt_webgpu_gone(device)) {
        /* Destroyed too: a pipeline's last bind groups may still hold it. */
        device->procs.BufferDestroy((*buffer)->handle);
        device->procs.BufferRelease((*buffer)->handle);
    }
    wgt_webgpu_free(device, *buffer, sizeof **buffer);
    *buffer = NULL;
}

/* A write's size is a multiple of 4: the last bytes go in a word of their own, zeros behind them.
 */
static void queue_write(wgt_webgpu *device, WGPUBuffer handle, uint64_t offset,
                        const unsigned char *data, size_t bytes) {
    size_t whole = bytes & ~(size_t)3, rest = bytes & 3;
    if (whole > 0)
        device->procs.QueueWriteBuffer(device->queue, handle, offset, data, whole);
    if (rest > 0) {
        unsigned char word[4] = {0};
        memcpy(word, data + whole, rest);
        device->procs.QueueWriteBuffer(device->queue, handle, offset + whole, word, sizeof word);
    }
}

wgt_status wgt_webgpu_buffer_write(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset,
                                   const void *data, size_t bytes, wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status != WGT_OK)
        return status;
    if (offset % 4 != 0 || !within(offset, bytes, buffer->bytes) ||
        (bytes % 4 != 0 && offset + bytes != buffer->asked))
        return wgt_fail(error, WGT_USAGE,
                        "cannot write %zu bytes at %llu of a buffer of %llu: offsets are multiples "
                        "of 4, and so are sizes but at the buffer's end",
                        bytes, (unsigned long long)offset, (unsigned long long)buffer->bytes);
    for (size_t done = 0; done < bytes && status == WGT_OK;) {
        size_t piece = bytes - done < WRITE_PIECE_BYTES ? bytes - done : WRITE_PIECE_BYTES;
        WGPUCommandEncoder encoder = wgt_webgpu_encode(device);
        queue_write(device, buffer->handle, offset + done, (const unsigned char *)data + done,
                    piece);
        /* Sent off at once, with no commands, lest it becomes part of the next span. */
        status = wgt_webgpu_submit(device, encoder, "writing a buffer", NULL, error);
        device->writes_pending = true;
        done += piece;
        if (status == WGT_OK && done < bytes)
            status = wgt_webgpu_wait_idle(device, wgt_webgpu_until(WRITE_DEADLINE_NS), error);
    }
    return status;
}

wgt_status wgt_webgpu_copy_until(wgt_webgpu *device, const wgt_copy *copies, size_t count,
                                 uint64_t until_ns, wgt_error *error) {
    for (size_t i = 0; i < count; i++) {
        const wgt_copy *copy = &copies[i];
        if (copy->from == copy->to || !within(0, copy->bytes, copy->from->bytes) ||
            !within(0, copy->bytes, copy->to->bytes))
            return wgt_fail(
                error, WGT_USAGE, "cannot copy %llu bytes from a buffer of %llu to %s of %llu",
                (unsigned long long)copy->bytes, (unsigned long long)copy->from->bytes,
                copy->from == copy->to ? "itself" : "one", (unsigned long long)copy->to->bytes);
    }
    WGPUCommandEncoder encoder = wgt_webgpu_encode(device);
    for (size_t i = 0; i < count; i++)
        device->procs.CommandEncoderCopyBufferToBuffer(encoder, copies[i].from->handle, 0,
                                                       copies[i].to->handle, 0,
                                                       round_up(copies[i].bytes, 4));
    wgt_status status = wgt_webgpu_submit(device, encoder, "copying buffers", NULL, error);
    return status == WGT_OK ? wgt_webgpu_wait_idle(device, until_ns, error) : status;
}

wgt_status wgt_webgpu_copy(wgt_gpu *gpu, const wgt_copy *copies, size_t count, uint64_t deadline_ns,
                           wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status != WGT_OK || count == 0)
        return status;
    return wgt_webgpu_copy_until(device, copies, count, wgt_webgpu_until(deadline_ns), error);
}

/* A staging buffer that a piece of this many bytes fits into. */
static wgt_status need_staging(wgt_webgpu *device, size_t bytes, wgt_error *error) {
    if (device->staging_bytes >= bytes)
        return WGT_OK;
    if (device->staging)
        device->procs.BufferRelease(device->staging);
    device->staging = NULL;
    device->staging_bytes = 0;
    wgt_status status = wgt_webgpu_raw_buffer(
        device, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, bytes, &device->staging, error);
    if (status == WGT_OK)
        device->staging_bytes = bytes;
    return status;
}

static wgt_status read_piece(wgt_webgpu *device, WGPUBuffer from, uint64_t offset, void *data,
                             size_t bytes, uint64_t until_ns, wgt_error *error) {
    WGPUCommandEncoder encoder = wgt_webgpu_encode(device);
    device->procs.CommandEncoderCopyBufferToBuffer(encoder, from, offset, device->staging, 0,
                                                   bytes);
    wgt_status status = wgt_webgpu_submit(device, encoder, "reading a buffer", NULL, error);
    return status == WGT_OK ? wgt_webgpu_map(device, device->staging, data, bytes, until_ns, error)
                            : status;
}

wgt_status wgt_webgpu_buffer_read(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset, void *data,
                                  size_t bytes, uint64_t deadline_ns, wgt_error *error) {
    wgt_webgpu *device = wgt_webgpu_from(gpu);
    wgt_status status = wgt_webgpu_usable(device, error);
    if (status != WGT_OK || bytes == 0)
        return status;
    if (offset % 4 != 0 || bytes % 4 != 0 || !within(offset, bytes, buffer->bytes))
        return wgt_fail(
            error, WGT_USAGE,
            "cannot read %zu bytes at %llu of a buffer of %llu: both are multiples of 4", bytes,
            (unsigned long long)offset, (unsigned long long)buffer->bytes);
    uint64_t until_ns = wgt_webgpu_until(deadline_ns);
    size_t most = bytes < READ_PIECE_BYTES ? bytes : READ_PIECE_BYTES;
    status = need_staging(device, most, error);
    for (size_t done = 0; done < bytes && status == WGT_OK;) {
        size_t piece = bytes - done < most ? bytes - done : most;
        status = read_piece(device, buffer->handle, offset + done, (unsigned char *)data + done,
                            piece, until_ns, error);
        done += piece;
    }
    return status;
}
