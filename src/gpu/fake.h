/* A simulated GPU behind the function table: it runs no WGSL, but has a known truth, a virtual
 * clock and the misbehaviours of real devices. Its truth is JSON text with `//` comments allowed;
 * every key may be left out:
 *
 *   { "adapter": {...},          // as `wgtune adapters --json` prints one; limits that it leaves
 * out are
 *                                // WebGPU's defaults
 *     "seed": 1,                 // of noise, outliers and phases
 *     "invocations": 4194304,    // of a whole dispatch: one of a part takes that part of the time;
 *                                // without it every dispatch counts as whole
 *     "time_ns": {"32": 702000, "64": 386000},
 *                                // a whole dispatch by invocations a workgroup; linear in between,
 * the
 *                                // nearest beyond the ends
 *     "waves": {"units": 132, "slots": 32, "invocations_per_unit": 2048, "wave_ns": 400,
 *               "floor_ns": 200000},
 *                                // or by the waves that the workgroups need: a unit holds
 *                                // min(slots, invocations_per_unit / size) of them at once
 *     "fixed_ns": 2000,          // what a dispatch takes on top
 *     "overhead_ns": 50000,      // what a submission takes on the host's clock on top
 *     "compile_ns": 5000000,
 *     "noise_percent": 0.5,      // standard deviation of a span
 *     "outliers": {"rate": 0.01, "times": 3},
 *     "drift": {"percent": 2, "period_ns": 1e9},
 *     "ramp": {"times": 15, "ns": 30e6}, // how much slower it starts, and how soon that fades
 *     "quantum_ns": 32,          // the timestamps' step; 0: none
 *     "timestamps": "ok",        // or "absent", or "zero": present, but never a valid pair
 *     "misbehaviour": {"512": "hang"} }  // by invocations a workgroup
 *
 * Misbehaviours: "rejected" (no pipeline), "wrong" (other output), "unchanged" (no output), "hang"
 * (the dispatch ends in a timeout and the device is unusable), "lost" (the device is lost), "error"
 * (a dispatch fails), "crash" (the process aborts), "stall" (the call never returns, in real time).
 * A workgroup above the device's limits hangs, as it does behind engines that let it through.
 * Pipelines of a module named "clock" (the clock's self-test) take fixed_ns and behave.
 *
 * Buffers hold bytes. An honest dispatch adds to each 32-bit word of its read_write buffers a
 * number that depends on the contents of its other buffers and on the word's place: the same for
 * every candidate, and something else again the second time. */
#ifndef WGT_GPU_FAKE_H
#define WGT_GPU_FAKE_H

#include "wgtune/gpu.h"

/* As wgt_gpu_open; options->fake is the truth. Errors: WGT_BAD_INPUT with `fake:line:column: what
 * is wrong`, WGT_NO_MEMORY. */
wgt_status wgt_fake_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error);
/* As wgt_gpu_adapters: its one adapter. */
wgt_status wgt_fake_adapters(const wgt_gpu_options *options, wgt_adapter *adapters, size_t capacity,
                             size_t *count, wgt_error *error);
/* The virtual clock, ns; 0 for a device that is no fake. */
uint64_t wgt_fake_now_ns(const wgt_gpu *gpu);

#endif
