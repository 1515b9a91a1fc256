#include "webgpu_device.h"
#include "../base/host/host.h"
#include <string.h>
#include <time.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

WGPUStringView wgt_webgpu_view(wgt_str text) {
    return (WGPUStringView){text.data, text.size};
}

wgt_str wgt_webgpu_str(WGPUStringView view) {
    if (!view.data)
        return (wgt_str){"", 0};
    return (wgt_str){view.data, view.length == WGPU_STRLEN ? strlen(view.data) : view.length};
}

wgt_status wgt_webgpu_usable(const wgt_webgpu *device, wgt_error *error) {
    if (device->events->lost)
        return wgt_fail(error, WGT_NO_GPU, "the device was lost%s%s",
                        device->events->message[0] ? ": " : "", device->events->message);
    if (device->hung)
        return wgt_fail(error, WGT_NO_GPU, "the device hangs and can only be abandoned");
    return WGT_OK;
}

bool wgt_webgpu_gone(const wgt_webgpu *device) {
    return device->events->lost || device->hung;
}

/* --- the engine's words --- */

static bool next_line(wgt_str *rest, wgt_str *line) {
    if (rest->size == 0)
        return false;
    const char *end = memchr(rest->data, '\n', rest->size);
    size_t length = end ? (size_t)(end - rest->data) : rest->size;
    *line = (wgt_str){rest->data, length};
    size_t used = end ? length + 1 : length;
    *rest = (wgt_str){rest->data + used, rest->size - used};
    while (line->size > 0 && (line->data[0] == ' ' || line->data[0] == '\t'))
        line->data++, line->size--;
    while (line->size > 0 && strchr(" \t\r", line->data[line->size - 1]))
        line->size--;
    return true;
}

static wgt_str without(wgt_str line, const char *prefix) {
    if (!wgt_str_starts(line, prefix))
        return line;
    size_t size = strlen(prefix);
    return (wgt_str){line.data + size, line.size - size};
}

/* "┌─ wgsl:3:9" → "3:9"; an empty view when the line tells no place. */
static wgt_str place_of(wgt_str line) {
    static const char corner[] = "\xe2\x94\x8c\xe2\x94\x80 ";
    wgt_str place = without(line, corner);
    if (place.data == line.data)
        return (wgt_str){"", 0};
    place = without(without(place, "wgsl"), ":");
    size_t colons = 0;
    for (size_t i = 0; i < place.size; i++) {
        if (place.data[i] == ':')
            colons++;
        else if (place.data[i] < '0' || place.data[i] > '9')
            return (wgt_str){"", 0};
    }
    return colons == 1 ? place : (wgt_str){"", 0};
}

/* The headings and the drawing of the source that stand around the words proper. */
static bool is_frame(wgt_str line) {
    static const char *const starts[] = {"Validation Error", "Caused by:",   "In wgpu",
                                         "= note:",          "\xe2\x94\x8c", "\xe2\x94\x82"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (wgt_str_starts(line, starts[i]))
            return true;
    size_t digits = 0;
    while (digits < line.size && line.data[digits] >= '0' && line.data[digits] <= '9')
        digits++;
    wgt_str rest = {line.data + digits, line.size - digits};
    return line.size == 0 || (digits > 0 && wgt_str_starts(rest, " \xe2\x94\x82"));
}

/* The same words come twice: in the drawing ("= words") and below it. */
static bool holds(const wgt_out *out, wgt_str words) {
    return words.size > 0 && memmem(out->data, out->size, words.data, words.size) != NULL;
}

void wgt_webgpu_explain(const char *what, wgt_str words, wgt_error *error) {
    char memory[WGT_ERROR_SIZE];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_str rest = words, line, place = {"", 0};
    while (next_line(&rest, &line)) {
        if (place.size == 0)
            place = place_of(line);
        if (is_frame(line))
            continue;
        line = without(line, "= ");
        line = without(line, "Shader '' parsing error: ");
        line = without(line, "Shader validation error: ");
        if (line.size > 0 && line.data[line.size - 1] == '.')
            line.size--;
        if (line.size == 0 || holds(&out, line))
            continue;
        if (out.size > 0)
            wgt_put(&out, WGT_STR(": "));
        wgt_put(&out, line);
    }
    if (out.size == 0)
        wgt_put(&out, WGT_STR("the engine gives no reason"));
    if (place.size > 0)
        wgt_fail(error, WGT_BAD_INPUT, "%s:%.*s: %s", what, (int)place.size, place.data, memory);
    else
        wgt_fail(error, WGT_BAD_INPUT, "%s: %s", what, memory);
}

/* --- error scopes --- */

typedef struct scope {
    WGPUErrorType type;
    char message[4 * WGT_ERROR_SIZE]; /* the drawing of the source comes along */
    size_t size;
} scope;

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                     void *user, void *unused) {
    (void)unused;
    scope *to = user;
    wgt_str words = wgt_webgpu_str(message);
    to->type = status == WGPUPopErrorScopeStatus_Success ? type : WGPUErrorType_Unknown;
    to->size = words.size < sizeof to->message ? words.size : sizeof to->message;
    memcpy(to->message, words.data, to->size);
}

void wgt_webgpu_guard(wgt_webgpu *device) {
    /* Only these two: wgpu-native 29 aborts the process at a scope for internal errors. */
    device->procs.DevicePushErrorScope(device->device, WGPUErrorFilter_OutOfMemory);
    device->procs.DevicePushErrorScope(device->device, WGPUErrorFilter_Validation);
}

static wgt_status status_of(WGPUErrorType type) {
    switch (type) {
    case WGPUErrorType_NoError:
        return WGT_OK;
    case WGPUErrorType_Validation:
        return WGT_BAD_INPUT;
    case WGPUErrorType_OutOfMemory:
        return WGT_NO_MEMORY;
    default:
        return WGT_INTERNAL;
    }
}

/* Takes both scopes down; the first error, innermost first, is left in `first`. */
static void pop_scopes(wgt_webgpu *device, scope *first) {
    *first = (scope){.type = WGPUErrorType_NoError};
    for (int i = 0; i < 2; i++) {
        scope other = {.type = WGPUErrorType_NoError};
        scope *to = first->type == WGPUErrorType_NoError ? first : &other;
        /* wgpu-native calls back inside the call. */
        device->procs.DevicePopErrorScope(
            device->device,
            (WGPUPopErrorScopeCallbackInfo){
                .mode = WGPUCallbackMode_AllowSpontaneous, .callback = on_scope, .userdata1 = to});
    }
}

void wgt_webgpu_look(wgt_webgpu *device) {
    const wgt_webgpu_procs *procs = &device->procs;
    scope popped;
    if (wgt_webgpu_gone(device))
        return;
    procs->InstanceProcessEvents(device->instance);
    /* Polling notes a loss without a word; then nothing can be made any more, and this is cheap. */
    wgt_webgpu_guard(device);
    WGPUCommandEncoder encoder = procs->DeviceCreateCommandEncoder(device->device, NULL);
    WGPUCommandBuffer commands = procs->CommandEncoderFinish(encoder, NULL);
    pop_scopes(device, &popped);
    if (popped.type == WGPUErrorType_Validation)
        device->events->lost = true;
    if (commands)
        procs->CommandBufferRelease(commands);
    procs->CommandEncoderRelease(encoder);
}

wgt_status wgt_webgpu_unguard(wgt_webgpu *device, const char *what, wgt_error *error) {
    wgt_webgpu_events *events = device->events;
    scope popped;
    pop_scopes(device, &popped);
    bool outside = popped.type == WGPUErrorType_NoError;
    WGPUErrorType type = outside ? events->uncaptured : popped.type;
    if (type == WGPUErrorType_NoError && !events->lost)
        return WGT_OK;
    /* A loss shows as an error of validation. */
    wgt_webgpu_look(device);
    if (events->lost)
        return wgt_webgpu_usable(device, error);
    wgt_str words =
        outside ? wgt_str_from(events->message) : (wgt_str){popped.message, popped.size};
    wgt_webgpu_explain(what, words, error);
    if (outside) {
        events->uncaptured = WGPUErrorType_NoError;
        events->message[0] = '\0';
    }
    return status_of(type);
}

/* --- waiting --- */

#define SPIN_NS 200000u
#define SLEEP_MOST_NS 1000000u
#define SLEEP_LEAST_NS 10000u
#define LOOK_EVERY_NS 20000000u

uint64_t wgt_webgpu_until(uint64_t deadline_ns) {
    uint64_t now = wgt_now_ns();
    return deadline_ns > UINT64_MAX - now ? UINT64_MAX : now + deadline_ns;
}

/* A sleep may be lengthened by the thread's timer slack, 50 µs by default on Linux: much beside a
 * span of a few hundred, and all of it would count as the kernel's time by the wall clock. */
static int slack_set(int slack_ns) {
#if defined(__linux__)
    int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns, 0, 0, 0);
    return before;
#else
    return slack_ns;
#endif
}

/* A hundredth of what was waited already: so much can a span be overestimated. */
static void pause_after(uint64_t waited_ns) {
    uint64_t ns = waited_ns / 100;
    ns = ns < SLEEP_LEAST_NS ? SLEEP_LEAST_NS : ns > SLEEP_MOST_NS ? SLEEP_MOST_NS : ns;
    struct timespec pause = {.tv_nsec = (long)ns};
    nanosleep(&pause, NULL);
}

/* wgpuDevicePoll would tell whether the queue is empty, but aborts the process when the device is
 * lost. */
wgt_status wgt_webgpu_wait(wgt_webgpu *device, const bool *done, uint64_t until_ns,
                           wgt_error *error) {
    uint64_t start = wgt_now_ns(), looked = start;
    int slack = -1;
    wgt_status status = WGT_OK;
    for (;;) {
        /* Before the poll: what is done by the deadline counts as done. */
        uint64_t now = wgt_now_ns();
        device->procs.InstanceProcessEvents(device->instance);
        if (now - looked > LOOK_EVERY_NS) {
            wgt_webgpu_look(device);
            looked = now;
        }
        status = wgt_webgpu_usable(device, error);
        if (status != WGT_OK || *done)
            break;
        if (now >= until_ns) {
            device->hung = true;
            status = wgt_fail(error, WGT_NEGATIVE, "timeout");
            break;
        }
        if (now - start < SPIN_NS)
            continue;
        if (slack < 0)
            slack = slack_set(1);
        pause_after(now - start);
    }
    if (slack > 0)
        slack_set(slack);
    return status;
}

static void on_idle(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *user,
                    void *unused) {
    (void)message;
    (void)unused;
    wgt_webgpu_events *events = user;
    events->idle = true;
    events->failed = status != WGPUQueueWorkDoneStatus_Success;
}

wgt_status wgt_webgpu_wait_idle(wgt_webgpu *device, uint64_t until_ns, wgt_error *error) {
    wgt_webgpu_events *events = device->events;
    events->idle = events->failed = false;
    device->procs.QueueOnSubmittedWorkDone(
        device->queue, (WGPUQueueWorkDoneCallbackInfo){.mode = WGPUCallbackMode_AllowSpontaneous,
                                                       .callback = on_idle,
                                                       .userdata1 = events});
    wgt_status status = wgt_webgpu_wait(device, &events->idle, until_ns, error);
    if (status != WGT_OK)
        return status;
    device->writes_pending = false;
    if (!events->failed)
        return WGT_OK;
    wgt_webgpu_look(device);
    status = wgt_webgpu_usable(device, error);
    return status != WGT_OK ? status
                            : wgt_fail(error, WGT_INTERNAL, "the engine's queue did not finish");
}

WGPUCommandEncoder wgt_webgpu_encode(wgt_webgpu *device) {
    /* A submission to a lost device aborts the process: learn of a loss now, while making the
     * commands still fails cleanly. */
    device->procs.InstanceProcessEvents(device->instance);
    wgt_webgpu_guard(device);
    return device->procs.DeviceCreateCommandEncoder(device->device, NULL);
}

wgt_status wgt_webgpu_submit(wgt_webgpu *device, WGPUCommandEncoder encoder, const char *what,
                             uint64_t *submitted_ns, wgt_error *error) {
    const wgt_webgpu_procs *procs = &device->procs;
    WGPUCommandBuffer commands = procs->CommandEncoderFinish(encoder, NULL);
    wgt_status status = wgt_webgpu_unguard(device, what, error);
    if (status == WGT_OK) {
        wgt_webgpu_guard(device);
        if (submitted_ns)
            *submitted_ns = wgt_now_ns();
        procs->QueueSubmit(device->queue, 1, &commands);
        status = wgt_webgpu_unguard(device, what, error);
    }
    if (commands)
        procs->CommandBufferRelease(commands);
    procs->CommandEncoderRelease(encoder);
    return status;
}

static void on_mapped(WGPUMapAsyncStatus status, WGPUStringView message, void *user, void *unused) {
    (void)message;
    (void)unused;
    wgt_webgpu_events *events = user;
    events->mapped = true;
    events->failed = status != WGPUMapAsyncStatus_Success;
}

wgt_status wgt_webgpu_map(wgt_webgpu *device, WGPUBuffer buffer, void *data, size_t bytes,
                          uint64_t until_ns, wgt_error *error) {
    wgt_webgpu_events *events = device->events;
    events->mapped = events->failed = false;
    wgt_webgpu_guard(device);
    device->procs.BufferMapAsync(
        buffer, WGPUMapMode_Read, 0, bytes,
        (WGPUBufferMapCallbackInfo){
            .mode = WGPUCallbackMode_AllowSpontaneous, .callback = on_mapped, .userdata1 = events});
    wgt_status status = wgt_webgpu_unguard(device, "mapping a buffer", error);
    if (status == WGT_OK)
        status = wgt_webgpu_wait(device, &events->mapped, until_ns, error);
    if (status != WGT_OK)
        return status;
    if (events->failed)
        return wgt_fail(error, WGT_INTERNAL, "the engine could not map a buffer for reading");
    const void *mapped = device->procs.BufferGetConstMappedRange(buffer, 0, bytes);
    if (mapped)
        memcpy(data, mapped, bytes);
    device->procs.BufferUnmap(buffer);
    return mapped ? WGT_OK : wgt_fail(error, WGT_INTERNAL, "the engine gives no mapped bytes");
}
