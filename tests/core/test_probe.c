#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hardware.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GPUS 600
#define MOST_ACTIONS 3000

static uint64_t first_seed;

static uint64_t seed_of_this_run(void) {
    const char *given = getenv("WGTUNE_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return given != NULL ? strtoull(given, NULL, 10) : (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
}

static wgt_probe *new_probe(const wgt_adapter *adapter, bool residency_only) {
    const wgt_clock clock = {.timestamps = true, .quantum_ns = 32};
    const wgt_probe_plan plan = {.adapter = adapter, .clock = &clock, .residency_only = residency_only};
    void *memory = malloc(wgt_probe_size());
    wgt_probe *probe = NULL;
    wgt_error error = {{0}};
    assert_int_equal(wgt_probe_init(memory, wgt_probe_size(), &plan, &probe, &error), WGT_OK);
    return probe;
}

static void check_rules(const hardware *h, const wgt_probe_action *a, const wgt_probe_report *r) {
    assert_true(a->size >= 1 && a->size <= h->max_size);
    assert_true(a->shared_bytes <= h->max_shared && a->shared_bytes % 4 == 0);
    assert_true(a->workgroups >= 1 && a->workgroups <= 65535);
    assert_true(a->iterations <= 60000 && a->spans >= 1 && a->spans <= WGT_PROBE_MAX_SPANS);
    for (size_t i = 0; i < r->span_count; i++) {
        if (r->spans_ns[i] > 50e6) {
            fail_msg("a dispatch of %g ms: seed %llu, %s size %u shared %u, %u workgroups, %u iterations",
                     r->spans_ns[i] * 1e-6, (unsigned long long)h->seed, wgt_probe_kernel_name(a->kernel), a->size,
                     a->shared_bytes, a->workgroups, a->iterations);
        }
    }
}

static void find_out(hardware *h, bool residency_only, wgt_sheet *sheet) {
    const wgt_adapter adapter = adapter_of(h);
    wgt_probe *probe = new_probe(&adapter, residency_only);
    wgt_probe_action action;
    unsigned count = 0;
    for (wgt_probe_next(probe, &action); !action.done; wgt_probe_next(probe, &action)) {
        wgt_probe_report report;
        wgt_error error = {{0}};
        run_on(h, &action, &report);
        check_rules(h, &action, &report);
        if (getenv("WGTUNE_TRACE") != NULL) {
            printf("%u %s size %u shared %u live %u W %u it %u -> %llu %g\n", action.id, wgt_probe_kernel_name(action.kernel), action.size, action.shared_bytes, action.live, action.workgroups, action.iterations, (unsigned long long)report.peak, report.spans_ns[0]);
        }
        assert_int_equal(wgt_probe_report_take(probe, &report, &error), WGT_OK);
        assert_true(++count < MOST_ACTIONS);
    }
    wgt_probe_sheet(probe, sheet);
    free(probe);
}

static unsigned certain[WGT_SHEET_COUNT], likely[WGT_SHEET_COUNT], ordinary;

/* `truth` NaN: there is none, and it must not be certain. */
static void check_line(const hardware *h, const wgt_sheet *s, wgt_sheet_id id, double truth) {
    const wgt_sheet_line *line = &s->lines[id];
    bool good = true;
    switch (line->confidence) {
    case WGT_CONFIDENCE_UNKNOWN:
        good = wgt_is_nan(line->value);
        break;
    case WGT_CONFIDENCE_MULTIPLE_OF:
        good = wgt_is_nan(truth) || (line->value >= truth && wgt_fmod(line->value, truth) == 0);
        break;
    case WGT_CONFIDENCE_LIKELY:
        good = wgt_is_nan(truth) || (line->low <= truth && (wgt_is_nan(line->high) || truth <= line->high));
        likely[id] += h->odd == ODD_NOT;
        break;
    case WGT_CONFIDENCE_CERTAIN:
        good = line->value == truth;
        certain[id] += h->odd == ODD_NOT;
        break;
    }
    if (!good) {
        fail_msg("%s is %s: %g (%g to %g), in truth %g; seed %llu, odd %d, units %u slots %u width %u subgroups %u "
                 "shared %u/%u/%u limit %u size %u file %u/%u/%u",
                 line->name, wgt_confidence_name(line->confidence), line->value, line->low, line->high, truth,
                 (unsigned long long)h->seed, (int)h->odd, h->units, h->slots, h->width, h->subgroups, h->shared,
                 h->granularity, h->reserve, h->max_shared, h->max_size, h->file, h->parts, h->step);
    }
}

static void judge(const hardware *h, const wgt_sheet *s) {
    const bool unlike = h->units > 1 && h->odd >= ODD_UNLIKE_SLOTS && h->odd <= ODD_UNLIKE_INVOCATIONS;
    const bool serial = h->odd == ODD_SERIAL;
    const double none = wgt_nan();
    check_line(h, s, WGT_SHEET_COMPUTE_UNITS, h->units);
    check_line(h, s, WGT_SHEET_WORKGROUP_SLOTS, unlike && h->odd == ODD_UNLIKE_SLOTS ? none : serial ? 1 : h->slots);
    check_line(h, s, WGT_SHEET_INVOCATIONS,
               (unlike && h->odd == ODD_UNLIKE_INVOCATIONS) || serial ? none : (double)h->subgroups * h->width);
    check_line(h, s, WGT_SHEET_SUBGROUP_SIZE, h->width);
    const bool memory = !serial && !(unlike && h->odd == ODD_UNLIKE_MEMORY) && h->odd != ODD_PARTITIONS;
    check_line(h, s, WGT_SHEET_SHARED_BYTES, memory ? h->shared : none);
    check_line(h, s, WGT_SHEET_SHARED_GRANULARITY, memory ? h->granularity : none);
    check_line(h, s, WGT_SHEET_SHARED_RESERVE, memory ? h->reserve : none);
    check_line(h, s, WGT_SHEET_REGISTERS, serial ? none : h->file);
    check_line(h, s, WGT_SHEET_REGISTER_GRANULARITY, serial ? none : h->step);
}

static void imaginary_gpus_are_seen_through_or_called_unknown(void **state) {
    (void)state;
    printf("seed %llu (WGTUNE_SEED repeats it)\n", (unsigned long long)first_seed);
    for (unsigned i = 0; i < GPUS; i++) {
        hardware h = make_hardware(first_seed + i, i % 10 < 3);
        wgt_sheet sheet;
        find_out(&h, true, &sheet);
        judge(&h, &sheet);
        ordinary += h.odd == ODD_NOT;
    }
    static const wgt_sheet_id shown[] = {WGT_SHEET_COMPUTE_UNITS, WGT_SHEET_WORKGROUP_SLOTS, WGT_SHEET_INVOCATIONS,
                                         WGT_SHEET_SUBGROUP_SIZE, WGT_SHEET_SHARED_BYTES, WGT_SHEET_SHARED_GRANULARITY,
                                         WGT_SHEET_SHARED_RESERVE, WGT_SHEET_REGISTERS};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        printf("%2d: certain %u, likely %u of %u ordinary\n", (int)shown[i], certain[shown[i]], likely[shown[i]],
               ordinary);
    }
    /* Not only safe, but of use. */
    assert_true(certain[WGT_SHEET_COMPUTE_UNITS] * 10 >= ordinary * 8);
}

static void the_same_reports_give_the_same_sheet(void **state) {
    (void)state;
    wgt_sheet sheets[2];
    for (size_t i = 0; i < 2; i++) {
        hardware h = make_hardware(first_seed, false);
        find_out(&h, false, &sheets[i]);
    }
    for (size_t i = 0; i < WGT_SHEET_COUNT; i++) {
        const wgt_sheet_line *a = &sheets[0].lines[i], *b = &sheets[1].lines[i];
        assert_memory_equal(&a->value, &b->value, sizeof a->value);
        assert_string_equal(a->method, b->method);
    }
}

/* An NVIDIA H200 as it was counted: 132 units, 32 workgroups, 64 subgroups, 48 KiB in steps of 256. */
static void a_known_gpu_is_recovered(void **state) {
    (void)state;
    hardware h = {.units = 132, .slots = 32, .width = 32, .subgroups = 64, .shared = 49152, .granularity = 256,
                  .file = 65536, .step = 8, .parts = 4, .extra = 8, .base = 20, .max_size = 1024,
                  .max_shared = 49152, .launch_ns = 2, .spin_ns = 20, .tells_width = true, .tells_registers = true,
                  .seed = 1};
    wgt_sheet s;
    find_out(&h, true, &s);
    static const struct {
        wgt_sheet_id id;
        double value;
        wgt_confidence least;
    } wanted[] = {{WGT_SHEET_COMPUTE_UNITS, 132, WGT_CONFIDENCE_CERTAIN},
                  {WGT_SHEET_WORKGROUP_SLOTS, 32, WGT_CONFIDENCE_CERTAIN},
                  {WGT_SHEET_INVOCATIONS, 2048, WGT_CONFIDENCE_CERTAIN},
                  {WGT_SHEET_SHARED_BYTES, 49152, WGT_CONFIDENCE_LIKELY},
                  {WGT_SHEET_SHARED_GRANULARITY, 256, WGT_CONFIDENCE_CERTAIN},
                  {WGT_SHEET_SHARED_RESERVE, 0, WGT_CONFIDENCE_CERTAIN},
                  {WGT_SHEET_REGISTERS, 65536, WGT_CONFIDENCE_CERTAIN}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const wgt_sheet_line *line = &s.lines[wanted[i].id];
        if (line->value != wanted[i].value || line->confidence < wanted[i].least) {
            fail_msg("%s is %g (%g to %g), %s", line->name, line->value, line->low, line->high,
                     wgt_confidence_name(line->confidence));
        }
    }
    printf("%u experiments, %g ms, %g ms to compile\n", s.actions, s.gpu_ns * 1e-6, (double)s.compile_ns * 1e-6);
    assert_true(s.gpu_ns < 5e9);
}

int main(void) {
    first_seed = seed_of_this_run();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_gpu_is_recovered),
        cmocka_unit_test(the_same_reports_give_the_same_sheet),
        cmocka_unit_test(imaginary_gpus_are_seen_through_or_called_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
