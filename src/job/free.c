/* A workgroup size that is a literal or a const is made tunable before the rest of the job is read. The user's own text
 * stays what the job's hash is of. */
#include "internal.h"
#include "wgtune/rewrite.h"

#define MAX_PROMOTED 16

static bool is_override(const wgt_job *job, wgt_str name) {
    const wgt_wgsl_override *overrides = NULL;
    size_t count = wgt_wgsl_overrides(job->module, &overrides);
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_equal(overrides[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* "tune": {} measures the kernel as it is, and so does a list of overrides alone. */
static bool wants_free_size(const wgt_job *job) {
    const wgt_json *tune = wgt_json_get(job->root, "tune");
    if (job->entry->size_overrides.count > 0) {
        return false;
    }
    if (tune == NULL || tune->type != WGT_JSON_OBJECT) {
        return true;
    }
    for (const wgt_json *key = tune->first; key != NULL; key = key->next) {
        wgt_str names = key->key;
        do {
            if (!is_override(job, wgt_job_next_name(&names))) {
                return true;
            }
        } while (names.size > 0);
    }
    return false;
}

static wgt_status read_promote(const wgt_job *job, wgt_str names[MAX_PROMOTED], size_t *count, wgt_error *error) {
    const wgt_json *node = wgt_json_get(job->root, "promote");
    *count = 0;
    if (node == NULL) {
        return WGT_OK;
    }
    wgt_status status = wgt_job_type(job, node, WGT_JSON_ARRAY, error);
    for (const wgt_json *item = node->first; status == WGT_OK && item != NULL; item = item->next) {
        status = wgt_job_type(job, item, WGT_JSON_STRING, error);
        if (status == WGT_OK && *count == MAX_PROMOTED) {
            return wgt_job_fail(job, item, error, "more than %d consts", MAX_PROMOTED);
        }
        if (status == WGT_OK) {
            names[(*count)++] = item->string;
        }
    }
    return status;
}

static wgt_status take_text(wgt_job *job, const wgt_rewrite *rewrite, wgt_error *error) {
    const wgt_wgsl_options wgsl = {job->allocator, 0};
    job->info.code = wgt_arena_copy(&job->arena, wgt_rewrite_text(rewrite));
    if (job->info.code.data == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    wgt_wgsl_destroy(&job->module);
    return wgt_wgsl_create(&wgsl, job->kernel_name, job->info.code, &job->module, error);
}

/* What was made is read as if the user had written it. */
static wgt_status apply(wgt_job *job, const wgt_rewrite_options *options, bool *changed, wgt_error *error) {
    wgt_rewrite *rewrite = NULL;
    wgt_status status = wgt_rewrite_create(job->module, job->entry, options, &rewrite, error);
    *changed = status == WGT_OK && !wgt_str_equal(wgt_rewrite_text(rewrite), job->info.code);
    if (*changed) {
        status = take_text(job, rewrite, error);
    }
    wgt_rewrite_destroy(&rewrite);
    /* A locked size is a fault of the input here: nothing may vary. */
    return status == WGT_NEGATIVE ? WGT_BAD_INPUT : status;
}

wgt_status wgt_job_free_size(wgt_job *job, bool *changed, wgt_error *error) {
    const wgt_json *assume = wgt_json_get(job->root, "assume_free");
    wgt_str promote[MAX_PROMOTED];
    wgt_rewrite_options options = {.allocator = job->allocator, .free_size = wants_free_size(job), .promote = promote};
    wgt_status status = assume == NULL ? WGT_OK : wgt_job_type(job, assume, WGT_JSON_BOOL, error);
    *changed = false;
    if (status == WGT_OK) {
        status = read_promote(job, promote, &options.promote_count, error);
    }
    if (status != WGT_OK || (!options.free_size && options.promote_count == 0)) {
        return status;
    }
    options.assume_free = assume != NULL && assume->boolean;
    return apply(job, &options, changed, error);
}

wgt_status wgt_job_fold_kernel(wgt_job *job, bool *changed, wgt_error *error) {
    const wgt_json *fold = wgt_json_get(job->root, "fold");
    const wgt_rewrite_options options = {.allocator = job->allocator, .fold = true};
    *changed = false;
    if (fold == NULL || fold->type != WGT_JSON_STRING || !wgt_str_is(fold->string, "rewrite")) {
        return WGT_OK;
    }
    return apply(job, &options, changed, error);
}
