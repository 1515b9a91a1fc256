#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/host/host.h"
#include "run/lines.h"
#include "run/trace.h"
#include <string.h>
#include <unistd.h>

static const wgt_job_constant constants[] = {
    {.name = {"WG_SIZE", 7}, .key = {"WG_SIZE", 7}, .sizes = true},
    {.name = {"TILE \"x\"", 8}, .key = {"3", 1}},
};

static const wgt_job_info job = {.constants = constants, .constant_count = 2};

typedef struct fixture {
    char memory[8192];
    wgt_out out;
    wgt_json_writer writer;
    wgt_arena arena;
} fixture;

static void begin(fixture *f) {
    wgt_out_init(&f->out, f->memory, sizeof f->memory);
    wgt_json_writer_init(&f->writer, &f->out, 0);
    wgt_arena_init(&f->arena, wgt_heap());
}

static wgt_json *parse(fixture *f) {
    wgt_json *root = NULL;
    wgt_error error = {{0}};
    wgt_status status =
        wgt_json_parse(WGT_STR("line"), (wgt_str){f->out.data, f->out.size}, 0, &f->arena, &root, &error);
    assert_int_equal(status, WGT_OK);
    return root;
}

static void an_action_survives_the_pipe(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const wgt_action action = {.id = 77, .kind = WGT_ACTION_RUN, .candidate = 5, .batch = 3, .samples = 2,
                               .divide = 64, .warm_up = true, .deadline_ns = 12345678901};
    const wgt_candidate candidate = {.constants = {96, 0.1}, .workgroup = {96, 2, 1},
                                     .workgroups = {65535, 7, 1}};
    wgt_trace_write_action(&f.writer, &action, &candidate, &job);
    wgt_action again;
    wgt_candidate other;
    wgt_error error = {{0}};
    assert_int_equal(wgt_trace_read_action(parse(&f), &job, &again, &other, &error), WGT_OK);
    assert_int_equal(again.id, action.id);
    assert_int_equal(again.kind, action.kind);
    assert_int_equal(again.candidate, action.candidate);
    assert_int_equal(again.batch, action.batch);
    assert_int_equal(again.samples, action.samples);
    assert_int_equal(again.divide, action.divide);
    assert_true(again.warm_up);
    assert_int_equal(again.deadline_ns, action.deadline_ns);
    assert_true(other.constants[0] == 96 && other.constants[1] == 0.1);
    assert_memory_equal(other.workgroup, candidate.workgroup, sizeof other.workgroup);
    assert_memory_equal(other.workgroups, candidate.workgroups, sizeof other.workgroups);
    wgt_arena_release(&f.arena);
}

static void a_comparison_with_the_reference_is_told_from_one_with_a_candidate(void **state) {
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        fixture f;
        begin(&f);
        const wgt_action action = {.id = 1, .kind = WGT_ACTION_COMPARE, .candidate = 2,
                                   .other = other == 0 ? WGT_REFERENCE : 9};
        const wgt_candidate candidate = {.workgroup = {1, 1, 1}, .workgroups = {1, 1, 1}};
        wgt_trace_write_action(&f.writer, &action, &candidate, &job);
        wgt_action again;
        wgt_candidate read;
        assert_int_equal(wgt_trace_read_action(parse(&f), &job, &again, &read, NULL), WGT_OK);
        assert_int_equal(again.other, action.other);
        wgt_arena_release(&f.arena);
    }
}

static void a_report_survives_the_pipe(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const double spans[] = {15424, 0.1, 1e9};
    const wgt_report report = {.id = 3, .outcome = WGT_OUTCOME_FAILED, .spans_ns = spans, .span_count = 3,
                               .compile_ns = 139000, .hash = {1, 2}, .unchanged = true, .equal = true,
                               .resident = WGT_UNKNOWN_U64, .registers = 127, .spill_bytes = 0,
                               .shared_bytes = WGT_UNKNOWN_U64, .message = "line 3:\n\"bad\"", .now_ns = 5};
    wgt_trace_write_report(&f.writer, &report);
    double read[WGT_MAX_SPANS];
    wgt_report again;
    wgt_error error = {{0}};
    assert_int_equal(wgt_trace_read_report(parse(&f), &f.arena, read, &again, &error), WGT_OK);
    assert_int_equal(again.outcome, report.outcome);
    assert_int_equal(again.span_count, 3);
    assert_memory_equal(read, spans, sizeof spans);
    assert_int_equal(again.compile_ns, report.compile_ns);
    assert_memory_equal(&again.hash, &report.hash, sizeof report.hash);
    assert_true(again.unchanged && again.equal);
    assert_int_equal(again.resident, WGT_UNKNOWN_U64);
    assert_int_equal(again.registers, 127);
    assert_int_equal(again.spill_bytes, 0);
    assert_string_equal(again.message, report.message);
    wgt_arena_release(&f.arena);
}

static void a_line_that_is_neither_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"{}", "[]", "{\"id\":1,\"action\":\"fly\"}", "{\"id\":1,\"status\":\"fine\"}",
                                        "{\"action\":\"run\",\"status\":\"ok\"}", "{\"id\":1,\"action\":\"run\"}"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fixture f;
        begin(&f);
        wgt_put(&f.out, wgt_str_from(lines[i]));
        wgt_json *line = parse(&f);
        wgt_action action;
        wgt_candidate candidate;
        wgt_report report;
        double spans[WGT_MAX_SPANS];
        wgt_error error = {{0}};
        assert_int_equal(wgt_trace_read_action(line, &job, &action, &candidate, &error), WGT_BAD_INPUT);
        assert_int_equal(wgt_trace_read_report(line, &f.arena, spans, &report, &error), WGT_BAD_INPUT);
        assert_true(error.message[0] != '\0');
        wgt_arena_release(&f.arena);
    }
}

static void lines_come_whole_however_they_are_cut(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    wgt_lines lines;
    wgt_lines_init(&lines, ends[0], wgt_heap());
    wgt_str line;
    assert_true(wgt_write_all(ends[1], WGT_STR("one\ntw")));
    assert_int_equal(wgt_lines_read(&lines, UINT64_MAX, NULL, NULL, &line), WGT_OK);
    assert_true(wgt_str_is(line, "one"));
    assert_int_equal(wgt_lines_read(&lines, 1000000, NULL, NULL, &line), WGT_NEGATIVE);
    assert_true(wgt_write_all(ends[1], WGT_STR("o\n\nlast")));
    assert_int_equal(wgt_lines_read(&lines, UINT64_MAX, NULL, NULL, &line), WGT_OK);
    assert_true(wgt_str_is(line, "two"));
    assert_int_equal(wgt_lines_read(&lines, UINT64_MAX, NULL, NULL, &line), WGT_OK);
    assert_int_equal(line.size, 0);
    close(ends[1]);
    assert_int_equal(wgt_lines_read(&lines, UINT64_MAX, NULL, NULL, &line), WGT_INTERNAL);
    wgt_lines_release(&lines);
    close(ends[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_action_survives_the_pipe),
        cmocka_unit_test(a_comparison_with_the_reference_is_told_from_one_with_a_candidate),
        cmocka_unit_test(a_report_survives_the_pipe),
        cmocka_unit_test(a_line_that_is_neither_is_refused),
        cmocka_unit_test(lines_come_whole_however_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
