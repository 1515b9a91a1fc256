#include "internal.h"

static const char *const check_words[] = {"none", "same", "close", "sum", "set", NULL};
static const wgt_check_mode check_modes[] = {WGT_CHECK_NONE, WGT_CHECK_SAME, WGT_CHECK_CLOSE, WGT_CHECK_SUM,
                                             WGT_CHECK_SET};
static const char *const check_keys[] = {"mode", "rtol", "atol", "file", "unchanged_ok", NULL};

static bool is_real(const wgt_bound *bound) {
    for (size_t i = 0; i < bound->part_count; i++) {
        const wgt_scalar scalar = bound->parts[i].scalar;
        if (scalar == WGT_SCALAR_F32 || scalar == WGT_SCALAR_F16) {
            return true;
        }
    }
    return false;
}

static wgt_status read_tolerance(wgt_job *job, const wgt_json *node, const char *key, double *value,
                                 wgt_error *error) {
    const wgt_json *member = wgt_json_get(node, key);
    const wgt_scope scope = {job, NULL, NULL};
    if (member == NULL) {
        return WGT_OK;
    }
    const wgt_status status = wgt_job_number(job, member, &scope, value, error);
    return status == WGT_OK && *value < 0
               ? wgt_job_fail(job, member, error, "%g is below 0: a tolerance is not", *value)
               : status;
}

/* The bytes of all scalars, packed. */
static uint64_t packed_bytes(const wgt_bound *bound) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < bound->part_count; i++) {
        const wgt_part *part = &bound->parts[i];
        const uint64_t element = part->slot_count > 0
                                     ? (uint64_t)part->slot_count * wgt_scalar_size(part->scalar)
                                     : part->stride;
        bytes += part->count * element;
    }
    return bytes;
}

static wgt_status read_reference(wgt_job *job, wgt_bound *bound, wgt_job_binding *b, const wgt_json *node,
                                 wgt_error *error) {
    /* A struct's fields may be of several types: then only a raw file can hold them. */
    const wgt_scalar scalar = bound->part_count == 1 ? bound->parts[0].scalar : WGT_SCALAR_NONE;
    const wgt_status status = wgt_job_read_scalars(job, node, NULL, scalar, &bound->reference, error);
    if (status != WGT_OK) {
        return status;
    }
    const uint64_t bytes = packed_bytes(bound);
    if (bound->reference.size != bytes) {
        return wgt_job_fail(job, node, error, "the file has %zu bytes, %.*s has %llu", bound->reference.size,
                            (int)b->name.size, b->name.data, (unsigned long long)bytes);
    }
    bound->reference_name = node->string;
    b->has_reference = true;
    return WGT_OK;
}

static wgt_status read_check(wgt_job *job, wgt_bound *bound, wgt_job_binding *b, const wgt_json *node,
                             wgt_error *error) {
    const bool object = node->type == WGT_JSON_OBJECT;
    wgt_status status = object ? wgt_job_keys(job, node, check_keys, error) : WGT_OK;
    const wgt_json *mode = object ? wgt_json_get(node, "mode") : node;
    size_t word = 0;
    if (status == WGT_OK && mode != NULL) {
        status = wgt_job_word(job, mode, check_words, &word, error);
        b->check = check_modes[word];
    }
    if (status != WGT_OK || !object) {
        return status;
    }
    status = read_tolerance(job, node, "rtol", &b->rtol, error);
    status = status == WGT_OK ? read_tolerance(job, node, "atol", &b->atol, error) : status;
    const wgt_json *unchanged = wgt_json_get(node, "unchanged_ok");
    if (status == WGT_OK && unchanged != NULL) {
        status = wgt_job_type(job, unchanged, WGT_JSON_BOOL, error);
        b->unchanged_ok = unchanged->boolean;
    }
    const wgt_json *file = wgt_json_get(node, "file");
    return status == WGT_OK && file != NULL ? read_reference(job, bound, b, file, error) : status;
}

/* Bitwise for whole numbers; for real ones, whose sums depend on the order, as close as f32 sums of
 * moderate length are. */
static void default_check(const wgt_bound *bound, wgt_job_binding *b) {
    const bool real = is_real(bound);
    b->check = real ? WGT_CHECK_CLOSE : WGT_CHECK_SAME;
    b->rtol = real ? 1e-5 : 0;
    b->atol = real ? 1e-6 : 0;
}

static wgt_status find_output(const wgt_job *job, const wgt_json *node, size_t *index, wgt_error *error) {
    wgt_nearest nearest = {{NULL, 0}, 0};
    for (*index = 0; *index < job->binding_count; (*index)++) {
        const wgt_job_binding *b = &job->bindings[*index];
        if (wgt_str_equal(b->name, node->key)) {
            return b->kind == WGT_BIND_STORAGE_READ_WRITE
                       ? WGT_OK
                       : wgt_job_fail_key(job, node, error, "the kernel cannot write %.*s, so there is "
                                          "nothing to check", (int)b->name.size, b->name.data);
        }
        if (b->kind == WGT_BIND_STORAGE_READ_WRITE) {
            wgt_nearest_try(&nearest, node->key, b->name);
        }
    }
    const wgt_str near = nearest.name;
    return wgt_job_fail_key(job, node, error, "no binding \"%.*s\" to check%s%.*s%s", (int)node->key.size,
                            node->key.data, near.data != NULL ? "; did you mean \"" : "", (int)near.size,
                            near.data != NULL ? near.data : "", near.data != NULL ? "\"?" : "");
}

wgt_status wgt_job_read_checks(wgt_job *job, wgt_error *error) {
    for (size_t i = 0; i < job->binding_count; i++) {
        default_check(&job->bound[i], &job->bindings[i]);
    }
    const wgt_json *checks = wgt_json_get(job->root, "check");
    wgt_status status = checks == NULL ? WGT_OK : wgt_job_type(job, checks, WGT_JSON_OBJECT, error);
    for (const wgt_json *m = checks == NULL ? NULL : checks->first; status == WGT_OK && m != NULL; m = m->next) {
        size_t index = 0;
        status = find_output(job, m, &index, error);
        if (status == WGT_OK) {
            job->bindings[index].output = true; /* what is checked is an output */
            status = read_check(job, &job->bound[index], &job->bindings[index], m, error);
        }
    }
    for (size_t i = 0; i < job->binding_count; i++) {
        wgt_job_binding *b = &job->bindings[i];
        b->check = b->output ? b->check : WGT_CHECK_NONE;
        const bool tolerant = b->check == WGT_CHECK_CLOSE || b->check == WGT_CHECK_SUM;
        b->rtol = tolerant ? b->rtol : 0;
        b->atol = tolerant ? b->atol : 0;
    }
    return status;
}
