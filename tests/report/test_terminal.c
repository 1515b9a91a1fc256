#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/number.h"
#include "report/terminal.h"
#include <string.h>

static const wgt_str names[] = {{"WG_SIZE", 7}};
static const wgt_named problem[] = {{{"n", 1}, 67108864}, {{"width", 5}, 2048}};

static wgt_candidate_result candidate(uint32_t size, double median_ns, double ratio, wgt_tie tie) {
    wgt_candidate_result c = {
        .candidate = {.constants = {size}, .workgroup = {size, 1, 1}, .workgroups = {1, 1, 1}},
        .samples = 9,
        .batch = 1,
        .median_ns = median_ns,
        .interval_ns = {median_ns - 400, median_ns + 300},
        .ratio = ratio,
        .ratio_interval = {ratio - 0.001, ratio + 0.001},
        .tie = tie,
        .resident = WGT_UNKNOWN_U64,
        .registers = WGT_UNKNOWN_U64,
        .spill_bytes = WGT_UNKNOWN_U64,
    };
    return c;
}

typedef struct scene {
    wgt_candidate_result candidates[40];
    wgt_result result;
} scene;

static void set(scene *s) {
    memset(s, 0, sizeof *s);
    s->candidates[0] = candidate(32, 702600, 2.99, WGT_TIE_OUT);
    s->candidates[1] = candidate(64, 386200, 1.65, WGT_TIE_OUT);
    s->candidates[2] = candidate(512, 234600, 1, WGT_TIE_IN);
    s->candidates[3] = candidate(1024, 238700, 1.017, WGT_TIE_IN);
    s->candidates[4] = candidate(2048, wgt_nan(), wgt_nan(), WGT_TIE_UNKNOWN);
    s->candidates[4].samples = 0;
    s->candidates[4].candidate.status = WGT_CANDIDATE_SKIPPED;
    strcpy(s->candidates[4].candidate.reason, "2048 invocations > maxComputeInvocationsPerWorkgroup 1024");
    s->result = (wgt_result){
        .job_name = WGT_STR("tiled"),
        .kernel = WGT_STR("tiled.wgsl"),
        .entry = WGT_STR("main"),
        .problem = problem,
        .problem_count = 2,
        .adapter = {.device = "NVIDIA H200", .backend = "vulkan", .engine = "wgpu-native", .engine_version = "29.0.1.1",
                    .driver = "580.159.04", .type = WGT_ADAPTER_DISCRETE},
        .clock = {.timestamps = true, .quantum_ns = 32},
        .constant_names = names,
        .constant_count = 1,
        .candidates = s->candidates,
        .candidate_count = 5,
        .tolerance = 0.02,
        .achieved_gb_s = wgt_nan(),
        .summary = {.pick = {WGT_PICK_TIE_SMALLEST, 2, 1.2, 2.995},
                    .portable_pick = {WGT_PICK_FASTEST, 1, wgt_nan(), wgt_nan()},
                    .fastest = 2,
                    .shape = WGT_SHAPE_PLATEAU,
                    .rounds = 9},
    };
}

static void render(const scene *s, const wgt_terminal_options *options, char *text, size_t capacity) {
    wgt_out out;
    wgt_out_init(&out, text, capacity);
    wgt_report_result(&out, &s->result, options);
    assert_false(out.truncated);
}

static void the_table_says_what_was_measured(void **state) {
    (void)state;
    scene s;
    set(&s);
    char text[8192];
    const wgt_terminal_options options = {.saved = "tiled-0123456789abcdef.json"};
    render(&s, &options, text, sizeof text);
    static const char *const wanted[] = {
        "NVIDIA H200 · vulkan · wgpu-native 29.0.1.1 · driver 580.159.04\n",
        "tiled.wgsl:main · n = 67,108,864, width = 2048\n",
        "clock steps 32 ns",
        "      32     702.6 µs        ±0.40 µs      2.99  ██████████\n",
        "     512     234.6 µs        ±0.40 µs   ★  1.00  ███▍\n",
        "    1024     238.7 µs        ±0.40 µs   =  1.02  ███▍\n",
        "skipped   WG_SIZE = 2048: 2048 invocations > maxComputeInvocationsPerWorkgroup 1024\n",
        "pick      WG_SIZE = 512   the smallest in the tie\n          tied with 1024 (within 2 %)\n",
        "beyond WebGPU's default limits: 512 invocations > maxComputeInvocationsPerWorkgroup 256\n",
        "with the default limits: 64, 64.6 % slower\n",
        "1.20× as fast as the author's default, 3.00× as fast as the slowest\n",
        "saved     tiled-0123456789abcdef.json\n",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *line = wanted[i];
        assert_non_null(strstr(text, line));
    }
    assert_null(strstr(text, "\033"));
}

static void no_pick_is_said_with_its_reason(void **state) {
    (void)state;
    scene s;
    set(&s);
    s.result.summary.pick.reason = WGT_PICK_NONE;
    strcpy(s.result.summary.reason, "every candidate's output is wrong");
    char text[8192];
    const wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "pick      none: every candidate's output is wrong\n"));
    assert_null(strstr(text, "saved"));
    assert_null(strstr(text, "★"));
}

static void noise_that_does_not_rank_makes_no_claim_about_speed(void **state) {
    (void)state;
    scene s;
    set(&s);
    s.result.summary.shape = WGT_SHAPE_UNRANKED;
    char text[8192];
    const wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "by preference: the noise does not rank the candidates"));
    assert_null(strstr(text, "tied with"));
    assert_null(strstr(text, "as fast as"));
}

static void a_cpu_adapter_is_named_as_one(void **state) {
    (void)state;
    scene s;
    set(&s);
    s.result.adapter.type = WGT_ADAPTER_CPU;
    char text[8192];
    const wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "NVIDIA H200 (a CPU adapter)"));
}

static void a_long_curve_shows_the_telling_rows_unless_asked_for_all(void **state) {
    (void)state;
    scene s;
    set(&s);
    for (uint32_t i = 0; i < 32; i++) {
        s.candidates[i] = candidate(32 * (i + 1), 300000 - 1000.0 * i, 1.1, WGT_TIE_OUT);
    }
    s.result.candidate_count = 32;
    s.result.summary.pick.candidate = 30;
    s.result.summary.fastest = 31;
    s.result.summary.portable_pick.reason = WGT_PICK_NONE;
    char text[16384];
    wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "(25 more: --full)"));
    assert_non_null(strstr(text, "     992 "));
    options.full = true;
    render(&s, &options, text, sizeof text);
    assert_null(strstr(text, "more: --full"));
    assert_non_null(strstr(text, "     288 "));
}

static void the_drivers_registers_get_a_column_where_they_are_known(void **state) {
    (void)state;
    scene s;
    set(&s);
    s.candidates[0].registers = 127;
    s.candidates[0].spill_bytes = 0;
    s.candidates[1].registers = 64;
    s.candidates[1].spill_bytes = 208;
    char text[8192];
    const wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "registers\n"));
    assert_non_null(strstr(text, "██████████        127\n"));
    assert_non_null(strstr(text, "█████▌       64+208 B\n"));
}

static void residency_is_told_a_unit_where_units_are_known(void **state) {
    (void)state;
    scene s;
    set(&s);
    s.candidates[0].resident = 4224;
    s.candidates[1].resident = 1580; /* 11.97 of 132 */
    s.candidates[2].resident = 1100;
    char text[8192];
    const wgt_terminal_options options = {0};
    s.result.compute_units = wgt_nan();
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "resident\n"));
    assert_non_null(strstr(text, "██████████      4224\n"));
    s.result.compute_units = 132;
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "per unit\n"));
    assert_non_null(strstr(text, "██████████        32\n"));
    assert_non_null(strstr(text, "        12\n"));
    assert_non_null(strstr(text, "     ~8.33\n"));
}

static void constants_that_do_not_vary_are_left_out_of_ties(void **state) {
    (void)state;
    static const wgt_str two[] = {{"WG_SIZE", 7}, {"TILE", 4}};
    scene s;
    set(&s);
    s.result.constant_names = two;
    s.result.constant_count = 2;
    for (size_t i = 0; i < 5; i++) {
        s.candidates[i].candidate.constants[1] = 32;
    }
    char text[8192];
    const wgt_terminal_options options = {0};
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "pick      WG_SIZE = 512, TILE = 32"));
    assert_non_null(strstr(text, "tied with 1024 (within"));
    s.candidates[3].candidate.constants[1] = 16;
    render(&s, &options, text, sizeof text);
    assert_non_null(strstr(text, "tied with (1024, 16) (within"));
}

static void numbers_are_written_for_people(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } counts[] = {{0, "0"}, {9999, "9999"}, {10000, "10,000"}, {67108864, "67,108,864"}, {0.5, "0.5"}, {-5, "-5"}},
      times[] = {{702600, "702.6 µs"}, {15.36e3, "15.4 µs"}, {32, "32 ns"}, {1.5e9, "1.50 s"}, {0, "0 ns"}, {15.5, "15.5 ns"}};
    char text[64];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        wgt_report_count(counts[i].value, text, sizeof text);
        assert_string_equal(text, counts[i].text);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        wgt_report_time(times[i].value, text, sizeof text);
        assert_string_equal(text, times[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_says_what_was_measured),
        cmocka_unit_test(no_pick_is_said_with_its_reason),
        cmocka_unit_test(noise_that_does_not_rank_makes_no_claim_about_speed),
        cmocka_unit_test(a_cpu_adapter_is_named_as_one),
        cmocka_unit_test(a_long_curve_shows_the_telling_rows_unless_asked_for_all),
        cmocka_unit_test(the_drivers_registers_get_a_column_where_they_are_known),
        cmocka_unit_test(residency_is_told_a_unit_where_units_are_known),
        cmocka_unit_test(constants_that_do_not_vary_are_left_out_of_ties),
        cmocka_unit_test(numbers_are_written_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
