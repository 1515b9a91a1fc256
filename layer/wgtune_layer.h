/* wgtune_layer.h: what the Vulkan layer VK_LAYER_WGTUNE_statistics hands to a host in the same
 * process.
 *
 * The loader brings the layer in when an instance is created; a host reaches it without linking:
 *
 *     void *library = dlopen(WGTUNE_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
 *     wgtune_layer_get_fn get = (wgtune_layer_get_fn)dlsym(library, WGTUNE_LAYER_SYMBOL);
 *     const wgtune_layer_api *api = get(WGTUNE_LAYER_VERSION);
 *
 * RTLD_NOLOAD finds it by its soname, wherever it was loaded from. The table and everything behind
 * it live as long as the library stays loaded: keep the handle. All functions may be called from
 * any thread. */
#ifndef WGTUNE_LAYER_H
#define WGTUNE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WGTUNE_LAYER_NAME "VK_LAYER_WGTUNE_statistics"
#define WGTUNE_LAYER_LIBRARY "libVkLayer_wgtune.so"
#define WGTUNE_LAYER_MANIFEST "VkLayer_wgtune.json"
#define WGTUNE_LAYER_SYMBOL "wgtune_layer_get"
/* Grows when a struct or the table changes; a layer serves exactly one version. */
#define WGTUNE_LAYER_VERSION 1u

#define WGTUNE_LAYER_UNKNOWN UINT64_MAX
#define WGTUNE_LAYER_TEXT_SIZE 256 /* VK_MAX_DESCRIPTION_SIZE: no name of a driver is longer */
#define WGTUNE_LAYER_STATISTICS 64 /* kept for a pipeline; drivers report up to about 30 */

typedef enum wgtune_layer_kind {
    WGTUNE_LAYER_BOOL = 0,
    WGTUNE_LAYER_I64 = 1,
    WGTUNE_LAYER_U64 = 2,
    WGTUNE_LAYER_F64 = 3
} wgtune_layer_kind;

/* One statistic as the driver named and valued it. */
typedef struct wgtune_layer_statistic {
    char name[WGTUNE_LAYER_TEXT_SIZE];
    uint32_t executable; /* of the pipeline's executables, from 0 */
    uint32_t kind;       /* a wgtune_layer_kind: which of the values holds */
    union {
        bool boolean;
        int64_t i64;
        uint64_t u64;
        double f64;
    } value;
} wgtune_layer_statistic;

/* What the driver said of one compute pipeline. Unknown numbers are WGTUNE_LAYER_UNKNOWN; with
 * several executables each is the largest over them. */
typedef struct wgtune_layer_record {
    uint64_t sequence; /* from 1, over all threads of the process */
    uint64_t thread;   /* the layer's own number of the thread that created the pipeline */
    uint64_t pipeline; /* the VkPipeline */
    char entry[WGTUNE_LAYER_TEXT_SIZE]; /* the entry point's name, cut when longer */
    uint64_t registers;                 /* 32-bit vector registers an invocation */
    uint64_t spill_bytes;               /* private (local, scratch) memory an invocation */
    uint64_t shared_bytes;  /* workgroup memory a workgroup, the driver's own included */
    uint64_t subgroup_size; /* invocations */
    uint32_t executable_count;
    uint32_t statistic_count; /* in `statistics` */
    uint32_t statistic_total; /* that the driver reported */
    wgtune_layer_statistic statistics[WGTUNE_LAYER_STATISTICS];
} wgtune_layer_record;

/* A device that was created, with what its physical device says of its compute units. Unknown
 * numbers are WGTUNE_LAYER_UNKNOWN. */
typedef struct wgtune_layer_device {
    uint64_t thread;
    char name[WGTUNE_LAYER_TEXT_SIZE];
    char driver[WGTUNE_LAYER_TEXT_SIZE], driver_info[WGTUNE_LAYER_TEXT_SIZE]; /* empty: unknown */
    uint32_t vendor_id, device_id;
    uint32_t driver_id;                                /* a VkDriverId; 0: unknown */
    bool statistics;                                   /* pipeline statistics are read on it */
    uint64_t compute_units;                            /* SMs, compute units, shader cores */
    uint64_t warps_per_unit;                           /* resident subgroups a unit */
    uint64_t simds_per_unit;                           /* AMD */
    uint64_t registers_per_simd, register_granularity; /* AMD: vector registers, of one lane */
    uint64_t fma_rate; /* Arm: fused multiply-adds a clock and core */
    uint64_t subgroup_size, subgroup_min, subgroup_max;
} wgtune_layer_device;

typedef struct wgtune_layer_api {
    uint32_t version; /* WGTUNE_LAYER_VERSION */
    uint32_t size;    /* sizeof(wgtune_layer_api) */
    /* A point in time: the sequence number of the last record made on any thread. */
    uint64_t (*mark)(void);
    /* The records that the calling thread made since `mark`, oldest first: copies up to `capacity`
     * (records may be NULL when it is 0) and returns how many there are. At most the last 128 of
     * the process are kept. */
    size_t (*take)(uint64_t mark, wgtune_layer_record *records, size_t capacity);
    /* The last record that the calling thread made since `mark`; false: none. */
    bool (*last)(uint64_t mark, wgtune_layer_record *record);
    /* The device that the calling thread created last, else the one that any thread did; false:
     * none. */
    bool (*device)(wgtune_layer_device *device);
} wgtune_layer_api;

/* The table of that version, or NULL when the layer serves another one. Static storage. */
typedef const wgtune_layer_api *(*wgtune_layer_get_fn)(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
