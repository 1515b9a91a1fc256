#include "scatter_reference.h"
#include <math.h>
#include <string.h>

/* The cell along one axis; false: none. In doubles, in which f32 differences and the division are as
 * good as exact here. */
static int cell_of(double position, double low, double high, uint32_t cells, uint32_t *cell, int *border) {
    const double at = (position - low) / (high - low) * cells;
    /* The kernel's f32: a subtraction, a division of 2.5 units, a product. */
    const double slack = 4 * 0x1p-24 * (fabs(at) + 1);
    *border = *border || fabs(at - nearbyint(at)) <= slack;
    if (!(position >= low && position < high)) {
        return 0;
    }
    *cell = (uint32_t)at;
    return *cell < cells;
}

void scatter_reference(const float *points, size_t count, const float extent[4], uint32_t width,
                       uint32_t height, uint32_t *grid, scatter_counts *counts) {
    memset(grid, 0, (size_t)width * height * sizeof *grid);
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        uint32_t column = 0, row = 0;
        int border = 0;
        const int in_x = cell_of(points[2 * i], extent[0], extent[2], width, &column, &border);
        const int in_y = cell_of(points[2 * i + 1], extent[1], extent[3], height, &row, &border);
        counts->borders += border ? 1 : 0;
        if (!in_x || !in_y) {
            counts->dropped++;
            continue;
        }
        counts->inside++;
        uint32_t *cell = &grid[(size_t)row * width + column];
        *cell += 1;
        counts->occupied += *cell == 1 ? 1 : 0;
        counts->fullest = *cell > counts->fullest ? *cell : counts->fullest;
    }
}
