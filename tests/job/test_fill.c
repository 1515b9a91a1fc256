#include "helper.h"

static const char layouts_kernel[] =
    "struct Params { n: u32, scale: f32, origin: vec2<f32>, weights: array<vec4<f32>, 2>, }\n"
    "struct Particle { position: vec3<f32>, mass: f32, id: u32, }\n"
    "struct Tail { count: u32, items: array<u32>, }\n"
    "override WG_SIZE: u32 = 64;\n"
    "@group(0) @binding(0) var<uniform> params: Params;\n"
    "@group(0) @binding(1) var<storage, read> particles: array<Particle>;\n"
    "@group(0) @binding(2) var<storage, read> vectors: array<vec3<f32>>;\n"
    "@group(0) @binding(3) var<storage, read> numbers: array<i32>;\n"
    "@group(0) @binding(4) var<storage, read> tail: Tail;\n"
    "@group(0) @binding(5) var<storage, read> fixed: array<u32, 6>;\n"
    "@group(1) @binding(0) var<storage, read_write> result: array<f32>;\n"
    "@compute @workgroup_size(WG_SIZE)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  let i = id.x;\n"
    "  result[i] = params.scale * particles[i].mass + vectors[i].x + f32(numbers[i]) + f32(tail.items[i]) +\n"
    "              f32(fixed[i % 6u]);\n"
    "}\n";

static const char layouts_job[] =
    "{ \"kernel\": \"k.wgsl\", \"problem\": { \"n\": 100 }, \"threads\": [\"n\"],\n"
    "  \"bindings\": {\n"
    "    \"params\": { \"fields\": { \"n\": \"n\", \"scale\": 0.5, \"origin\": [1, -2],\n"
    "                              \"weights\": [1, 2, 3, 4, 5, 6, 7, 8] } },\n"
    "    \"particles\": { \"count\": \"n\", \"fields\": { \"position\": { \"random\": \"normal\", \"seed\": 3 }, \"mass\": { \"values\": [1.5] },\n"
    "                   \"id\": { \"range\": \"n\", \"start\": 10 } } },\n"
    "    \"vectors\": { \"range\": \"n\", \"step\": 0.25 },\n"
    "    \"numbers\": { \"random\": \"uniform\", \"min\": -5, \"max\": 5, \"count\": \"n\" },\n"
    "    \"tail\": { \"fields\": { \"count\": \"n\", \"items\": { \"range\": \"n\" } } },\n"
    "    \"fixed\": { \"values\": [1, 2, 3, 4, 5, 4294967295] },\n"
    "    \"result\": { \"zero\": \"n\", \"output\": true } } }\n";

/* The whole contents, and the same in pieces of every small size. */
static unsigned char *filled(const wgt_job *job, const char *name) {
    const size_t index = find(job, name);
    const size_t bytes = (size_t)wgt_job_get_info(job)->bindings[index].bytes;
    unsigned char *whole = malloc(bytes), *pieces = malloc(bytes);
    wgt_error error = {{0}};
    assert_non_null(whole);
    assert_non_null(pieces);
    assert_int_equal(wgt_job_fill(job, index, 0, whole, bytes, &error), WGT_OK);
    for (size_t step = 4; step <= 36; step += 8) {
        memset(pieces, 0xa5, bytes);
        for (size_t at = 0; at < bytes; at += step) {
            const size_t size = bytes - at < step ? bytes - at : step;
            assert_int_equal(wgt_job_fill(job, index, at, pieces + at, size, &error), WGT_OK);
        }
        assert_memory_equal(whole, pieces, bytes);
    }
    free(pieces);
    return whole;
}

static float f32_at(const unsigned char *bytes, size_t offset) {
    float value = 0;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static uint32_t u32_at(const unsigned char *bytes, size_t offset) {
    uint32_t value = 0;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static double normal_of(uint64_t seed, uint64_t index) {
    double sum = -6;
    double total = 0;
    for (uint64_t i = 0; i < 12; i++) {
        total += (double)wgt_random_f32(seed, 12 * index + i);
    }
    return total + sum;
}

static void contents_follow_the_types_layout(void **state) {
    (void)state;
    wgt_job *job = parsed(layouts_job, layouts_kernel);
    assert_int_equal(binding(job, "params")->bytes, 48);
    assert_int_equal(binding(job, "particles")->bytes, 3200);
    assert_int_equal(binding(job, "vectors")->bytes, 1600);
    assert_int_equal(binding(job, "tail")->bytes, 404);
    assert_int_equal(binding(job, "fixed")->bytes, 24);
    assert_int_equal(binding(job, "result")->group, 1);

    unsigned char *data = filled(job, "params");
    assert_int_equal(u32_at(data, 0), 100);
    assert_true(f32_at(data, 4) == 0.5f && f32_at(data, 8) == 1 && f32_at(data, 12) == -2);
    assert_true(f32_at(data, 16) == 1 && f32_at(data, 44) == 8);
    free(data);

    data = filled(job, "particles");
    assert_true(f32_at(data, 32 * 99 + 8) == (float)normal_of(3, 3 * 99 + 2));
    assert_true(f32_at(data, 32 * 7 + 12) == 1.5f);
    assert_int_equal(u32_at(data, 32 * 7 + 16), 17);
    assert_int_equal(u32_at(data, 32 * 7 + 20), 0);
    free(data);

    data = filled(job, "vectors");
    assert_true(f32_at(data, 16 * 5 + 8) == 0.25f * 17);
    assert_int_equal(u32_at(data, 16 * 5 + 12), 0);
    free(data);

    data = filled(job, "tail");
    assert_int_equal(u32_at(data, 0), 100);
    assert_int_equal(u32_at(data, 4 + 4 * 99), 99);
    free(data);

    data = filled(job, "fixed");
    assert_int_equal(u32_at(data, 20), UINT32_MAX);
    free(data);
    wgt_job_destroy(&job);
}

static void whole_numbers_are_uniform_within_their_range(void **state) {
    (void)state;
    wgt_job *job = parsed(with(layouts_job, "\"max\": 5, \"count\": \"n\"", "\"max\": 5, \"count\": 4000"), layouts_kernel);
    unsigned char *data = filled(job, "numbers");
    unsigned seen[10] = {0};
    for (size_t i = 0; i < 4000; i++) {
        const int32_t value = (int32_t)u32_at(data, 4 * i);
        assert_in_range((uint32_t)(value + 5), 0, 9);
        seen[value + 5]++;
    }
    for (size_t i = 0; i < 10; i++) {
        assert_in_range(seen[i], 320, 480); /* 400 each, give or take four sigmas */
    }
    free(data);
    wgt_job_destroy(&job);
}

/* The documented recipe, written out again. */
static uint64_t splitmix64(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static float unit(uint64_t seed, uint64_t index) { return (float)(splitmix64(seed, index) >> 40) * 0x1p-24f; }

static void random_numbers_follow_the_documented_recipe(void **state) {
    (void)state;
    wgt_job *job = parsed(scatter_job, scatter_kernel);
    unsigned char *data = filled(job, "positions");
    for (size_t i = 0; i < 2000; i++) {
        assert_true(f32_at(data, 4 * i) == unit(7, i));
    }
    free(data);
    wgt_job_destroy(&job);

    job = parsed(with(scatter_job, "\"seed\": 7", "\"min\": [100, -1], \"max\": [101, 1]"), scatter_kernel);
    data = filled(job, "positions");
    for (size_t i = 0; i < 1000; i++) {
        const float x = f32_at(data, 8 * i);
        assert_true(x >= 100 && x < 101); /* rounding to f32 never reaches the upper end */
        assert_true(f32_at(data, 8 * i + 4) == (float)(-1 + 2 * (double)unit(1, 2 * i + 1)));
    }
    free(data);
    wgt_job_destroy(&job);
}

static void clusters_and_one_cell_crowd(void **state) {
    (void)state;
    wgt_job *job = parsed(with(scatter_job, "\"uniform\", \"count\": \"n\", \"seed\": 7",
                               "\"clustered\", \"count\": \"n\", \"clusters\": 3, \"sigma\": 0.001"),
                          scatter_kernel);
    unsigned char *data = filled(job, "positions");
    unsigned near[3] = {0};
    for (size_t i = 0; i < 1000; i++) {
        for (size_t c = 0; c < 3; c++) {
            const float dx = f32_at(data, 8 * i) - unit(2, 2 * c);
            const float dy = f32_at(data, 8 * i + 4) - unit(2, 2 * c + 1);
            near[c] += dx * dx + dy * dy < 0.006f * 0.006f * 2 ? 1 : 0;
        }
    }
    assert_true(near[0] > 200 && near[1] > 200 && near[2] > 200);
    assert_int_equal(near[0] + near[1] + near[2], 1000);
    free(data);
    wgt_job_destroy(&job);

    job = parsed(with(scatter_job, "\"uniform\", \"count\": \"n\", \"seed\": 7",
                      "\"one-cell\", \"count\": \"n\", \"at\": [0.25, 0.75]"),
                 scatter_kernel);
    data = filled(job, "positions");
    for (size_t i = 0; i < 1000; i++) {
        assert_true(f32_at(data, 8 * i) == 0.25f && f32_at(data, 8 * i + 4) == 0.75f);
    }
    free(data);
    wgt_job_destroy(&job);
}

static void files_are_read_and_their_size_is_checked(void **state) {
    (void)state;
    wgt_job *job = parsed(with(scatter_job, "\"values\": [0, 0, 1, 1]", "\"file\": \"job/four.f32\", \"type\": \"vec4<f32>\""),
                          scatter_kernel);
    unsigned char *data = filled(job, "extent");
    assert_true(f32_at(data, 0) == 0 && f32_at(data, 12) == 2.5f);
    free(data);
    wgt_job_destroy(&job);
    refused(with(scatter_job, "\"values\": [0, 0, 1, 1]", "\"file\": \"job/four.u32\""), scatter_kernel,
            "j.job.json:5:25: a file of u32, but the elements are f32");
    refused(with(scatter_job, "\"values\": [0, 0, 1, 1]", "\"file\": \"job/four.txt\""), scatter_kernel,
            "j.job.json:5:25: a file's name ends in .npy, .csv or .tsv, or in .f32, .u32, .i32 or .f16, which says what raw scalars "
            "it holds");
    refused(with(scatter_job, "\"values\": [0, 0, 1, 1]", "\"file\": \"job/three.f32\""), scatter_kernel,
            "j.job.json:5:25: 12 bytes are no whole number of elements of 16 bytes");
    refused(with(scatter_job, "\"random\": \"uniform\", \"count\": \"n\", \"seed\": 7",
                 "\"file\": \"job/four.f32\", \"count\": 3"),
            scatter_kernel, "j.job.json:3:28: the file has 2 elements, 3 are wanted");
}

/* The files were written by NumPy 1.24. */
static void numpy_files_are_converted(void **state) {
    (void)state;
    static const struct {
        const char *file, *message;
    } rows[] = {
        {"job/doubles.npy", NULL},
        {"job/bytes.npy", NULL},
        {"job/fortran.npy", "j.job.json:5:25: items in Fortran's order, allowed: C's (numpy.ascontiguousarray)"},
        {"job/big-endian.npy", "j.job.json:5:25: items of type '>f4', allowed: '<f4', '<f8', '<f2', '<u4', '<i4', "
                               "'<u8', '<i8', '|u1', '|i1'"},
        {"job/cut.npy", "j.job.json:5:25: 31 bytes of items, which is not what its shape says"},
        {"job/four.npy", "j.job.json:5:25: no NumPy file of format 1 to 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "\"file\": \"%s\"", rows[i].file);
        const char *job_text = with(scatter_job, "\"values\": [0, 0, 1, 1]", text);
        if (rows[i].message != NULL) {
            refused(job_text, scatter_kernel, rows[i].message);
            continue;
        }
        wgt_job *job = parsed(job_text, scatter_kernel);
        unsigned char *data = filled(job, "extent");
        assert_true(f32_at(data, 0) == 1 && f32_at(data, 4) == 2 && f32_at(data, 8) == 3 && f32_at(data, 12) == 4);
        free(data);
        wgt_job_destroy(&job);
    }
    refused(with(layouts_job, "\"fixed\": { \"values\": [1, 2, 3, 4, 5, 4294967295] }", "\"fixed\": { \"file\": \"job/halves.npy\" }"),
            layouts_kernel, "j.job.json:10:24: item 1 is 0.5, which does not fit a u32");
}

/* With a byte order mark, CRLF, a quoted comma, a stray quote, signs, an empty line; a stray quote in TSV. */
static void tables_are_read_by_column(void **state) {
    (void)state;
    static const struct {
        const char *file, *message;
        float expected[4];
    } rows[] = {
        {"\"file\": \"job/points.csv\", \"columns\": [\"lon\", \"lat\"]", NULL, {1.5f, 42.5f, 2, -10}},
        {"\"file\": \"job/points.tsv\", \"columns\": [3, 1]", NULL, {2.5f, 1, -3, 2}},
        {"\"file\": \"job/points.csv\"", "j.job.json:3:18: \"columns\" is missing: names of the header, or numbers from 1", {0}},
        {"\"file\": \"job/points.csv\", \"columns\": [\"lon\"]", "j.job.json:3:57: 1 columns, but an element has 2 numbers", {0}},
        {"\"file\": \"job/points.csv\", \"columns\": [\"lon\", 2]", "j.job.json:3:65: a string is wanted, not a number", {0}},
        {"\"file\": \"job/points.csv\", \"columns\": [\"lon\", \"Lat\"]", "j.job.json:3:28: line 1: no column \"Lat\"", {0}},
        {"\"file\": \"job/points.csv\", \"columns\": [2, 3]", "j.job.json:3:28: line 1: \"lat\" is no number", {0}},
        {"\"file\": \"job/points.csv\", \"columns\": [0, 3]", "j.job.json:3:58: 0 is no whole number from 1 to 65536", {0}},
        {"\"file\": \"job/four.f32\", \"columns\": [1, 3]", "j.job.json:3:44: columns are those of a .csv or .tsv file", {0}},
        {"\"file\": \"job/open-quote.csv\", \"columns\": [\"lon\", \"lat\"]",
         "j.job.json:3:28: line 3: a quote that is not closed on its line", {0}},
        {"\"file\": \"job/short-row.csv\", \"columns\": [\"lon\", \"lat\"]",
         "j.job.json:3:28: line 3: 1 of the 2 columns are missing", {0}},
        {"\"file\": \"job/decimal-comma.csv\", \"columns\": [\"lon\", \"lat\"]",
         "j.job.json:3:28: line 4: \"1,5\" is no number", {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = with(scatter_job, "\"random\": \"uniform\", \"count\": \"n\", \"seed\": 7", rows[i].file);
        if (rows[i].message != NULL) {
            refused(text, scatter_kernel, rows[i].message);
            continue;
        }
        wgt_job *job = parsed(text, scatter_kernel);
        assert_int_equal(binding(job, "positions")->bytes, 16);
        unsigned char *data = filled(job, "positions");
        assert_memory_equal(data, rows[i].expected, 16);
        free(data);
        wgt_job_destroy(&job);
    }
}

static void spans_outside_are_refused(void **state) {
    (void)state;
    wgt_job *job = parsed(scatter_job, scatter_kernel);
    wgt_error error = {{0}};
    uint32_t word = 0;
    const size_t grid = find(job, "grid");
    assert_int_equal(wgt_job_fill(job, grid, 396, &word, 4, &error), WGT_OK);
    assert_int_equal(wgt_job_fill(job, grid, 400, &word, 4, &error), WGT_USAGE);
    assert_int_equal(wgt_job_fill(job, grid, 2, &word, 4, &error), WGT_USAGE);
    assert_int_equal(wgt_job_fill(job, grid, UINT64_MAX - 3, &word, 4, &error), WGT_USAGE);
    assert_int_equal(wgt_job_fill(job, 17, 0, &word, 4, &error), WGT_USAGE);
    assert_int_equal(wgt_job_reference(job, grid, &word, 4, &error), WGT_USAGE);
    wgt_job_destroy(&job);
}

static void field_mistakes_are_told(void **state) {
    (void)state;
    refused(with(layouts_job, "\"scale\": 0.5, ", ""), layouts_kernel,
            "j.job.json:3:27: the field \"scale\" of params is missing");
    refused(with(layouts_job, "\"scale\": 0.5", "\"scal\": 0.5"), layouts_kernel,
            "j.job.json:3:39: params has no field \"scal\", it has: n, scale, origin, weights; did you mean "
            "\"scale\"?");
    refused(with(layouts_job, "\"n\": \"n\", \"scale\"", "\"n\": -1, \"scale\""), layouts_kernel,
            "j.job.json:3:34: -1 does not fit a u32");
    refused(with(layouts_job, "[1, -2]", "[1]"), layouts_kernel,
            "j.job.json:3:63: 1 numbers, but an element has 2");
    refused(with(layouts_job, "\"fixed\": { \"values\": [1, 2, 3, 4, 5, 4294967295] }", "\"fixed\": { \"values\": [1] }"),
            layouts_kernel, "j.job.json:10:26: 1 elements, but the type has 6");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_follow_the_types_layout),
        cmocka_unit_test(whole_numbers_are_uniform_within_their_range),
        cmocka_unit_test(random_numbers_follow_the_documented_recipe),
        cmocka_unit_test(clusters_and_one_cell_crowd),
        cmocka_unit_test(files_are_read_and_their_size_is_checked),
        cmocka_unit_test(numpy_files_are_converted),
        cmocka_unit_test(tables_are_read_by_column),
        cmocka_unit_test(spans_outside_are_refused),
        cmocka_unit_test(field_mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
