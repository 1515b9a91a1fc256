/* Between the layer's files: names.c (what the names mean), records.c (where they are kept), log.c
 * (JSON lines), device.c (physical devices), layer.c (what the loader calls). */
#ifndef WGTUNE_LAYER_INTERNAL_H
#define WGTUNE_LAYER_INTERNAL_H

#include "wgtune_layer.h"
#include <vulkan/vulkan.h>

/* names.c */
/* Fills the four numbers of a record from its statistics. `subgroups[i]` is the subgroup size of
 * executable i, 0 when the driver does not tell. */
void wgl_interpret(wgtune_layer_record *record, uint32_t driver_id, uint32_t vendor_id,
                   const uint32_t *subgroups, uint32_t executables);

/* records.c */
uint64_t wgl_thread(void);
/* Numbers the record, keeps it, and logs it. */
void wgl_records_add(wgtune_layer_record *record);
void wgl_devices_add(const wgtune_layer_device *device);

/* log.c */
/* Opens $WGTUNE_LAYER_LOG when it is set (again: the file may have been moved away since). */
void wgl_log_open(void);
void wgl_log_record(const wgtune_layer_record *record);
void wgl_log_device(const wgtune_layer_device *device);
/* The record as one line of JSON, NUL-terminated, line break included; statistics that do not fit
 * are left out and "truncated" says so. Returns its length. */
size_t wgl_json_record(const wgtune_layer_record *record, char *memory, size_t capacity);
size_t wgl_json_device(const wgtune_layer_device *device, char *memory, size_t capacity);
#define WGL_LINE_SIZE 32768

/* device.c */
/* What the next layer offers for physical devices; NULL where it does not have it. */
typedef struct wgl_physical {
    PFN_vkEnumerateDeviceExtensionProperties extensions;
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceProperties2 properties2;
    PFN_vkGetPhysicalDeviceFeatures2 features2;
    bool queries2; /* the instance is 1.1, or has VK_KHR_get_physical_device_properties2 */
    bool extension2;
} wgl_physical;
bool wgl_has_extension(const wgl_physical *next, VkPhysicalDevice device, const char *name);
/* The extension is there and its feature is supported. */
bool wgl_can_capture(const wgl_physical *next, VkPhysicalDevice device);
void wgl_describe(const wgl_physical *next, VkPhysicalDevice device,
                  wgtune_layer_device *description);

#endif
