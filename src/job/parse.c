#include "internal.h"
#include <string.h>

static const char *const top_keys[] = {"kernel",     "entry", "problem", "bindings", "threads",
                                       "workgroups", "bytes", "fold",    "tune",     "where",
                                       "check",      "promote", "assume_free", NULL};
static const char *const fold_words[] = {"none", "kernel", "rewrite", NULL};

static wgt_status read_root(wgt_job *job, wgt_error *error) {
    wgt_json *root = NULL;
    wgt_status status = wgt_json_parse(job->name, job->text, WGT_JSON_COMMENTS, &job->arena, &root, error);
    if (status != WGT_OK) {
        return status;
    }
    job->root = root;
    status = wgt_job_type(job, root, WGT_JSON_OBJECT, error);
    const wgt_json *steps = wgt_json_get(root, "steps");
    if (status == WGT_OK && steps != NULL) {
        return wgt_job_fail_key(job, steps, error,
                                "jobs of several passes are not supported: write one job for each pass");
    }
    return status == WGT_OK ? wgt_job_keys(job, root, top_keys, error) : status;
}

static bool holds_nul(wgt_str text) {
    size_t i = 0;
    while (i < text.size && text.data[i] != '\0') {
        i++;
    }
    return i < text.size;
}

static wgt_status read_kernel_path(const wgt_job *job, const wgt_json **node, wgt_error *error) {
    *node = wgt_json_get(job->root, "kernel");
    if (*node == NULL) {
        return wgt_job_fail(job, job->root, error, "\"kernel\" is missing: the WGSL file's name");
    }
    const wgt_status status = wgt_job_type(job, *node, WGT_JSON_STRING, error);
    if (status == WGT_OK && holds_nul((*node)->string)) {
        return wgt_job_fail(job, *node, error, "\"kernel\" holds a NUL: the WGSL file's name is wanted");
    }
    if (status == WGT_OK && (*node)->string.size == 0) {
        return wgt_job_fail(job, *node, error, "\"kernel\" is empty: the WGSL file's name is wanted");
    }
    return status;
}

static void put_entry_names(wgt_out *out, const wgt_wgsl_entry *entries, size_t count) {
    const char *between = "";
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_is(entries[i].stage, "compute")) {
            wgt_putf(out, "%s%.*s", between, (int)entries[i].name.size, entries[i].name.data);
            between = ", ";
        }
    }
}

static wgt_status read_entry(wgt_job *job, wgt_error *error) {
    const wgt_wgsl_entry *entries = NULL;
    const size_t count = wgt_wgsl_entries(job->module, &entries);
    const wgt_json *node = wgt_json_get(job->root, "entry");
    size_t compute = 0, only = 0;
    if (node != NULL) {
        const wgt_status status = wgt_job_type(job, node, WGT_JSON_STRING, error);
        if (status != WGT_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_is(entries[i].stage, "compute") &&
            (node == NULL || wgt_str_equal(node->string, entries[i].name))) {
            compute++;
            only = i;
        }
    }
    char names[512];
    wgt_out out;
    wgt_out_init(&out, names, sizeof names);
    put_entry_names(&out, entries, count);
    if (compute == 0 && names[0] == '\0') {
        return wgt_fail(error, WGT_BAD_INPUT, "%.*s: no compute entry point", (int)job->kernel_name.size,
                        job->kernel_name.data);
    }
    if (compute == 0) {
        return wgt_job_fail(job, node, error, "no compute entry \"%.*s\", allowed: %s",
                            (int)node->string.size, node->string.data, names);
    }
    if (compute > 1) {
        return wgt_job_fail(job, job->root, error, "\"entry\" is missing: the kernel has %s", names);
    }
    job->entry = &entries[only];
    job->info.entry = wgt_arena_copy(&job->arena, entries[only].name);
    return job->info.entry.data == NULL ? wgt_job_no_memory(error) : WGT_OK;
}

static bool is_override(const wgt_job *job, wgt_str name) {
    const wgt_wgsl_override *overrides = NULL;
    const size_t count = wgt_wgsl_overrides(job->module, &overrides);
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_equal(overrides[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Every value that the caller sets is one of the problem's or an override. */
static wgt_status check_given(const wgt_job *job, const wgt_job_options *options, const wgt_json *problem,
                              wgt_error *error) {
    for (size_t i = 0; i < options->problem_count; i++) {
        const wgt_str name = options->problem[i].name;
        bool known = is_override(job, name);
        wgt_nearest nearest = {{NULL, 0}, 0};
        for (const wgt_json *m = problem == NULL ? NULL : problem->first; m != NULL; m = m->next) {
            known = known || wgt_str_equal(m->key, name);
            wgt_nearest_try(&nearest, name, m->key);
        }
        if (!known) {
            const wgt_str near = nearest.name;
            return wgt_fail(error, WGT_BAD_INPUT,
                            "%.*s: no problem value and no override is called \"%.*s\"%s%.*s%s",
                            (int)job->name.size, job->name.data, (int)name.size, name.data,
                            near.data != NULL ? "; did you mean \"" : "", (int)near.size,
                            near.data != NULL ? near.data : "", near.data != NULL ? "\"?" : "");
        }
        if (!wgt_is_finite(options->problem[i].value)) {
            return wgt_fail(error, WGT_BAD_INPUT, "%.*s: the value of \"%.*s\" is no finite number",
                            (int)job->name.size, job->name.data, (int)name.size, name.data);
        }
    }
    return WGT_OK;
}

static const wgt_named *given_value(const wgt_job_options *options, wgt_str name) {
    for (size_t i = options->problem_count; i > 0; i--) { /* the last wins */
        if (wgt_str_equal(options->problem[i - 1].name, name)) {
            return &options->problem[i - 1];
        }
    }
    return NULL;
}

static bool is_name(wgt_str name) {
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return name.size > 0;
}

static wgt_status read_problem(wgt_job *job, const wgt_job_options *options, wgt_error *error) {
    const wgt_json *problem = wgt_json_get(job->root, "problem");
    wgt_status status = problem == NULL ? WGT_OK : wgt_job_type(job, problem, WGT_JSON_OBJECT, error);
    if (status == WGT_OK) {
        status = check_given(job, options, problem, error);
    }
    if (status != WGT_OK || problem == NULL) {
        return status;
    }
    job->problem = WGT_NEW_ARRAY(&job->arena, wgt_named, problem->count);
    if (job->problem == NULL) {
        return wgt_job_no_memory(error);
    }
    for (const wgt_json *m = problem->first; m != NULL; m = m->next) {
        if (!is_name(m->key)) {
            return wgt_job_fail_key(job, m, error,
                                    "\"%.*s\" is no name: letters, digits and _ make one", (int)m->key.size,
                                    m->key.data);
        }
        const wgt_named *given = given_value(options, m->key);
        const wgt_scope scope = {job, NULL, NULL};
        double value = given == NULL ? 0 : given->value;
        status = given == NULL ? wgt_job_number(job, m, &scope, &value, error) : WGT_OK;
        if (status != WGT_OK) {
            return status;
        }
        job->problem[job->problem_count].name = m->key;
        job->problem[job->problem_count].value = value;
        job->problem_count++;
    }
    return WGT_OK;
}

static wgt_status read_axes(wgt_job *job, wgt_error *error) {
    const wgt_json *threads = wgt_json_get(job->root, "threads");
    const wgt_json *workgroups = wgt_json_get(job->root, "workgroups");
    if (threads != NULL && workgroups != NULL) {
        return wgt_job_fail_key(job, workgroups, error,
                                "\"threads\" and \"workgroups\" exclude each other: keep one");
    }
    const wgt_json *node = threads != NULL ? threads : workgroups;
    if (node == NULL) {
        return wgt_job_fail(job, job->root, error,
                            "\"threads\" is missing: the invocations wanted on each axis, such as [\"n\"] (or "
                            "\"workgroups\")");
    }
    job->axes_are_workgroups = threads == NULL;
    wgt_status status = wgt_job_type(job, node, WGT_JSON_ARRAY, error);
    if (status == WGT_OK && (node->count < 1 || node->count > WGT_JOB_AXES)) {
        return wgt_job_fail(job, node, error, "one to three axes are wanted, not %zu", node->count);
    }
    for (const wgt_json *e = node->first; status == WGT_OK && e != NULL; e = e->next) {
        status = wgt_job_expr(job, e, true, false, &job->axes[job->axis_count], error);
        job->axis_count++;
    }
    return status;
}

static wgt_status read_fold(wgt_job *job, wgt_error *error) {
    const wgt_json *node = wgt_json_get(job->root, "fold");
    size_t word = WGT_FOLD_NONE;
    const wgt_status status = node == NULL ? WGT_OK : wgt_job_word(job, node, fold_words, &word, error);
    if (status != WGT_OK) {
        return status;
    }
    job->info.fold = (wgt_fold)word;
    if (word != WGT_FOLD_NONE && job->axis_count > 1) {
        return wgt_job_fail(job, node, error, "only a dispatch of one axis can be folded, this one has %zu",
                            job->axis_count);
    }
    if (word == WGT_FOLD_KERNEL && !job->entry->num_workgroups) {
        return wgt_job_fail(job, node, error,
                            "entry \"%.*s\" does not read num_workgroups, so it cannot linearise a folded "
                            "dispatch",
                            (int)job->entry->name.size, job->entry->name.data);
    }
    return WGT_OK;
}

static wgt_status read_bytes_moved(wgt_job *job, wgt_error *error) {
    const wgt_json *node = wgt_json_get(job->root, "bytes");
    const wgt_scope scope = {job, NULL, NULL};
    job->info.bytes_moved = wgt_nan();
    if (node == NULL) {
        return WGT_OK;
    }
    const wgt_status status = wgt_job_number(job, node, &scope, &job->info.bytes_moved, error);
    if (status == WGT_OK && !(job->info.bytes_moved > 0)) {
        return wgt_job_fail(job, node, error, "%g bytes: a number above 0 is wanted", job->info.bytes_moved);
    }
    return status;
}

static wgt_status read_where(wgt_job *job, wgt_error *error) {
    const wgt_json *node = wgt_json_get(job->root, "where");
    if (node == NULL) {
        return WGT_OK;
    }
    wgt_status status = wgt_job_type(job, node, WGT_JSON_ARRAY, error);
    job->where = WGT_NEW_ARRAY(&job->arena, wgt_text_expr, node->count);
    if (status == WGT_OK && job->where == NULL) {
        return wgt_job_no_memory(error);
    }
    for (const wgt_json *e = node->first; status == WGT_OK && e != NULL; e = e->next) {
        status = wgt_job_type(job, e, WGT_JSON_STRING, error);
        if (status == WGT_OK) {
            status = wgt_job_expr(job, e, true, true, &job->where[job->where_count], error);
            job->where_count++;
        }
    }
    return status;
}

static void sum_up(wgt_job *job) {
    wgt_job_info *info = &job->info;
    info->exact = true;
    info->unverified = true;
    info->unchanged_ok = true;
    info->batchable = true;
    for (size_t i = 0; i < job->binding_count; i++) {
        const wgt_job_binding *b = &job->bindings[i];
        const bool checked = b->output && b->check != WGT_CHECK_NONE;
        info->unverified = info->unverified && !checked;
        info->exact = info->exact && (!checked || b->check == WGT_CHECK_SAME);
        info->unchanged_ok = info->unchanged_ok && (!checked || b->unchanged_ok);
        info->has_reference = info->has_reference || (checked && b->has_reference);
        info->batchable = info->batchable && b->reset != WGT_RESET_EACH;
    }
    /* A kernel that strides by the grid does all the work however few workgroups there are; one that
     * only linearises a folded grid does not. */
    info->divisible = !job->strides || info->fold == WGT_FOLD_KERNEL;
    info->problem = job->problem;
    info->problem_count = job->problem_count;
    info->bindings = job->bindings;
    info->binding_count = job->binding_count;
    info->constants = job->constants;
    info->constant_count = job->constant_count;
}

static wgt_status read_all(wgt_job *job, const wgt_job_options *options, wgt_error *error) {
    const wgt_wgsl_options wgsl = {job->allocator, 0};
    wgt_status status =
        wgt_wgsl_create(&wgsl, job->kernel_name, job->info.code, &job->module, error);
    bool changed = false;
    status = status == WGT_OK ? read_entry(job, error) : status;
    status = status == WGT_OK ? wgt_job_free_size(job, &changed, error) : status;
    status = status == WGT_OK && changed ? read_entry(job, error) : status;
    job->strides = status == WGT_OK && job->entry->num_workgroups;
    status = status == WGT_OK ? wgt_job_fold_kernel(job, &changed, error) : status;
    status = status == WGT_OK && changed ? read_entry(job, error) : status;
    status = status == WGT_OK ? read_problem(job, options, error) : status;
    status = status == WGT_OK ? wgt_job_read_bindings(job, error) : status;
    status = status == WGT_OK ? wgt_job_read_tune(job, options, error) : status;
    status = status == WGT_OK ? read_axes(job, error) : status;
    status = status == WGT_OK ? read_fold(job, error) : status;
    status = status == WGT_OK ? read_bytes_moved(job, error) : status;
    status = status == WGT_OK ? read_where(job, error) : status;
    status = status == WGT_OK ? wgt_job_read_checks(job, error) : status;
    status = status == WGT_OK ? wgt_job_read_space(job, error) : status;
    return status;
}

/* "a/scatter.job.json" → "scatter". */
static wgt_str short_name(wgt_str name) {
    size_t start = name.size;
    while (start > 0 && name.data[start - 1] != '/') {
        start--;
    }
    wgt_str result = {name.data + start, name.size - start};
    static const char *const endings[] = {".job.json", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = wgt_str_from(endings[i]).size;
        if (wgt_str_ends(result, endings[i]) && result.size > size) {
            result.size -= size;
            return result;
        }
    }
    return result;
}

static bool copy_texts(wgt_job *job, wgt_str name, wgt_str text, wgt_str kernel_name, wgt_str kernel_text,
                       const char *folder) {
    job->name = wgt_arena_copy(&job->arena, name);
    job->text = wgt_arena_copy(&job->arena, text);
    job->kernel_name = wgt_arena_copy(&job->arena, kernel_name);
    job->info.code = wgt_arena_copy(&job->arena, kernel_text);
    job->folder = folder == NULL ? (wgt_str){NULL, 0} : wgt_arena_copy(&job->arena, wgt_str_from(folder));
    job->info.name = short_name(job->name);
    job->info.text = job->text;
    job->info.folder = folder == NULL ? WGT_STR("") : job->folder;
    job->info.hash = wgt_hash_bytes(kernel_text.data, kernel_text.size);
    return job->name.data != NULL && job->text.data != NULL && job->kernel_name.data != NULL &&
           job->info.code.data != NULL && (folder == NULL || job->folder.data != NULL);
}

wgt_status wgt_job_parse(const wgt_job_options *options, wgt_str name, wgt_str text, wgt_str kernel_name,
                         wgt_str kernel_text, const char *folder, wgt_job **job, wgt_error *error) {
    static const wgt_job_options none;
    options = options == NULL ? &none : options;
    const wgt_allocator *allocator =
        options->allocator != NULL ? options->allocator : wgt_job_default_allocator();
    *job = NULL;
    wgt_job *made = allocator == NULL ? NULL : allocator->resize(allocator->user, NULL, 0, sizeof *made);
    if (made == NULL) {
        return wgt_job_no_memory(error);
    }
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    wgt_arena_init(&made->arena, allocator);
    wgt_arena_init(&made->candidates, allocator);
    wgt_status status = copy_texts(made, name, text, kernel_name, kernel_text, folder)
                            ? read_root(made, error)
                            : wgt_job_no_memory(error);
    const wgt_json *kernel = NULL;
    status = status == WGT_OK ? read_kernel_path(made, &kernel, error) : status;
    if (status == WGT_OK) {
        made->info.kernel = kernel->string;
        status = read_all(made, options, error);
    }
    if (status != WGT_OK) {
        wgt_job_destroy(&made);
        return status;
    }
    sum_up(made);
    *job = made;
    return WGT_OK;
}

/* Where there is no heap, a job of moderate size fits here. */
typedef union wgt_local {
    unsigned char bytes[64 * 1024];
    double align;
} wgt_local;

/* A job's text with nothing read but its root; wgt_arena_release ends it. */
static wgt_status peek(wgt_job *job, wgt_local *local, wgt_str name, wgt_str text, const wgt_json **kernel,
                       wgt_error *error) {
    const wgt_allocator *allocator = wgt_job_default_allocator();
    memset(job, 0, sizeof *job);
    job->name = name;
    job->text = text;
    if (allocator != NULL) {
        wgt_arena_init(&job->arena, allocator);
    } else {
        wgt_arena_init_fixed(&job->arena, local->bytes, sizeof local->bytes);
    }
    const wgt_status status = read_root(job, error);
    return status == WGT_OK ? read_kernel_path(job, kernel, error) : status;
}

wgt_status wgt_job_kernel_path(wgt_str name, wgt_str text, char *path, size_t capacity, wgt_error *error) {
    wgt_job job;
    wgt_local local;
    const wgt_json *kernel = NULL;
    wgt_status status = peek(&job, &local, name, text, &kernel, error);
    if (status == WGT_OK && kernel->string.size >= capacity) {
        status = wgt_job_fail(&job, kernel, error, "the kernel's path is too long");
    }
    if (status == WGT_OK) {
        memcpy(path, kernel->string.data, kernel->string.size);
        path[kernel->string.size] = '\0';
    }
    wgt_arena_release(&job.arena);
    return status;
}

wgt_status wgt_job_fail_kernel(wgt_str name, wgt_str text, const char *message, wgt_error *error) {
    wgt_job job;
    wgt_local local;
    const wgt_json *kernel = NULL;
    wgt_status status = peek(&job, &local, name, text, &kernel, error);
    status = status == WGT_OK ? wgt_job_fail(&job, kernel, error, "%s", message) : status;
    wgt_arena_release(&job.arena);
    return status;
}

void wgt_job_destroy(wgt_job **job) {
    if (job == NULL || *job == NULL) {
        return;
    }
    wgt_job *old = *job;
    *job = NULL;
    wgt_wgsl_destroy(&old->module);
    wgt_arena_release(&old->arena);
    wgt_arena_release(&old->candidates);
    const wgt_allocator *allocator = old->allocator;
    (void)allocator->resize(allocator->user, old, sizeof *old, 0);
}

const wgt_job_info *wgt_job_get_info(const wgt_job *job) { return &job->info; }

const wgt_wgsl *wgt_job_module(const wgt_job *job) { return job->module; }
