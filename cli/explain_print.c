#include "explain.h"
#include "base/json.h"
#include "base/number.h"
#include "report/terminal.h"

#define COUNT_SIZE 32

/* "65,536" in the caller's memory. */
static const char *grouped(uint64_t value, char text[COUNT_SIZE]) {
    wgt_report_count((double)value, text, COUNT_SIZE);
    return text;
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static wgt_occupancy asked_occupancy(const explain_request *request) {
    wgt_use use = request->use;
    wgt_occupancy o;
    use.workgroup = request->has_workgroup ? use.workgroup : 1;
    wgt_occupancy_compute(&request->unit, &use, &o);
    return o;
}

/* At any size, as the unit alone allows: the dispatch's number of workgroups belongs to the asked
 * one. */
static wgt_occupancy occupancy_at(const explain_request *request, uint32_t workgroup) {
    wgt_use use = request->use;
    wgt_occupancy o;
    use.dispatched = 0;
    use.workgroup = workgroup;
    wgt_occupancy_compute(&request->unit, &use, &o);
    return o;
}

static bool wanted_size(uint32_t multiple) {
    while (multiple % 2 == 0) {
        multiple /= 2;
    }
    return multiple == 1 || multiple == 3;
}

size_t explain_sizes(const explain_request *request, uint32_t sizes[EXPLAIN_SIZES]) {
    const wgt_unit *u = &request->unit;
    uint32_t width = u->subgroup_min > 0 ? u->subgroup_min : 32;
    uint32_t asked = request->has_workgroup ? request->use.workgroup : 0;
    width = request->use.subgroup > 0 ? request->use.subgroup : width;
    uint32_t step = width >= 16 ? width : 16;
    uint32_t most = u->max_workgroup > 0 ? u->max_workgroup : 1024;
    size_t count = 0;
    bool asked_is_in = asked == 0 || asked > most;
    for (uint32_t multiple = 1; multiple <= most / step && count + 2 < EXPLAIN_SIZES; multiple++) {
        uint32_t size = multiple * step;
        if (!asked_is_in && asked <= size) {
            asked_is_in = true;
            if (asked != size || !wanted_size(multiple)) {
                sizes[count++] = asked;
                if (asked == size) {
                    continue;
                }
            }
        }
        if (wanted_size(multiple)) {
            sizes[count++] = size;
        }
    }
    if (!asked_is_in) {
        sizes[count++] = asked;
    }
    return count;
}

bool explain_exceeded(const explain_request *request, wgt_error *error) {
    const wgt_unit *u = &request->unit;
    const wgt_use *use = &request->use;
    const char *who = request->arch != NULL ? request->arch->id : "this unit";
    wgt_occupancy o = asked_occupancy(request);
    char asked[COUNT_SIZE], most[COUNT_SIZE];
    if ((o.exceeded >> WGT_LIMITER_INVOCATIONS & 1u) != 0 && use->workgroup == 0) {
        wgt_fail(error, WGT_BAD_INPUT, "--workgroup 0: a workgroup has at least 1 invocation");
    } else if ((o.exceeded >> WGT_LIMITER_INVOCATIONS & 1u) != 0) {
        wgt_fail(error, WGT_BAD_INPUT, "--workgroup %s: %s allows up to %s invocations",
                 grouped(use->workgroup, asked), who, grouped(u->max_workgroup, most));
    } else if ((o.exceeded >> WGT_LIMITER_REGISTERS & 1u) != 0) {
        uint64_t steps =
            u->register_step_count > 0 ? u->register_steps[u->register_step_count - 1] : 0;
        wgt_fail(error, WGT_BAD_INPUT, "--registers %s: %s allows up to %s an invocation",
                 grouped(use->registers, asked), who,
                 grouped(u->max_registers > 0 ? u->max_registers : steps, most));
    } else if ((o.exceeded >> WGT_LIMITER_SHARED_MEMORY & 1u) != 0) {
        uint64_t steps = u->shared_step_count > 0
                             ? (uint64_t)u->shared_steps_kib[u->shared_step_count - 1] * 1024
                             : 0;
        uint64_t limit = u->shared_max_workgroup > 0 ? u->shared_max_workgroup : steps;
        wgt_fail(error, WGT_BAD_INPUT, "--shared %s: %s allows a workgroup up to %s bytes",
                 grouped(use->shared_bytes, asked), who, grouped(limit, most));
    }
    return o.exceeded != 0;
}

static void print_head(wgt_out *out, const explain_request *r) {
    char number[COUNT_SIZE];
    if (r->arch != NULL) {
        wgt_putf(out, "%s · %s%s%s", r->arch->id, r->arch->vendor,
                 r->arch->parts[0] != '\0' ? " · " : "", r->arch->parts);
    } else {
        wgt_putf(out, "a unit in numbers, by the plain formula");
    }
    wgt_put_char(out, '\n');
    if (r->has_workgroup) {
        wgt_putf(out, "%u invocation%s a workgroup, ", r->use.workgroup, plural(r->use.workgroup));
    }
    wgt_putf(out, "%u register%s an invocation, %s shared bytes", r->use.registers,
             plural(r->use.registers), grouped(r->use.shared_bytes, number));
    if (r->use.barriers > 0) {
        wgt_putf(out, ", %u barrier%s", r->use.barriers, plural(r->use.barriers));
    }
    wgt_putf(out, "\n");
    for (size_t i = 0; i < r->difference_count; i++) {
        const wgt_difference *d = &r->differences[i];
        char measured[COUNT_SIZE];
        wgt_putf(out, "%s%s %s as measured, the table says %s\n",
                 i == 0 ? "with       " : "           ", d->name, grouped(d->measured, measured),
                 d->table == WGT_UNKNOWN_U64 ? "nothing" : grouped(d->table, number));
    }
}

/* With one decimal where it says something: "75 %", "62.5 %". */
static void print_percent(wgt_out *out, double fraction) {
    wgt_putf(out, "%g %%", wgt_round_even(1000 * fraction) / 10);
}

static void put_limiters(wgt_out *out, unsigned limiters) {
    char text[WGT_LIMITERS_SIZE];
    wgt_limiters_format(limiters, text);
    for (const char *c = text; *c != '\0'; c++) {
        wgt_put(out, *c == '|' ? WGT_STR(", ") : (wgt_str){c, 1});
    }
}

static void print_result(wgt_out *out, const explain_request *r, const wgt_occupancy *o) {
    char resident[COUNT_SIZE], most[COUNT_SIZE];
    const char *name = r->unit.name != NULL ? r->unit.name : "unit";
    wgt_putf(out, "\nresident   %llu workgroup%s per %s", (unsigned long long)o->workgroups,
             plural(o->workgroups), name);
    if (o->max_subgroups > 0) {
        wgt_putf(out, ": %s of %s %s, ", grouped(o->subgroups, resident),
                 grouped(o->max_subgroups, most), o->subgroup > 0 ? "subgroups" : "invocations");
        print_percent(out, (double)o->subgroups / (double)o->max_subgroups);
    }
    if (o->resident != WGT_UNKNOWN_U64) {
        wgt_putf(out, "\n           %s of %s on %u units", grouped(o->resident, resident),
                 grouped(o->workgroups * r->use.units, most), r->use.units);
        if ((o->limiters >> WGT_LIMITER_DEVICE_FILL & 1u) != 0) {
            wgt_putf(out, ", all of the dispatch: ");
            print_percent(out, o->fraction);
        }
    }
    wgt_putf(out, "\nlimiter    ");
    put_limiters(out, o->limiters);
    wgt_putf(out, "\n");
}

/* What a term is made of, after the number of workgroups that it allows. */
static void print_term(wgt_out *out, const explain_request *r, const wgt_occupancy *o,
                       unsigned term) {
    const wgt_unit *u = &r->unit;
    char a[COUNT_SIZE], b[COUNT_SIZE];
    uint64_t per = o->subgroup > 0 ? (r->use.workgroup + (uint64_t)o->subgroup - 1) / o->subgroup
                                   : r->use.workgroup;
    switch (term) {
    case WGT_LIMITER_WORKGROUP_SLOTS:
        wgt_putf(out, "slots");
        break;
    case WGT_LIMITER_INVOCATIONS:
        if (o->subgroup > 0) {
            wgt_putf(out, "%s subgroups of %u, %s a workgroup", grouped(o->max_subgroups, a),
                     o->subgroup, grouped(per, b));
        } else {
            wgt_putf(out, "%s invocations", grouped(o->max_subgroups, a));
        }
        break;
    case WGT_LIMITER_SHARED_MEMORY:
        wgt_putf(out, "%s bytes, %s a workgroup", grouped(u->shared_bytes, a),
                 grouped(o->shared_allocated, b));
        if (u->shared_reserve > 0) {
            wgt_putf(out, " with %s reserved", grouped(u->shared_reserve, a));
        }
        break;
    case WGT_LIMITER_REGISTERS:
        wgt_putf(out, "%s registers", grouped(u->registers, a));
        if (o->registers_allocated > 0) {
            wgt_putf(out, ", %s a workgroup", grouped(o->registers_allocated, b));
        }
        break;
    default:
        wgt_putf(out, "%u, %u a workgroup", u->barriers, r->use.barriers);
        break;
    }
}

static void print_terms(wgt_out *out, const explain_request *r, const wgt_occupancy *o) {
    wgt_putf(out, "\nallowed by\n");
    for (unsigned i = 0; i < WGT_TERM_COUNT; i++) {
        bool binds = (o->limiters >> i & 1u) != 0;
        if (o->terms[i] == WGT_UNKNOWN_U64) {
            wgt_putf(out, "  %-16s     –  no limit\n", wgt_limiter_name((wgt_limiter)i));
            continue;
        }
        wgt_putf(out, "%s %-16s %5llu  ", binds ? "▸" : " ", wgt_limiter_name((wgt_limiter)i),
                 (unsigned long long)o->terms[i]);
        if ((o->exceeded >> i & 1u) != 0) {
            wgt_putf(out, "over the limit of a single workgroup");
        } else {
            print_term(out, r, o, i);
        }
        wgt_putf(out, "\n");
    }
}

static void print_threshold(wgt_out *out, const wgt_threshold *t, const wgt_use *use,
                            bool only_changes) {
    const struct {
        uint64_t value, now;
        const char *text;
    } parts[] = {{t->registers, use->registers, "registers"},
                 {t->shared_bytes, use->shared_bytes, "bytes of shared memory"},
                 {t->barriers, use->barriers, "barriers"}};
    size_t written = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char number[COUNT_SIZE];
        bool unused = parts[i].now == 0 && i == 2;
        if (parts[i].value != WGT_UNKNOWN_U64 && !unused &&
            (!only_changes || parts[i].value < parts[i].now)) {
            wgt_putf(out, "%s%s %s", written++ > 0 ? ", " : "at most ",
                     grouped(parts[i].value, number), parts[i].text);
        }
    }
    wgt_putf(out, written == 0 ? "any use\n" : "\n");
}

static void print_next(wgt_out *out, const explain_request *r, const wgt_occupancy *o) {
    wgt_threshold more, same;
    uint32_t below, above;
    wgt_occupancy_threshold(&r->unit, &r->use, o->workgroups + 1, &more);
    wgt_occupancy_threshold(&r->unit, &r->use, o->workgroups, &same);
    wgt_occupancy_better_sizes(&r->unit, &r->use, &below, &above);
    wgt_putf(out, "\n");
    if (more.reachable) {
        wgt_putf(out, "one more   ");
        print_threshold(out, &more, &r->use, true);
    }
    if (more.workgroup > 0 && o->workgroups > 0) {
        wgt_putf(out, "%s%llu fit at a size of at most %llu\n",
                 more.reachable ? "           or: " : "one more   ",
                 (unsigned long long)more.workgroups, (unsigned long long)more.workgroup);
    }
    if (same.workgroups > 0 && same.reachable) {
        wgt_putf(out, "as many    with ");
        print_threshold(out, &same, &r->use, false);
    }
    if (below > 0 || above > 0) {
        wgt_putf(out, "fuller     at ");
        wgt_putf(out, below > 0 && above > 0 ? "%u or %u" : "%u", below > 0 ? below : above, above);
        wgt_putf(out, " invocations\n");
    }
}

static void print_bar(wgt_out *out, double fraction) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int cells = 10, steps = (int)(fraction * 80 + 0.5);
    steps = steps > 80 ? 80 : steps;
    for (int i = 0; i < steps / 8; i++) {
        wgt_putf(out, "█");
    }
    wgt_putf(out, "%s", eighths[steps % 8]);
    for (int i = steps / 8 + (steps % 8 > 0 ? 1 : 0); i < cells; i++) {
        wgt_put_char(out, ' ');
    }
}

static void print_chart(wgt_out *out, const explain_request *r) {
    uint32_t sizes[EXPLAIN_SIZES];
    size_t count = explain_sizes(r, sizes);
    wgt_putf(out, "\n  size  workgroups  occupancy          limiter\n");
    for (size_t i = 0; i < count; i++) {
        wgt_occupancy o = occupancy_at(r, sizes[i]);
        bool asked = r->has_workgroup && sizes[i] == r->use.workgroup;
        wgt_putf(out, "%s%5u  %10llu  ", asked ? "▸" : " ", sizes[i],
                 (unsigned long long)o.workgroups);
        if (o.max_subgroups > 0) {
            print_bar(out, o.fraction);
            wgt_putf(out, " %4.0f %%", 100 * o.fraction);
        } else {
            wgt_putf(out, "                 ");
        }
        wgt_putf(out, "  ");
        put_limiters(out, o.limiters);
        wgt_putf(out, "\n");
    }
}

static void print_statistics(wgt_out *out, const explain_request *r) {
    for (unsigned i = 0; i < WGT_STATISTIC_COUNT; i++) {
        uint64_t value = wgt_statistic_compute((wgt_statistic)i, &r->unit, &r->use);
        if (value != WGT_UNKNOWN_U64) {
            wgt_putf(out, "elsewhere  %s: %llu\n", wgt_statistic_name((wgt_statistic)i),
                     (unsigned long long)value);
        }
    }
}

/* Words in lines of at most 80 columns. */
static void print_wrapped(wgt_out *out, const char *label, const char *text) {
    size_t column = 11;
    wgt_putf(out, "%-11s", label);
    while (*text != '\0') {
        size_t length = 0;
        while (text[length] != '\0' && text[length] != ' ') {
            length++;
        }
        bool first = column == 11;
        if (column + length > 79 && !first) {
            wgt_putf(out, "\n           ");
            column = 11;
            first = true;
        }
        wgt_putf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += length + (first ? 0 : 1);
        text += length + (text[length] == ' ' ? 1 : 0);
    }
    wgt_putf(out, "\n");
}

void explain_text(wgt_out *out, const explain_request *r) {
    wgt_occupancy o = asked_occupancy(r);
    print_head(out, r);
    if (!o.known) {
        wgt_putf(out, "\nresident   unknown: %s\n",
                 r->unit.rule == WGT_RULE_HOST
                     ? "a CPU's threads run one workgroup after another, nothing is resident"
                     : "too little of this unit is known");
    } else {
        if (r->has_workgroup) {
            print_result(out, r, &o);
            print_terms(out, r, &o);
            print_next(out, r, &o);
        }
        print_chart(out, r);
    }
    wgt_putf(out, "\n");
    if (r->has_workgroup && o.known) {
        print_statistics(out, r);
    }
    if (r->arch != NULL && r->arch->notes[0] != '\0') {
        print_wrapped(out, "note", r->arch->notes);
    }
    if (r->arch != NULL) {
        print_wrapped(out, "source", r->arch->source);
    }
}

static void write_limiters(wgt_json_writer *w, unsigned limiters) {
    wgt_json_begin_inline_array(w);
    for (unsigned i = 0; i < WGT_LIMITER_COUNT; i++) {
        if ((limiters >> i & 1u) != 0) {
            wgt_json_cstring(w, wgt_limiter_name((wgt_limiter)i));
        }
    }
    wgt_json_end_array(w);
}

static void write_u64(wgt_json_writer *w, const char *key, uint64_t value) {
    wgt_json_key(w, key);
    wgt_json_write_u64(w, value);
}

static void write_counts(wgt_json_writer *w, const wgt_occupancy *o) {
    write_u64(w, "workgroups", o->known ? o->workgroups : WGT_UNKNOWN_U64);
    write_u64(w, "subgroups", o->known ? o->subgroups : WGT_UNKNOWN_U64);
    write_u64(w, "max_subgroups",
              o->known && o->max_subgroups > 0 ? o->max_subgroups : WGT_UNKNOWN_U64);
    wgt_json_key(w, "occupancy");
    wgt_json_number(w, o->fraction);
    wgt_json_key(w, "limiters");
    write_limiters(w, o->limiters);
}

static void write_use(wgt_json_writer *w, const explain_request *r) {
    wgt_json_key(w, "use");
    wgt_json_begin_inline_object(w);
    write_u64(w, "workgroup", r->has_workgroup ? r->use.workgroup : WGT_UNKNOWN_U64);
    write_u64(w, "registers", r->use.registers);
    write_u64(w, "shared_bytes", r->use.shared_bytes);
    write_u64(w, "barriers", r->use.barriers);
    wgt_json_end_object(w);
}

static void write_threshold(wgt_json_writer *w, const char *key, const wgt_threshold *t) {
    wgt_json_key(w, key);
    wgt_json_begin_inline_object(w);
    write_u64(w, "workgroups", t->workgroups);
    wgt_json_key(w, "reachable");
    wgt_json_bool(w, t->reachable);
    write_u64(w, "registers", t->registers);
    write_u64(w, "shared_bytes", t->shared_bytes);
    write_u64(w, "barriers", t->barriers);
    write_u64(w, "workgroup", t->workgroup > 0 ? t->workgroup : WGT_UNKNOWN_U64);
    wgt_json_end_object(w);
}

static void write_result(wgt_json_writer *w, const explain_request *r, const wgt_occupancy *o) {
    wgt_threshold more, same;
    uint32_t below, above;
    write_u64(w, "subgroup", o->subgroup > 0 ? o->subgroup : WGT_UNKNOWN_U64);
    write_counts(w, o);
    wgt_json_key(w, "terms");
    wgt_json_begin_object(w);
    for (unsigned i = 0; i < WGT_TERM_COUNT; i++) {
        write_u64(w, wgt_limiter_name((wgt_limiter)i), o->terms[i]);
    }
    wgt_json_end_object(w);
    wgt_json_key(w, "exceeded");
    write_limiters(w, o->exceeded);
    write_u64(w, "shared_bytes_allocated", o->shared_allocated);
    write_u64(w, "registers_allocated",
              o->registers_allocated > 0 ? o->registers_allocated : WGT_UNKNOWN_U64);
    write_u64(w, "resident", o->resident);
    wgt_occupancy_threshold(&r->unit, &r->use, o->workgroups + 1, &more);
    wgt_occupancy_threshold(&r->unit, &r->use, o->workgroups, &same);
    wgt_occupancy_better_sizes(&r->unit, &r->use, &below, &above);
    write_threshold(w, "one_more", &more);
    write_threshold(w, "as_many", &same);
    wgt_json_key(w, "fuller_sizes");
    wgt_json_begin_inline_object(w);
    write_u64(w, "below", below > 0 ? below : WGT_UNKNOWN_U64);
    write_u64(w, "above", above > 0 ? above : WGT_UNKNOWN_U64);
    wgt_json_end_object(w);
    wgt_json_key(w, "elsewhere");
    wgt_json_begin_object(w);
    for (unsigned i = 0; i < WGT_STATISTIC_COUNT; i++) {
        uint64_t value = wgt_statistic_compute((wgt_statistic)i, &r->unit, &r->use);
        if (value != WGT_UNKNOWN_U64) {
            write_u64(w, wgt_statistic_name((wgt_statistic)i), value);
        }
    }
    wgt_json_end_object(w);
}

static void write_chart(wgt_json_writer *w, const explain_request *r) {
    uint32_t sizes[EXPLAIN_SIZES];
    size_t count = explain_sizes(r, sizes);
    wgt_json_key(w, "sizes");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        wgt_occupancy o = occupancy_at(r, sizes[i]);
        wgt_json_begin_inline_object(w);
        write_u64(w, "workgroup", sizes[i]);
        write_counts(w, &o);
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
}

static void write_differences(wgt_json_writer *w, const explain_request *r) {
    wgt_json_key(w, "differences");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < r->difference_count; i++) {
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "name");
        wgt_json_cstring(w, r->differences[i].name);
        write_u64(w, "table", r->differences[i].table);
        write_u64(w, "measured", r->differences[i].measured);
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
}

void explain_json(wgt_out *out, const explain_request *r) {
    wgt_json_writer writer, *w = &writer;
    wgt_occupancy o = asked_occupancy(r);
    wgt_json_writer_init(w, out, 2);
    wgt_json_begin_object(w);
    wgt_json_key(w, "version");
    wgt_json_cstring(w, wgt_version());
    wgt_json_key(w, "arch");
    wgt_json_cstring(w, r->arch != NULL ? r->arch->id : NULL);
    wgt_json_key(w, "unit");
    wgt_json_cstring(w, r->unit.name);
    wgt_json_key(w, "known");
    wgt_json_bool(w, o.known);
    write_use(w, r);
    if (r->has_workgroup) {
        write_result(w, r, &o);
    }
    write_differences(w, r);
    write_chart(w, r);
    wgt_json_key(w, "confidence");
    wgt_json_cstring(w, r->arch != NULL ? r->arch->confidence : NULL);
    wgt_json_key(w, "source");
    wgt_json_cstring(w, r->arch != NULL ? r->arch->source : NULL);
    wgt_json_key(w, "notes");
    wgt_json_cstring(w, r->arch != NULL && r->arch->notes[0] != '\0' ? r->arch->notes : NULL);
    wgt_json_end_object(w);
    wgt_put_char(out, '\n');
}
