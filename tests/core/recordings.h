/* The H200 recordings, unpacked by the build, and walks over their noise. */
#ifndef TESTS_CORE_RECORDINGS_H
#define TESTS_CORE_RECORDINGS_H

#include "sim.h"

#define RECORDINGS 18
#define RECORDED_SIZES 16
#define RECORDED_ROUNDS 160

typedef struct recording {
    char name[32];
    size_t rounds;
    double samples[RECORDED_SIZES][RECORDED_ROUNDS];
    double medians[RECORDED_SIZES];
    double residuals[RECORDED_SIZES][RECORDED_ROUNDS]; /* sample over median */
} recording;

static inline int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static inline double median_of(const double *values, size_t count) {
    double sorted[RECORDED_ROUNDS];
    memcpy(sorted, values, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], by_size);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static inline size_t place_of(uint32_t size) {
    size_t place = 0;
    while (place < RECORDED_SIZES && sim_sizes[place] != size)
        place++;
    return place;
}

/* Reads what the build unpacked; how many there are. */
static inline size_t load_recordings(recording *all) {
    const char *path = getenv("WGTUNE_TEST_RECORDINGS");
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    char name[32];
    unsigned size, round;
    double ns;
    size_t count = 0;
    if (file == NULL)
        return 0;
    while (fscanf(file, "%31[^,],%u,%u,%lf\n", name, &size, &round, &ns) == 4) {
        if (count == 0 || strcmp(all[count - 1].name, name) != 0) {
            if (count == RECORDINGS)
                break;
            memset(&all[count], 0, sizeof all[count]);
            strcpy(all[count++].name, name);
        }
        recording *r = &all[count - 1];
        if (place_of(size) == RECORDED_SIZES || round >= RECORDED_ROUNDS)
            continue;
        r->samples[place_of(size)][round] = ns;
        r->rounds = round + 1 > r->rounds ? round + 1 : r->rounds;
    }
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        for (size_t place = 0; place < RECORDED_SIZES; place++) {
            recording *r = &all[i];
            r->medians[place] = median_of(r->samples[place], r->rounds);
            for (size_t round_at = 0; round_at < r->rounds; round_at++)
                r->residuals[place][round_at] = r->samples[place][round_at] / r->medians[place];
        }
    }
    return count;
}

/* A device whose candidates have these true times and the recording's noise: each walks through its
 * own residuals in the order of the rounds, from a start of its own. */
static inline sim *walk_create(const recording *r, const double true_ns[RECORDED_SIZES],
                               uint64_t seed) {
    sim *s = sim_create(RECORDED_SIZES);
    s->seed = s->plan.seed = seed;
    s->plan.warm = true;
    s->plan.batchable = false;
    s->plan.unverified = true;
    s->plan.quantum_ns = 32;
    for (uint32_t i = 0; i < RECORDED_SIZES; i++) {
        s->candidates[i].run_ns = true_ns[i];
        s->candidates[i].walk.residuals = r->residuals[i];
        s->candidates[i].walk.count = r->rounds;
        s->candidates[i].walk.at = (size_t)(sim_uniform(s) * (double)r->rounds);
    }
    return s;
}

#endif
