/* The lines of the sheet, each with how it was found and how sure that is. */
#include "probe_internal.h"
#include "../base/number.h"
#include "../base/text.h"

const char *wgt_confidence_name(wgt_confidence confidence) {
    static const char *const words[] = {"unknown", "multiple-of", "likely", "certain"};
    return (unsigned)confidence < 4 ? words[confidence] : "unknown";
}

static const struct {
    const char *name, *unit, *method;
} rows[WGT_SHEET_COUNT] = {
    {"compute_units", "units", "the common step of the most workgroups that were resident at once, over workgroup sizes and arrays"},
    {"workgroup_slots", "workgroups", "resident workgroups of one invocation, a unit"},
    {"invocations_per_unit", "invocations", "from where the resident workgroups step down as the workgroup grows"},
    {"subgroup_size", "invocations", "as the engine and its kernels tell, else from which sizes cost a whole subgroup more"},
    {"shared_bytes_per_unit", "bytes", "from where the resident workgroups step down as the workgroup's array grows"},
    {"shared_granularity_bytes", "bytes", "the common step of the array sizes at which one workgroup less is resident"},
    {"shared_reserve_bytes", "bytes", "by how much each of those array sizes falls short of a share of the unit's memory"},
    {"registers_per_unit", "registers", "resident workgroups of kernels with 24 to 192 live values, which need at least as many registers"},
    {"register_granularity", "registers", "the allocation steps that explain those counts with the driver's register counts"},
    {"read_gb_s", "GB/s", "reading the largest buffer of the sweep, four vec4<f32> at a time, each workgroup from a place of its own"},
    {"write_gb_s", "GB/s", "writing a buffer of that size in the same way"},
    {"copy_gb_s", "GB/s", "copying one buffer of that size to another, bytes read and written both counted"},
    {"cache_levels", "levels", "steps of the read rate as the buffer doubles from 16 KiB on"},
    {"fma_gflop_s", "Gflop/s", "eight independent chains of f32 fma an invocation, two operations each"},
    {"int_gop_s", "Gop/s", "eight independent chains of u32 multiply and add an invocation, two operations each pair"},
    {"transcendental_gop_s", "Gop/s", "eight independent chains of exp2 an invocation, the negation not counted"},
    {"atomic_same_gop_s", "Gop/s", "atomicAdd of every invocation on one address in a storage buffer"},
    {"atomic_spread_gop_s", "Gop/s", "atomicAdd of each invocation on an address of its own in a storage buffer"},
    {"atomic_workgroup_gop_s", "Gop/s", "atomicAdd of each invocation on an address of its own in workgroup memory"},
    {"launch_mworkgroups_s", "million/s", "workgroups of an empty kernel in long dispatches"},
    {"empty_dispatch_ns", "ns", "what one more dispatch of a single empty workgroup costs in a pass"},
    {"clock_quantum_ns", "ns", "the greatest common step of the spans of short kernels"},
};

static void set(wgt_sheet_line *line, double value, double low, double high, wgt_confidence confidence) {
    line->value = confidence == WGT_CONFIDENCE_UNKNOWN ? wgt_nan() : value;
    line->low = low;
    line->high = high;
    line->confidence = confidence;
}

static wgt_confidence at_most(wgt_confidence a, wgt_confidence b) { return a < b ? a : b; }

static void say_more(wgt_sheet_line *line, const char *more) {
    char text[sizeof line->method];
    wgt_format(text, sizeof text, "%s; %s", line->method, more);
    wgt_format(line->method, sizeof line->method, "%s", text);
}

/* What a count a unit can be worth when the units are not. */
static wgt_confidence of_units(const probe_units *u) {
    if (!u->valid) {
        return WGT_CONFIDENCE_UNKNOWN;
    }
    return u->grouping_count > 1 ? WGT_CONFIDENCE_UNKNOWN
                                 : (u->exact ? WGT_CONFIDENCE_CERTAIN : WGT_CONFIDENCE_LIKELY);
}

static void write_units(const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *line = &s->lines[WGT_SHEET_COMPUTE_UNITS];
    if (!u->valid) {
        say_more(line, "no number of like units explains what was counted");
        return;
    }
    if (u->grouping_count > 1) {
        set(line, u->units, wgt_floor((double)u->units / u->grouping_max), u->units, WGT_CONFIDENCE_MULTIPLE_OF);
        say_more(line, "no configuration shows how many of them a unit holds");
    } else {
        set(line, u->units, u->units, u->units, of_units(u));
    }
}

static void write_slots(const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *line = &s->lines[WGT_SHEET_WORKGROUP_SLOTS];
    const wgt_confidence sure = of_units(u);
    if (!u->valid) {
        return;
    }
    if (sure == WGT_CONFIDENCE_UNKNOWN) {
        set(line, wgt_nan(), u->slots, (double)u->slots * u->grouping_max, sure);
    } else if (u->slots_bind) {
        set(line, u->slots, u->slots, u->slots,
            u->slots_alike ? sure : at_most(sure, WGT_CONFIDENCE_LIKELY));
    } else {
        set(line, wgt_nan(), u->slots, wgt_nan(), WGT_CONFIDENCE_UNKNOWN);
        say_more(line, "invocations may bind first, so that there may be more");
    }
}

static void write_invocations(const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *line = &s->lines[WGT_SHEET_INVOCATIONS];
    if (!u->valid) {
        return;
    }
    double low = wgt_infinity(), high = 0;
    for (size_t i = 0; i < u->width_count; i++) {
        const probe_width *w = &u->widths[i];
        const double a = (double)w->low * w->width;
        const double b = w->high == UINT64_MAX ? wgt_infinity() : (double)(w->high - 1) * w->width;
        low = a < low ? a : low;
        high = b > high ? b : high;
    }
    const wgt_confidence sure = of_units(u);
    if (sure == WGT_CONFIDENCE_UNKNOWN || !wgt_is_finite(high) || high > 1.2 * low) {
        set(line, wgt_nan(), low, sure == WGT_CONFIDENCE_UNKNOWN || !wgt_is_finite(high) ? wgt_nan() : high,
            WGT_CONFIDENCE_UNKNOWN);
    } else {
        set(line, low, low, high, low == high ? sure : WGT_CONFIDENCE_LIKELY);
    }
}

static void write_width(const wgt_probe *p, const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *line = &s->lines[WGT_SHEET_SUBGROUP_SIZE];
    const double low = p->width_min == 0 ? wgt_nan() : p->width_min;
    const double high = p->width_max == 0 ? wgt_nan() : p->width_max;
    uint64_t told = WGT_UNKNOWN_U64;
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        if (q->settled && q->kernel == WGT_PROBE_RESIDENCY && q->subgroup_size != WGT_UNKNOWN_U64 &&
            q->subgroup_size != 0) {
            told = q->subgroup_size;
        }
    }
    if (p->width_min != 0 && p->width_min == p->width_max) {
        set(line, low, low, high, WGT_CONFIDENCE_CERTAIN);
    } else if (told != WGT_UNKNOWN_U64) {
        set(line, (double)told, low, high, WGT_CONFIDENCE_CERTAIN);
        say_more(line, "here the driver told what a plain kernel gets");
    } else if (u->valid && u->width_count == 1 && u->grouping_count == 1 && u->widths[0].high != UINT64_MAX) {
        const double width = u->widths[0].width;
        set(line, width, width, width, WGT_CONFIDENCE_LIKELY);
    } else {
        set(line, wgt_nan(), low, high, WGT_CONFIDENCE_UNKNOWN);
    }
}

static void write_range(wgt_sheet_line *line, uint64_t low, uint64_t high, wgt_confidence sure) {
    set(line, (double)low, (double)low, (double)high,
        low == high ? sure : at_most(sure, high <= low + low / 5 ? WGT_CONFIDENCE_LIKELY : WGT_CONFIDENCE_UNKNOWN));
}

static void write_shared(const wgt_probe *p, const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *bytes = &s->lines[WGT_SHEET_SHARED_BYTES];
    wgt_sheet_line *granularity = &s->lines[WGT_SHEET_SHARED_GRANULARITY];
    wgt_sheet_line *reserve = &s->lines[WGT_SHEET_SHARED_RESERVE];
    const wgt_confidence sure = of_units(u);
    probe_shared m = {0};
    if (u->valid) {
        wgt_probe_shared(p, u->units, &m);
    }
    if (!m.valid) {
        if (p->shared_size != 0) {
            say_more(bytes, "one amount in equal steps does not explain what was counted");
        }
        return;
    }
    if (!m.bound || sure == WGT_CONFIDENCE_UNKNOWN) {
        set(bytes, wgt_nan(), m.bound ? wgt_nan() : (double)m.bytes_low, wgt_nan(), WGT_CONFIDENCE_UNKNOWN);
        return;
    }
    write_range(bytes, m.bytes_low, m.bytes_high, sure);
    write_range(granularity, m.granularity_low, m.granularity_high, sure);
    write_range(reserve, m.reserve_low, m.reserve_high, sure);
}

static void write_registers(const wgt_probe *p, const probe_units *u, wgt_sheet *s) {
    wgt_sheet_line *line = &s->lines[WGT_SHEET_REGISTERS], *step = &s->lines[WGT_SHEET_REGISTER_GRANULARITY];
    probe_registers r;
    wgt_probe_registers(p, u, &r);
    const wgt_confidence sure = of_units(u);
    set(line, r.value, r.low, r.high, at_most(r.confidence, sure));
    if (r.by_driver) {
        say_more(line, "with the driver's register counts");
        const bool one = r.granularity_low == r.granularity_high;
        set(step, r.granularity_low, r.granularity_low, r.granularity_high,
            one ? at_most(WGT_CONFIDENCE_LIKELY, sure) : WGT_CONFIDENCE_UNKNOWN);
    }
}

static void write_rate(const probe_rate *r, wgt_sheet_line *line, double scale) {
    if (r->finished) {
        set(line, r->value * scale, r->low * scale, r->high * scale, WGT_CONFIDENCE_LIKELY);
    }
}

static void write_rates(const wgt_probe *p, wgt_sheet *s) {
    static const wgt_sheet_id ids[] = {WGT_SHEET_WRITE, WGT_SHEET_COPY, WGT_SHEET_FMA, WGT_SHEET_INT,
                                       WGT_SHEET_TRANSCENDENTAL, WGT_SHEET_ATOMIC_SAME, WGT_SHEET_ATOMIC_SPREAD,
                                       WGT_SHEET_ATOMIC_WORKGROUP, WGT_SHEET_LAUNCH};
    for (size_t i = 0; i < sizeof ids / sizeof *ids && i < p->rate_count; i++) {
        write_rate(&p->rates[i], &s->lines[ids[i]], ids[i] == WGT_SHEET_LAUNCH ? 1e3 : 1);
    }
    if (p->sweep_count > 0) {
        write_rate(&p->sweep[p->sweep_count - 1], &s->lines[WGT_SHEET_READ], 1);
        s->level_count = wgt_probe_levels(p, s->levels);
        set(&s->lines[WGT_SHEET_CACHE_LEVELS], (double)s->level_count, wgt_nan(), wgt_nan(), WGT_CONFIDENCE_LIKELY);
    }
    if (p->empty_many > 1 && p->empty_many_ns > p->empty_one_ns) {
        const double each = (p->empty_many_ns - p->empty_one_ns) / (p->empty_many - 1);
        set(&s->lines[WGT_SHEET_EMPTY_DISPATCH], each, each, p->empty_many_ns / p->empty_many, WGT_CONFIDENCE_LIKELY);
    }
    if (p->quantum_ns > 0) {
        set(&s->lines[WGT_SHEET_CLOCK_QUANTUM], p->quantum_ns, p->quantum_ns, p->quantum_ns, WGT_CONFIDENCE_LIKELY);
    }
}

void wgt_probe_names(wgt_sheet *s) {
    *s = (wgt_sheet){0};
    for (size_t i = 0; i < WGT_SHEET_COUNT; i++) {
        wgt_sheet_line *line = &s->lines[i];
        line->name = rows[i].name;
        line->unit = rows[i].unit;
        wgt_format(line->method, sizeof line->method, "%s", rows[i].method);
        set(line, wgt_nan(), wgt_nan(), wgt_nan(), WGT_CONFIDENCE_UNKNOWN);
    }
}

void wgt_probe_sheet(const wgt_probe *p, wgt_sheet *s) {
    wgt_probe_names(s);
    s->gpu_ns = p->gpu_ns;
    s->compile_ns = p->compile_ns;
    s->actions = p->action.id;
    s->interrupted = p->interrupted;
    probe_units u;
    wgt_probe_units(p, true, &u);
    write_units(&u, s);
    write_slots(&u, s);
    write_invocations(&u, s);
    write_width(p, &u, s);
    write_shared(p, &u, s);
    write_registers(p, &u, s);
    write_rates(p, s);
}
