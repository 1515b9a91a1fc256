#include "statistics.h"

#include "../base/host/host.h"
#include "../base/text.h"
#include "../../layer/wgtune_layer.h"
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the layer in this process ---- */

typedef struct layer {
    void *library;
    const wgtune_layer_api *api; /* NULL: not there */
} layer;

static const wgtune_layer_api *table_of(void *library) {
    wgtune_layer_get_fn get = NULL;
    void *symbol = dlsym(library, WGTUNE_LAYER_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    const wgtune_layer_api *api = get != NULL ? get(WGTUNE_LAYER_VERSION) : NULL;
    return api != NULL && api->size == sizeof *api ? api : NULL;
}

static layer layer_acquire(void) {
    layer l = {dlopen(WGTUNE_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD), NULL};
    if (l.library != NULL)
        l.api = table_of(l.library);
    return l;
}

static void layer_release(layer *l) {
    if (l->library != NULL)
        dlclose(l->library);
}

uint64_t wgt_statistics_mark(void) {
    layer l = layer_acquire();
    uint64_t mark = l.api != NULL ? l.api->mark() : 0;
    layer_release(&l);
    return mark;
}

wgt_status wgt_statistics_take(uint64_t mark, wgt_statistics *statistics) {
    *statistics =
        (wgt_statistics){WGT_UNKNOWN_U64, WGT_UNKNOWN_U64, WGT_UNKNOWN_U64, WGT_UNKNOWN_U64};
    wgtune_layer_record record;
    layer l = layer_acquire();
    bool found = l.api != NULL && l.api->last(mark, &record);
    layer_release(&l);
    if (!found)
        return WGT_NEGATIVE;
    *statistics = (wgt_statistics){record.registers, record.spill_bytes, record.shared_bytes,
                                   record.subgroup_size};
    return WGT_OK;
}

wgt_status wgt_statistics_core(wgt_core_properties *core) {
    wgtune_layer_device device;
    layer l = layer_acquire();
    bool found = l.api != NULL && l.api->device(&device);
    layer_release(&l);
    if (!found) {
        memset(&device, 0, sizeof device);
        device.compute_units = device.warps_per_unit = device.registers_per_simd =
            device.simds_per_unit = device.register_granularity = device.subgroup_size =
                device.subgroup_min = device.subgroup_max = WGT_UNKNOWN_U64;
    }
    *core = (wgt_core_properties){.vendor_id = device.vendor_id,
                                  .device_id = device.device_id,
                                  .statistics = device.statistics,
                                  .compute_units = device.compute_units,
                                  .warps_per_unit = device.warps_per_unit,
                                  .registers_per_simd = device.registers_per_simd,
                                  .simds_per_unit = device.simds_per_unit,
                                  .register_granularity = device.register_granularity,
                                  .subgroup_size = device.subgroup_size,
                                  .subgroup_min = device.subgroup_min,
                                  .subgroup_max = device.subgroup_max};
    return found ? WGT_OK : WGT_NEGATIVE;
}

/* ---- where it lies ---- */

static bool joined(char *path, const char *folder, const char *name) {
    size_t size = wgt_format(path, PATH_MAX, "%s/%s", folder, name);
    return size == strlen(folder) + 1 + strlen(name);
}

static bool holds_layer(const char *folder) {
    char path[PATH_MAX];
    return joined(path, folder, WGTUNE_LAYER_MANIFEST) && access(path, R_OK) == 0 &&
           joined(path, folder, WGTUNE_LAYER_LIBRARY) && access(path, R_OK) == 0;
}

/* The first folder that matches the pattern below `base` and holds the layer, resolved. */
static bool search_pattern(const char *base, const char *pattern, char folder[PATH_MAX]) {
    char path[PATH_MAX];
    glob_t matches = {0};
    bool found = false;
    if (!joined(path, base, pattern))
        return false;
    if (glob(path, 0, NULL, &matches) == 0)
        for (size_t i = 0; i < matches.gl_pathc && !found; i++)
            found =
                holds_layer(matches.gl_pathv[i]) && realpath(matches.gl_pathv[i], folder) != NULL;
    globfree(&matches);
    return found;
}

/* Relative to a program or library that holds this code: the build folder, then an install prefix.
 */
static bool search_beside(const char *file, char folder[PATH_MAX]) {
    static const char *const patterns[] = {"layer",
                                           "../layer",
                                           "../../layer",
                                           "wgtune/layer",
                                           "../lib*/wgtune/layer",
                                           "../lib/*/wgtune/layer"};
    char base[PATH_MAX];
    if (file == NULL || realpath(file, base) == NULL)
        return false;
    char *slash = strrchr(base, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (search_pattern(base, patterns[i], folder))
            return true;
    return false;
}

static wgt_status find_layer(char folder[PATH_MAX], wgt_error *error) {
    const char *given = getenv("WGTUNE_LAYER_PATH");
    if (given != NULL && given[0] != '\0') {
        if (holds_layer(given) && realpath(given, folder) != NULL)
            return WGT_OK;
        return wgt_fail(error, WGT_NEGATIVE,
                        "no Vulkan layer in %s ($WGTUNE_LAYER_PATH): registers stay unknown",
                        given);
    }
    Dl_info here;
    static const char anchor = 0; /* lies in the file that holds this code */
    if ((dladdr(&anchor, &here) != 0 && search_beside(here.dli_fname, folder)) ||
        search_beside("/proc/self/exe", folder))
        return WGT_OK;
    return wgt_fail(error, WGT_NEGATIVE,
                    "the Vulkan layer was not found beside the program or in its prefix "
                    "($WGTUNE_LAYER_PATH may name its "
                    "folder): registers stay unknown");
}

/* ---- the environment ---- */

static bool list_has(const char *list, const char *item) {
    size_t size = strlen(item);
    for (const char *p = list; p != NULL; p = strchr(p, ':')) {
        p += *p == ':';
        if (strcspn(p, ":") == size && memcmp(p, item, size) == 0)
            return true;
    }
    return false;
}

/* Appends to a list that is separated by colons, unless it is there. */
static wgt_status append(const char *variable, const char *item, wgt_error *error) {
    const char *old = getenv(variable);
    if (old != NULL && list_has(old, item))
        return WGT_OK;
    size_t size = (old != NULL ? strlen(old) : 0) + strlen(item) + 2;
    char *text = wgt_fault(WGT_FAULT_ALLOC) ? NULL : malloc(size);
    if (text == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    wgt_format(text, size, "%s%s%s", old != NULL ? old : "",
               old != NULL && old[0] != '\0' ? ":" : "", item);
    bool set = setenv(variable, text, 1) == 0;
    free(text);
    return set ? WGT_OK
               : wgt_fail(error, WGT_NO_MEMORY, "the environment variable %s cannot be set",
                          variable);
}

/* The Vulkan version of the loader that engines will open; 0: no loader. The loader stays loaded.
 */
static uint32_t loader_version(void) {
    uint32_t version = 1u << 22; /* 1.0: that loader has no such function */
    int32_t (*enumerate)(uint32_t *) = NULL;
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (library == NULL)
        library = dlopen("libvulkan.so", RTLD_NOW);
    if (library == NULL)
        return 0;
    void *symbol = dlsym(library, "vkEnumerateInstanceVersion");
    memcpy(&enumerate, &symbol, sizeof enumerate);
    if (enumerate != NULL)
        enumerate(&version);
    return version;
}

/* VK_LAYER_PATH replaces the search path, and VK_ADD_LAYER_PATH is not read where it is set.
 * VK_ADD_LAYER_PATH works with the loader 1.3.239 and later; for older ones the usual folders are
 * written out behind ours, so that the layers that somebody else asked for are still found. Source:
 * the loader's LoaderLayerInterface document. */
static wgt_status add_folder(const char *folder, uint32_t version, wgt_error *error) {
    const uint32_t first_with_add = (1u << 22) | (3u << 12) | 239u;
    const char *given = getenv("VK_LAYER_PATH");
    if (given != NULL && given[0] != '\0')
        return append("VK_LAYER_PATH", folder, error);
    if (version >= first_with_add)
        return append("VK_ADD_LAYER_PATH", folder, error);
    static const char *const usual[] = {"/etc/vulkan/explicit_layer.d",
                                        "/usr/local/share/vulkan/explicit_layer.d",
                                        "/usr/share/vulkan/explicit_layer.d"};
    const char *home = getenv("HOME");
    char own[PATH_MAX];
    wgt_status status = append("VK_LAYER_PATH", folder, error);
    if (status == WGT_OK && home != NULL &&
        joined(own, home, ".local/share/vulkan/explicit_layer.d"))
        status = append("VK_LAYER_PATH", own, error);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && status == WGT_OK; i++)
        status = append("VK_LAYER_PATH", usual[i], error);
    return status;
}

wgt_status wgt_statistics_prepare(wgt_error *error) {
    char folder[PATH_MAX], path[PATH_MAX];
    wgt_status status = find_layer(folder, error);
    if (status != WGT_OK)
        return status;
    uint32_t version = loader_version();
    if (version == 0)
        return wgt_fail(error, WGT_NEGATIVE,
                        "no Vulkan loader (libvulkan.so.1): registers stay unknown");
    /* Opened first: a library that cannot be opened must not reach the loader. It stays open, so
     * that what it collects outlives the instances. */
    void *library =
        joined(path, folder, WGTUNE_LAYER_LIBRARY) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL)
        return wgt_fail(error, WGT_NEGATIVE,
                        "the Vulkan layer cannot be loaded (%s): registers stay unknown",
                        dlerror());
    if (table_of(library) == NULL) {
        dlclose(library);
        return wgt_fail(error, WGT_NEGATIVE,
                        "the Vulkan layer in %s is of another version: registers stay unknown",
                        folder);
    }
    status = add_folder(folder, version, error);
    return status == WGT_OK ? append("VK_INSTANCE_LAYERS", WGTUNE_LAYER_NAME, error) : status;
}
