/* The grid filters of kernels/ in plain C, in double precision, one cell after the other. */
#ifndef TESTS_LIB_FILTER_REFERENCE_H
#define TESTS_LIB_FILTER_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Rows smoothed by a Gaussian: radius 4, sigma 2, edges clamped. */
void smooth_reference(const float *source, size_t width, size_t height, float *smoothed);
/* The median of 5 × 5 cells, edges clamped. */
void median_reference(const float *source, size_t width, size_t height, float *filtered);

#endif
