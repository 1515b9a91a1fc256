#include "helper.h"
#include "wgtune/result.h"

/* A small result with everything that a result can have. */
typedef struct example {
    wgt_result result;
    wgt_candidate_result candidates[4];
    wgt_str names[1];
    wgt_named problem[2];
    wgt_advice advice[2];
    wgt_str warnings[1];
} example;

static void unknown(wgt_candidate_result *c) {
    memset(c, 0, sizeof *c);
    c->median_ns = c->ratio = wgt_nan();
    c->interval_ns[0] = c->interval_ns[1] = c->ratio_interval[0] = c->ratio_interval[1] = wgt_nan();
    c->tie = WGT_TIE_UNKNOWN;
    c->compile_ns = c->resident = c->registers = c->spill_bytes = c->shared_bytes = WGT_UNKNOWN_U64;
}

static void candidate(wgt_candidate_result *c, uint32_t size, double median, double ratio, wgt_tie tie) {
    unknown(c);
    c->candidate.constants[0] = size;
    c->candidate.workgroup[0] = size;
    c->candidate.workgroup[1] = c->candidate.workgroup[2] = 1;
    c->candidate.workgroups[0] = 65536 / size;
    c->candidate.workgroups[1] = c->candidate.workgroups[2] = 1;
    c->candidate.workgroup_bytes = 4096;
    c->samples = 9;
    c->batch = 4;
    c->median_ns = median;
    c->interval_ns[0] = median - 1.5;
    c->interval_ns[1] = median + 2.25;
    c->ratio = ratio;
    c->ratio_interval[0] = ratio - 0.015625;
    c->ratio_interval[1] = ratio + 0.015625;
    c->tie = tie;
    c->compile_ns = 1234567;
    c->compiled_hash = (wgt_hash){0x0123456789abcdef, size};
    c->verified = WGT_VERIFIED_AGREEMENT;
    c->resident = 48;
    c->registers = 16;
    c->spill_bytes = 0;
    c->shared_bytes = 4096;
}

static void fill_adapter(wgt_adapter *a) {
    memset(a, 0, sizeof *a);
    (void)snprintf(a->vendor, sizeof a->vendor, "NVIDIA");
    (void)snprintf(a->device, sizeof a->device, "NVIDIA \"H200\"");
    (void)snprintf(a->backend, sizeof a->backend, "vulkan");
    (void)snprintf(a->driver, sizeof a->driver, "580.159.04");
    (void)snprintf(a->engine, sizeof a->engine, "wgpu-native");
    (void)snprintf(a->engine_version, sizeof a->engine_version, "29.0.1.1");
    a->vendor_id = 0x10de;
    a->device_id = 0x2335;
    a->type = WGT_ADAPTER_DISCRETE;
    a->subgroup_min = a->subgroup_max = 32;
    a->limits = wgt_limits_portable();
    a->has_timestamps = true;
}

static void fill_example(example *e) {
    memset(e, 0, sizeof *e);
    wgt_result *r = &e->result;
    candidate(&e->candidates[0], 64, 150, 1.5, WGT_TIE_OUT);
    candidate(&e->candidates[1], 256, 101, 1.0078125, WGT_TIE_IN);
    candidate(&e->candidates[2], 512, 100.125, 1, WGT_TIE_IN);
    unknown(&e->candidates[3]);
    e->candidates[3].candidate.constants[0] = 100;
    e->candidates[3].candidate.workgroup[0] = 100;
    e->candidates[3].candidate.status = WGT_CANDIDATE_SKIPPED;
    e->candidates[3].masked_lanes = 28;
    (void)snprintf(e->candidates[3].candidate.reason, WGT_REASON_SIZE, "where \"WG_SIZE %% 32 == 0\" does not hold");
    e->names[0] = WGT_STR("WG_SIZE");
    e->problem[0] = (wgt_named){WGT_STR("n"), 65536};
    e->problem[1] = (wgt_named){WGT_STR("alpha"), 0.1};
    e->advice[0] = (wgt_advice){WGT_STR("smaller-tile"), WGT_STR("a tile of 16×16 (1 KiB) lets 32 be resident"), 12};
    e->advice[1] = (wgt_advice){WGT_STR("pin"), WGT_STR("pin it"), 0};
    e->warnings[0] = WGT_STR("the clock steps by 32 ns");
    r->job_name = WGT_STR("scatter-tiled");
    r->kernel = WGT_STR("scatter.wgsl");
    r->entry = WGT_STR("scatter");
    r->space = WGT_STR("WG_SIZE=auto; threads n; grid same");
    r->hash = (wgt_hash){0xfeedfacecafebeef, 0x0011223344556677};
    r->problem = e->problem;
    r->problem_count = 2;
    fill_adapter(&r->adapter);
    r->clock = (wgt_clock){true, 32, 1, ""};
    r->constant_names = e->names;
    r->constant_count = 1;
    r->candidates = e->candidates;
    r->candidate_count = 4;
    r->summary.pick = (wgt_pick){WGT_PICK_TIE_SMALLEST, 2, 1.0087, 1.498};
    r->summary.portable_pick = (wgt_pick){WGT_PICK_ONLY, 1, wgt_nan(), 1.485};
    r->summary.fastest = 2;
    r->summary.shape = WGT_SHAPE_PLATEAU;
    r->summary.rounds = 9;
    r->summary.live = 2;
    r->summary.samples = 27;
    r->summary.gpu_ns = 123456.5;
    r->summary.compile_ns = 3703701;
    r->summary.wall_ns = 987654321;
    r->compute_units = 16;
    r->tolerance = 0.02;
    r->shape_text = WGT_STR("plateau from 256");
    r->achieved_gb_s = 1234.5;
    r->reachable_gb_s = wgt_nan();
    r->bound = WGT_STR("atomics");
    r->limiter = WGT_STR("shared-memory");
    r->limiter_text = WGT_STR("4 KiB a workgroup");
    r->advice = e->advice;
    r->advice_count = 2;
    r->warnings = e->warnings;
    r->warning_count = 1;
    r->measured_at = WGT_STR("2026-11-30T22:15:00Z");
}

static char *text_of(const wgt_result *result, wgt_status (*write)(const wgt_result *, char *, size_t *),
                     size_t *size) {
    *size = 0;
    assert_int_equal(write(result, NULL, size), WGT_NO_MEMORY);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    size_t exact = *size;
    text[*size] = '\0';
    assert_int_equal(write(result, text, &exact), WGT_OK);
    assert_int_equal(exact, *size);
    assert_int_equal(strlen(text), *size);
    return text;
}

static char *file(const char *name, size_t *size) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/job/%s", getenv("WGTUNE_TEST_DATA"), name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    char *text = calloc(1, 65536);
    assert_non_null(text);
    *size = fread(text, 1, 65535, f);
    (void)fclose(f);
    return text;
}

static void golden(const char *name, const char *text) {
    size_t size = 0;
    char *expected = file(name, &size);
    if (expected == NULL || strcmp(expected, text) != 0) {
        (void)fprintf(stderr, "not as in tests/data/job/%s:\n%s", name, text); /* print_error cuts it */
        fail();
    }
    free(expected);
}

static void results_are_written_as_documented(void **state) {
    (void)state;
    example e;
    size_t size = 0;
    fill_example(&e);
    char *text = text_of(&e.result, wgt_result_write, &size);
    golden("result.json", text);
    free(text);
    text = text_of(&e.result, wgt_entry_write, &size);
    golden("entry.json", text);
    free(text);
}

static void a_result_without_anything_is_still_json(void **state) {
    (void)state;
    wgt_result empty;
    memset(&empty, 0, sizeof empty);
    empty.summary.fastest = UINT32_MAX;
    empty.achieved_gb_s = empty.reachable_gb_s = wgt_nan();
    empty.clock.period_ns = wgt_nan();
    (void)snprintf(empty.summary.reason, sizeof empty.summary.reason, "no valid candidate");
    size_t size = 0;
    char *text = text_of(&empty, wgt_result_write, &size);
    golden("empty.json", text);
    free(text);
}

static void a_text_that_is_too_small_is_not_overrun(void **state) {
    (void)state;
    example e;
    fill_example(&e);
    char small[16];
    memset(small, '#', sizeof small);
    size_t size = 10;
    assert_int_equal(wgt_result_write(&e.result, small, &size), WGT_NO_MEMORY);
    assert_true(size > 1000);
    assert_memory_equal(small + 10, "######", 6);
}

static void an_entry_survives_the_round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"entry.json"};
    for (size_t i = 0; i < 1; i++) {
        size_t size = 0, again_size = 0;
        char *text = file(names[i], &size);
        assert_non_null(text);
        wgt_result *read = NULL;
        wgt_error error = {{0}};
        if (wgt_entry_read(NULL, WGT_STR("e"), (wgt_str){text, size}, &read, &error) != WGT_OK) {
            fail_msg("%s", error.message);
        }
        char *again = text_of(read, wgt_entry_write, &again_size);
        assert_string_equal(text, again);
        assert_int_equal(read->summary.pick.candidate, 2);
        assert_int_equal(read->candidates[3].candidate.status, WGT_CANDIDATE_SKIPPED);
        assert_true(read->candidates[3].resident == WGT_UNKNOWN_U64);
        assert_true(read->adapter.has_timestamps && !read->adapter.has_f16);
        assert_int_equal(read->adapter.limits.max_buffer_size, 268435456);
        example e;
        fill_example(&e);
        wgt_key a, b;
        wgt_key_of_result(&a, &e.result);
        wgt_key_of_result(&b, read);
        assert_true(wgt_key_equal(&a, &b));
        free(again);
        wgt_result_destroy(&read);
        assert_null(read);
        free(text);
    }
}

static void damaged_entries_are_refused_with_the_place(void **state) {
    (void)state;
    static const struct {
        const char *old, *new_text, *message;
    } rows[] = {
        {"\"format\": 1", "\"format\": 2", "e:2:13: format 2 is newer than this version of wgtune reads (1)"},
        {"\"format\": 1,", "", "e:1:1: \"format\" is missing"},
        {"\"format\": 1", "\"format\": \"1\"", "e:2:13: a whole number from 0 to 9007199254740992 is wanted"},
        {"\"source\": \"measured\"", "\"source\": \"guessed\"", "e:19:13: an unknown word or no word"},
        {"\"median_ns\": 150", "\"median_ns\": \"150\"", ":20: \"median_ns\" is a string, not a number or null"},
        {"\"median_ns\": 150", "\"median_ns\": -150", "\"median_ns\" is below 0"},
        {"\"status\": \"ok\"", "\"status\": \"fine\"", "an unknown word or no word"},
        {"\"interval_ns\": [148.5, 152.25]", "\"interval_ns\": [152.25, 148.5]",
         "\"interval_ns\" is no interval: two numbers in order are wanted"},
        {"\"workgroup\": [64, 1, 1]", "\"workgroup\": [64, 1]", "\"workgroup\" has three numbers"},
        {"\"workgroup\": [64, 1, 1]", "\"workgroup\": [64, 1, 4294967296]",
         "a whole number from 0 to 4294967295 is wanted"},
        {"\"samples\": 9", "\"samples\": 9.5", "a whole number from 0 to 4294967295 is wanted"},
        {"\"constants\": {\"WG_SIZE\": 64}", "\"constants\": {}", "an object with 1 constants is wanted"},
        {"\"constants\": {\"WG_SIZE\": 64}", "\"constants\": {\"SIZE\": 64}", "a number for WG_SIZE is wanted"},
        {"\"fastest\": {\"WG_SIZE\": 512}", "\"fastest\": {\"WG_SIZE\": 513}", "no candidate has these constants"},
        {"\"hash\": \"feedface", "\"hash\": \"feedfacx", "\"hash\" is no hash of 32 hexadecimal digits"},
        {"\"driver\": \"580.159.04\"", "\"driver\": \"1\"", "the key does not say what the result says"},
        {"\"interrupted\": false", "\"interrupted\": null", "\"interrupted\" is null, not true or false"},
        {"\"warnings\": [", "\"warnings\": [1,", "a warning is a text"},
        {"\"verified\": \"agreement\"", "\"verified\": true", "an unknown word or no word"},
    };
    size_t size = 0;
    char *text = file("entry.json", &size);
    assert_non_null(text);
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *bad = with(text, rows[i].old, rows[i].new_text);
        wgt_result *read = NULL;
        wgt_error error = {{0}};
        assert_int_equal(wgt_entry_read(NULL, WGT_STR("e"), wgt_str_from(bad), &read, &error), WGT_BAD_INPUT);
        assert_null(read);
        if (strstr(error.message, rows[i].message) == NULL || strncmp(error.message, "e:", 2) != 0) {
            print_error("row %zu\n  got  %s\n  want %s\n", i, error.message, rows[i].message);
            wrong++;
        }
    }
    free(text);
    assert_int_equal(wrong, 0);
}

/* Half a file is never taken for a whole one, wherever it ends. */
static void cut_entries_are_refused(void **state) {
    (void)state;
    size_t size = 0;
    char *text = file("entry.json", &size);
    assert_non_null(text);
    for (size_t cut = 0; cut + 2 < size; cut += 7) {
        wgt_result *read = NULL;
        wgt_error error = {{0}};
        assert_int_equal(wgt_entry_read(NULL, WGT_STR("e"), (wgt_str){text, cut}, &read, &error), WGT_BAD_INPUT);
        assert_null(read);
    }
    free(text);
}

/* Whatever becomes of an entry's text, it is refused, or it is one that is written back. */
static void damaged_bytes_are_survived(void **state) {
    (void)state;
    static const char pieces[] = "\"{}[]:,0-9.eEnulltrue/ \\\n";
    size_t size = 0, accepted = 0;
    char *text = file("entry.json", &size);
    assert_non_null(text);
    for (uint64_t round = 0; round < 3000; round++) {
        const uint32_t at = wgt_random_below(5, round, (uint32_t)size);
        const char old = text[at];
        text[at] = pieces[wgt_random_below(6, round, sizeof pieces - 1)];
        wgt_result *read = NULL;
        wgt_error error = {{0}};
        const wgt_status status = wgt_entry_read(NULL, WGT_STR("e"), (wgt_str){text, size}, &read, &error);
        assert_true(status == WGT_OK || (status == WGT_BAD_INPUT && error.message[0] != '\0'));
        if (status == WGT_OK) {
            /* What is written is read again, to the same text. */
            size_t first_size = 0, second_size = 0;
            char *first = text_of(read, wgt_entry_write, &first_size);
            wgt_result *again = NULL;
            if (wgt_entry_read(NULL, WGT_STR("e"), (wgt_str){first, first_size}, &again, &error) != WGT_OK) {
                fail_msg("byte %u: %s", at, error.message);
            }
            char *second = text_of(again, wgt_entry_write, &second_size);
            assert_string_equal(first, second);
            free(second);
            wgt_result_destroy(&again);
            free(first);
            accepted++;
        }
        wgt_result_destroy(&read);
        text[at] = old;
    }
    free(text);
    assert_in_range(accepted, 100, 2900);
}

/* Every allocation fails once: an error and no leak. */
static void failing_allocations_are_survived(void **state) {
    (void)state;
    counter c = {0, 0};
    const wgt_allocator allocator = {counted, &c};
    size_t size = 0;
    char *text = file("entry.json", &size);
    wgt_status status = WGT_NO_MEMORY;
    assert_non_null(text);
    for (size_t n = 0; n < 1000 && status == WGT_NO_MEMORY; n++) {
        wgt_result *read = NULL;
        wgt_error error = {{0}};
        c.left = n;
        status = wgt_entry_read(&allocator, WGT_STR("e"), (wgt_str){text, size}, &read, &error);
        assert_true(status == WGT_OK || (status == WGT_NO_MEMORY && read == NULL && error.message[0] != '\0'));
        wgt_result_destroy(&read);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(status, WGT_OK);
    free(text);
}

static void keys_differ_where_a_result_would_not_hold(void **state) {
    (void)state;
    example e;
    fill_example(&e);
    wgt_key key, other;
    wgt_key_of_result(&key, &e.result);
    const wgt_hash hash = wgt_key_hash(&key);
    other = key;
    assert_true(wgt_key_equal(&key, &other));

    const wgt_named swapped[] = {{WGT_STR("alpha"), 0.1}, {WGT_STR("n"), 65536}};
    other.problem = swapped; /* the order of names says nothing */
    assert_true(wgt_key_equal(&key, &other));
    const wgt_hash again = wgt_key_hash(&other);
    assert_true(again.high == hash.high && again.low == hash.low);
    other.vendor = WGT_STR("nvidia"); /* another engine's name for the same id */
    assert_true(wgt_key_equal(&key, &other));
    other.vendor_id = 0; /* and no id, but a name that is known */
    assert_true(wgt_key_equal(&key, &other));
    assert_true(wgt_key_hash(&other).low == hash.low);

    wgt_str *const texts[] = {&other.architecture, &other.device,         &other.driver, &other.backend,
                              &other.engine,       &other.engine_version, &other.entry,  &other.space};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        other = key;
        *texts[i] = WGT_STR("other");
        assert_false(wgt_key_equal(&key, &other));
        assert_true(wgt_key_hash(&other).low != hash.low);
    }
    other = key;
    other.source.low++;
    assert_false(wgt_key_equal(&key, &other));
    assert_true(wgt_key_hash(&other).low != hash.low);
    other = key;
    other.problem_count = 1;
    assert_false(wgt_key_equal(&key, &other));
    const wgt_named more[] = {{WGT_STR("n"), 65537}, {WGT_STR("alpha"), 0.1}};
    other = key;
    other.problem = more;
    assert_false(wgt_key_equal(&key, &other));
    assert_true(wgt_key_hash(&other).low != hash.low);
    other = key;
    other.vendor_id = 0x1002;
    assert_false(wgt_key_equal(&key, &other));
    other = key;
    other.device_id++;
    assert_false(wgt_key_equal(&key, &other));
    assert_true(wgt_key_hash(&other).low != hash.low);
}

static void a_job_has_the_key_of_its_result(void **state) {
    (void)state;
    wgt_job *job = parsed(scatter_job, scatter_kernel);
    const wgt_job_info *info = wgt_job_get_info(job);
    example e;
    fill_example(&e);
    e.result.hash = info->hash;
    e.result.entry = info->entry;
    e.result.space = info->space;
    e.result.problem = info->problem;
    e.result.problem_count = info->problem_count;
    wgt_key of_job, of_result;
    wgt_key_of_job(&of_job, job, &e.result.adapter);
    wgt_key_of_result(&of_result, &e.result);
    assert_true(wgt_key_equal(&of_job, &of_result));
    wgt_job_destroy(&job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_written_as_documented),
        cmocka_unit_test(a_result_without_anything_is_still_json),
        cmocka_unit_test(a_text_that_is_too_small_is_not_overrun),
        cmocka_unit_test(an_entry_survives_the_round_trip),
        cmocka_unit_test(damaged_entries_are_refused_with_the_place),
        cmocka_unit_test(cut_entries_are_refused),
        cmocka_unit_test(damaged_bytes_are_survived),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(keys_differ_where_a_result_would_not_hold),
        cmocka_unit_test(a_job_has_the_key_of_its_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
