/* wgtune/probe_run.h: the data sheet of an adapter, measured or remembered. */
#ifndef WGTUNE_PROBE_RUN_H
#define WGTUNE_PROBE_RUN_H

#include "wgtune/gpu.h"
#include "wgtune/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_probe_options {
    wgt_gpu_options gpu;
    /* The program whose `worker` command runs the experiments in a process of its own; NULL: in this one, where a
     * hang or a crash of the driver is the caller's too. */
    const char *worker;
    const char *wisdom;    /* the folder of remembered sheets; NULL: the default one of wgtune/wisdom.h */
    bool fresh;            /* measure though a sheet is remembered */
    bool no_wisdom;        /* neither look up nor save */
    bool residency_only;   /* leave the rates out; such a sheet is not saved */
    void (*progress)(void *user, const char *phase, double share); /* NULL: none */
    bool (*interrupted)(void *user);                               /* polled; NULL: never */
    void (*warning)(void *user, const char *message);              /* NULL: none */
    void *user;
    const wgt_allocator *allocator; /* NULL: malloc */
} wgt_probe_options;

typedef struct wgt_probed {
    wgt_adapter adapter;
    wgt_clock clock;
    wgt_sheet sheet;
    bool remembered;    /* from wisdom, nothing was run */
    uint64_t wall_ns;   /* of this run; of the one that was remembered */
} wgt_probed;

/* Measures or remembers. WGT_NOT_SAVED: *probed is whole, the file could not be written. WGT_INTERRUPTED: *probed holds
 * what was found so far, nothing is saved. Other errors: WGT_NO_GPU, WGT_INTERNAL, WGT_NO_MEMORY. */
WGT_API wgt_status wgt_probe_adapter(const wgt_probe_options *options, wgt_probed *probed, wgt_error *error);

/* Only what is remembered of an adapter, nothing is run. WGT_NEGATIVE when there is nothing. */
WGT_API wgt_status wgt_probe_recall(const char *folder, const wgt_allocator *allocator, const wgt_adapter *adapter,
                                    wgt_probed *probed, wgt_error *error);

/* `{"adapter", "clock", "sheet": {NAME: {value, low, high, unit, method, confidence}}, "cost"}` and a newline;
 * cache_levels has a list of {bytes, gb_s} as its value. Writes at most *size bytes and sets it to the length; text NULL
 * only counts. Error: WGT_NO_MEMORY when it does not fit. */
WGT_API wgt_status wgt_probed_write(const wgt_probed *probed, char *text, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
