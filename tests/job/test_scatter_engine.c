/* The built-in scatter on a real engine against the count in plain C: folded and not, with a ragged
 * end, on real places, and on the points where counting goes wrong. */
#include "engine_run.h"
#include "scatter_reference.h"

/* The sum is exact; cells differ by points that moved over a border, of which there are at most as many
 * as points that stand at one. */
static void compare_grids(const uint32_t *grid, const uint32_t *expected, size_t cells,
                          const scatter_counts *counts, uint32_t size) {
    uint64_t sum = 0, moved = 0;
    for (size_t i = 0; i < cells; i++) {
        sum += grid[i];
        moved += grid[i] > expected[i] ? grid[i] - expected[i] : 0;
    }
    if (sum != counts->inside || moved > counts->borders) {
        fail_msg("size %u: %llu points counted of %llu, %llu moved of %llu at borders", size,
                 (unsigned long long)sum, (unsigned long long)counts->inside, (unsigned long long)moved,
                 (unsigned long long)counts->borders);
    }
}

/* Every size against the reference; `cap` workgroups on an axis, so that small sizes fold. */
static void check_sizes(wgt_job *job, uint64_t cap, const uint32_t *sizes, size_t size_count, bool folds) {
    float *points = contents(job, find(job, "positions")), *extent = contents(job, find(job, "extent"));
    uint32_t *size = contents(job, find(job, "grid_size"));
    uint32_t *expected = malloc(bytes_of(job, "grid"));
    scatter_counts counts;
    assert_non_null(expected);
    scatter_reference(points, bytes_of(job, "positions") / 8, extent, size[0], size[1], expected, &counts);
    wgt_limits limits = gpu->api->adapter(gpu)->limits;
    limits.max_compute_workgroups_per_dimension = cap;
    const wgt_budget budget = wgt_budget_from_limits(&limits, 0, 0);
    const wgt_candidate_options options = {false, sizes, size_count};
    wgt_generator generator;
    bool folded = false;
    assert_ok(wgt_job_generate(job, &limits, &budget, &options, &generator, error));
    assert_int_equal(generator.count, size_count);
    for (uint32_t i = 0; i < generator.count; i++) {
        wgt_candidate c;
        generator.get(generator.user, i, &c);
        assert_true(wgt_candidate_check(&limits, &c));
        folded = folded || c.workgroups[1] > 1;
        uint32_t *grid = run(job, &c, "grid");
        compare_grids(grid, expected, bytes_of(job, "grid") / 4, &counts, c.workgroup[0]);
        free(grid);
    }
    assert_int_equal(folded, folds);
    free(points);
    free(extent);
    free(size);
    free(expected);
}

static void every_size_counts_a_ragged_number_of_points(void **state) {
    (void)state;
    /* Non-square, to tell rows from columns; 65,573 is no multiple of any of the sizes. */
    const wgt_named problem[] = {{WGT_STR("n"), 65573}, {WGT_STR("width"), 256}, {WGT_STR("height"), 128}};
    const uint32_t sizes[] = {8, 64, 100, 256};
    wgt_job *job = built_in("scatter", problem, 3);
    check_sizes(job, 65535, sizes, 4, false);
    check_sizes(job, 300, sizes, 4, true);
    wgt_job_destroy(&job);
}

static void a_real_fold_counts_every_point_once(void **state) {
    (void)state;
    const wgt_named problem[] = {{WGT_STR("n"), 262147}, {WGT_STR("width"), 512}, {WGT_STR("height"), 512}};
    const uint32_t sizes[] = {4};
    wgt_job *job = built_in("scatter", problem, 3);
    check_sizes(job, 65535, sizes, 1, true);
    wgt_job_destroy(&job);
}

static void real_places_are_counted_alike(void **state) {
    (void)state;
    const uint32_t sizes[] = {64, 256};
    wgt_job *job = built_in("scatter-cities", NULL, 0);
    check_sizes(job, 65535, sizes, 2, false);
    wgt_job_destroy(&job);
}

/* Upper borders, the neighbours of 0 and 1, huge numbers, infinities and NaN. */
static void strays_and_borders_are_dropped_alike(void **state) {
    (void)state;
    static const char text[] =
        "{ \"kernel\": \"k.wgsl\", \"threads\": [15], \"fold\": \"kernel\", \"bindings\": {\n"
        "  \"positions\": { \"file\": \"job/edges.f32\", \"count\": 15 },\n"
        "  \"grid\": { \"zero\": 8, \"output\": true, \"reset\": \"sample\" },\n"
        "  \"extent\": { \"values\": [0, 0, 1, 1] }, \"grid_size\": { \"values\": [4, 2] } } }\n";
    wgt_job *scatter = built_in("scatter", NULL, 0);
    wgt_job *job = parsed(text, wgt_job_get_info(scatter)->code.data);
    const uint32_t sizes[] = {4, 32};
    check_sizes(job, 65535, sizes, 2, false);
    /* At such small powers of two nothing rounds: the very cells. */
    const uint32_t expected[8] = {1, 1, 1, 0, 1, 0, 0, 1};
    const wgt_candidate c = {.constants = {32}, .workgroup = {32, 1, 1}, .workgroups = {1, 1, 1}};
    uint32_t *grid = run(job, &c, "grid");
    assert_memory_equal(grid, expected, sizeof expected);
    free(grid);
    wgt_job_destroy(&job);
    wgt_job_destroy(&scatter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_counts_a_ragged_number_of_points),
        cmocka_unit_test(a_real_fold_counts_every_point_once),
        cmocka_unit_test(real_places_are_counted_alike),
        cmocka_unit_test(strays_and_borders_are_dropped_alike),
        {0},
    };
    return run_on_cpu_drivers(tests);
}
