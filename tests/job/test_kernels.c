#include "helper.h"
#include "scatter_reference.h"

static wgt_job *built_in(const char *name, const wgt_job_options *options) {
    char path[1024];
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    (void)snprintf(path, sizeof path, "%s/../../kernels/%s.job.json", getenv("WGTUNE_TEST_DATA"), name);
    if (wgt_job_load(options, path, &job, &error) != WGT_OK) {
        fail_msg("%s", error.message);
    }
    return job;
}

static void *contents(const wgt_job *job, const char *name) {
    const size_t index = find(job, name);
    const size_t bytes = (size_t)wgt_job_get_info(job)->bindings[index].bytes;
    void *data = malloc(bytes);
    wgt_error error = {{0}};
    assert_non_null(data);
    assert_int_equal(wgt_job_fill(job, index, 0, data, bytes, &error), WGT_OK);
    return data;
}

/* Counts the job's points with the reference. */
static scatter_counts count_points(const wgt_job *job, uint32_t width, uint32_t height) {
    const size_t count = (size_t)(binding(job, "positions")->bytes / 8);
    float *points = contents(job, "positions"), *extent = contents(job, "extent");
    uint32_t *size = contents(job, "grid_size");
    uint32_t *grid = malloc(binding(job, "grid")->bytes);
    scatter_counts counts;
    assert_non_null(grid);
    assert_int_equal(size[0], width);
    assert_int_equal(size[1], height);
    assert_int_equal(binding(job, "grid")->bytes, 4 * (uint64_t)width * height);
    scatter_reference(points, count, extent, width, height, grid, &counts);
    assert_int_equal(counts.inside + counts.dropped, count);
    free(points);
    free(extent);
    free(size);
    free(grid);
    return counts;
}

static void scatter_has_four_million_points(void **state) {
    (void)state;
    wgt_job *job = built_in("scatter", NULL);
    const wgt_job_info *info = wgt_job_get_info(job);
    assert_true(wgt_str_is(info->name, "scatter"));
    assert_true(wgt_str_is(info->entry, "scatter"));
    assert_true(info->bytes_moved == 12.0 * 4194304);
    assert_true(info->batchable && info->divisible && info->exact);
    assert_int_equal(info->fold, WGT_FOLD_KERNEL);
    assert_int_equal(binding(job, "positions")->bytes, 8 * 4194304);
    const scatter_counts counts = count_points(job, 2048, 2048);
    assert_int_equal(counts.inside, 4194304);
    /* 63.2 % of the cells get at least one of as many points as there are cells. */
    assert_in_range(counts.occupied, 2650000, 2653000);
    assert_int_equal(counts.dropped, 0);

    /* Sizes below 65 need more than 65,535 workgroups and are folded. */
    const wgt_limits limits = wgt_limits_portable();
    const wgt_budget budget = wgt_budget_from_limits(&limits, 32, 32);
    wgt_generator generator;
    wgt_error error = {{0}};
    wgt_candidate c;
    assert_int_equal(wgt_job_generate(job, &limits, &budget, NULL, &generator, &error), WGT_OK);
    assert_int_equal(generator.count, 8);
    generator.get(generator.user, 0, &c);
    assert_int_equal(c.workgroups[0] * c.workgroups[1], 131072);
    assert_true(c.workgroups[0] <= 65535 && c.workgroups[1] > 1);
    wgt_job_destroy(&job);
}

static void cities_crowd_as_counted(void **state) {
    (void)state;
    wgt_job *job = built_in("scatter-cities", NULL);
    const scatter_counts counts = count_points(job, 1024, 1024);
    assert_int_equal(counts.inside, 199568);
    assert_int_equal(counts.occupied, 38281);
    assert_int_equal(counts.fullest, 374);
    wgt_job_destroy(&job);
}

static void another_problem_size_makes_another_job(void **state) {
    (void)state;
    const wgt_named given[] = {{WGT_STR("n"), 1000}, {WGT_STR("width"), 64}, {WGT_STR("height"), 32}};
    const wgt_job_options options = {NULL, given, 3};
    wgt_job *job = built_in("scatter", &options);
    assert_int_equal(count_points(job, 64, 32).inside, 1000);
    wgt_job_destroy(&job);
}

/* The reference itself, on the points where counting goes wrong in practice. */
static void borders_are_half_open_and_strays_are_dropped(void **state) {
    (void)state;
    const float nan = (float)wgt_nan(), infinity = (float)wgt_infinity();
    const float points[] = {0, 0, 0.5f, 0.25f, 0.99999994f, 0.99999994f, 1, 0.5f, 0.5f, 1, -1e-7f, 0.5f,
                            nan, 0.5f, 0.5f, infinity, 0.25f, 0};
    const float extent[] = {0, 0, 1, 1};
    uint32_t grid[4 * 2];
    scatter_counts counts;
    scatter_reference(points, 9, extent, 4, 2, grid, &counts);
    const uint32_t expected[8] = {1, 1, 1, 0, 0, 0, 0, 1};
    assert_memory_equal(grid, expected, sizeof grid);
    assert_int_equal(counts.inside, 4);
    assert_int_equal(counts.dropped, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scatter_has_four_million_points),
        cmocka_unit_test(cities_crowd_as_counted),
        cmocka_unit_test(another_problem_size_makes_another_job),
        cmocka_unit_test(borders_are_half_open_and_strays_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
