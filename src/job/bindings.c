#include "internal.h"

static const char *const reset_words[] = {"never", "each", "sample", NULL};
static const char *const field_keys[] = {"fields", "count", "output", "reset", NULL};

static wgt_status layout_of(wgt_job *job, wgt_str type, wgt_part *part, wgt_error *error) {
    wgt_slot *slots = WGT_NEW_ARRAY(&job->arena, wgt_slot, WGT_MAX_SLOTS);
    if (slots == NULL) {
        return wgt_job_no_memory(error);
    }
    uint64_t size = 0, align = 0;
    if (wgt_type_layout(type, slots, WGT_MAX_SLOTS, &part->slot_count, &size, &align)) {
        part->slots = slots;
        part->scalar = slots[0].scalar;
    }
    return WGT_OK;
}

static wgt_str array_element(wgt_str type) {
    if (!wgt_str_starts(type, "array<")) {
        return type;
    }
    wgt_str inner = {type.data + 6, type.size - 7};
    unsigned depth = 0;
    for (size_t i = 0; i < inner.size; i++) {
        depth += inner.data[i] == '<' ? 1U : 0U;
        depth -= inner.data[i] == '>' ? 1U : 0U;
        if (inner.data[i] == ',' && depth == 0) {
            inner.size = i;
        }
    }
    return inner;
}

static const wgt_wgsl_member *find_member(const wgt_wgsl_binding *v, wgt_str name) {
    for (size_t i = 0; i < v->member_count; i++) {
        if (wgt_str_equal(v->members[i].name, name)) {
            return &v->members[i];
        }
    }
    return NULL;
}

static wgt_status check_field_names(const wgt_job *job, const wgt_wgsl_binding *v, const wgt_json *fields,
                                    wgt_error *error) {
    for (const wgt_json *m = fields->first; m != NULL; m = m->next) {
        if (find_member(v, m->key) != NULL) {
            if (wgt_json_get(m, "output") != NULL || wgt_json_get(m, "reset") != NULL) {
                return wgt_job_fail(job, m, error, "\"output\" and \"reset\" belong to the whole binding");
            }
            continue;
        }
        char names[512];
        wgt_out out;
        wgt_out_init(&out, names, sizeof names);
        wgt_nearest nearest = {{NULL, 0}, 0};
        for (size_t i = 0; i < v->member_count; i++) {
            const wgt_str name = v->members[i].name;
            wgt_putf(&out, "%s%.*s", i == 0 ? "" : ", ", (int)name.size, name.data);
            wgt_nearest_try(&nearest, m->key, name);
        }
        if (nearest.name.data != NULL) {
            wgt_putf(&out, "; did you mean \"%.*s\"?", (int)nearest.name.size, nearest.name.data);
        }
        return wgt_job_fail_key(job, m, error, "%.*s has no field \"%.*s\", it has: %s", (int)v->name.size,
                                v->name.data, (int)m->key.size, m->key.data, names);
    }
    return WGT_OK;
}

/* One member of a struct, of each struct where the binding is an array of them (`count` > 0). */
static wgt_status read_member(wgt_job *job, const wgt_wgsl_binding *v, const wgt_wgsl_member *member,
                              const wgt_json *node, uint64_t count, wgt_part *part, wgt_error *error) {
    const bool last = member == &v->members[v->member_count - 1];
    const bool runtime = count == 0 && v->runtime_sized && last;
    part->member = member->name;
    part->offset = member->offset;
    part->in_each = count > 0;
    part->array = count > 0 || member->stride > 0;
    part->stride = count > 0 ? v->stride : member->stride > 0 ? member->stride : member->size;
    part->count = count > 0 ? count : runtime || member->stride == 0 ? 1 : member->size / member->stride;
    const wgt_str element = count > 0 ? member->type : array_element(member->type);
    wgt_status status = layout_of(job, element, part, error);
    return status == WGT_OK ? wgt_job_read_init(job, node, part, !runtime, element, error) : status;
}

/* An array of structs gets a part for each member, all with the array's stride. */
static wgt_status read_fields(wgt_job *job, wgt_bound *bound, const wgt_json *fields, wgt_error *error) {
    const wgt_wgsl_binding *v = bound->variable;
    if (v->member_count == 0) {
        return wgt_job_fail_key(job, fields, error, "%.*s is no struct, it is %.*s", (int)v->name.size,
                                v->name.data, (int)v->type.size, v->type.data);
    }
    wgt_status status = wgt_job_keys(job, bound->node, field_keys, error);
    status = status == WGT_OK ? wgt_job_type(job, fields, WGT_JSON_OBJECT, error) : status;
    status = status == WGT_OK ? check_field_names(job, v, fields, error) : status;
    const wgt_json *count_node = wgt_json_get(bound->node, "count");
    const bool array = v->stride > 0;
    uint64_t count = array && !v->runtime_sized ? v->size / v->stride : 0;
    if (status == WGT_OK && array && v->runtime_sized && count_node == NULL) {
        return wgt_job_fail(job, bound->node, error, "\"count\" is missing: how many elements the array has");
    }
    if (status == WGT_OK && count_node != NULL && !(array && v->runtime_sized)) {
        return wgt_job_fail_key(job, count_node, error, "the type says how many elements there are");
    }
    if (status == WGT_OK && count_node != NULL) {
        status = wgt_job_whole(job, count_node, 1, (uint64_t)1 << 40, &count, error);
    }
    wgt_part *parts = WGT_NEW_ARRAY(&job->arena, wgt_part, v->member_count);
    if (status != WGT_OK || parts == NULL) {
        return status != WGT_OK ? status : wgt_job_no_memory(error);
    }
    for (size_t i = 0; i < v->member_count; i++) {
        const wgt_json *node = NULL;
        for (const wgt_json *m = fields->first; m != NULL; m = m->next) {
            node = wgt_str_equal(m->key, v->members[i].name) ? m : node;
        }
        if (node == NULL) {
            return wgt_job_fail(job, fields, error, "the field \"%.*s\" of %.*s is missing",
                                (int)v->members[i].name.size, v->members[i].name.data, (int)v->name.size,
                                v->name.data);
        }
        status = read_member(job, v, &v->members[i], node, count, &parts[i], error);
        if (status != WGT_OK) {
            return status;
        }
    }
    bound->parts = parts;
    bound->part_count = v->member_count;
    return WGT_OK;
}

/* The whole binding as one run of elements. */
static wgt_status read_whole(wgt_job *job, wgt_bound *bound, wgt_error *error) {
    const wgt_wgsl_binding *v = bound->variable;
    wgt_part *part = WGT_NEW(&job->arena, wgt_part);
    if (part == NULL) {
        return wgt_job_no_memory(error);
    }
    const bool array = v->stride > 0;
    const bool runtime = array && v->runtime_sized;
    part->array = array;
    part->stride = array ? v->stride : v->size;
    part->count = array && !runtime ? v->size / v->stride : 1;
    wgt_status status = layout_of(job, v->element, part, error);
    if (status == WGT_OK && !array && v->runtime_sized) {
        return wgt_job_fail(job, bound->node, error,
                            "%.*s is a struct that ends in an array: describe its \"fields\"",
                            (int)v->name.size, v->name.data);
    }
    status = status == WGT_OK ? wgt_job_read_init(job, bound->node, part, !runtime, v->element, error) : status;
    bound->parts = part;
    bound->part_count = 1;
    return status;
}

static wgt_status measure(const wgt_job *job, const wgt_bound *bound, uint64_t *bytes, wgt_error *error) {
    const wgt_wgsl_binding *v = bound->variable;
    uint64_t end = v->runtime_sized ? 0 : v->size;
    for (size_t i = 0; i < bound->part_count; i++) {
        uint64_t size = 0;
        const wgt_part *part = &bound->parts[i];
        /* A member of an array of structs ends with the last struct. */
        const uint64_t start = v->stride > 0 ? 0 : part->offset;
        if (!wgt_mul_u64(part->stride, part->count, &size) || !wgt_add_u64(start, size, &size) ||
            size > (uint64_t)1 << 53) {
            return wgt_job_fail(job, bound->node, error, "the buffer is too large");
        }
        end = size > end ? size : end;
    }
    const uint64_t multiple = v->kind == WGT_BIND_UNIFORM ? 16 : 4;
    *bytes = wgt_div_ceil_u64(end, multiple) * multiple;
    return WGT_OK;
}

static wgt_status read_reset(wgt_job *job, const wgt_bound *bound, wgt_job_binding *b, wgt_error *error) {
    const wgt_json *node = wgt_json_get(bound->node, "reset");
    size_t word = b->accumulates ? WGT_RESET_EACH : WGT_RESET_NEVER;
    const wgt_status status = node == NULL ? WGT_OK : wgt_job_word(job, node, reset_words, &word, error);
    static const wgt_reset resets[] = {WGT_RESET_NEVER, WGT_RESET_EACH, WGT_RESET_SAMPLE};
    b->reset = resets[word];
    if (status == WGT_OK && b->reset != WGT_RESET_NEVER && b->kind != WGT_BIND_STORAGE_READ_WRITE) {
        return wgt_job_fail(job, node, error, "the kernel cannot write %.*s, so there is nothing to restore",
                            (int)b->name.size, b->name.data);
    }
    return status;
}

static wgt_status read_binding(wgt_job *job, wgt_bound *bound, wgt_job_binding *b, wgt_error *error) {
    const wgt_wgsl_binding *v = bound->variable;
    if (v->space == WGT_SPACE_HANDLE) {
        return wgt_job_fail_key(job, bound->node, error, "%.*s is a %.*s: a job binds buffers only",
                                (int)v->name.size, v->name.data, (int)v->type.size, v->type.data);
    }
    wgt_status status = wgt_job_type(job, bound->node, WGT_JSON_OBJECT, error);
    if (status != WGT_OK) {
        return status;
    }
    const wgt_json *fields = wgt_json_get(bound->node, "fields");
    status = fields != NULL ? read_fields(job, bound, fields, error) : read_whole(job, bound, error);
    b->name = v->name;
    b->group = v->group;
    b->binding = v->binding;
    b->kind = v->kind;
    status = status == WGT_OK ? measure(job, bound, &b->bytes, error) : status;
    if (status != WGT_OK) {
        return status;
    }
    wgt_job_access(job->info.code, v->name, &bound->reads, &bound->writes);
    b->accumulates = v->kind == WGT_BIND_STORAGE_READ_WRITE && bound->reads && bound->writes;
    const wgt_scalar scalar = bound->parts[0].scalar;
    b->element = wgt_str_from(wgt_scalar_name(scalar == WGT_SCALAR_NONE ? WGT_SCALAR_U32 : scalar));
    const wgt_json *output = wgt_json_get(bound->node, "output");
    if (output != NULL) {
        status = wgt_job_type(job, output, WGT_JSON_BOOL, error);
        b->output = output->boolean;
    }
    if (status == WGT_OK && b->output && v->kind != WGT_BIND_STORAGE_READ_WRITE) {
        return wgt_job_fail(job, output, error, "the kernel cannot write %.*s, so it is no output",
                            (int)v->name.size, v->name.data);
    }
    return status == WGT_OK ? read_reset(job, bound, b, error) : status;
}

static const wgt_json *find(const wgt_json *object, wgt_str name) {
    for (const wgt_json *m = object == NULL ? NULL : object->first; m != NULL; m = m->next) {
        if (wgt_str_equal(m->key, name)) {
            return m;
        }
    }
    return NULL;
}

/* Every description is of a variable that the entry reaches. */
static wgt_status check_names(const wgt_job *job, const wgt_json *object, wgt_error *error) {
    const wgt_wgsl_binding *all = NULL;
    const size_t count = wgt_wgsl_bindings(job->module, &all);
    for (const wgt_json *m = object == NULL ? NULL : object->first; m != NULL; m = m->next) {
        bool declared = false, reached = false;
        wgt_nearest nearest = {{NULL, 0}, 0};
        for (size_t i = 0; i < count; i++) {
            declared = declared || wgt_str_equal(all[i].name, m->key);
        }
        for (size_t i = 0; i < job->entry->bindings.count; i++) {
            const wgt_str name = all[job->entry->bindings.items[i]].name;
            reached = reached || wgt_str_equal(name, m->key);
            wgt_nearest_try(&nearest, m->key, name);
        }
        if (declared && !reached) {
            return wgt_job_fail_key(job, m, error, "entry \"%.*s\" does not use \"%.*s\"",
                                    (int)job->entry->name.size, job->entry->name.data, (int)m->key.size,
                                    m->key.data);
        }
        if (!declared) {
            const wgt_str near = nearest.name;
            return wgt_job_fail_key(job, m, error, "the kernel has no variable \"%.*s\"%s%.*s%s",
                                    (int)m->key.size, m->key.data,
                                    near.data != NULL ? "; did you mean \"" : "", (int)near.size,
                                    near.data != NULL ? near.data : "", near.data != NULL ? "\"?" : "");
        }
    }
    return WGT_OK;
}

wgt_status wgt_job_read_bindings(wgt_job *job, wgt_error *error) {
    const wgt_json *object = wgt_json_get(job->root, "bindings");
    wgt_status status = object == NULL ? WGT_OK : wgt_job_type(job, object, WGT_JSON_OBJECT, error);
    status = status == WGT_OK ? check_names(job, object, error) : status;
    const wgt_wgsl_binding *all = NULL;
    (void)wgt_wgsl_bindings(job->module, &all);
    const size_t count = job->entry->bindings.count;
    job->bindings = WGT_NEW_ARRAY(&job->arena, wgt_job_binding, count);
    job->bound = WGT_NEW_ARRAY(&job->arena, wgt_bound, count);
    if (status == WGT_OK && (job->bindings == NULL || job->bound == NULL)) {
        return wgt_job_no_memory(error);
    }
    for (size_t i = 0; status == WGT_OK && i < count; i++) {
        wgt_bound *bound = &job->bound[i];
        bound->variable = &all[job->entry->bindings.items[i]];
        bound->node = find(object, bound->variable->name);
        if (bound->node == NULL) {
            const wgt_str name = bound->variable->name;
            return wgt_job_fail(job, object == NULL ? job->root : object, error,
                                "the kernel's variable \"%.*s\" (%.*s:%u) is not described under \"bindings\"",
                                (int)name.size, name.data, (int)job->kernel_name.size,
                                job->kernel_name.data, bound->variable->line);
        }
        status = read_binding(job, bound, &job->bindings[i], error);
        job->binding_count++;
    }
    return status;
}
