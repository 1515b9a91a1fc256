/* The built-in filters and the tiled scatter on a real engine against plain C. */
#include "engine_run.h"
#include "filter_reference.h"
#include "scatter_reference.h"
#include <math.h>

static const uint32_t sizes[] = {8, 32, 100, 256};

/* Calls `check` with what each size leaves. */
static void each_size(wgt_job *job, const char *output, void (*check)(const wgt_job *job, const void *left, void *user),
                      void *user) {
    const wgt_limits limits = wgt_limits_min(&gpu->api->adapter(gpu)->limits, &(wgt_limits){
        .max_compute_invocations_per_workgroup = 256, .max_compute_workgroup_size_x = 256,
        .max_compute_workgroup_size_y = 256, .max_compute_workgroup_size_z = 64,
        .max_compute_workgroup_storage_size = 16384, .max_compute_workgroups_per_dimension = 200,
        .max_storage_buffer_binding_size = 1u << 27, .max_uniform_buffer_binding_size = 65536,
        .max_buffer_size = 1u << 28, .max_storage_buffers_per_shader_stage = 8,
        .max_uniform_buffers_per_shader_stage = 12, .max_bind_groups = 4, .max_bindings_per_bind_group = 1000,
        .max_texture_dimension_2d = 8192});
    const wgt_budget budget = wgt_budget_from_limits(&limits, 0, 0);
    const wgt_candidate_options options = {false, sizes, sizeof sizes / sizeof *sizes};
    wgt_generator generator;
    assert_ok(wgt_job_generate(job, &limits, &budget, &options, &generator, error));
    assert_int_equal(generator.count, sizeof sizes / sizeof *sizes);
    for (uint32_t i = 0; i < generator.count; i++) {
        wgt_candidate c;
        generator.get(generator.user, i, &c);
        assert_true(wgt_candidate_check(&limits, &c));
        void *left = run(job, &c, output);
        check(job, left, user);
        free(left);
    }
}

/* Non-square and ragged; small sizes fold at 200 workgroups an axis. */
static const wgt_named grid_of_cells[] = {{{"width", 5}, 173}, {{"height", 6}, 59}};

static void near_the_reference(const wgt_job *job, const void *left, void *user) {
    const float *got = left, *wanted = user;
    for (size_t i = 0; i < bytes_of(job, "smoothed") / 4; i++) {
        /* exp has 3 + 2 |x| units in the last place in WGSL, and sums of nine terms round. */
        if (!(fabsf(got[i] - wanted[i]) <= 1e-5f * wanted[i])) {
            fail_msg("cell %zu: %g, not %g", i, (double)got[i], (double)wanted[i]);
        }
    }
}

static void both_forms_of_smoothing_give_the_gaussian(void **state) {
    (void)state;
    static const char *const names[] = {"smooth-heavy", "smooth-lean"};
    for (size_t k = 0; k < 2; k++) {
        wgt_job *job = built_in(names[k], grid_of_cells, 2);
        float *source = contents(job, find(job, "source")), *wanted = malloc(bytes_of(job, "smoothed"));
        smooth_reference(source, 173, 59, wanted);
        each_size(job, "smoothed", near_the_reference, wanted);
        free(source);
        free(wanted);
        wgt_job_destroy(&job);
    }
}

static void exactly_the_reference(const wgt_job *job, const void *left, void *user) {
    assert_memory_equal(left, user, bytes_of(job, "filtered"));
}

static void the_median_is_the_middle_value(void **state) {
    (void)state;
    wgt_job *job = built_in("median", grid_of_cells, 2);
    float *source = contents(job, find(job, "source")), *wanted = malloc(bytes_of(job, "filtered"));
    median_reference(source, 173, 59, wanted);
    each_size(job, "filtered", exactly_the_reference, wanted);
    free(source);
    free(wanted);
    wgt_job_destroy(&job);
}

typedef struct counted_grid {
    uint32_t cells[32 * 32];
    scatter_counts counts;
} counted_grid;

/* The sum is exact; cells differ by at most the points that stand at a border. */
static void the_same_density(const wgt_job *job, const void *left, void *user) {
    (void)job;
    const uint32_t *got = left;
    const counted_grid *wanted = user;
    uint64_t sum = 0, moved = 0;
    for (size_t i = 0; i < 32 * 32; i++) {
        sum += got[i];
        moved += got[i] > wanted->cells[i] ? got[i] - wanted->cells[i] : 0;
    }
    assert_int_equal(sum, wanted->counts.inside);
    assert_true(moved <= wanted->counts.borders);
}

static void the_tiled_scatter_counts_every_point_once(void **state) {
    (void)state;
    const wgt_named problem[] = {{{"n", 1}, 70001}};
    wgt_job *job = built_in("scatter-tiled", problem, 1);
    float *points = contents(job, find(job, "positions")), *extent = contents(job, find(job, "extent"));
    counted_grid wanted;
    scatter_reference(points, 70001, extent, 32, 32, wanted.cells, &wanted.counts);
    each_size(job, "grid", the_same_density, &wanted);
    free(points);
    free(extent);
    wgt_job_destroy(&job);
}

static void twice_the_input(const wgt_job *job, const void *left, void *user) {
    const float *got = left, *x = user;
    for (size_t i = 0; i < bytes_of(job, "y") / 4; i++) {
        assert_true(got[i] == 2 * x[i]);
    }
}

/* 5,003 invocations in workgroups of 8 are 626: more than the 200 of an axis. */
static void a_kernel_of_one_axis_is_folded_for_it(void **state) {
    (void)state;
    const wgt_named problem[] = {{{"n", 1}, 5003}};
    wgt_job *job = job_in("jobs", "folded", problem, 1);
    float *x = contents(job, find(job, "x"));
    each_size(job, "y", twice_the_input, x);
    free(x);
    wgt_job_destroy(&job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_smoothing_give_the_gaussian),
        cmocka_unit_test(the_median_is_the_middle_value),
        cmocka_unit_test(the_tiled_scatter_counts_every_point_once),
        cmocka_unit_test(a_kernel_of_one_axis_is_folded_for_it),
        {0},
    };
    return run_on_cpu_drivers(tests);
}
