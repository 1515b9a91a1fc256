/* The last records and devices of the process, in fixed memory. */
#include "internal.h"
#include <pthread.h>
#include <string.h>

#define RECORDS 128
#define DEVICES 8

/* A layer has no caller to hold its state: the loader knows only its functions. */
static struct {
    pthread_mutex_t lock;
    uint64_t threads;  /* numbers given out */
    uint64_t sequence; /* of the last record */
    wgtune_layer_record records[RECORDS];
    uint64_t device_count;
    wgtune_layer_device devices[DEVICES];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t thread_number;

static uint64_t thread_locked(void) {
    if (thread_number == 0)
        thread_number = ++state.threads;
    return thread_number;
}

uint64_t wgl_thread(void) {
    pthread_mutex_lock(&state.lock);
    uint64_t number = thread_locked();
    pthread_mutex_unlock(&state.lock);
    return number;
}

void wgl_records_add(wgtune_layer_record *record) {
    pthread_mutex_lock(&state.lock);
    record->thread = thread_locked();
    record->sequence = ++state.sequence;
    state.records[(record->sequence - 1) % RECORDS] = *record;
    pthread_mutex_unlock(&state.lock);
    wgl_log_record(record);
}

void wgl_devices_add(const wgtune_layer_device *device) {
    pthread_mutex_lock(&state.lock);
    state.devices[state.device_count++ % DEVICES] = *device;
    pthread_mutex_unlock(&state.lock);
    wgl_log_device(device);
}

static uint64_t api_mark(void) {
    pthread_mutex_lock(&state.lock);
    uint64_t sequence = state.sequence;
    pthread_mutex_unlock(&state.lock);
    return sequence;
}

/* The first sequence number after `mark` that is still kept. */
static uint64_t first_kept(uint64_t mark) {
    uint64_t oldest = state.sequence > RECORDS ? state.sequence - RECORDS + 1 : 1;
    return mark >= oldest ? mark + 1 : oldest;
}

static size_t api_take(uint64_t mark, wgtune_layer_record *records, size_t capacity) {
    size_t count = 0;
    pthread_mutex_lock(&state.lock);
    for (uint64_t s = mark < state.sequence ? first_kept(mark) : state.sequence + 1;
         s <= state.sequence; s++) {
        const wgtune_layer_record *record = &state.records[(s - 1) % RECORDS];
        if (record->thread != thread_number)
            continue;
        if (count < capacity)
            records[count] = *record;
        count++;
    }
    pthread_mutex_unlock(&state.lock);
    return count;
}

static bool api_last(uint64_t mark, wgtune_layer_record *record) {
    bool found = false;
    pthread_mutex_lock(&state.lock);
    for (uint64_t s = state.sequence; !found && mark < s && s >= first_kept(mark); s--) {
        const wgtune_layer_record *kept = &state.records[(s - 1) % RECORDS];
        found = kept->thread == thread_number;
        if (found)
            *record = *kept;
    }
    pthread_mutex_unlock(&state.lock);
    return found;
}

static bool api_device(wgtune_layer_device *device) {
    pthread_mutex_lock(&state.lock);
    uint64_t count = state.device_count;
    uint64_t kept = count < DEVICES ? count : DEVICES;
    uint64_t chosen = count;
    for (uint64_t back = kept; back > 0; back--)
        if (state.devices[(count - back) % DEVICES].thread == thread_number)
            chosen = count - back + 1;
    if (count > 0)
        *device = state.devices[(chosen - 1) % DEVICES];
    pthread_mutex_unlock(&state.lock);
    return count > 0;
}

static const wgtune_layer_api api = {
    .version = WGTUNE_LAYER_VERSION,
    .size = sizeof(wgtune_layer_api),
    .mark = api_mark,
    .take = api_take,
    .last = api_last,
    .device = api_device,
};

__attribute__((visibility("default"))) const wgtune_layer_api *wgtune_layer_get(uint32_t version);
const wgtune_layer_api *wgtune_layer_get(uint32_t version) {
    return version == WGTUNE_LAYER_VERSION ? &api : NULL;
}
