#include "probe.h"
#include "terminal.h"
#include "../base/number.h"
#include <string.h>

#define TEXT_COLUMN 29
#define LAST_COLUMN 80

static const struct {
    const char *title;
    wgt_sheet_id first, last;
} groups[] = {
    {"residency", WGT_SHEET_COMPUTE_UNITS, WGT_SHEET_REGISTER_GRANULARITY},
    {"memory", WGT_SHEET_READ, WGT_SHEET_CACHE_LEVELS},
    {"arithmetic", WGT_SHEET_FMA, WGT_SHEET_ATOMIC_WORKGROUP},
    {"overheads", WGT_SHEET_LAUNCH, WGT_SHEET_CLOCK_QUANTUM},
};

static const char *const labels[WGT_SHEET_COUNT] = {
    "compute units",     "workgroup slots a unit", "invocations a unit",   "subgroup width",
    "shared memory a unit", "in steps of",         "reserved a workgroup", "registers a unit",
    "in steps of",       "read",                   "write",                "copy",
    "cache levels",      "fma (f32)",              "integer multiply-add", "exp2 (f32)",
    "atomics, one address", "atomics, spread",     "atomics, workgroup",   "workgroups launched",
    "one more dispatch", "clock step"};

static const char *const units[WGT_SHEET_COUNT] = {
    "", "", "", "invocations", "bytes", "bytes", "bytes", "", "an invocation", "GB/s", "GB/s", "GB/s", "",
    "Gflop/s", "Gop/s", "Gop/s", "Gop/s", "Gop/s", "Gop/s", "million/s", "ns", "ns"};

static bool measured_rate(size_t i) { return i >= WGT_SHEET_READ && i != WGT_SHEET_CLOCK_QUANTUM; }

static void put_number(wgt_out *out, size_t i, double value) {
    char text[64];
    if (measured_rate(i) && value < 10000) {
        wgt_number_fixed(value, value < 10 ? 2 : value < 1000 ? 1 : 0, text, sizeof text);
    } else {
        wgt_report_count(measured_rate(i) ? wgt_round_even(value) : value, text, sizeof text);
    }
    wgt_put(out, wgt_str_from(text));
}

/* What is said beside a value that is not certain. */
static void put_range(wgt_out *out, const wgt_sheet_line *line, size_t i) {
    const bool low = !wgt_is_nan(line->low), high = !wgt_is_nan(line->high);
    if (line->confidence == WGT_CONFIDENCE_UNKNOWN) {
        wgt_put(out, low || high ? WGT_STR("unknown, ") : WGT_STR("unknown"));
    }
    if (line->confidence != WGT_CONFIDENCE_UNKNOWN && (line->low == line->high || !low || !high)) {
        return;
    }
    if (low && high) {
        put_number(out, i, line->low);
        wgt_put(out, WGT_STR(" … "));
        put_number(out, i, line->high);
    } else if (low || high) {
        wgt_put(out, low ? WGT_STR("at least ") : WGT_STR("at most "));
        put_number(out, i, low ? line->low : line->high);
    }
}

static const char *mark(wgt_confidence confidence) {
    static const char *const marks[] = {"?", "×", "~", " "};
    return marks[confidence];
}

static void put_method(wgt_out *out, const char *method) {
    size_t column = 0;
    while (*method != '\0') {
        const size_t word = strcspn(method, " ");
        if (column == 0 || column + 1 + word > LAST_COLUMN) {
            wgt_put(out, column == 0 ? WGT_STR("    ") : WGT_STR("\n    "));
            column = 4;
        } else {
            wgt_put_char(out, ' ');
            column++;
        }
        wgt_put(out, (wgt_str){method, word});
        column += word;
        method += word + (method[word] == ' ');
    }
    wgt_put_char(out, '\n');
}

static void put_levels(wgt_out *out, const wgt_sheet *s) {
    for (size_t i = 0; i < s->level_count; i++) {
        char size[64];
        const wgt_cache_level *l = &s->levels[i];
        wgt_putf(out, "    %-26s", i == 0 ? "read rate" : "");
        put_number(out, WGT_SHEET_READ, l->gb_s);
        if (wgt_is_nan(l->bytes)) {
            wgt_put(out, i == 0 ? WGT_STR(" GB/s at all sizes tried\n") : WGT_STR(" GB/s above\n"));
            continue;
        }
        const bool mebi = l->bytes >= 1048576;
        wgt_report_count(mebi ? l->bytes / 1048576 : l->bytes / 1024, size, sizeof size);
        wgt_putf(out, " GB/s up to %s %s\n", size, mebi ? "MiB" : "KiB");
    }
}

static void put_line(wgt_out *out, const wgt_sheet *s, size_t i, bool explain, bool color) {
    const wgt_sheet_line *line = &s->lines[i];
    const bool nested = i == WGT_SHEET_SHARED_GRANULARITY || i == WGT_SHEET_SHARED_RESERVE ||
                        i == WGT_SHEET_REGISTER_GRANULARITY;
    char memory[256];
    wgt_out rest;
    wgt_out_init(&rest, memory, sizeof memory);
    if (line->confidence != WGT_CONFIDENCE_UNKNOWN) {
        put_number(&rest, i, line->value);
        wgt_putf(&rest, "%s%s", units[i][0] != '\0' ? " " : "", units[i]);
    }
    wgt_putf(out, "  %s %s%-*s", mark(line->confidence), nested ? "  " : "", TEXT_COLUMN - 3 - (nested ? 2 : 0),
             labels[i]);
    if (color && line->confidence == WGT_CONFIDENCE_CERTAIN) {
        wgt_putf(out, "\033[1m%s\033[0m", memory);
    } else {
        wgt_put(out, (wgt_str){rest.data, rest.size});
    }
    const size_t before = rest.size;
    for (size_t k = before; k < 20 && before > 0 && line->confidence != WGT_CONFIDENCE_CERTAIN; k++) {
        wgt_put_char(out, ' ');
    }
    if (before > 0 && line->confidence == WGT_CONFIDENCE_MULTIPLE_OF) {
        wgt_put(out, WGT_STR(" or a part of it"));
    } else if (line->confidence != WGT_CONFIDENCE_CERTAIN) {
        wgt_put(out, before > 0 ? WGT_STR(" ") : WGT_STR(""));
        put_range(out, line, i);
    }
    wgt_put_char(out, '\n');
    if (explain) {
        put_method(out, line->method);
    }
}

void wgt_report_probe(wgt_out *out, const wgt_probed *probed, bool explain, bool color) {
    const wgt_sheet *s = &probed->sheet;
    char text[64];
    wgt_report_adapter(out, &probed->adapter);
    wgt_put_char(out, '\n');
    if (probed->adapter.type == WGT_ADAPTER_CPU) {
        wgt_put(out, WGT_STR("a CPU that plays a GPU: its units are threads, its rates say nothing of a GPU\n"));
    }
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        wgt_putf(out, "\n%s\n", groups[g].title);
        for (size_t i = (size_t)groups[g].first; i <= (size_t)groups[g].last; i++) {
            put_line(out, s, i, explain, color);
            if (i == WGT_SHEET_CACHE_LEVELS) {
                put_levels(out, s);
            }
        }
    }
    wgt_put(out, WGT_STR("\n~ likely (range beside it)   × a multiple of the true number   ? unknown\n"));
    wgt_report_time(s->gpu_ns, text, sizeof text);
    wgt_putf(out, "%u experiments: %s of the device, ", s->actions, text);
    wgt_report_time((double)s->compile_ns, text, sizeof text);
    wgt_putf(out, "compiled in %s", text);
    wgt_report_time((double)probed->wall_ns, text, sizeof text);
    wgt_putf(out, ", all in %s\n", text);
    if (probed->remembered) {
        wgt_put(out, WGT_STR("answered from memory, nothing was run; --fresh measures again\n"));
    }
}
