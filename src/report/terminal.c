#include "terminal.h"
#include "../base/number.h"
#include <string.h>

#define BAR_CELLS 10
#define MAX_ROWS 16
#define FASTEST_ROWS 10
#define MAX_EXCUSES 6

typedef struct unit {
    const char *name;
    double ns;
} unit;

static const unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}};

static unit unit_for(double ns) {
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && ns < units[i].ns) {
        i++;
    }
    return units[i];
}

static unsigned decimals_for(double value) {
    return value < 1 ? 3 : value < 10 ? 2 : value < 1000 ? 1 : 0;
}

size_t wgt_report_time(double ns, char *text, size_t capacity) {
    unit u = unit_for(ns);
    char number[64];
    bool whole_ns = u.ns < 2 && wgt_floor(ns) == ns;
    wgt_number_fixed(ns / u.ns, whole_ns ? 0 : decimals_for(ns / u.ns), number, sizeof number);
    return wgt_format(text, capacity, "%s %s", number, u.name);
}

size_t wgt_report_count(double value, char *text, size_t capacity) {
    char plain[WGT_NUMBER_SIZE];
    size_t size = wgt_number_format(value, plain);
    bool grouped = value >= 10000 && value < 1e15 && wgt_floor(value) == value;
    wgt_out out;
    wgt_out_init(&out, text, capacity);
    for (size_t i = 0; i < size; i++) {
        if (grouped && i > 0 && (size - i) % 3 == 0) {
            wgt_put_char(&out, ',');
        }
        wgt_put_char(&out, plain[i]);
    }
    return out.size;
}

static void put_dot(wgt_out *out) { wgt_put(out, WGT_STR(" · ")); }

static void put_time(wgt_out *out, double ns) {
    char text[64];
    wgt_report_time(ns, text, sizeof text);
    wgt_put(out, wgt_str_from(text));
}

void wgt_report_adapter(wgt_out *out, const wgt_adapter *a) {
    wgt_put(out, wgt_str_from(a->device[0] != '\0' ? a->device : "unnamed adapter"));
    if (a->type == WGT_ADAPTER_CPU) {
        wgt_put(out, WGT_STR(" (a CPU adapter)"));
    }
    put_dot(out);
    wgt_put(out, wgt_str_from(a->backend));
    put_dot(out);
    wgt_putf(out, "%s%s%s", a->engine, a->engine_version[0] != '\0' ? " " : "", a->engine_version);
    if (a->driver[0] != '\0') {
        put_dot(out);
        wgt_putf(out, "driver %s", a->driver);
    }
}

static void put_job(wgt_out *out, const wgt_result *r) {
    wgt_putf(out, "%.*s:%.*s", (int)r->kernel.size, r->kernel.data, (int)r->entry.size, r->entry.data);
    for (size_t i = 0; i < r->problem_count; i++) {
        char number[64];
        wgt_report_count(r->problem[i].value, number, sizeof number);
        wgt_put(out, i == 0 ? WGT_STR(" · ") : WGT_STR(", "));
        wgt_putf(out, "%.*s = %s", (int)r->problem[i].name.size, r->problem[i].name.data, number);
    }
    wgt_put_char(out, '\n');
    if (r->clock.timestamps && r->clock.quantum_ns > 0) {
        wgt_put(out, WGT_STR("clock steps "));
        put_time(out, r->clock.quantum_ns);
    } else {
        wgt_put(out, r->clock.timestamps ? WGT_STR("timestamps") : WGT_STR("timed by the host's clock"));
    }
    put_dot(out);
    wgt_putf(out, "%u rounds in ", r->summary.rounds);
    put_time(out, r->summary.gpu_ns);
    wgt_put(out, WGT_STR(" of the device, compiled in "));
    put_time(out, (double)r->summary.compile_ns);
    wgt_put(out, WGT_STR(", all in "));
    put_time(out, (double)r->summary.wall_ns);
    wgt_put_char(out, '\n');
}

/* The table --------------------------------------------------------------------------------------------- */

static bool timed(const wgt_candidate_result *c) {
    return (c->candidate.status == WGT_CANDIDATE_OK || c->candidate.status == WGT_CANDIDATE_DROPPED) &&
           c->samples > 0;
}

/* Constants that are the same everywhere say nothing. */
static bool varies(const wgt_result *r, size_t k) {
    for (size_t i = 1; i < r->candidate_count; i++) {
        double a = r->candidates[i].candidate.constants[k], b = r->candidates[0].candidate.constants[k];
        if (a < b || a > b) {
            return true;
        }
    }
    return r->candidate_count < 2;
}

static size_t count_varying(const wgt_result *r) {
    size_t count = 0;
    for (size_t k = 0; k < r->constant_count; k++) {
        count += varies(r, k);
    }
    return count;
}

static bool power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

static uint64_t invocations(const wgt_candidate *c) {
    return (uint64_t)c->workgroup[0] * c->workgroup[1] * c->workgroup[2];
}

/* Of a search space no order of the constants tells much: its fastest do. */
static bool among_fastest(const wgt_result *r, size_t i) {
    size_t faster = 0;
    for (size_t k = 0; k < r->candidate_count; k++) {
        faster += timed(&r->candidates[k]) && r->candidates[k].median_ns < r->candidates[i].median_ns;
    }
    return faster < FASTEST_ROWS;
}

static bool telling(const wgt_result *r, size_t i) {
    const wgt_summary *s = &r->summary;
    return i == s->fastest || (s->pick.reason != WGT_PICK_NONE && i == s->pick.candidate) ||
           (s->portable_pick.reason != WGT_PICK_NONE && i == s->portable_pick.candidate) ||
           (count_varying(r) <= 1 ? power_of_two(invocations(&r->candidates[i].candidate)) : among_fastest(r, i));
}

static size_t count_timed(const wgt_result *r, double *worst, double *best) {
    size_t count = 0;
    *worst = 0;
    *best = wgt_infinity();
    for (size_t i = 0; i < r->candidate_count; i++) {
        if (timed(&r->candidates[i])) {
            double median = r->candidates[i].median_ns;
            *worst = median > *worst ? median : *worst;
            *best = median < *best ? median : *best;
            count++;
        }
    }
    return count;
}

/* Padded to BAR_CELLS columns where something follows. */
static void put_bar(wgt_out *out, double fraction, bool padded) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned steps = (unsigned)wgt_round_even(fraction * BAR_CELLS * 8);
    steps = steps > BAR_CELLS * 8 ? BAR_CELLS * 8 : steps < 1 ? 1 : steps;
    for (unsigned i = 0; i < steps / 8; i++) {
        wgt_put(out, WGT_STR("█"));
    }
    wgt_put(out, wgt_str_from(eighths[steps % 8]));
    for (unsigned i = (steps + 7) / 8; padded && i < BAR_CELLS; i++) {
        wgt_put_char(out, ' ');
    }
}

static size_t name_width(const wgt_result *r, size_t k) {
    return r->constant_names[k].size < 5 ? 5 : r->constant_names[k].size;
}

/* Pads by columns, not bytes: every non-ASCII character here is one column wide. */
static void put_right(wgt_out *out, const char *text, size_t columns) {
    size_t width = 0;
    for (const char *p = text; *p != '\0'; p++) {
        width += ((unsigned char)*p & 0xC0) != 0x80;
    }
    for (; width < columns; width++) {
        wgt_put_char(out, ' ');
    }
    wgt_put(out, wgt_str_from(text));
}

static bool knows_registers(const wgt_result *r) {
    for (size_t i = 0; i < r->candidate_count; i++) {
        if (timed(&r->candidates[i]) && r->candidates[i].registers != WGT_UNKNOWN_U64) {
            return true;
        }
    }
    return false;
}

/* The driver's word, "64+208 B" with 208 bytes of spill or local arrays an invocation. */
static void put_registers(wgt_out *out, const wgt_candidate_result *c) {
    char text[64] = "";
    if (c->registers != WGT_UNKNOWN_U64) {
        bool spills = c->spill_bytes != WGT_UNKNOWN_U64 && c->spill_bytes > 0;
        size_t size = wgt_format(text, sizeof text, "%llu", (unsigned long long)c->registers);
        if (spills) {
            wgt_format(text + size, sizeof text - size, "+%llu B", (unsigned long long)c->spill_bytes);
        }
    }
    put_right(out, text, 11);
}

static bool knows_residency(const wgt_result *r) {
    for (size_t i = 0; i < r->candidate_count; i++) {
        if (timed(&r->candidates[i]) && r->candidates[i].resident != WGT_UNKNOWN_U64) {
            return true;
        }
    }
    return false;
}

/* Workgroups resident at once: a unit where the device's units are known ("~8.73" where no whole number is near), else on
 * the whole device. */
static void put_residency(wgt_out *out, const wgt_result *r, const wgt_candidate_result *c) {
    char text[64] = "";
    const wgt_resident_unit each = wgt_resident_per_unit(c->resident, r->compute_units);
    if (c->resident != WGT_UNKNOWN_U64 && !wgt_is_nan(each.workgroups)) {
        wgt_format(text, sizeof text, "%s%g", each.exact ? "" : "~", each.workgroups);
    } else if (c->resident != WGT_UNKNOWN_U64) {
        wgt_report_count((double)c->resident, text, sizeof text);
    }
    put_right(out, text, 10);
}

static void put_header(wgt_out *out, const wgt_result *r) {
    for (size_t k = 0; k < r->constant_count; k++) {
        char name[64];
        wgt_format(name, sizeof name, "%.*s", (int)r->constant_names[k].size, r->constant_names[k].data);
        wgt_put_char(out, ' ');
        put_right(out, name, name_width(r, k));
    }
    wgt_put(out, WGT_STR("         time   95 % interval      × best"));
    bool residency = knows_residency(r), registers = knows_registers(r);
    wgt_put(out, residency || registers ? WGT_STR("            ") : WGT_STR(""));
    if (residency) {
        wgt_put(out, r->compute_units > 0 ? WGT_STR("  per unit") : WGT_STR("  resident"));
    }
    if (registers) {
        wgt_put(out, WGT_STR("  registers"));
    }
    wgt_put_char(out, '\n');
}

static const char *mark(const wgt_result *r, size_t i) {
    const wgt_pick *pick = &r->summary.pick;
    if (pick->reason != WGT_PICK_NONE && pick->candidate == i) {
        return "★";
    }
    if (r->summary.shape == WGT_SHAPE_UNRANKED) {
        return " ";
    }
    return r->candidates[i].tie == WGT_TIE_IN ? "=" : r->candidates[i].tie == WGT_TIE_OUT ? " " : "?";
}

static void put_interval(wgt_out *out, const wgt_candidate_result *c, unit u) {
    char text[64];
    if (wgt_is_nan(c->interval_ns[0])) {
        wgt_format(text, sizeof text, "%u samples", c->samples);
    } else {
        double low = c->median_ns - c->interval_ns[0], high = c->interval_ns[1] - c->median_ns;
        double half = (high > low ? high : low) / u.ns;
        char number[64];
        wgt_number_fixed(half, decimals_for(half) > 2 ? 2 : decimals_for(half), number, sizeof number);
        wgt_format(text, sizeof text, "±%s %s", number, u.name);
    }
    put_right(out, text, 13);
}

static void put_row(wgt_out *out, const wgt_result *r, size_t i, unit u, double worst, bool color) {
    const wgt_candidate_result *c = &r->candidates[i];
    for (size_t k = 0; k < r->constant_count; k++) {
        char value[WGT_NUMBER_SIZE];
        wgt_number_format(c->candidate.constants[k], value);
        wgt_put_char(out, ' ');
        put_right(out, value, name_width(r, k));
    }
    char number[64], text[80];
    wgt_number_fixed(c->median_ns / u.ns, decimals_for(c->median_ns / u.ns), number, sizeof number);
    wgt_format(text, sizeof text, "%s %s", number, u.name);
    put_right(out, text, 13);
    wgt_put(out, WGT_STR("   "));
    put_interval(out, c, u);
    const char *sign = mark(r, i);
    bool picked = sign[0] != ' ' && sign[0] != '=' && sign[0] != '?';
    wgt_put(out, WGT_STR("   "));
    wgt_put(out, color && picked ? WGT_STR("\033[1;32m") : WGT_STR(""));
    wgt_put(out, wgt_str_from(sign));
    if (wgt_is_nan(c->ratio)) {
        wgt_put(out, WGT_STR("     —"));
    } else {
        wgt_number_fixed(c->ratio, 2, number, sizeof number);
        put_right(out, number, 6);
    }
    wgt_put(out, WGT_STR("  "));
    bool registers = knows_registers(r), residency = knows_residency(r);
    put_bar(out, worst > 0 ? c->median_ns / worst : 1, registers || residency);
    if (residency) {
        put_residency(out, r, c);
    }
    if (registers) {
        put_registers(out, c);
    }
    wgt_put(out, color && picked ? WGT_STR("\033[0m") : WGT_STR(""));
    if (c->candidate.status == WGT_CANDIDATE_DROPPED) {
        wgt_put(out, WGT_STR(" dropped"));
    }
    wgt_put_char(out, '\n');
}

static void put_table(wgt_out *out, const wgt_result *r, const wgt_terminal_options *o) {
    double worst, best;
    size_t count = count_timed(r, &worst, &best), left_out = 0;
    if (count == 0) {
        return;
    }
    unit u = unit_for(best);
    wgt_put_char(out, '\n');
    put_header(out, r);
    for (size_t i = 0; i < r->candidate_count; i++) {
        if (!timed(&r->candidates[i])) {
            continue;
        }
        if (!o->full && count > MAX_ROWS && !telling(r, i)) {
            left_out++;
            continue;
        }
        put_row(out, r, i, u, worst, o->color);
    }
    if (left_out > 0) {
        wgt_putf(out, "  (%zu more: --full)\n", left_out);
    }
}

/* All of them by name; without names only those that vary, as "64" or "(32, 8)". */
static void put_constants(wgt_out *out, const wgt_result *r, const wgt_candidate *c, bool names) {
    bool several = !names && count_varying(r) > 1, first = true;
    if (r->constant_count == 0) {
        wgt_putf(out, "%u×%u×%u as written", c->workgroup[0], c->workgroup[1], c->workgroup[2]);
    }
    wgt_put(out, several ? WGT_STR("(") : WGT_STR(""));
    for (size_t k = 0; k < r->constant_count; k++) {
        if (!names && !varies(r, k)) {
            continue;
        }
        char value[WGT_NUMBER_SIZE];
        wgt_number_format(c->constants[k], value);
        wgt_put(out, first ? WGT_STR("") : WGT_STR(", "));
        first = false;
        if (names) {
            wgt_putf(out, "%.*s = ", (int)r->constant_names[k].size, r->constant_names[k].data);
        }
        wgt_put(out, wgt_str_from(value));
    }
    wgt_put(out, several ? WGT_STR(")") : WGT_STR(""));
}

/* What kept candidates out: the first few, and how many more. */
static void put_excuses(wgt_out *out, const wgt_result *r) {
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < r->candidate_count; i++) {
        const wgt_candidate *c = &r->candidates[i].candidate;
        if (c->status == WGT_CANDIDATE_OK || c->status == WGT_CANDIDATE_DROPPED) {
            continue;
        }
        if (shown == MAX_EXCUSES) {
            hidden++;
            continue;
        }
        wgt_put(out, shown++ == 0 ? WGT_STR("\n") : WGT_STR(""));
        wgt_putf(out, "%-9s ", wgt_candidate_status_name(c->status));
        put_constants(out, r, c, true);
        wgt_putf(out, ": %s\n", c->reason[0] != '\0' ? c->reason : "no reason given");
    }
    if (hidden > 0) {
        wgt_putf(out, "          and %zu more: --json\n", hidden);
    }
}

/* The verdict --------------------------------------------------------------------------------------------- */

static void put_percent(wgt_out *out, double fraction) {
    char number[64];
    double percent = fraction * 100;
    unsigned decimals = wgt_abs(percent - wgt_round_even(percent)) < 1e-9 ? 0 : 1;
    wgt_number_fixed(percent, decimals, number, sizeof number);
    wgt_putf(out, "%s %%", number);
}

static void put_ties(wgt_out *out, const wgt_result *r) {
    size_t tied = 0, in = 0;
    for (size_t i = 0; i < r->candidate_count; i++) {
        in += r->candidates[i].tie == WGT_TIE_IN;
    }
    if (r->summary.shape == WGT_SHAPE_UNRANKED) {
        return;
    }
    for (size_t i = 0; i < r->candidate_count; i++) {
        const wgt_candidate_result *c = &r->candidates[i];
        if (c->tie != WGT_TIE_IN || i == r->summary.pick.candidate) {
            continue;
        }
        if (tied == 8) {
            wgt_putf(out, " and %zu more", in - tied - 1);
            break;
        }
        wgt_put(out, tied++ == 0 ? WGT_STR("   tied with ") : WGT_STR(", "));
        put_constants(out, r, &c->candidate, false);
    }
    if (tied > 0) {
        wgt_put(out, WGT_STR(" (within "));
        put_percent(out, r->tolerance);
        wgt_put(out, WGT_STR(")"));
    }
}

static void put_portable(wgt_out *out, const wgt_result *r) {
    const wgt_pick *pick = &r->summary.pick, *portable = &r->summary.portable_pick;
    wgt_candidate c = r->candidates[pick->candidate].candidate;
    const wgt_limits limits = wgt_limits_portable();
    c.status = WGT_CANDIDATE_OK;
    if (wgt_candidate_check(&limits, &c)) {
        return;
    }
    wgt_putf(out, "          beyond WebGPU's default limits: %s\n", c.reason);
    if (portable->reason == WGT_PICK_NONE) {
        return;
    }
    const wgt_candidate_result *p = &r->candidates[portable->candidate];
    wgt_put(out, WGT_STR("          with the default limits: "));
    put_constants(out, r, &p->candidate, false);
    double slower = p->median_ns / r->candidates[pick->candidate].median_ns - 1;
    if (slower > 0 && r->summary.shape != WGT_SHAPE_UNRANKED) {
        wgt_put(out, WGT_STR(", "));
        put_percent(out, slower);
        wgt_put(out, WGT_STR(" slower"));
    }
    wgt_put_char(out, '\n');
}

static const char *reason_text(wgt_pick_reason reason) {
    switch (reason) {
    case WGT_PICK_FASTEST:
        return "the fastest";
    case WGT_PICK_TIE_KEPT:
        return "as before, still in the tie";
    case WGT_PICK_TIE_PORTABLE:
        return "the portable size, in the tie";
    case WGT_PICK_TIE_AUTHOR:
        return "the author's own, in the tie";
    case WGT_PICK_TIE_SMALLEST:
        return "the smallest in the tie";
    case WGT_PICK_ONLY:
        return "the only valid one";
    case WGT_PICK_DEFAULT:
        return "the default, not measured";
    case WGT_PICK_NONE:
        break;
    }
    return "none";
}

static void put_speedup(wgt_out *out, const wgt_result *r) {
    const struct {
        double value;
        const char *over;
    } rows[] = {{r->summary.pick.speedup_over_default, "the author's default"},
                {r->summary.pick.speedup_over_worst, "the slowest"}};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (!(rows[i].value > 1.005)) {
            continue;
        }
        char number[64];
        wgt_number_fixed(rows[i].value, 2, number, sizeof number);
        wgt_putf(out, "%s%s× as fast as %s", any ? ", " : "          ", number, rows[i].over);
        any = true;
    }
    if (any) {
        wgt_put_char(out, '\n');
    }
}

static void put_pick(wgt_out *out, const wgt_result *r) {
    const wgt_pick *pick = &r->summary.pick;
    if (pick->reason == WGT_PICK_NONE) {
        wgt_putf(out, "\npick      none: %s\n", r->summary.reason);
        return;
    }
    wgt_put(out, WGT_STR("\npick      "));
    put_constants(out, r, &r->candidates[pick->candidate].candidate, true);
    if (r->summary.shape == WGT_SHAPE_UNRANKED) {
        wgt_put(out, WGT_STR("   by preference: the noise does not rank the candidates"));
    } else {
        wgt_putf(out, "   %s", reason_text(pick->reason));
    }
    wgt_put_char(out, '\n');
    wgt_out line = {0};
    char memory[512];
    wgt_out_init(&line, memory, sizeof memory);
    put_ties(&line, r);
    if (line.size > 3) {
        wgt_putf(out, "          %s\n", line.data + 3);
    }
    put_portable(out, r);
    if (r->summary.shape != WGT_SHAPE_UNRANKED) {
        put_speedup(out, r);
    }
}

static void put_text(wgt_out *out, const char *label, wgt_str text) {
    /* Wrapped at eighty columns, ten of them the label's. */
    size_t column = 0;
    wgt_putf(out, "%-10s", label);
    while (text.size > 0) {
        const char *space = memchr(text.data, ' ', text.size);
        size_t word = space == NULL ? text.size : (size_t)(space - text.data);
        if (column > 0 && column + 1 + word > 70) {
            wgt_put(out, WGT_STR("\n          "));
            column = 0;
        }
        if (column > 0) {
            wgt_put_char(out, ' ');
            column++;
        }
        wgt_put(out, (wgt_str){text.data, word});
        column += word;
        size_t step = word + (word < text.size ? 1 : 0);
        text.data += step;
        text.size -= step;
    }
    wgt_put_char(out, '\n');
}

static void put_named_text(wgt_out *out, const char *label, wgt_str name, wgt_str text) {
    char memory[1024];
    wgt_out line;
    wgt_out_init(&line, memory, sizeof memory);
    wgt_put(&line, name);
    if (text.size > 0) {
        wgt_putf(&line, ": %.*s", (int)text.size, text.data);
    }
    put_text(out, label, (wgt_str){line.data, line.size});
}

static void put_bandwidth(wgt_out *out, const wgt_result *r) {
    if (!(r->achieved_gb_s > 0)) {
        return;
    }
    char number[64];
    wgt_number_fixed(r->achieved_gb_s, decimals_for(r->achieved_gb_s), number, sizeof number);
    wgt_putf(out, "moves     %s GB/s by the job's own count of bytes\n", number);
}

void wgt_report_result(wgt_out *out, const wgt_result *r, const wgt_terminal_options *o) {
    wgt_report_adapter(out, &r->adapter);
    wgt_put_char(out, '\n');
    put_job(out, r);
    put_table(out, r, o);
    put_excuses(out, r);
    put_pick(out, r);
    const char *shape = wgt_shape_name(r->summary.shape);
    if (shape != NULL) {
        put_named_text(out, "shape", wgt_str_from(shape), r->shape_text);
    }
    if (r->limiter.size > 0) {
        put_named_text(out, "limiter", r->limiter, r->limiter_text);
    }
    put_bandwidth(out, r);
    for (size_t i = 0; i < r->warning_count; i++) {
        put_text(out, "note", r->warnings[i]);
    }
    if (o->saved != NULL && r->source == WGT_SOURCE_WISDOM) {
        wgt_putf(out, "wisdom    answered from memory, nothing was run (%s", o->saved);
        if (r->measured_at.size > 0) {
            wgt_putf(out, ", measured %.*s", (int)r->measured_at.size, r->measured_at.data);
        }
        wgt_put(out, WGT_STR("); --fresh measures again\n"));
    } else if (o->saved != NULL) {
        wgt_putf(out, "saved     %s\n", o->saved);
    }
}
