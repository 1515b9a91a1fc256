/* The truth of a simulated GPU, read from JSON, and the times that follow from it. */
#ifndef WGT_GPU_FAKE_TRUTH_H
#define WGT_GPU_FAKE_TRUTH_H

#include "wgtune/gpu.h"

#define WGT_FAKE_TABLE 128

typedef enum wgt_fake_fault {
    WGT_FAKE_HONEST = 0,
    WGT_FAKE_REJECTED,
    WGT_FAKE_WRONG,
    WGT_FAKE_UNCHANGED,
    WGT_FAKE_HANG,
    WGT_FAKE_LOST,
    WGT_FAKE_ERROR,
    WGT_FAKE_CRASH,
    WGT_FAKE_STALL
} wgt_fake_fault;

typedef struct wgt_fake_time {
    uint32_t invocations; /* a workgroup */
    double ns;
} wgt_fake_time;

typedef struct wgt_fake_misbehaviour {
    uint32_t invocations;
    wgt_fake_fault fault;
} wgt_fake_misbehaviour;

typedef struct wgt_fake_truth {
    wgt_adapter adapter;
    uint64_t seed;
    double invocations;                  /* of a whole dispatch; 0: not given */
    wgt_fake_time times[WGT_FAKE_TABLE]; /* ascending */
    size_t time_count;
    double units, slots, invocations_per_unit, wave_ns, floor_ns; /* units 0: no waves */
    double fixed_ns, overhead_ns, compile_ns;
    double noise, outlier_rate, outlier_times, drift, drift_period_ns, ramp, ramp_ns;
    double quantum_ns;
    bool zero_timestamps;
    wgt_fake_misbehaviour faults[WGT_FAKE_TABLE];
    size_t fault_count;
} wgt_fake_truth;

wgt_status wgt_fake_truth_read(const wgt_gpu_options *options, wgt_fake_truth *truth,
                               wgt_error *error);
wgt_fake_fault wgt_fake_fault_of(const wgt_fake_truth *truth, const uint32_t workgroup[3]);
/* One dispatch without noise. */
double wgt_fake_dispatch_ns(const wgt_fake_truth *truth, const uint32_t workgroup[3],
                            const uint32_t workgroups[3]);

#endif
