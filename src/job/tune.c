#include "internal.h"

static size_t find_override(const wgt_job *job, wgt_str name, const wgt_wgsl_override **found) {
    const wgt_wgsl_override *overrides = NULL;
    const size_t count = wgt_wgsl_overrides(job->module, &overrides);
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_equal(overrides[i].name, name)) {
            *found = &overrides[i];
            return i;
        }
    }
    *found = NULL;
    return count;
}

static bool in_list(const wgt_wgsl_list *list, uint32_t item) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == item) {
            return true;
        }
    }
    return false;
}

static bool is_one_of(wgt_str name, const char *const *names) {
    for (size_t i = 0; names[i] != NULL; i++) {
        if (wgt_str_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static void put_size(wgt_out *out, const wgt_wgsl_entry *entry) {
    size_t axes = 3;
    while (axes > 1 && wgt_str_is(entry->workgroup_size[axes - 1], "1")) {
        axes--;
    }
    for (size_t i = 0; i < axes; i++) {
        wgt_putf(out, "%s%.*s", i == 0 ? "" : ", ", (int)entry->workgroup_size[i].size,
                 entry->workgroup_size[i].data);
    }
}

/* What to write so that the size can vary. */
static wgt_status fail_literal_size(const wgt_job *job, const wgt_json *node, wgt_error *error) {
    char size[128];
    wgt_out out;
    wgt_out_init(&out, size, sizeof size);
    put_size(&out, job->entry);
    const wgt_str x = job->entry->workgroup_size[0];
    return wgt_job_fail(job, node, error,
                        "%.*s:%u: @workgroup_size(%s) of entry \"%.*s\" depends on no override, so it cannot "
                        "vary: write \"override WG_SIZE: u32 = %.*s;\" and \"@workgroup_size(WG_SIZE)\", or "
                        "\"tune\": {} to measure it as it is",
                        (int)job->kernel_name.size, job->kernel_name.data, job->entry->line, size,
                        (int)job->entry->name.size, job->entry->name.data, (int)x.size, x.data);
}

static wgt_status fail_no_override(const wgt_job *job, const wgt_json *node, wgt_str name,
                                   wgt_error *error) {
    static const char *const literal_names[] = {"WG_X", "WG_Y", "WG_Z", NULL};
    if (is_one_of(name, literal_names) && job->entry->size_overrides.count == 0) {
        return fail_literal_size(job, node, error);
    }
    const wgt_wgsl_override *overrides = NULL;
    const size_t count = wgt_wgsl_overrides(job->module, &overrides);
    wgt_nearest nearest = {{NULL, 0}, 0};
    for (size_t i = 0; i < count; i++) {
        wgt_nearest_try(&nearest, name, overrides[i].name);
    }
    const wgt_str near = nearest.name;
    return wgt_job_fail_key(job, node, error, "the kernel has no override \"%.*s\"%s%.*s%s", (int)name.size,
                            name.data, near.data != NULL ? "; did you mean \"" : "", (int)near.size,
                            near.data != NULL ? near.data : "", near.data != NULL ? "\"?" : "");
}

/* "auto" lets the size's constants be any; such a constant has to take whole numbers. */
static wgt_status add_constant(wgt_job *job, const wgt_json *node, wgt_str name, size_t *index,
                               wgt_error *error) {
    const wgt_wgsl_override *override = NULL;
    const size_t at = find_override(job, name, &override);
    if (override == NULL) {
        return fail_no_override(job, node, name, error);
    }
    for (size_t i = 0; i < job->constant_count; i++) {
        if (wgt_str_equal(job->constants[i].name, name)) {
            return wgt_job_fail_key(job, node, error, "\"%.*s\" has its values twice", (int)name.size,
                                    name.data);
        }
    }
    if (job->constant_count == WGT_MAX_CONSTANTS) {
        return wgt_job_fail_key(job, node, error, "more than %d constants", WGT_MAX_CONSTANTS);
    }
    char number[16];
    const size_t digits = wgt_format(number, sizeof number, "%d", override->id);
    wgt_job_constant *c = &job->constants[job->constant_count];
    c->name = override->name;
    c->key = wgt_arena_copy(&job->arena, override->id >= 0 ? (wgt_str){number, digits} : override->name);
    c->default_value = override->has_default ? override->default_value : wgt_nan();
    c->sizes = in_list(&job->entry->size_overrides, (uint32_t)at);
    c->integer = wgt_str_is(override->type, "u32") || wgt_str_is(override->type, "i32");
    if (c->key.data == NULL) {
        return wgt_job_no_memory(error);
    }
    job->override_of[job->constant_count] = (uint32_t)at;
    *index = job->constant_count++;
    return WGT_OK;
}

/* Whether a value can be given to the constant: engines take 2.5 for a u32 and count wrongly. */
static const char *refuse_value(const wgt_job *job, size_t constant, double value) {
    const wgt_wgsl_override *overrides = NULL;
    (void)wgt_wgsl_overrides(job->module, &overrides);
    const uint32_t index = job->override_of[constant];
    const wgt_str type = overrides[index].type;
    const bool sizing = in_list(&job->entry->sizing_overrides, index) || job->constants[constant].sizes;
    const bool whole = value == wgt_floor(value);
    if (job->constants[constant].integer && sizing && !(whole && value >= 1 && value <= 0x1p31 - 1)) {
        return "is no whole number from 1 to 2147483647, which a size or an array length has to be";
    }
    if (wgt_str_is(type, "u32") && !(whole && value >= 0 && value <= 0x1p32 - 1)) {
        return "is no whole number from 0 to 4294967295";
    }
    if (wgt_str_is(type, "i32") && !(whole && value >= -0x1p31 && value <= 0x1p31 - 1)) {
        return "is no whole number from -2147483648 to 2147483647";
    }
    if (wgt_str_is(type, "bool") && value != 0 && value != 1) {
        return "is neither 0 nor 1 (false nor true)";
    }
    return NULL;
}

static wgt_status read_value(wgt_job *job, const wgt_json *node, size_t constant, double *value,
                             wgt_error *error) {
    const wgt_scope scope = {job, NULL, NULL};
    if (node->type == WGT_JSON_BOOL) {
        *value = node->boolean ? 1 : 0;
    } else {
        const wgt_status status = wgt_job_number(job, node, &scope, value, error);
        if (status != WGT_OK) {
            return status;
        }
    }
    const char *why = refuse_value(job, constant, *value);
    const wgt_str name = job->constants[constant].name;
    return why == NULL ? WGT_OK
                       : wgt_job_fail(job, node, error, "%.*s: %g %s", (int)name.size, name.data, *value, why);
}

static wgt_status read_row(wgt_job *job, const wgt_json *node, const wgt_group *group, double *row,
                           wgt_error *error) {
    if (group->member_count == 1) {
        return read_value(job, node, group->members[0], row, error);
    }
    wgt_status status = wgt_job_type(job, node, WGT_JSON_ARRAY, error);
    if (status == WGT_OK && node->count != group->member_count) {
        return wgt_job_fail(job, node, error, "%zu values for %u constants", node->count,
                            group->member_count);
    }
    size_t i = 0;
    for (const wgt_json *e = node->first; status == WGT_OK && e != NULL; e = e->next) {
        status = read_value(job, e, group->members[i], &row[i], error);
        i++;
    }
    return status;
}

static wgt_status read_rows(wgt_job *job, const wgt_json *node, wgt_group *group, wgt_error *error) {
    const bool list = node->type == WGT_JSON_ARRAY;
    if (!list && group->member_count > 1) {
        return wgt_job_fail(job, node, error, "a list of lists is wanted, such as [[8, 8], [32, 8]]");
    }
    group->row_count = list ? node->count : 1;
    if (group->row_count == 0) {
        return wgt_job_fail(job, node, error, "an empty list: at least one value is wanted");
    }
    double *rows = WGT_NEW_ARRAY(&job->arena, double, group->row_count * group->member_count);
    if (rows == NULL) {
        return wgt_job_no_memory(error);
    }
    wgt_status status = WGT_OK;
    const wgt_json *item = list ? node->first : node;
    for (size_t i = 0; status == WGT_OK && i < group->row_count; i++) {
        status = read_row(job, item, group, rows + i * group->member_count, error);
        item = item->next;
    }
    group->rows = rows;
    return status;
}

/* All constants that are "auto" share a group: their product is what counts. */
static wgt_group *auto_group(wgt_job *job) {
    for (size_t i = 0; i < job->group_count; i++) {
        if (job->groups[i].automatic) {
            return &job->groups[i];
        }
    }
    job->groups[job->group_count].automatic = true;
    return &job->groups[job->group_count++];
}

static wgt_status add_auto(wgt_job *job, const wgt_json *node, size_t constant, wgt_error *error) {
    const wgt_job_constant *c = &job->constants[constant];
    if (!c->sizes) {
        return wgt_job_fail(job, node, error,
                            "\"auto\" is for constants that set @workgroup_size, \"%.*s\" does not: give a "
                            "list of values",
                            (int)c->name.size, c->name.data);
    }
    wgt_group *group = auto_group(job);
    group->node = group->node == NULL ? node : group->node;
    group->members[group->member_count++] = (uint8_t)constant;
    return WGT_OK;
}

wgt_str wgt_job_next_name(wgt_str *list) {
    size_t end = 0;
    while (end < list->size && list->data[end] != ',') {
        end++;
    }
    wgt_str name = {list->data, end};
    list->data += end < list->size ? end + 1 : end;
    list->size -= end < list->size ? end + 1 : end;
    while (name.size > 0 && name.data[0] == ' ') {
        name.data++;
        name.size--;
    }
    while (name.size > 0 && name.data[name.size - 1] == ' ') {
        name.size--;
    }
    return name;
}

static wgt_status read_member(wgt_job *job, const wgt_json *node, wgt_error *error) {
    wgt_group group = {node, false, {0}, 0, NULL, 0};
    wgt_str names = node->key;
    do {
        size_t index = 0;
        const wgt_status status = add_constant(job, node, wgt_job_next_name(&names), &index, error);
        if (status != WGT_OK) {
            return status;
        }
        group.members[group.member_count++] = (uint8_t)index;
    } while (names.size > 0);
    if (node->type == WGT_JSON_STRING && wgt_str_is(node->string, "auto")) {
        for (size_t i = 0; i < group.member_count; i++) {
            const wgt_status status = add_auto(job, node, group.members[i], error);
            if (status != WGT_OK) {
                return status;
            }
        }
        return WGT_OK;
    }
    const wgt_status status = read_rows(job, node, &group, error);
    job->groups[job->group_count++] = group;
    return status;
}

/* Without "tune" the constants of the size vary. */
static wgt_status tune_size(wgt_job *job, wgt_error *error) {
    const wgt_wgsl_list *list = &job->entry->size_overrides;
    const wgt_wgsl_override *overrides = NULL;
    (void)wgt_wgsl_overrides(job->module, &overrides);
    if (list->count == 0) {
        return fail_literal_size(job, job->root, error);
    }
    for (size_t i = 0; i < list->count; i++) {
        size_t index = 0;
        wgt_status status = add_constant(job, job->root, overrides[list->items[i]].name, &index, error);
        status = status == WGT_OK ? add_auto(job, job->root, index, error) : status;
        if (status != WGT_OK) {
            return status;
        }
    }
    return WGT_OK;
}

static wgt_status fail_given(const wgt_job *job, wgt_str name, const char *why, wgt_error *error) {
    return wgt_fail(error, WGT_BAD_INPUT, "%.*s: the value for \"%.*s\" %s", (int)job->name.size,
                    job->name.data, (int)name.size, name.data, why);
}

/* Takes a constant out of its group, which goes when it was alone there. */
static wgt_status leave_group(wgt_job *job, size_t constant, wgt_error *error) {
    for (size_t g = 0; g < job->group_count; g++) {
        wgt_group *group = &job->groups[g];
        for (uint8_t m = 0; m < group->member_count; m++) {
            if (group->members[m] != constant) {
                continue;
            }
            if (group->member_count > 1 && !group->automatic) {
                return fail_given(job, job->constants[constant].name,
                                  "cannot be set alone: the job gives it together with another", error);
            }
            group->member_count--;
            for (uint8_t k = m; k < group->member_count; k++) {
                group->members[k] = group->members[k + 1];
            }
            if (group->member_count == 0) {
                job->group_count--;
                for (size_t k = g; k < job->group_count; k++) {
                    job->groups[k] = job->groups[k + 1];
                }
            }
            return WGT_OK;
        }
    }
    return WGT_OK;
}

/* A value of the caller's for an override keeps it at that value. */
static wgt_status pin(wgt_job *job, const wgt_named *given, wgt_error *error) {
    size_t index = 0;
    while (index < job->constant_count && !wgt_str_equal(job->constants[index].name, given->name)) {
        index++;
    }
    wgt_status status = index < job->constant_count ? leave_group(job, index, error)
                                                    : add_constant(job, job->root, given->name, &index, error);
    if (status != WGT_OK) {
        return status;
    }
    const char *why = refuse_value(job, index, given->value);
    if (why != NULL) {
        return fail_given(job, given->name, why, error);
    }
    double *row = WGT_NEW(&job->arena, double);
    if (row == NULL) {
        return wgt_job_no_memory(error);
    }
    *row = given->value;
    const wgt_group group = {NULL, false, {(uint8_t)index}, 1, row, 1};
    job->groups[job->group_count++] = group;
    return WGT_OK;
}

static bool is_problem(const wgt_job *job, wgt_str name) {
    for (size_t i = 0; i < job->problem_count; i++) {
        if (wgt_str_equal(job->problem[i].name, name)) {
            return true;
        }
    }
    return false;
}

static wgt_status check_needed(const wgt_job *job, wgt_error *error) {
    const wgt_wgsl_override *overrides = NULL;
    (void)wgt_wgsl_overrides(job->module, &overrides);
    for (size_t i = 0; i < job->entry->needs_values.count; i++) {
        const wgt_wgsl_override *needed = &overrides[job->entry->needs_values.items[i]];
        bool has = false;
        for (size_t c = 0; c < job->constant_count; c++) {
            has = has || wgt_str_equal(job->constants[c].name, needed->name);
        }
        if (!has) {
            return wgt_fail(error, WGT_BAD_INPUT,
                            "%.*s:%u:%u: override \"%.*s\" has no default: give it a value under \"tune\"",
                            (int)job->kernel_name.size, job->kernel_name.data, needed->line, needed->column,
                            (int)needed->name.size, needed->name.data);
        }
    }
    return WGT_OK;
}

wgt_status wgt_job_read_tune(wgt_job *job, const wgt_job_options *options, wgt_error *error) {
    const wgt_json *node = wgt_json_get(job->root, "tune");
    wgt_status status = WGT_OK;
    if (node == NULL) {
        status = tune_size(job, error);
    } else {
        status = wgt_job_type(job, node, WGT_JSON_OBJECT, error);
        for (const wgt_json *m = node->first; status == WGT_OK && m != NULL; m = m->next) {
            status = read_member(job, m, error);
        }
    }
    for (size_t i = 0; status == WGT_OK && i < options->problem_count; i++) {
        const wgt_named *given = &options->problem[i];
        bool later = false;
        for (size_t k = i + 1; k < options->problem_count; k++) {
            later = later || wgt_str_equal(options->problem[k].name, given->name);
        }
        if (!later && !is_problem(job, given->name)) {
            status = pin(job, given, error);
        }
    }
    return status == WGT_OK ? check_needed(job, error) : status;
}
