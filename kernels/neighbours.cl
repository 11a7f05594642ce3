// The verbs of arrays on a grid that regularisers need (recon/device/device.hpp): differences of
// neighbours, filters, and vectors shortened. x is the fastest dimension.
//
// Errors: a rounding of eps for each addition and product. Define: DOUBLES.

#include "grid.h"

// --- differences of neighbours ------------------------------------------------------------------
//
// Geometry of both: the voxels of a grid. Factors are read from `start` on where there are some.

// out[start + n] = in(n + 1) - in(n) along dimension d, 0 at the end, times the factor of n.
__kernel void difference(const ulong items, __global const real2 *in, int4 size, int d,
                         __global const real *factors, int with_factors, ulong start,
                         __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const size_t next = index_in(size, x + (d == 0), y + (d == 1), z + (d == 2));
    const int last = d == 0 ? x + 1 == size.x : (d == 1 ? y + 1 == size.y : z + 1 == size.z);
    const real2 step = last ? (real2)(0.0f, 0.0f) : in[next] - in[n];
    out[start + n] = with_factors ? step * factors[start + n] : step;
}

__kernel void add_difference_adjoint(const ulong items, __global const real2 *in, int4 size, int d,
                                     __global const real *factors, int with_factors, ulong start,
                                     __global real2 *out)
{
#pragma OPENCL FP_CONTRACT OFF
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const int at = d == 0 ? x : (d == 1 ? y : z);
    const int end = d == 0 ? size.x : (d == 1 ? size.y : size.z);
    const size_t stride = d == 0 ? 1 : (d == 1 ? (size_t)size.x : (size_t)size.x * size.y);
    real2 below = at > 0 ? in[start + n - stride] : (real2)(0.0f, 0.0f);
    real2 here = at + 1 < end ? in[start + n] : (real2)(0.0f, 0.0f);
    if (with_factors) {
        below *= at > 0 ? factors[start + n - stride] : 0;
        here *= factors[start + n];
    }
    out[n] += below - here;
}

// --- filters of 4 taps, periodic ----------------------------------------------------------------
//
// Geometry of both: the voxels of a grid, whose numbers start at `from` and so on of their arrays.

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
__kernel void filter(const ulong items, int4 size, int d, int step, real c0, real c1, real c2,
                     real c3, __global const real2 *in, ulong from, __global real2 *low,
                     ulong at_low, __global real2 *high, ulong at_high)
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

__kernel void filter_adjoint(const ulong items, int4 size, int d, int step, real c0, real c1,
                             real c2, real c3, __global const real2 *low, ulong from_low,
                             __global const real2 *high, ulong from_high, __global real2 *out,
                             ulong to)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const size_t m1 = tap_at(size, d, -step, x, y, z);
    const size_t m2 = tap_at(size, d, -2 * step, x, y, z);
    const size_t m3 = tap_at(size, d, -3 * step, x, y, z);
    out[to + n] = c0 * low[from_low + n] + c1 * low[from_low + m1] + c2 * low[from_low + m2] +
                  c3 * low[from_low + m3] + c3 * high[from_high + n] - c2 * high[from_high + m1] +
                  c1 * high[from_high + m2] - c0 * high[from_high + m3];
}

// --- vectors, shortened -------------------------------------------------------------------------

// Of `parts` numbers, one in every `items`, from `first` on.
__kernel void shrink(const ulong items, ulong first, real length_less, int parts,
                     __global real2 *y)
{
    ONLY(items)
    const size_t n = first + get_global_id(0);
    real squares = 0;
    for (int i = 0; i < parts; ++i) {
        const real2 value = y[i * items + n];
        squares += value.x * value.x + value.y * value.y;
    }
    const real norm = sqrt(squares);
    const real factor = norm > length_less ? 1 - length_less / norm : 0;
    for (int i = 0; i < parts; ++i) {
        y[i * items + n] *= factor;
    }
}
