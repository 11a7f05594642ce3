// Applies periodic filters of 4 taps on a grid and their adjoint (recon/operators/wavelet.cpp). x
// is the fastest dimension.
//
// Errors: a rounding of eps for each addition and product. Define: DOUBLES.
//
// Geometry of both: the voxels of a grid, whose numbers start at `from` and so on of their arrays.
// Taps are `step` voxels apart along dimension d.

#include "grid.h"

// Where the voxel `steps` after the one at (x, y, z) is. No remainders: filters are rarely longer
// than the grid, and divisions keep work-items from being vectors.
static size_t tap_at(int4 size, int d, int steps, int x, int y, int z)
{
    const int end = d == 0 ? size.x : (d == 1 ? size.y : size.z);
    int at = (d == 0 ? x : (d == 1 ? y : z)) + steps;
    while (at >= end) {
        at -= end;
    }
    while (at < 0) {
        at += end;
    }
    return index_in(size, d == 0 ? at : x, d == 1 ? at : y, d == 2 ? at : z);
}

// low[n] = sum_t c_t in[n + t step], high[n] = sum_t (-1)^t c_(3-t) in[n + t step] along d.
__kernel void filter(const ulong items, __global const real2 *in, ulong from, int4 size,
                     ulong d, ulong step, real c0, real c1, real c2, real c3,
                     __global real2 *low, ulong at_low, __global real2 *high, ulong at_high)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const real2 a = in[from + n];
    const real2 b = in[from + tap_at(size, d, step, x, y, z)];
    const real2 c = in[from + tap_at(size, d, 2 * step, x, y, z)];
    const real2 e = in[from + tap_at(size, d, 3 * step, x, y, z)];
    low[at_low + n] = c0 * a + c1 * b + c2 * c + c3 * e;
    high[at_high + n] = c3 * a - c2 * b + c1 * c - c0 * e;
}

__kernel void filter_adjoint(const ulong items, __global const real2 *low, ulong from_low,
                             __global const real2 *high, ulong from_high, int4 size, ulong d,
                             ulong step, real c0, real c1, real c2, real c3, __global real2 *out,
                             ulong to)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const size_t m1 = tap_at(size, d, -(int)step, x, y, z);
    const size_t m2 = tap_at(size, d, -2 * (int)step, x, y, z);
    const size_t m3 = tap_at(size, d, -3 * (int)step, x, y, z);
    out[to + n] = c0 * low[from_low + n] + c1 * low[from_low + m1] + c2 * low[from_low + m2] +
                  c3 * low[from_low + m3] + c3 * high[from_high + n] - c2 * high[from_high + m1] +
                  c1 * high[from_high + m2] - c0 * high[from_high + m3];
}
