/* Finding the layer and setting the environment; no instance is made here. */
#include "../../layer/wgtune_layer.h"
#include "gpu/statistics.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/wgtune-statistics-XXXXXX";
static const char *built; /* the layer's build folder; NULL: it was not built */

static int begin(void **state) {
    (void)state;
    unsetenv("WGTUNE_LAYER_PATH");
    unsetenv("VK_ADD_LAYER_PATH");
    unsetenv("VK_LAYER_PATH");
    unsetenv("VK_INSTANCE_LAYERS");
    return 0;
}

static void put_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_untouched(void) {
    assert_null(getenv("VK_ADD_LAYER_PATH"));
    assert_null(getenv("VK_LAYER_PATH"));
    assert_null(getenv("VK_INSTANCE_LAYERS"));
}

/* Runs first: the layer is not in this process yet. */
static void test_without_layer(void **state) {
    (void)state;
    wgt_statistics statistics;
    wgt_core_properties core;
    assert_int_equal(wgt_statistics_mark(), 0);
    assert_int_equal(wgt_statistics_take(0, &statistics), WGT_NEGATIVE);
    assert_int_equal(statistics.registers, WGT_UNKNOWN_U64);
    assert_int_equal(statistics.spill_bytes, WGT_UNKNOWN_U64);
    assert_int_equal(statistics.shared_bytes, WGT_UNKNOWN_U64);
    assert_int_equal(statistics.subgroup_size, WGT_UNKNOWN_U64);
    assert_int_equal(wgt_statistics_core(&core), WGT_NEGATIVE);
    assert_int_equal(core.compute_units, WGT_UNKNOWN_U64);
    assert_int_equal(core.subgroup_max, WGT_UNKNOWN_U64);
    assert_int_equal(core.vendor_id, 0);
    assert_false(core.statistics);
}

static void assert_refused(const char *path, const char *why) {
    wgt_error error = {""};
    setenv("WGTUNE_LAYER_PATH", path, 1);
    assert_int_equal(wgt_statistics_prepare(&error), WGT_NEGATIVE);
    if (strstr(error.message, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, error.message);
    assert_null(strchr(error.message, '\n'));
    assert_untouched();
    assert_int_equal(wgt_statistics_prepare(NULL), WGT_NEGATIVE);
}

static void test_not_found(void **state) {
    (void)state;
    assert_refused("/nonexistent", "no Vulkan layer in /nonexistent");
    assert_refused(folder, "no Vulkan layer in ");
    put_file(WGTUNE_LAYER_MANIFEST, "{}");
    assert_refused(folder, "no Vulkan layer in ");
}

static void test_damaged(void **state) {
    (void)state;
    put_file(WGTUNE_LAYER_MANIFEST, "{}");
    put_file(WGTUNE_LAYER_LIBRARY, "no library");
    assert_refused(folder, "cannot be loaded");
}

static void test_another_version(void **state) {
    (void)state;
    const char *other = getenv("WGTUNE_OTHER_LIBRARY");
    char path[256];
    if (other == NULL)
        skip();
    snprintf(path, sizeof path, "%s/%s", folder, WGTUNE_LAYER_LIBRARY);
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    put_file(WGTUNE_LAYER_MANIFEST, "{}");
    assert_refused(folder, "of another version");
    unlink(path);
}

static void prepare_built(void) {
    wgt_error error = {"untouched"};
    if (built == NULL)
        skip();
    setenv("WGTUNE_LAYER_PATH", built, 1);
    if (wgt_statistics_prepare(&error) != WGT_OK)
        fail_msg("%s", error.message);
    assert_string_equal(error.message, "untouched");
}

static void test_found(void **state) {
    (void)state;
    prepare_built();
    assert_string_equal(getenv("VK_ADD_LAYER_PATH"), built);
    assert_string_equal(getenv("VK_INSTANCE_LAYERS"), WGTUNE_LAYER_NAME);
    assert_null(getenv("VK_LAYER_PATH"));
    prepare_built(); /* a second time changes nothing */
    assert_string_equal(getenv("VK_ADD_LAYER_PATH"), built);
    assert_string_equal(getenv("VK_INSTANCE_LAYERS"), WGTUNE_LAYER_NAME);
    /* Loaded, and nothing was created yet. */
    wgt_statistics statistics;
    assert_int_equal(wgt_statistics_take(wgt_statistics_mark(), &statistics), WGT_NEGATIVE);
}

static void test_found_beside_the_program(void **state) {
    (void)state;
    wgt_error error = {""};
    if (built == NULL)
        skip();
    if (wgt_statistics_prepare(&error) != WGT_OK)
        fail_msg("%s", error.message);
    assert_string_equal(getenv("VK_ADD_LAYER_PATH"), built);
}

static void link_file(const char *from_folder, const char *name, const char *to_folder) {
    char from[PATH_MAX + 32], to[PATH_MAX + 32];
    snprintf(from, sizeof from, "%s/%s", from_folder, name);
    snprintf(to, sizeof to, "%s/%s", to_folder, name);
    assert_int_equal(symlink(from, to), 0);
}

/* PREFIX/bin/program and PREFIX/lib/ARCHITECTURE/wgtune/layer: a copy of this program is run there.
 */
static void test_found_in_prefix(void **state) {
    (void)state;
    char command[2 * PATH_MAX], layer[PATH_MAX], expected[PATH_MAX + 1], said[PATH_MAX + 1] = "";
    if (built == NULL)
        skip();
    snprintf(layer, sizeof layer, "%s/prefix/lib/some-arch/wgtune/layer", folder);
    snprintf(command, sizeof command,
             "mkdir -p %s %s/prefix/bin && cp /proc/%ld/exe %s/prefix/bin/program", layer, folder,
             (long)getpid(), folder);
    assert_int_equal(system(command), 0);
    link_file(built, WGTUNE_LAYER_MANIFEST, layer);
    link_file(built, WGTUNE_LAYER_LIBRARY, layer);
    snprintf(command, sizeof command, "%s/prefix/bin/program --prepare", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(said, sizeof said, pipe));
    assert_int_equal(pclose(pipe), 0);
    snprintf(expected, sizeof expected, "%s\n", layer);
    assert_string_equal(said, expected);
}

static void test_what_is_set_stays(void **state) {
    (void)state;
    char expected[4096];
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_a:VK_LAYER_WGTUNE_statistics_not_ours", 1);
    setenv("VK_ADD_LAYER_PATH", "/some/folder", 1);
    prepare_built();
    assert_string_equal(
        getenv("VK_INSTANCE_LAYERS"),
        "VK_LAYER_a:VK_LAYER_WGTUNE_statistics_not_ours:VK_LAYER_WGTUNE_statistics");
    snprintf(expected, sizeof expected, "/some/folder:%s", built);
    assert_string_equal(getenv("VK_ADD_LAYER_PATH"), expected);
    assert_null(getenv("VK_LAYER_PATH"));
}

/* Where VK_LAYER_PATH is set, the loader reads nothing else. */
static void test_layer_path_is_extended(void **state) {
    (void)state;
    char expected[4096];
    setenv("VK_LAYER_PATH", "/only/here", 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_WGTUNE_statistics:VK_LAYER_a", 1);
    prepare_built();
    snprintf(expected, sizeof expected, "/only/here:%s", built);
    assert_string_equal(getenv("VK_LAYER_PATH"), expected);
    assert_null(getenv("VK_ADD_LAYER_PATH"));
    assert_string_equal(getenv("VK_INSTANCE_LAYERS"), "VK_LAYER_WGTUNE_statistics:VK_LAYER_a");
}

static void test_empty_variables(void **state) {
    (void)state;
    setenv("VK_INSTANCE_LAYERS", "", 1);
    setenv("VK_LAYER_PATH", "", 1);
    prepare_built();
    assert_string_equal(getenv("VK_INSTANCE_LAYERS"), WGTUNE_LAYER_NAME);
    assert_string_equal(getenv("VK_ADD_LAYER_PATH"), built);
}

static int setup(void **state) {
    (void)state;
    built = getenv("WGTUNE_BUILT_LAYER");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "rm -rf %s", folder);
    return system(path);
}

/* In the copy: says where the layer was found. */
static int prepare_and_tell(void) {
    wgt_error error = {""};
    begin(NULL);
    wgt_status status = wgt_statistics_prepare(&error);
    printf("%s\n", status == WGT_OK ? getenv("VK_ADD_LAYER_PATH") : error.message);
    return (int)status;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--prepare") == 0)
        return prepare_and_tell();
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(test_without_layer),
        TEST(test_not_found),
        TEST(test_damaged),
        TEST(test_another_version),
        TEST(test_found),
        TEST(test_found_beside_the_program),
        TEST(test_found_in_prefix),
        TEST(test_what_is_set_stays),
        TEST(test_layer_path_is_extended),
        TEST(test_empty_variables),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
