/* JSON lines for programs that do not know of the layer: one write a line, so that several
 * processes may append to one file. */
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int file;
    char path[4096]; /* of the open file; empty: none */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static void close_locked(void) {
    if (state.path[0] != '\0')
        close(state.file);
    state.file = -1;
    state.path[0] = '\0';
}

void wgl_log_open(void) {
    /* secure_getenv: a program with raised rights must not be made to write a file. */
    const char *path = secure_getenv("WGTUNE_LAYER_LOG");
    if (path == NULL || strlen(path) >= sizeof state.path)
        path = "";
    int file = path[0] == '\0' ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    pthread_mutex_lock(&state.lock);
    /* A sandbox may have closed the files since: then what is open stays. */
    if (file >= 0 || strcmp(path, state.path) != 0)
        close_locked();
    if (file >= 0) {
        state.file = file;
        memcpy(state.path, path, strlen(path) + 1);
    }
    pthread_mutex_unlock(&state.lock);
}

__attribute__((destructor)) static void log_close(void) {
    pthread_mutex_lock(&state.lock);
    close_locked();
    pthread_mutex_unlock(&state.lock);
}

static void write_line(const char *line, size_t size) {
    pthread_mutex_lock(&state.lock);
    if (state.path[0] != '\0') {
        ssize_t written;
        do
            written = write(state.file, line, size);
        while (written < 0 && errno == EINTR);
    }
    pthread_mutex_unlock(&state.lock);
}

static bool is_open(void) {
    pthread_mutex_lock(&state.lock);
    bool open_now = state.path[0] != '\0';
    pthread_mutex_unlock(&state.lock);
    return open_now;
}

/* A line under construction; `full` once something did not fit. */
typedef struct line {
    char *data;
    size_t size, capacity;
    bool full;
} line;

static void put(line *l, const char *text, size_t size) {
    if (l->full || size >= l->capacity - l->size) {
        l->full = true;
        return;
    }
    memcpy(l->data + l->size, text, size);
    l->size += size;
    l->data[l->size] = '\0';
}

__attribute__((format(printf, 2, 3))) static void putf(line *l, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size > 0)
        put(l, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

/* How many bytes a well-formed UTF-8 sequence takes at `text`; 0: it is not well formed. */
static size_t utf8_length(const unsigned char *text) {
    unsigned char c = text[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : (c & 0xf0) == 0xe0    ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool beyond = (c == 0xed && text[1] > 0x9f) || (c == 0xf4 && text[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

static void put_string(line *l, const char *text) {
    put(l, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        size_t length = utf8_length(p);
        if (length == 0)
            put(l, "\xef\xbf\xbd", 3);
        else if (*p < 0x20)
            putf(l, "\\u%04x", (unsigned)*p);
        else if (*p == '"' || *p == '\\')
            putf(l, "\\%c", *p);
        else
            put(l, (const char *)p, length);
        p += length == 0 ? 1 : length;
    }
    put(l, "\"", 1);
}

static void put_key(line *l, const char *key) {
    put(l, ",\"", 2);
    put(l, key, strlen(key));
    put(l, "\":", 2);
}

static void put_u64(line *l, const char *key, uint64_t value) {
    put_key(l, key);
    if (value == WGTUNE_LAYER_UNKNOWN)
        put(l, "null", 4);
    else
        putf(l, "%" PRIu64, value);
}

static void put_value(line *l, const wgtune_layer_statistic *statistic) {
    switch (statistic->kind) {
    case WGTUNE_LAYER_BOOL:
        putf(l, "%s", statistic->value.boolean ? "true" : "false");
        return;
    case WGTUNE_LAYER_I64:
        putf(l, "%" PRId64, statistic->value.i64);
        return;
    case WGTUNE_LAYER_U64:
        putf(l, "%" PRIu64, statistic->value.u64);
        return;
    case WGTUNE_LAYER_F64:
        if (isfinite(statistic->value.f64)) {
            char text[64];
            snprintf(text, sizeof text, "%.17g", statistic->value.f64);
            for (char *p = text; *p != '\0'; p++) /* the program's locale may write a comma */
                if (strchr("0123456789+-e", *p) == NULL)
                    *p = '.';
            put(l, text, strlen(text));
            return;
        }
        break;
    default:
        break;
    }
    put(l, "null", 4);
}

static void put_statistics(line *l, const wgtune_layer_record *record) {
    static const char end[] = "],\"truncated\":true}\n";
    bool truncated = record->statistic_total > record->statistic_count;
    put_key(l, "statistics");
    put(l, "[", 1);
    l->capacity -= sizeof end; /* kept free, so that the line can always be closed */
    for (uint32_t i = 0; i < record->statistic_count && !l->full; i++) {
        size_t size = l->size;
        if (i > 0)
            put(l, ",", 1);
        putf(l, "{\"executable\":%" PRIu32 ",\"name\":", record->statistics[i].executable);
        put_string(l, record->statistics[i].name);
        put(l, ",\"value\":", 9);
        put_value(l, &record->statistics[i]);
        put(l, "}", 1);
        if (l->full)
            l->size = size;
    }
    truncated = truncated || l->full;
    l->full = false;
    l->capacity += sizeof end;
    put(l, "]", 1);
    put_key(l, "truncated");
    putf(l, "%s}\n", truncated ? "true" : "false");
}

static void begin(line *l, const char *event, uint64_t thread) {
    putf(l, "{\"wgtune_layer\":%u,\"event\":\"%s\",\"pid\":%ld", WGTUNE_LAYER_VERSION, event,
         (long)getpid());
    put_u64(l, "thread", thread);
}

size_t wgl_json_record(const wgtune_layer_record *record, char *memory, size_t capacity) {
    line l = {memory, 0, capacity, false};
    begin(&l, "pipeline", record->thread);
    put_u64(&l, "sequence", record->sequence);
    put_key(&l, "entry");
    put_string(&l, record->entry);
    put_u64(&l, "registers", record->registers);
    put_u64(&l, "spill_bytes", record->spill_bytes);
    put_u64(&l, "shared_bytes", record->shared_bytes);
    put_u64(&l, "subgroup_size", record->subgroup_size);
    put_u64(&l, "executables", record->executable_count);
    put_statistics(&l, record);
    return l.size;
}

size_t wgl_json_device(const wgtune_layer_device *device, char *memory, size_t capacity) {
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"compute_units", device->compute_units},
                   {"warps_per_unit", device->warps_per_unit},
                   {"simds_per_unit", device->simds_per_unit},
                   {"registers_per_simd", device->registers_per_simd},
                   {"register_granularity", device->register_granularity},
                   {"fma_rate", device->fma_rate},
                   {"subgroup_size", device->subgroup_size},
                   {"subgroup_min", device->subgroup_min},
                   {"subgroup_max", device->subgroup_max}};
    line l = {memory, 0, capacity, false};
    begin(&l, "device", device->thread);
    put_key(&l, "name");
    put_string(&l, device->name);
    put_key(&l, "driver");
    put_string(&l, device->driver);
    put_key(&l, "driver_info");
    put_string(&l, device->driver_info);
    put_u64(&l, "driver_id", device->driver_id);
    put_u64(&l, "vendor_id", device->vendor_id);
    put_u64(&l, "device_id", device->device_id);
    put_key(&l, "statistics");
    putf(&l, "%s", device->statistics ? "true" : "false");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        put_u64(&l, numbers[i].key, numbers[i].value);
    put(&l, "}\n", 2);
    return l.size;
}

void wgl_log_record(const wgtune_layer_record *record) {
    char text[WGL_LINE_SIZE];
    if (is_open())
        write_line(text, wgl_json_record(record, text, sizeof text));
}

void wgl_log_device(const wgtune_layer_device *device) {
    char text[WGL_LINE_SIZE];
    if (is_open())
        write_line(text, wgl_json_device(device, text, sizeof text));
}
