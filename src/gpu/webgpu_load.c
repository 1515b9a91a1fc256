#include "webgpu_load.h"
#include "../base/host/host.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The structs of webgpu.h change between major versions of wgpu-native, and no header tells its
 * own: this is the one that tools/fetch-wgpu brings. */
#define ENGINE_MAJOR 29u

#if defined(__APPLE__)
#define LIBRARY_NAME "libwgpu_native.dylib"
#else
#define LIBRARY_NAME "libwgpu_native.so"
#endif
#ifndef WGT_ENGINE_FOLDER
#define WGT_ENGINE_FOLDER "/usr/local/lib/wgtune"
#endif
#ifndef WGT_ENGINE_FROM_BIN
#define WGT_ENGINE_FROM_BIN "../lib/wgtune"
#endif

typedef struct proc_row {
    const char *symbol;
    size_t offset;
} proc_row;

#define ROW(name) {"wgpu" #name, offsetof(wgt_webgpu_procs, name)},
static const proc_row proc_rows[] = {WGT_WEBGPU_PROCS(ROW) WGT_NATIVE_PROCS(ROW)};
#undef ROW

static wgt_status take_version(const char *path, wgt_webgpu_procs *procs, wgt_error *error) {
    uint32_t version = procs->GetVersion();
    wgt_format(procs->version, sizeof procs->version, "%u.%u.%u.%u", version >> 24,
               (version >> 16) & 255u, (version >> 8) & 255u, version & 255u);
    if (version >> 24 != ENGINE_MAJOR)
        return wgt_fail(
            error, WGT_NO_GPU,
            "%s is wgpu-native %s, but this wgtune needs version %u; tools/fetch-wgpu brings it",
            path, procs->version, ENGINE_MAJOR);
    return WGT_OK;
}

static wgt_status take_procs(void *library, const char *path, wgt_webgpu_procs *procs,
                             wgt_error *error) {
    for (size_t i = 0; i < sizeof proc_rows / sizeof *proc_rows; i++) {
        void *symbol = dlsym(library, proc_rows[i].symbol);
        if (!symbol)
            return wgt_fail(error, WGT_NO_GPU,
                            "%s is not the wgpu-native that is needed: it has no %s", path,
                            proc_rows[i].symbol);
        /* ISO C has no cast from an object's address to a function's; POSIX says that they are
         * alike. */
        memcpy((char *)procs + proc_rows[i].offset, &symbol, sizeof symbol);
    }
    return take_version(path, procs, error);
}

static wgt_status take(const char *path, wgt_webgpu_procs *procs, wgt_error *error) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        return wgt_fail(error, WGT_NO_GPU, "cannot load the WebGPU engine: %s",
                        reason ? reason : path);
    }
    wgt_status status = take_procs(library, path, procs, error);
    if (status != WGT_OK)
        dlclose(library);
    return status;
}

/* Where the program lies, as "folder/libwgpu_native.so"; NULL when it is not there. */
static const char *beside_program(wgt_arena *arena, const char *below) {
    const char *program = wgt_program_path(arena);
    if (!program)
        return NULL;
    const char *path =
        wgt_path_join(arena, wgt_path_folder(wgt_str_from(program)), wgt_str_from(below));
    return path && wgt_file_exists(path) ? path : NULL;
}

static wgt_status search(wgt_arena *arena, wgt_webgpu_procs *procs, wgt_error *error) {
    const char *path = beside_program(arena, LIBRARY_NAME);
    if (!path)
        path = beside_program(arena, WGT_ENGINE_FROM_BIN "/" LIBRARY_NAME);
    if (!path && wgt_file_exists(WGT_ENGINE_FOLDER "/" LIBRARY_NAME))
        path = WGT_ENGINE_FOLDER "/" LIBRARY_NAME;
    if (path)
        return take(path, procs, error);
    void *library = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return take_procs(library, LIBRARY_NAME, procs, error);
    return wgt_fail(error, WGT_NO_GPU,
                    "no WebGPU engine: " LIBRARY_NAME " is neither beside the program, nor in "
                    "%s, nor among the system's libraries; tools/fetch-wgpu FOLDER brings it, and "
                    "WGTUNE_WGPU_LIB=FOLDER/" LIBRARY_NAME " names it",
                    WGT_ENGINE_FOLDER);
}

wgt_status wgt_webgpu_load(const char *path, wgt_webgpu_procs *procs, wgt_error *error) {
    memset(procs, 0, sizeof *procs);
    if (!path || !*path)
        path = getenv("WGTUNE_WGPU_LIB");
    if (path && *path)
        return take(path, procs, error);
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    wgt_status status = search(&arena, procs, error);
    wgt_arena_release(&arena);
    return status;
}
