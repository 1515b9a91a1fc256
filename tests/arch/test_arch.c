/* Names of architectures, and which one a GPU is. */
#include "wgtune/arch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static wgt_str str(const char *text) {
    return (wgt_str){text, strlen(text)};
}

static void assert_found(const char *name, const char *id) {
    const wgt_arch *arch = wgt_arch_find(str(name));
    assert_non_null(arch);
    assert_string_equal(arch->id, id);
}

static void every_name_finds_its_row(void **state) {
    (void)state;
    size_t count;
    const wgt_arch *archs = wgt_arch_table(&count);
    assert_true(count >= 62);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(wgt_arch_find(str(archs[i].id)), &archs[i]);
        assert_ptr_equal(wgt_arch_find(str(archs[i].title)), &archs[i]);
        for (size_t k = 0; archs[i].aliases[k] != NULL; k++) {
            assert_true(k < WGT_MAX_ALIASES);
            assert_ptr_equal(wgt_arch_find(str(archs[i].aliases[k])), &archs[i]);
        }
    }
}

static void case_and_dashes_do_not_count(void **state) {
    (void)state;
    assert_found("SM_90", "sm_90");
    assert_found("sm-90", "sm_90");
    assert_found("sm90", "sm_90");
    assert_found("9.0", "sm_90");
    assert_found("GFX1101", "gfx1100");
    assert_found("Apple M2", "apple8");
    assert_found("adreno-740", "a7xx");
    assert_found("Mali-G78", "mali-v9");
    assert_null(wgt_arch_find(str("")));
    assert_null(wgt_arch_find(str("- _")));
    assert_null(wgt_arch_find(str("sm_9")));
}

static void a_product_name_stands_for_its_architecture(void **state) {
    (void)state;
    const wgt_arch *arch = NULL;
    assert_int_equal(wgt_arch_get(str("NVIDIA GeForce RTX 4090"), &arch, NULL), WGT_OK);
    assert_string_equal(arch->id, "sm_89");
    assert_int_equal(wgt_arch_get(str("Intel(R) Arc(TM) A770 Graphics"), &arch, NULL), WGT_OK);
    assert_string_equal(arch->id, "xe-hpg");
}

static void an_unknown_name_gets_the_nearest(void **state) {
    (void)state;
    const wgt_arch *arch = NULL;
    wgt_error error = {""};
    assert_int_equal(wgt_arch_get(str("gfx1130"), &arch, &error), WGT_BAD_INPUT);
    assert_null(arch);
    assert_non_null(strstr(error.message, "unknown architecture 'gfx1130'"));
    assert_non_null(strstr(error.message, "gfx1100"));
    const char *names[3];
    assert_int_equal(wgt_arch_nearest(str("sm_9O"), names, 3), 3);
    assert_string_equal(names[0], "sm_90");
    assert_int_equal(wgt_arch_nearest(str("x"), names, 0), 0);
}

static void subgroup_widths(void **state) {
    (void)state;
    wgt_error error = {""};
    const wgt_arch *rdna = wgt_arch_find(str("gfx1100")), *intel = wgt_arch_find(str("gen9"));
    assert_int_equal(wgt_arch_check_subgroup(rdna, 0, NULL), WGT_OK);
    assert_int_equal(wgt_arch_check_subgroup(rdna, 64, NULL), WGT_OK);
    assert_int_equal(wgt_arch_check_subgroup(rdna, 128, &error), WGT_BAD_INPUT);
    assert_string_equal(error.message, "subgroup 128, gfx1100 has 32 or 64");
    assert_int_equal(wgt_arch_check_subgroup(intel, 24, &error), WGT_BAD_INPUT);
    assert_string_equal(error.message, "subgroup 24, gen9 has 8, 16 or 32");
}

static void modes(void **state) {
    (void)state;
    const wgt_arch *rdna = wgt_arch_find(str("gfx1030")), *gcn = wgt_arch_find(str("gfx900"));
    assert_string_equal(wgt_arch_unit(rdna, false)->name, "WGP");
    assert_int_equal(wgt_arch_unit(rdna, false)->simds, 4);
    assert_string_equal(wgt_arch_unit(rdna, true)->name, "CU");
    assert_int_equal(wgt_arch_unit(rdna, true)->shared_bytes, 65536);
    assert_string_equal(wgt_arch_unit(gcn, false)->name, "CU");
}

static void what_is_not_known(void **state) {
    (void)state;
    assert_true(wgt_arch_is_known(wgt_arch_find(str("sm_50"))));
    assert_true(wgt_arch_is_known(wgt_arch_find(str("xe3-lpg"))));
    assert_false(wgt_arch_is_known(wgt_arch_find(str("apple9"))));
    assert_false(wgt_arch_is_known(wgt_arch_find(str("sm_72"))));
    assert_false(wgt_arch_is_known(wgt_arch_find(str("llvmpipe"))));
    assert_false(wgt_arch_is_known(wgt_arch_find(str("swiftshader"))));
}

/* The ids of what was identified, joined by spaces. */
static const char *ids_of(wgt_evidence evidence, unsigned *by) {
    static char text[512];
    wgt_identified found;
    wgt_arch_identify(&evidence, &found);
    *by = found.by;
    text[0] = '\0';
    for (size_t i = 0; i < found.count; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? " " : "", found.archs[i]->id);
    }
    return text;
}

static void by_pci(void **state) {
    (void)state;
    unsigned by;
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x10de, .device_id = 0x2335}, &by),
                        "sm_90");
    assert_int_equal(by, WGT_BY_VENDOR | WGT_BY_PCI);
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x1002, .device_id = 0x744c}, &by),
                        "gfx1100");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x8086, .device_id = 0x56a0}, &by),
                        "xe-hpg");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x13b5, .device_id = 0x92020010}, &by),
                        "mali-v9");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x10005}, &by), "llvmpipe");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x1ae0, .device_id = 0xc0de}, &by),
                        "swiftshader");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x10de, .device_id = 0x1db1}, &by),
                        "sm_70");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x1002, .device_id = 0x740c}, &by),
                        "gfx90a");
}

static void by_name(void **state) {
    (void)state;
    unsigned by;
    assert_string_equal(ids_of((wgt_evidence){.device = WGT_STR("NVIDIA H200")}, &by), "sm_90");
    assert_string_equal(ids_of((wgt_evidence){.device = WGT_STR("Adreno (TM) 740")}, &by), "a7xx");
    assert_string_equal(ids_of((wgt_evidence){.device = WGT_STR("Apple M1 Pro")}, &by), "apple7");
    assert_string_equal(
        ids_of((wgt_evidence){.device = WGT_STR("AMD Radeon Graphics (RADV GFX1036)")}, &by),
        "gfx1030");
    assert_string_equal(
        ids_of((wgt_evidence){.device = WGT_STR("llvmpipe (LLVM 15.0.6, 256 bits)")}, &by),
        "llvmpipe");
    assert_string_equal(ids_of((wgt_evidence){.vendor = WGT_STR("nvidia"),
                                              .description = WGT_STR("Tesla V100-SXM2-16GB")},
                               &by),
                        "sm_70");
    assert_true((by & WGT_BY_NAME) != 0);
}

static void several_stay_several(void **state) {
    (void)state;
    unsigned by;
    assert_string_equal(
        ids_of((wgt_evidence){.vendor = WGT_STR("nvidia"), .architecture = WGT_STR("ampere")}, &by),
        "sm_80 sm_86 sm_87");
    assert_int_equal(by, WGT_BY_VENDOR | WGT_BY_ARCHITECTURE);
    assert_string_equal(
        ids_of((wgt_evidence){.vendor = WGT_STR("amd"), .architecture = WGT_STR("rdna-3")}, &by),
        "gfx1100 gfx1102 gfx1150 gfx1151");
    assert_string_equal(
        ids_of((wgt_evidence){.vendor = WGT_STR("apple"), .architecture = WGT_STR("metal-3")}, &by),
        "apple7 apple8 apple9");
}

static void more_evidence_narrows(void **state) {
    (void)state;
    unsigned by;
    wgt_evidence e = {
        .vendor = WGT_STR("nvidia"), .architecture = WGT_STR("ampere"), .warps_per_unit = 64};
    assert_string_equal(ids_of(e, &by), "sm_80");
    assert_true((by & WGT_BY_PROPERTIES) != 0);
    e = (wgt_evidence){.vendor = WGT_STR("nvidia"),
                       .architecture = WGT_STR("ampere"),
                       .invocations_per_unit = 2048,
                       .workgroup_slots = 32};
    assert_string_equal(ids_of(e, &by), "sm_80");
    assert_true((by & WGT_BY_PROBE) != 0);
    /* RADV tells the registers of a lane in wave64. */
    e = (wgt_evidence){
        .vendor = WGT_STR("amd"), .architecture = WGT_STR("rdna-3"), .vgprs_per_simd = 768};
    assert_string_equal(ids_of(e, &by), "gfx1100 gfx1151");
}

static void contradictions_are_passed_over(void **state) {
    (void)state;
    unsigned by;
    wgt_evidence e = {.vendor_id = 0x10de,
                      .device_id = 0x2335,
                      .architecture = WGT_STR("ampere"),
                      .warps_per_unit = 48};
    assert_string_equal(ids_of(e, &by), "sm_90");
    assert_int_equal(by, WGT_BY_VENDOR | WGT_BY_PCI);
}

static void nothing_known(void **state) {
    (void)state;
    unsigned by;
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0}, &by), "");
    assert_string_equal(ids_of((wgt_evidence){.subgroup_min = 32, .subgroup_max = 32}, &by), "");
    assert_string_equal(ids_of((wgt_evidence){.vendor_id = 0x1234, .device_id = 7}, &by), "");
    assert_int_equal(by, 0);
}

static void of_an_adapter(void **state) {
    (void)state;
    wgt_adapter adapter = {
        .vendor_id = 0x10de, .device_id = 0x2335, .subgroup_min = 32, .subgroup_max = 32};
    snprintf(adapter.device, sizeof adapter.device, "NVIDIA H200");
    wgt_evidence evidence = wgt_evidence_of_adapter(&adapter);
    unsigned by;
    assert_string_equal(ids_of(evidence, &by), "sm_90");
    assert_int_equal(by, WGT_BY_VENDOR | WGT_BY_PCI | WGT_BY_NAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_name_finds_its_row),
                                       cmocka_unit_test(case_and_dashes_do_not_count),
                                       cmocka_unit_test(a_product_name_stands_for_its_architecture),
                                       cmocka_unit_test(an_unknown_name_gets_the_nearest),
                                       cmocka_unit_test(subgroup_widths),
                                       cmocka_unit_test(modes),
                                       cmocka_unit_test(what_is_not_known),
                                       cmocka_unit_test(by_pci),
                                       cmocka_unit_test(by_name),
                                       cmocka_unit_test(several_stay_several),
                                       cmocka_unit_test(more_evidence_narrows),
                                       cmocka_unit_test(contradictions_are_passed_over),
                                       cmocka_unit_test(nothing_known),
                                       cmocka_unit_test(of_an_adapter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
