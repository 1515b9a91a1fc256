#include "internal.h"
#include <string.h>

/* The author's sizes are searched up to here when a constant drives the size in some other way than one
 * to one. */
#define MAX_SEARCH 65536U
/* A folded grid is looked for among this many shapes below the square. */
#define MAX_FOLD_TRIES 1024U

static size_t fill_values(const wgt_job *job, const double *constants, wgt_wgsl_value *values) {
    for (size_t i = 0; i < job->constant_count; i++) {
        values[i].name = job->constants[i].name;
        values[i].value = constants[i];
    }
    return job->constant_count;
}

static wgt_status workgroup_of(const wgt_job *job, const double *constants, uint32_t size[3],
                               wgt_error *error) {
    wgt_wgsl_value values[WGT_MAX_CONSTANTS];
    const size_t count = fill_values(job, constants, values);
    return wgt_wgsl_workgroup_size(job->module, job->entry, values, count, size, error);
}

static uint64_t product_of(const uint32_t size[3]) {
    uint64_t product = 0;
    const bool fits = wgt_mul_u64((uint64_t)size[0] * size[1], size[2], &product);
    return fits ? product : UINT64_MAX;
}

/* Rows under construction, in the arena of the candidates. */
typedef struct rows {
    wgt_arena *arena;
    double *data;
    size_t count, capacity, width;
    bool failed;
} rows;

static void rows_add(rows *r, const double *row) {
    if (r->count == r->capacity) {
        const size_t capacity = r->capacity == 0 ? 64 : r->capacity * 2;
        double *data = WGT_NEW_ARRAY(r->arena, double, capacity * r->width);
        if (data == NULL) {
            r->failed = true;
            return;
        }
        if (r->count > 0) {
            memcpy(data, r->data, r->count * r->width * sizeof *data);
        }
        r->data = data;
        r->capacity = capacity;
    }
    memcpy(r->data + r->count * r->width, row, r->width * sizeof *row);
    r->count++;
}

/* What "auto" is looked for under. */
typedef struct search {
    wgt_job *job;
    const wgt_budget *budget;
    const wgt_group *group; /* the automatic one */
    const uint32_t *sizes;  /* wanted products of the size, in this order */
    size_t size_count;
    bool given;             /* the caller's sizes: over the caps too, they are skipped with the reason */
    bool all;
    double constants[WGT_MAX_CONSTANTS];
} search;

static bool total_of(const search *s, uint64_t *total) {
    uint32_t size[3] = {0, 0, 0};
    if (workgroup_of(s->job, s->constants, size, NULL) != WGT_OK) {
        return false;
    }
    *total = product_of(size);
    return s->given || (size[0] <= s->budget->max_x && size[1] <= s->budget->max_y &&
                        size[2] <= s->budget->max_z && *total <= s->budget->max_invocations);
}

static void set_members(search *s, const double *row) {
    for (uint8_t i = 0; i < s->group->member_count; i++) {
        s->constants[s->group->members[i]] = row[i];
    }
}

static bool gives(search *s, const double *row, uint64_t wanted) {
    uint64_t total = 0;
    set_members(s, row);
    return total_of(s, &total) && total == wanted;
}

/* One constant: mostly its value is the size; else (a square tile, say) all values are tried. */
static void search_one(search *s, rows *found) {
    for (size_t i = 0; i < s->size_count; i++) {
        double value = s->sizes[i];
        bool ok = gives(s, &value, s->sizes[i]);
        const uint32_t most = s->sizes[i] < MAX_SEARCH ? s->sizes[i] : MAX_SEARCH;
        for (uint32_t v = 1; !ok && v <= most; v++) {
            value = v;
            ok = gives(s, &value, s->sizes[i]);
        }
        if (ok) {
            rows_add(found, &value);
        }
    }
}

static bool power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/* Several constants: every way to write the size as their product; without `all` only powers of two,
 * and no axis longer than the one before it, because neighbours in x are neighbours in memory. */
static void search_shapes(search *s, rows *found, double *row, uint8_t member, uint64_t left,
                          uint64_t wanted) {
    const bool last = member + 1 == s->group->member_count;
    const bool wide = s->all || s->given;
    for (uint64_t value = left; value >= 1; value = last ? 0 : value - 1) { /* long x first */
        const bool tall = member > 0 && (double)value > row[member - 1];
        if (left % value != 0 || (!wide && (tall || !power_of_two(value)))) {
            continue;
        }
        row[member] = (double)value;
        if (!last) {
            search_shapes(s, found, row, (uint8_t)(member + 1), left / value, wanted);
        } else if (gives(s, row, wanted)) {
            rows_add(found, row);
        }
    }
}

/* What the axes that do not vary make of the size already. */
static uint64_t fixed_part(search *s) {
    double ones[WGT_MAX_CONSTANTS];
    uint64_t total = 0;
    for (uint8_t i = 0; i < s->group->member_count; i++) {
        ones[i] = 1;
    }
    set_members(s, ones);
    return total_of(s, &total) && total > 0 ? total : 1;
}

static void search_several(search *s, rows *found) {
    double row[WGT_MAX_CONSTANTS];
    const uint64_t fixed = fixed_part(s);
    for (size_t i = 0; i < s->size_count; i++) {
        const bool wanted = s->all || s->given || power_of_two(s->sizes[i]);
        if (wanted && s->sizes[i] <= MAX_SEARCH && s->sizes[i] % fixed == 0) {
            search_shapes(s, found, row, 0, s->sizes[i] / fixed, s->sizes[i]);
        }
    }
}

/* Evenly, first and last kept. */
static void thin(rows *found, size_t from, size_t at_most) {
    const size_t count = found->count - from;
    if (count <= at_most) {
        return;
    }
    for (size_t i = 0; i < at_most; i++) {
        const size_t source = i * (count - 1) / (at_most - 1);
        memmove(found->data + (from + i) * found->width, found->data + (from + source) * found->width,
                found->width * sizeof *found->data);
    }
    found->count = from + at_most;
}

static void decode(const wgt_group *groups, size_t group_count, uint64_t index, double *constants) {
    for (size_t g = group_count; g > 0; g--) {
        const wgt_group *group = &groups[g - 1];
        const double *row = group->rows + (index % group->row_count) * group->member_count;
        for (uint8_t m = 0; m < group->member_count; m++) {
            constants[group->members[m]] = row[m];
        }
        index /= group->row_count;
    }
}

static bool has_sizing(const wgt_job *job, const wgt_group *group) {
    for (uint8_t m = 0; m < group->member_count; m++) {
        if (job->constants[group->members[m]].sizes) {
            return true;
        }
    }
    return false;
}

/* The groups once "auto" is known. It is joined with the listed groups that drive the size too: which
 * values make subgroup multiples depends on theirs. */
typedef struct joining {
    wgt_group automatic;                /* what is looked for */
    wgt_group listed[WGT_JOB_MAX_GROUPS]; /* joined with it */
    size_t listed_count;
} joining;

static bool split_groups(wgt_job *job, bool replace, joining *j) {
    memset(j, 0, sizeof *j);
    job->made_count = 0;
    bool found = false;
    for (size_t g = 0; g < job->group_count; g++) {
        found = found || job->groups[g].automatic || (replace && has_sizing(job, &job->groups[g]));
    }
    size_t place = SIZE_MAX;
    for (size_t g = 0; g < job->group_count; g++) {
        const wgt_group *group = &job->groups[g];
        const bool sizing = has_sizing(job, group);
        if (found && sizing && place == SIZE_MAX) {
            place = job->made_count++; /* the joined group stands where its first did */
        }
        if (found && (group->automatic || (replace && sizing))) {
            for (uint8_t m = 0; m < group->member_count; m++) {
                j->automatic.members[j->automatic.member_count++] = group->members[m];
            }
        } else if (found && sizing) {
            j->listed[j->listed_count++] = *group;
        } else {
            job->made[job->made_count++] = *group;
        }
    }
    if (found) {
        wgt_group *made = &job->made[place];
        *made = j->automatic;
        for (size_t g = 0; g < j->listed_count; g++) {
            for (uint8_t m = 0; m < j->listed[g].member_count; m++) {
                made->members[made->member_count++] = j->listed[g].members[m];
            }
        }
    }
    return found;
}

/* Other constants at their first value: the size does not depend on them. */
static void other_constants(const wgt_job *job, double *constants) {
    for (size_t g = 0; g < job->group_count; g++) {
        for (uint8_t m = 0; job->groups[g].rows != NULL && m < job->groups[g].member_count; m++) {
            constants[job->groups[g].members[m]] = job->groups[g].rows[m];
        }
    }
}

static wgt_status fill_joined(wgt_job *job, search *s, const joining *j, wgt_error *error) {
    wgt_group *made = NULL;
    for (size_t g = 0; g < job->made_count; g++) {
        made = job->made[g].rows == NULL ? &job->made[g] : made;
    }
    rows all = {&job->candidates, NULL, 0, 0, made->member_count, false};
    uint64_t combinations = 1;
    for (size_t g = 0; g < j->listed_count; g++) {
        combinations *= j->listed[g].row_count;
    }
    for (uint64_t c = 0; c < combinations; c++) {
        rows found = {&job->candidates, NULL, 0, 0, j->automatic.member_count, false};
        other_constants(job, s->constants);
        decode(j->listed, j->listed_count, c, s->constants);
        if (j->automatic.member_count == 1) {
            search_one(s, &found);
        } else {
            search_several(s, &found);
        }
        if (!s->all && !s->given) {
            thin(&found, 0, WGT_DEFAULT_SIZES);
        }
        for (size_t i = 0; i < found.count; i++) {
            double row[WGT_MAX_CONSTANTS];
            set_members(s, found.data + i * found.width);
            decode(j->listed, j->listed_count, c, s->constants);
            for (uint8_t m = 0; m < made->member_count; m++) {
                row[m] = s->constants[made->members[m]];
            }
            rows_add(&all, row);
        }
        if (found.failed || all.failed) {
            return wgt_job_no_memory(error);
        }
    }
    made->rows = all.data;
    made->row_count = all.count;
    return WGT_OK;
}

static wgt_status fail_no_candidate(const wgt_job *job, const search *s, wgt_error *error) {
    if (s->given) {
        return wgt_job_fail(job, job->root, error, "none of the sizes given can be made by the kernel's "
                            "constants");
    }
    return wgt_job_fail(job, job->root, error,
                        "no candidate: no values of the size's constants make a multiple of %u invocations "
                        "within %u",
                        s->budget->subgroup_width, s->budget->max_invocations);
}

static wgt_status make_groups(wgt_job *job, const wgt_budget *budget, const wgt_candidate_options *options,
                              wgt_error *error) {
    joining j;
    const bool given = options->size_count > 0;
    if (!split_groups(job, given, &j)) {
        return given ? wgt_job_fail(job, job->root, error,
                                    "sizes are given, but no tunable constant sets @workgroup_size")
                     : WGT_OK;
    }
    search s;
    memset(&s, 0, sizeof s);
    s.job = job;
    s.budget = budget;
    s.group = &j.automatic;
    s.given = given;
    s.all = options->all;
    s.sizes = options->sizes;
    s.size_count = options->size_count;
    if (!given) {
        uint32_t *sizes = WGT_NEW_ARRAY(&job->candidates, uint32_t, WGT_MAX_SIZES);
        if (sizes == NULL) {
            return wgt_job_no_memory(error);
        }
        wgt_budget any_axis = *budget; /* the caps of the axes are applied to shapes, not to products */
        any_axis.max_x = budget->max_invocations;
        const bool one_axis = j.automatic.member_count == 1;
        s.size_count = wgt_candidate_sizes(one_axis ? &any_axis : budget,
                                           options->all || !one_axis ? WGT_MAX_SIZES : 0, sizes,
                                           WGT_MAX_SIZES);
        s.sizes = sizes;
    }
    const wgt_status status = fill_joined(job, &s, &j, error);
    if (status != WGT_OK) {
        return status;
    }
    for (size_t g = 0; g < job->made_count; g++) {
        if (job->made[g].row_count == 0) {
            return fail_no_candidate(job, &s, error);
        }
    }
    return WGT_OK;
}

static void skip(wgt_candidate *c, const char *format, ...) WGT_PRINTF(2, 3);
static void skip(wgt_candidate *c, const char *format, ...) {
    va_list arguments;
    wgt_out out;
    wgt_out_init(&out, c->reason, sizeof c->reason);
    va_start(arguments, format);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    c->status = WGT_CANDIDATE_SKIPPED;
}

static bool apply_where(const wgt_job *job, const wgt_scope *scope, wgt_candidate *c) {
    for (size_t i = 0; i < job->where_count; i++) {
        double value = 0;
        size_t at = 0;
        wgt_error inner = {{0}};
        wgt_scope copy = *scope;
        const wgt_str text = job->where[i].node->string;
        if (wgt_expr_eval(job->where[i].expr, wgt_scope_lookup, &copy, &value, &at, &inner) != WGT_OK) {
            skip(c, "where \"%.*s\": %s", (int)text.size, text.data, inner.message);
            return false;
        }
        if (value == 0) {
            skip(c, "where \"%.*s\" does not hold", (int)text.size, text.data);
            return false;
        }
    }
    return true;
}

/* A near-square grid of at least `total` workgroups, both sides at most `cap`, with the least waste
 * among the shapes below the square; false when two axes cannot hold it. */
static bool fold(uint64_t total, uint64_t cap, uint64_t *x, uint64_t *y) {
    const uint64_t lowest = wgt_div_ceil_u64(total, cap);
    uint64_t side = (uint64_t)wgt_ceil(wgt_sqrt((double)total));
    side = side > cap ? cap : side;
    if (lowest > side) {
        return false;
    }
    uint64_t least = UINT64_MAX;
    for (uint64_t tries = 0; tries < MAX_FOLD_TRIES && side - tries >= lowest && side - tries >= 1; tries++) {
        const uint64_t rows_tried = side - tries;
        const uint64_t columns = wgt_div_ceil_u64(total, rows_tried);
        if (columns > cap || columns > 2 * rows_tried + 1) {
            break;
        }
        if (columns * rows_tried - total < least) {
            least = columns * rows_tried - total;
            *x = columns;
            *y = rows_tried;
        }
    }
    return least != UINT64_MAX;
}

static bool count_axis(const wgt_job *job, const wgt_scope *scope, size_t axis, wgt_candidate *c,
                       uint64_t *count) {
    static const char *const what[] = {"threads", "workgroups"};
    const wgt_text_expr *e = &job->axes[axis];
    double value = 0;
    size_t at = 0;
    wgt_error inner = {{0}};
    wgt_scope copy = *scope;
    if (wgt_expr_eval(e->expr, wgt_scope_lookup, &copy, &value, &at, &inner) != WGT_OK) {
        skip(c, "%s \"%.*s\": %s", what[job->axes_are_workgroups], (int)e->node->string.size,
             e->node->string.data, inner.message);
        return false;
    }
    if (!(value > 0 && value <= 0x1p53)) {
        skip(c, "%s \"%.*s\" is %g, not above 0", what[job->axes_are_workgroups], (int)e->node->string.size,
             e->node->string.data, value);
        return false;
    }
    *count = (uint64_t)wgt_ceil(value);
    return true;
}

static void count_workgroups(const wgt_job *job, const wgt_scope *scope, wgt_candidate *c) {
    for (size_t axis = 0; axis < WGT_JOB_AXES; axis++) {
        c->workgroups[axis] = 1;
        if (axis < job->axis_count) {
            uint64_t count = 0;
            if (!count_axis(job, scope, axis, c, &count)) {
                return;
            }
            c->workgroups[axis] = job->axes_are_workgroups || c->workgroup[axis] == 0
                                      ? count
                                      : wgt_div_ceil_u64(count, c->workgroup[axis]);
        }
    }
    const uint64_t cap = job->limits.max_compute_workgroups_per_dimension;
    if (job->info.fold != WGT_FOLD_NONE && cap > 0 && c->workgroups[0] > cap) {
        uint64_t x = 0, y = 0;
        if (fold(c->workgroups[0], cap, &x, &y)) {
            c->workgroups[0] = x;
            c->workgroups[1] = y;
        }
    }
}

static void get_candidate(void *user, uint32_t index, wgt_candidate *c) {
    const wgt_job *job = user;
    memset(c, 0, sizeof *c);
    decode(job->made, job->made_count, index, c->constants);
    wgt_error inner = {{0}};
    if (workgroup_of(job, c->constants, c->workgroup, &inner) != WGT_OK) {
        skip(c, "%s", inner.message);
        return;
    }
    wgt_wgsl_value values[WGT_MAX_CONSTANTS];
    const size_t count = fill_values(job, c->constants, values);
    uint64_t raw = 0;
    if (wgt_wgsl_workgroup_bytes(job->module, job->entry, values, count, &c->workgroup_bytes, &raw, &inner) !=
        WGT_OK) {
        skip(c, "%s", inner.message);
        return;
    }
    const wgt_scope scope = {job, c->constants, &job->limits};
    count_workgroups(job, &scope, c);
    if (c->status == WGT_CANDIDATE_OK) {
        (void)apply_where(job, &scope, c);
    }
}

/* Buffers do not depend on the candidate: one above a limit ends the whole. */
static wgt_status check_buffers(const wgt_job *job, const wgt_limits *limits, wgt_error *error) {
    for (size_t i = 0; i < job->binding_count; i++) {
        const wgt_job_binding *b = &job->bindings[i];
        const bool uniform = b->kind == WGT_BIND_UNIFORM;
        const struct {
            const char *name;
            uint64_t value;
        } caps[] = {
            {uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize",
             uniform ? limits->max_uniform_buffer_binding_size : limits->max_storage_buffer_binding_size},
            {"maxBufferSize", limits->max_buffer_size},
        };
        for (size_t k = 0; k < sizeof caps / sizeof *caps; k++) {
            if (b->bytes > caps[k].value) {
                return wgt_job_fail(job, job->bound[i].node, error, "%.*s: %llu bytes > %s %llu",
                                    (int)b->name.size, b->name.data, (unsigned long long)b->bytes,
                                    caps[k].name, (unsigned long long)caps[k].value);
            }
        }
    }
    return WGT_OK;
}

wgt_status wgt_job_generate(wgt_job *job, const wgt_limits *limits, const wgt_budget *budget,
                            const wgt_candidate_options *options, wgt_generator *generator,
                            wgt_error *error) {
    static const wgt_candidate_options none;
    options = options == NULL ? &none : options;
    wgt_arena_release(&job->candidates);
    wgt_arena_init(&job->candidates, job->allocator);
    job->limits = *limits;
    wgt_status status = check_buffers(job, limits, error);
    for (size_t i = 0; status == WGT_OK && i < options->size_count; i++) {
        if (options->sizes[i] == 0) {
            status = wgt_fail(error, WGT_BAD_INPUT, "a size of 0: whole numbers from 1 are allowed");
        }
    }
    status = status == WGT_OK ? make_groups(job, budget, options, error) : status;
    uint64_t count = 1;
    for (size_t g = 0; status == WGT_OK && g < job->made_count; g++) {
        if (!wgt_mul_u64(count, job->made[g].row_count, &count) || count > UINT32_MAX - 1) {
            status = wgt_job_fail(job, job->root, error, "more than %u candidates", UINT32_MAX - 1);
        }
    }
    if (status == WGT_OK) {
        generator->count = (uint32_t)count;
        generator->get = get_candidate;
        generator->user = job;
    }
    return status;
}
