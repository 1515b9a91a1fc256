/* Prints what deciding costs and how often it is right, on the H200 recordings: GPU time relative
 * to the common harness (32 samples of each candidate), and picks under truths drawn at random.
 * Usage: bench_tuner [truths of each kind and recording]. */
#include "recordings.h"
#include "truths.h"

#define RUNS 100

typedef struct replay {
    double cost, loss; /* means over the runs; the largest */
    unsigned picks;    /* different ones */
} replay;

static replay replay_recording(const recording *r) {
    replay result = {0, 0, 0};
    unsigned taken[RECORDED_SIZES] = {0};
    double harness = 0, best = r->medians[0];
    for (size_t i = 0; i < RECORDED_SIZES; i++) {
        harness += 32 * r->medians[i];
        best = r->medians[i] < best ? r->medians[i] : best;
    }
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        sim *s = walk_create(r, r->medians, seed);
        sim_run(s);
        uint32_t pick = s->summary.pick.candidate;
        result.cost += s->sample_ns / harness / RUNS;
        double loss = r->medians[pick] / best - 1;
        result.loss = loss > result.loss ? loss : result.loss;
        result.picks += taken[pick]++ == 0;
        sim_destroy(s);
    }
    return result;
}

static void print_replays(const recording *all, size_t count) {
    double costs[RECORDINGS], sum = 0, loss = 0;
    printf("%-12s %8s %8s %6s\n", "recording", "cost", "loss", "picks");
    for (size_t i = 0; i < count; i++) {
        replay r = replay_recording(&all[i]);
        costs[i] = r.cost;
        sum += r.cost;
        loss = r.loss > loss ? r.loss : loss;
        printf("%-12s %8.3f %8.3f %6u\n", all[i].name, r.cost, r.loss, r.picks);
    }
    printf("cost: median %.3f, mean %.3f; largest loss %.3f\n\n", median_of(costs, count),
           sum / (double)count, loss);
}

typedef struct tally {
    unsigned runs, bad, scenarios, same, with_bad;
    double cost, harness;
} tally;

static void walk(const recording *r, const double ratios[16], uint64_t seed, tally *sums) {
    double true_ns[16], best_ns = r->medians[0];
    unsigned taken[16] = {0}, picks = 0, bad = 0;
    for (int i = 0; i < 16; i++)
        best_ns = r->medians[i] < best_ns ? r->medians[i] : best_ns;
    for (int i = 0; i < 16; i++)
        true_ns[i] = ratios[i] * best_ns;
    for (uint64_t run = 0; run < RUNS; run++) {
        sim *s = walk_create(r, true_ns, seed * 1000 + run);
        sim_run(s);
        uint32_t pick = s->summary.pick.candidate;
        picks += taken[pick]++ == 0;
        bad += ratios[pick] > 1.02 * best_of(ratios) * (1 + 1e-12);
        sums->cost += s->sample_ns;
        for (int i = 0; i < 16; i++)
            sums->harness += 32 * true_ns[i];
        sim_destroy(s);
    }
    if (getenv("VERBOSE") != NULL && (bad > 1 || picks > 1))
        printf("  %s seed %llu: %u bad, %u picks\n", r->name, (unsigned long long)seed, bad, picks);
    sums->runs += RUNS;
    sums->bad += bad;
    sums->scenarios++;
    sums->same += picks == 1;
    sums->with_bad += bad > 1;
}

int main(int count_of_arguments, char **arguments) {
    static recording all[RECORDINGS];
    size_t count = load_recordings(all);
    unsigned truths = count_of_arguments > 1 ? (unsigned)atoi(arguments[1]) : 4;
    if (count == 0) {
        fprintf(stderr,
                "no recordings: set WGTUNE_TEST_RECORDINGS to the build's recordings.csv\n");
        return 2;
    }
    print_replays(all, count);
    printf("%-12s %8s %8s %12s %12s %12s\n", "truths", "cost", "runs", "not in tie", "truths >1 %",
           "same pick");
    for (int kind = 0; kind < TRUTH_KINDS; kind++) {
        tally sums = {0};
        for (size_t i = 0; i < count; i++) {
            for (unsigned truth = 0; truth < truths; truth++) {
                double ratios[16];
                uint64_t seed = (uint64_t)kind * 100000 + i * 1000 + truth + 1;
                draw_truth((truth_kind)kind, truth % 2 == 1, seed, ratios);
                walk(&all[i], ratios, seed, &sums);
            }
        }
        printf("%-12s %8.3f %8u %12u %8u/%u %8u/%u\n", truth_names[kind], sums.cost / sums.harness,
               sums.runs, sums.bad, sums.with_bad, sums.scenarios, sums.same, sums.scenarios);
    }
    return 0;
}
