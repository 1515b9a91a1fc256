/* The probe on drivers that play a GPU on the CPU: lavapipe and SwiftShader. */
#include "../gpu/engine_fixture.h"
#include "base/host/host.h"
#include "wgtune/probe_run.h"
#include <assert.h>
#include <unistd.h>

static char folder[] = "/tmp/wgtune-probe-XXXXXX";

static wgt_status probe_once(const wgt_probe_options *options, wgt_probed *probed) {
    wgt_error error = {{0}};
    const wgt_status status = wgt_probe_adapter(options, probed, &error);
    if (status != WGT_OK && status != WGT_INTERRUPTED && status != WGT_NO_GPU) {
        fail_msg("%d %s", (int)status, error.message);
    }
    return status;
}

static const wgt_sheet_line *units_of(wgt_probed *probed, const char *adapter) {
    /* Threads of a busy machine may come late: then the units stay unknown. */
    for (int attempt = 0; attempt < 10; attempt++) {
        const wgt_probe_options options = {.gpu = {.adapter = adapter}, .no_wisdom = true, .residency_only = true};
        assert_int_equal(probe_once(&options, probed), WGT_OK);
        if (probed->sheet.lines[WGT_SHEET_COMPUTE_UNITS].confidence != WGT_CONFIDENCE_UNKNOWN) {
            break;
        }
    }
    return &probed->sheet.lines[WGT_SHEET_COMPUTE_UNITS];
}

static void lavapipe_has_a_unit_for_each_core(void **state) {
    (void)state;
    wgt_probed probed;
    const wgt_sheet_line *units = units_of(&probed, "llvmpipe");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(probed.adapter.type, WGT_ADAPTER_CPU);
    if (units->confidence == WGT_CONFIDENCE_UNKNOWN) {
        fprintf(stderr, "the machine was too busy for its threads to be counted\n");
        skip();
    }
    if (units->value != (double)cores) {
        fail_msg("%g units (%s), %ld cores", units->value, wgt_confidence_name(units->confidence), cores);
    }
    /* One workgroup at a time: nothing tells whether a unit is one thread or all of them. */
    assert_true(cores == 1 || units->confidence == WGT_CONFIDENCE_MULTIPLE_OF);
    assert_int_equal(probed.sheet.lines[WGT_SHEET_REGISTERS].confidence, WGT_CONFIDENCE_UNKNOWN);
    assert_int_equal(probed.sheet.lines[WGT_SHEET_SHARED_BYTES].confidence, WGT_CONFIDENCE_UNKNOWN);
}

/* In a process of its own: the driver reads the variable once. */
static void lavapipe_with_one_thread_is_one_unit(void **state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "LP_NUM_THREADS=1 '%s' one-thread", (const char *)*state);
    assert_int_equal(system(command), 0);
}

static int one_thread(void) {
    wgt_probed probed;
    const wgt_sheet_line *units = units_of(&probed, "llvmpipe");
    fprintf(stderr, "%g units, %s\n", units->value, wgt_confidence_name(units->confidence));
    return units->value == 1 && units->confidence == WGT_CONFIDENCE_CERTAIN ? 0 : 1;
}

/* Its workgroups wait for each other on fibers, several a thread: the counts fit no model, or two threads. */
static void swiftshader_is_never_certain(void **state) {
    (void)state;
    if (!has_adapter("SwiftShader")) {
        skip();
    }
    wgt_probed probed;
    const wgt_probe_options options = {
        .gpu = {.adapter = "SwiftShader"}, .no_wisdom = true, .residency_only = true};
    assert_int_equal(probe_once(&options, &probed), WGT_OK);
    assert_true(probed.sheet.lines[WGT_SHEET_COMPUTE_UNITS].confidence != WGT_CONFIDENCE_CERTAIN);
    assert_true(probed.sheet.lines[WGT_SHEET_WORKGROUP_SLOTS].confidence != WGT_CONFIDENCE_CERTAIN);
}

static void only_file(char path[512]) {
    glob_t found;
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/*.sheet.json", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(path, 512, "%s", found.gl_pathv[0]);
    globfree(&found);
}

static void a_sheet_is_remembered_and_a_damaged_one_measured_again(void **state) {
    (void)state;
    wgt_probed first, second, third;
    const wgt_probe_options options = {.gpu = {.adapter = "llvmpipe"}, .wisdom = folder};
    char path[512], aside[540];
    assert_int_equal(probe_once(&options, &first), WGT_OK);
    assert_false(first.remembered);
    assert_true(first.sheet.lines[WGT_SHEET_FMA].value > 0 && first.sheet.lines[WGT_SHEET_READ].value > 0);
    assert_int_equal(probe_once(&options, &second), WGT_OK);
    assert_true(second.remembered);
    for (size_t i = 0; i < WGT_SHEET_COUNT; i++) {
        const wgt_sheet_line *a = &first.sheet.lines[i], *b = &second.sheet.lines[i];
        assert_int_equal(a->confidence, b->confidence);
        assert_true(a->value == b->value || (a->value != a->value && b->value != b->value));
        assert_string_equal(a->method, b->method);
    }
    only_file(path);
    FILE *file = fopen(path, "w");
    fputs("{\"format\": 1, \"sheet\":", file);
    fclose(file);
    assert_int_equal(probe_once(&options, &third), WGT_OK);
    assert_false(third.remembered);
    snprintf(aside, sizeof aside, "%s.damaged", path);
    assert_int_equal(access(aside, F_OK), 0);
    assert_int_equal(access(path, F_OK), 0);
    unlink(aside);
    unlink(path);
}

static bool at_once(void *user) {
    (void)user;
    return true;
}

static void an_interrupt_ends_it_and_saves_nothing(void **state) {
    (void)state;
    wgt_probed probed;
    const wgt_probe_options options = {.gpu = {.adapter = "llvmpipe"}, .wisdom = folder, .interrupted = at_once};
    assert_int_equal(probe_once(&options, &probed), WGT_INTERRUPTED);
    assert_true(probed.sheet.interrupted);
    assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv) {
    setenv("NODEVICE_SELECT", "1", 1);
    use_cpu_drivers();
    if (argc > 1) {
        return one_thread();
    }
    if (!has_adapter("llvmpipe")) {
        return skipped("no lavapipe");
    }
    assert(mkdtemp(folder) != NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lavapipe_has_a_unit_for_each_core),
        cmocka_unit_test_prestate(lavapipe_with_one_thread_is_one_unit, argv[0]),
        cmocka_unit_test(swiftshader_is_never_certain),
        cmocka_unit_test(a_sheet_is_remembered_and_a_damaged_one_measured_again),
        cmocka_unit_test(an_interrupt_ends_it_and_saves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
