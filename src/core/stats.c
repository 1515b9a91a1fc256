#include "stats.h"

#include "../base/number.h"

/* Shell sort with Ciura's gaps: no recursion, no bad case at the few dozen values of a candidate,
 * and quick enough for the thousands of a pool. */
void wgt_sort(double *values, size_t count) {
    static const size_t gaps[] = {510774, 227011, 100894, 44842, 19930, 8858, 3937, 1750,
                                  701,    301,    132,    57,    23,    10,   4,    1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        size_t gap = gaps[g];
        for (size_t i = gap; i < count; i++) {
            double value = values[i];
            size_t at = i;
            for (; at >= gap && values[at - gap] > value; at -= gap)
                values[at] = values[at - gap];
            values[at] = value;
        }
    }
}

double wgt_median_sorted(const double *sorted, size_t count) {
    if (count == 0)
        return wgt_nan();
    size_t middle = count / 2;
    if (count % 2 == 1)
        return sorted[middle];
    return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

double wgt_midmean_sorted(const double *sorted, size_t count) {
    if (count == 0)
        return wgt_nan();
    size_t trim = count / 4;
    double sum = 0;
    for (size_t i = trim; i < count - trim; i++)
        sum += sorted[i];
    return sum / (double)(count - 2 * trim);
}

double wgt_midmean_scale_sorted(const double *sorted, size_t count) {
    if (count < 2)
        return 0;
    size_t trim = count / 4, last = count - 1 - trim;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i < trim ? trim : i > last ? last : i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double distance = sorted[i < trim ? trim : i > last ? last : i] - mean;
        squares += distance * distance;
    }
    double kept = (double)(count - 2 * trim) / (double)count;
    return wgt_sqrt(squares / (double)(count - 1)) / kept;
}

double wgt_mad_sorted(const double *sorted, size_t count, double *scratch) {
    static const double correction[] = {1,     1,     1.196, 1.495, 1.363,
                                        1.206, 1.200, 1.140, 1.129, 1.107};
    if (count < 2)
        return 0;
    double median = wgt_median_sorted(sorted, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = wgt_abs(sorted[i] - median);
    wgt_sort(scratch, count);
    double factor = count < sizeof correction / sizeof correction[0]
                        ? correction[count]
                        : (double)count / ((double)count - 0.8);
    return 1.4826 * factor * wgt_median_sorted(scratch, count);
}

/* How many values may be left out at either end so that what lies between still holds the median
 * with 95 %: the largest k with P(X < k) <= 0.025 for X binomial(count, 1/2). In logarithms,
 * because 2^-count is no double beyond 1074. */
static size_t binomial_tail(size_t count) {
    double log_chance = -(double)count * wgt_log(2.0), tail = 0;
    size_t k = 0;
    while (k < count) {
        tail += wgt_exp(log_chance);
        if (tail > 0.025)
            break;
        log_chance += wgt_log((double)(count - k) / (double)(k + 1));
        k++;
    }
    return k;
}

void wgt_median_interval_sorted(const double *sorted, size_t count, double interval[2]) {
    interval[0] = interval[1] = wgt_nan();
    if (count < 6)
        return;
    size_t k = binomial_tail(count);
    interval[0] = sorted[k - 1];
    interval[1] = sorted[count - k];
}
