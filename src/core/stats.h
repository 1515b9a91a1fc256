/* The statistics that decisions rest on: robust locations and scales, and intervals that say how
 * they were made. Pure. NaN must not be among the values. */
#ifndef WGT_CORE_STATS_H
#define WGT_CORE_STATS_H

#include "wgtune/base.h"

/* Ascending, in place. */
void wgt_sort(double *values, size_t count);

/* The middle value, or the mean of the two middle ones; NaN for none. */
double wgt_median_sorted(const double *sorted, size_t count);
/* The mean of the middle half: a quarter of the values (rounded down) is left out at either end.
 * NaN for none. */
double wgt_midmean_sorted(const double *sorted, size_t count);
/* The standard deviation that the midmean's error goes with: the winsorized one over the share of
 * the values that is not trimmed, so that error = this / sqrt(count). 0 for fewer than 2 values.
 * Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for
 * location based on a single sample", Sankhya A 25 (1963). */
double wgt_midmean_scale_sorted(const double *sorted, size_t count);
/* 1.4826 times the median distance to the median, corrected for few values: the standard deviation
 * of a normal distribution. `scratch` holds `count` values. 0 for fewer than 2. Source of the
 * correction: Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of
 * scale", Computational Statistics 1 (1992). */
double wgt_mad_sorted(const double *sorted, size_t count, double *scratch);
/* The order statistics that hold the median with a probability of at least 95 %, by the exact
 * binomial distribution: needs no assumption but independence. {NaN, NaN} below 6 values. */
void wgt_median_interval_sorted(const double *sorted, size_t count, double interval[2]);

#endif
