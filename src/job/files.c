/* The one file of this room that needs a machine: the heap as the default allocator, jobs and contents
 * from files. Freestanding builds have neither. */
#include "internal.h"
#include <string.h>

#if __STDC_HOSTED__ && !defined(__wasm__)
#include "../base/host/host.h"

const wgt_allocator *wgt_job_default_allocator(void) { return wgt_heap(); }

wgt_status wgt_job_read_file(wgt_job *job, wgt_str name, wgt_str *bytes, wgt_error *error) {
    if (job->folder.data == NULL) {
        return wgt_fail(error, WGT_BAD_INPUT, "files are not read here");
    }
    const char *path = wgt_path_join(&job->arena, job->folder, name);
    if (path == NULL) {
        return wgt_job_no_memory(error);
    }
    return wgt_file_read(path, 0, &job->arena, bytes, error);
}

wgt_status wgt_job_load(const wgt_job_options *options, const char *path, wgt_job **job, wgt_error *error) {
    const wgt_allocator *allocator =
        options != NULL && options->allocator != NULL ? options->allocator : wgt_heap();
    wgt_arena arena;
    wgt_arena_init(&arena, allocator);
    const wgt_str name = wgt_str_from(path);
    wgt_str text = {NULL, 0}, kernel_text = {NULL, 0};
    char kernel[1024];
    *job = NULL;
    wgt_status status = wgt_file_read(path, 0, &arena, &text, error);
    status = status == WGT_OK ? wgt_job_kernel_path(name, text, kernel, sizeof kernel, error) : status;
    const wgt_str folder = status == WGT_OK ? wgt_arena_copy(&arena, wgt_path_folder(name)) : (wgt_str){NULL, 0};
    const char *kernel_path = NULL;
    if (status == WGT_OK) {
        wgt_error inner = {{0}};
        kernel_path = folder.data == NULL ? NULL : wgt_path_join(&arena, folder, wgt_str_from(kernel));
        status = kernel_path == NULL ? wgt_job_no_memory(&inner)
                                     : wgt_file_read(kernel_path, 0, &arena, &kernel_text, &inner);
        if (status == WGT_BAD_INPUT) {
            status = wgt_job_fail_kernel(name, text, inner.message, error);
        } else if (status != WGT_OK) {
            status = wgt_fail(error, status, "%s", inner.message);
        }
    }
    if (status == WGT_OK) {
        status = wgt_job_parse(options, name, text, wgt_str_from(kernel_path), kernel_text, folder.data, job,
                               error);
    }
    wgt_arena_release(&arena);
    return status;
}
#else
const wgt_allocator *wgt_job_default_allocator(void) { return NULL; }

wgt_status wgt_job_read_file(wgt_job *job, wgt_str name, wgt_str *bytes, wgt_error *error) {
    (void)job;
    (void)name;
    (void)bytes;
    return wgt_fail(error, WGT_BAD_INPUT, "files are not read here");
}
#endif
