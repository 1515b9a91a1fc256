#include "filter_reference.h"
#include <math.h>
#include <stdlib.h>

static size_t clamped(ptrdiff_t at, size_t size) {
    return at < 0 ? 0 : (size_t)at >= size ? size - 1 : (size_t)at;
}

void smooth_reference(const float *source, size_t width, size_t height, float *smoothed) {
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            double sum = 0, total = 0;
            for (int d = -4; d <= 4; d++) {
                double weight = exp(-(double)(d * d) / 8.0);
                sum += weight * (double)source[y * width + clamped((ptrdiff_t)x + d, width)];
                total += weight;
            }
            smoothed[y * width + x] = (float)(sum / total);
        }
    }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void median_reference(const float *source, size_t width, size_t height, float *filtered) {
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            float window[25];
            size_t count = 0;
            for (int dy = -2; dy <= 2; dy++) {
                for (int dx = -2; dx <= 2; dx++) {
                    size_t row = clamped((ptrdiff_t)y + dy, height);
                    window[count++] = source[row * width + clamped((ptrdiff_t)x + dx, width)];
                }
            }
            qsort(window, count, sizeof *window, by_value);
            filtered[y * width + x] = window[12];
        }
    }
}
