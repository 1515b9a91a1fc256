#include "arch_table.h"
#include "../base/text.h"

typedef uint64_t rows; /* a set of rows */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c) {
    c = lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
}

#define WORDS_SIZE 256

/* The words of a name in lower case, one space apart and around; marks such as (TM) and (R) are
 * left out. */
static wgt_str words_of(wgt_str name, char memory[WORDS_SIZE]) {
    size_t size = 0;
    memory[size++] = ' ';
    for (size_t i = 0; i < name.size;) {
        size_t start = i;
        while (i < name.size && is_word(name.data[i])) {
            i++;
        }
        wgt_str word = {name.data + start, i - start};
        bool mark = wgt_str_is(word, "TM") || wgt_str_is(word, "R") || wgt_str_is(word, "tm");
        if (word.size == 0) {
            i++;
        } else if (!mark && size + word.size + 1 < WORDS_SIZE) {
            for (size_t k = 0; k < word.size; k++) {
                memory[size++] = lower(word.data[k]);
            }
            memory[size++] = ' ';
        }
    }
    return (wgt_str){memory, size};
}

/* Whether the words of the pattern stand in `words` in a row; '#' is a digit. */
static bool has_words(wgt_str words, const char *pattern) {
    wgt_str p = wgt_str_from(pattern);
    for (size_t at = 0; at + p.size + 2 <= words.size; at++) {
        size_t i = 0;
        while (i < p.size) {
            char c = words.data[at + 1 + i];
            if (p.data[i] == '#' ? c < '0' || c > '9' : c != p.data[i]) {
                break;
            }
            i++;
        }
        if (i == p.size && words.data[at] == ' ' && words.data[at + 1 + i] == ' ') {
            return true;
        }
    }
    return false;
}

typedef struct vendor_word {
    const char *word;
    uint32_t vendor_id;
} vendor_word;
static const vendor_word vendor_words[] = {
    {"nvidia", 0x10de},   {"geforce", 0x10de},   {"quadro", 0x10de}, {"tegra", 0x10de},
    {"amd", 0x1002},      {"ati", 0x1002},       {"radeon", 0x1002}, {"radv", 0x1002},
    {"advanced", 0x1002}, {"intel", 0x8086},     {"apple", 0x106b},  {"qualcomm", 0x5143},
    {"adreno", 0x5143},   {"arm", 0x13b5},       {"mali", 0x13b5},   {"immortalis", 0x13b5},
    {"mesa", 0x10005},    {"llvmpipe", 0x10005}, {"google", 0x1ae0}, {"swiftshader", 0x1ae0},
    {"samsung", 0x144d},  {"xclipse", 0x144d}};

static uint32_t vendor_of(const wgt_evidence *e, wgt_str words) {
    char memory[WORDS_SIZE];
    wgt_str vendor = words_of(e->vendor, memory);
    if (e->vendor_id != 0) {
        return e->vendor_id;
    }
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof vendor_words / sizeof *vendor_words; i++) {
            if (has_words(pass == 0 ? vendor : words, vendor_words[i].word)) {
                return vendor_words[i].vendor_id;
            }
        }
    }
    return 0;
}

/* Samsung's Xclipse is AMD's design. */
static rows rows_of_vendor(uint32_t vendor_id) {
    rows set = 0;
    uint32_t wanted = vendor_id == 0x144d ? 0x1002 : vendor_id;
    for (size_t i = 0; i < wgt_arch_row_count; i++) {
        set |= wgt_arch_rows[i].vendor_id == wanted ? (rows)1 << i : 0;
    }
    return set;
}

static rows rows_of_pci(uint32_t vendor_id, uint32_t device_id) {
    rows set = 0;
    for (size_t i = 0; i < wgt_pci_row_count; i++) {
        const wgt_pci_row *row = &wgt_pci_rows[i];
        if (row->vendor_id == vendor_id && device_id >= row->first && device_id <= row->last) {
            set |= row->archs;
        }
    }
    return set;
}

/* Product names, and ids or aliases that drivers put into names: "(RADV NAVI21)", "gfx1036". Short
 * aliases ("m2", "g76") are words of too many other things. */
#define SHORTEST_ALIAS 5
static rows rows_of_words(wgt_str words) {
    rows set = 0;
    for (size_t i = 0; i < wgt_name_row_count; i++) {
        set |= has_words(words, wgt_name_rows[i].pattern) ? wgt_name_rows[i].archs : 0;
    }
    for (size_t i = 0; i < wgt_arch_row_count; i++) {
        const wgt_arch *arch = &wgt_arch_rows[i];
        bool named = wgt_str_from(arch->id).size >= SHORTEST_ALIAS && has_words(words, arch->id);
        for (size_t k = 0; arch->aliases[k] != NULL && !named; k++) {
            named = wgt_str_from(arch->aliases[k]).size >= SHORTEST_ALIAS &&
                    has_words(words, arch->aliases[k]);
        }
        set |= named ? (rows)1 << i : 0;
    }
    return set;
}

static bool same_text(wgt_str a, const char *b) {
    wgt_str other = wgt_str_from(b);
    if (a.size != other.size || a.size == 0) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (lower(a.data[i]) != lower(other.data[i])) {
            return false;
        }
    }
    return true;
}

/* Apple reports a feature family that several chips share: "metal-3", "common-3". */
static bool says_architecture(const wgt_arch *arch, wgt_str word) {
    if (arch->unit.rule == WGT_RULE_APPLE) {
        return wgt_str_starts(word, "metal-") || wgt_str_starts(word, "common-");
    }
    return same_text(word, arch->webgpu_architecture) || same_text(word, arch->id);
}

static bool fits_subgroups(const wgt_arch *arch, const wgt_evidence *e) {
    const wgt_unit *u = &arch->unit;
    return u->subgroup_min == 0 || ((e->subgroup_min == 0 || e->subgroup_min >= u->subgroup_min) &&
                                    (e->subgroup_max == 0 || e->subgroup_max <= u->subgroup_max));
}

/* 0 is unknown on either side and contradicts nothing. */
static bool agrees(uint64_t evidence, uint64_t table) {
    return evidence == 0 || table == 0 || evidence == table;
}

static bool fits_properties(const wgt_arch *arch, const wgt_evidence *e) {
    const wgt_unit *u = &arch->unit;
    uint64_t simds = u->simds > 0 ? u->simds : 1;
    uint64_t narrow = u->subgroup_min > 0 ? u->registers / simds / u->subgroup_min : 0;
    uint64_t wide = u->subgroup_max > 0 ? u->registers / simds / u->subgroup_max : 0;
    return agrees(e->warps_per_unit, u->max_subgroups) && agrees(e->simds_per_unit, u->simds) &&
           agrees(e->waves_per_simd, u->max_subgroups / simds) &&
           (agrees(e->vgprs_per_simd, narrow) || agrees(e->vgprs_per_simd, wide));
}

/* What was counted: workgroup slots where workgroups of one subgroup need one too; the rest on a
 * unit or on a pair of them. */
static bool fits_probe(const wgt_arch *arch, const wgt_evidence *e) {
    const wgt_unit *u = &arch->unit, *pair = &arch->shared_unit;
    uint64_t lanes = u->rule == WGT_RULE_MALI ? u->max_invocations
                                              : (uint64_t)u->max_subgroups * u->subgroup_max;
    uint64_t pair_lanes =
        u->rule == WGT_RULE_MALI ? lanes : (uint64_t)pair->max_subgroups * u->subgroup_max;
    bool counts_slots = u->rule == WGT_RULE_NVIDIA;
    return (!counts_slots || agrees(e->workgroup_slots, u->workgroup_slots)) &&
           (agrees(e->invocations_per_unit, lanes) ||
            agrees(e->invocations_per_unit, pair_lanes)) &&
           (agrees(e->registers_per_unit, u->registers) ||
            agrees(e->registers_per_unit, pair->registers));
}

/* Keeps what is in both sets, unless that is nothing: then the evidence is passed over. */
static void narrow(rows *set, rows allowed, unsigned by, unsigned *used) {
    if ((*set & allowed) != 0 && (*set & allowed) != *set) {
        *set &= allowed;
        *used |= by;
    } else if ((*set & allowed) != 0 && by != WGT_BY_SUBGROUP && by != WGT_BY_PROPERTIES &&
               by != WGT_BY_PROBE) {
        *used |= by; /* it named just what was left */
    }
}

static rows rows_where(const wgt_evidence *e,
                       bool (*fits)(const wgt_arch *, const wgt_evidence *)) {
    rows set = 0;
    for (size_t i = 0; i < wgt_arch_row_count; i++) {
        set |= fits(&wgt_arch_rows[i], e) ? (rows)1 << i : 0;
    }
    return set;
}

static bool fits_architecture(const wgt_arch *arch, const wgt_evidence *e) {
    return e->architecture.size > 0 && says_architecture(arch, e->architecture);
}

void wgt_arch_identify(const wgt_evidence *evidence, wgt_identified *identified) {
    char device[WORDS_SIZE], description[WORDS_SIZE], driver[WORDS_SIZE];
    wgt_str device_words = words_of(evidence->device, device);
    wgt_str description_words = words_of(evidence->description, description);
    uint32_t vendor = vendor_of(evidence, device_words);
    vendor = vendor != 0 ? vendor : vendor_of(evidence, description_words);
    rows set = vendor != 0 ? rows_of_vendor(vendor) : ~(rows)0;
    unsigned by = vendor != 0 && set != 0 ? WGT_BY_VENDOR : 0;
    if (wgt_arch_row_count < 64) {
        set &= ((rows)1 << wgt_arch_row_count) - 1;
    }
    if (vendor != 0) {
        narrow(&set, rows_of_pci(vendor, evidence->device_id), WGT_BY_PCI, &by);
    }
    rows named = rows_of_words(device_words) | rows_of_words(description_words);
    narrow(&set, named | rows_of_words(words_of(evidence->driver, driver)), WGT_BY_NAME, &by);
    narrow(&set, rows_where(evidence, fits_architecture), WGT_BY_ARCHITECTURE, &by);
    narrow(&set, rows_where(evidence, fits_subgroups), WGT_BY_SUBGROUP, &by);
    narrow(&set, rows_where(evidence, fits_properties), WGT_BY_PROPERTIES, &by);
    narrow(&set, rows_where(evidence, fits_probe), WGT_BY_PROBE, &by);
    *identified = (wgt_identified){.count = 0, .by = 0};
    if ((by & (WGT_BY_VENDOR | WGT_BY_PCI | WGT_BY_NAME | WGT_BY_ARCHITECTURE)) == 0) {
        return; /* widths and counts alone are everybody's */
    }
    identified->by = by;
    for (size_t i = 0; i < wgt_arch_row_count && identified->count < WGT_MAX_IDENTIFIED; i++) {
        if ((set >> i & 1) != 0) {
            identified->archs[identified->count++] = &wgt_arch_rows[i];
        }
    }
}

wgt_evidence wgt_evidence_of_adapter(const wgt_adapter *adapter) {
    return (wgt_evidence){.vendor = wgt_str_from(adapter->vendor),
                          .vendor_id = adapter->vendor_id,
                          .device_id = adapter->device_id,
                          .architecture = wgt_str_from(adapter->architecture),
                          .device = wgt_str_from(adapter->device),
                          .description = wgt_str_from(adapter->description),
                          .driver = wgt_str_from(adapter->driver),
                          .subgroup_min = adapter->subgroup_min,
                          .subgroup_max = adapter->subgroup_max};
}
