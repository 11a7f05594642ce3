// Computes differences of neighbours on a grid and their adjoint (recon/operators/differences.cpp).
// x is the fastest dimension.
//
// Errors: a rounding of eps for each addition and product. Define: DOUBLES.
//
// Geometry of both: the voxels of a grid. Numbers of the differences, and their factors where there
// are some, begin at `start`.

#include "grid.h"

// out[start + n] = in(n + 1) - in(n) along dimension d, 0 at the end, times the factor of n.
__kernel void difference(const ulong items, __global const real2 *in, int4 size, ulong d,
                         __global const real *factors, ulong start, __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    const size_t next = index_in(size, x + (d == 0), y + (d == 1), z + (d == 2));
    const int last = d == 0 ? x + 1 == size.x : (d == 1 ? y + 1 == size.y : z + 1 == size.z);
    const real2 step = last ? (real2)(0.0f, 0.0f) : in[next] - in[n];
    out[start + n] = factors ? step * factors[start + n] : step;
}

__kernel void add_difference_adjoint(const ulong items, __global const real2 *in, ulong start,
                                     int4 size, ulong d, __global const real *factors,
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
    if (factors) {
        below *= at > 0 ? factors[start + n - stride] : 0;
        here *= factors[start + n];
    }
    out[n] += below - here;
}
