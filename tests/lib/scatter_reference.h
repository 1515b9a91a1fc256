/* The density scatter in plain C, written from its description and not from the kernel. */
#ifndef TEST_SCATTER_REFERENCE_H
#define TEST_SCATTER_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct scatter_counts {
    uint64_t inside;   /* points that fall into a cell: the sum over the grid */
    uint64_t dropped;  /* outside, or not finite */
    uint64_t occupied; /* cells with at least one point */
    uint32_t fullest;  /* points in the fullest cell */
    uint64_t borders;  /* points so near a cell's border that a division within 2.5 units in the last
                          place, which WGSL allows, may put them into the neighbour */
} scatter_counts;

/* Counts `count` points (x, y pairs) into `grid` (rows of `width` cells, from minimal y), which is
 * cleared before. `extent`: min x, min y, max x, max y. */
void scatter_reference(const float *points, size_t count, const float extent[4], uint32_t width,
                       uint32_t height, uint32_t *grid, scatter_counts *counts);

#endif
