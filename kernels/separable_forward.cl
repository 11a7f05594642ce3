// Computes F on a lattice, out_m = sum_r conj(ey ez) sum_x rho_rx conj(ex): LANES samples a
// work-item, ROWS rows at a time, the factors of x in private memory. All factors are those of
// factors_rows without values.
// out[m / LANES][real high, real low, imaginary high, imaginary low][LANES].
// Defines: MOST_X, room for as many voxels of x; RUN of them are summed in floats before the sum of
// those takes them over.
// Geometry: samples / LANES.
// Error: its row of recon/engines/engines.cpp.
#include "separable_factors.h"
#include "separable_rows.h"

#ifndef MOST_X
#define MOST_X 64
#endif
#define RUN 8
#define ROWS 4

__kernel void forward(__global const real *x_factors, __global const real *y_factors,
                      __global const real *z_factors, __global const real2 *volumes,
                      const ulong first_voxel, const int x_count, const int y_count,
                      const int row_count, const int samples,
                      __global real *out)
{
    __global const real2 *rho = volumes + first_voxel;
    const int m = (int)get_global_id(0) * LANES;
    REALS ex[2 * MOST_X];
    for (int x = 0; x < 2 * x_count; ++x) {
        ex[x] = LOAD(0, x_factors + (size_t)x * samples + m);
    }
    REALS high_r = (REALS)(0.0f), high_i = high_r, low_r = high_r, low_i = high_r;
    for (int first = 0; first < row_count; first += ROWS) {
        REALS r0 = (REALS)(0.0f), r1 = r0, r2 = r0, r3 = r0, i0 = r0, i1 = r0, i2 = r0, i3 = r0;
        const int last = row_count - 1;
        __global const real2 *rho0 = rho + (size_t)first * x_count;
        __global const real2 *rho1 = rho + (size_t)min(first + 1, last) * x_count;
        __global const real2 *rho2 = rho + (size_t)min(first + 2, last) * x_count;
        __global const real2 *rho3 = rho + (size_t)min(first + 3, last) * x_count;
        for (int begin = 0; begin < x_count; begin += RUN) {
            const REALS zero = (REALS)(0.0f);
            REALS re0 = zero, re1 = zero, re2 = zero, re3 = zero;
            REALS im0 = zero, im1 = zero, im2 = zero, im3 = zero;
            for (int x = begin; x < min(begin + RUN, x_count); ++x) {
                const REALS c = ex[2 * x];
                const REALS s = ex[2 * x + 1];
#define ADD_VOXEL(t)                                                                               \
    re##t = fma((REALS)(rho##t[x].x), c, fma((REALS)(rho##t[x].y), s, re##t));                   \
    im##t = fma((REALS)(rho##t[x].y), c, fma((REALS)(-rho##t[x].x), s, im##t));
                ADD_VOXEL(0)
                ADD_VOXEL(1)
                ADD_VOXEL(2)
                ADD_VOXEL(3)
            }
#define ADD_RUN(t)                                                                                 \
    r##t += re##t;                                                                                 \
    i##t += im##t;
            ADD_RUN(0)
            ADD_RUN(1)
            ADD_RUN(2)
            ADD_RUN(3)
        }
#define ADD_TO_SAMPLE(t)                                                                           \
    if (first + t < row_count) {                                                                   \
        const int iy = (first + t) % y_count;                                                      \
        const int iz = (first + t) / y_count;                                                      \
        const REALS yr = LOAD(0, y_factors + (size_t)(2 * iy) * samples + m);                     \
        const REALS yi = LOAD(0, y_factors + (size_t)(2 * iy + 1) * samples + m);                 \
        const REALS zr = LOAD(0, z_factors + (size_t)(2 * iz) * samples + m);                     \
        const REALS zi = LOAD(0, z_factors + (size_t)(2 * iz + 1) * samples + m);                 \
        const REALS er = yr * zr - yi * zi;                                                       \
        const REALS ei = yr * zi + yi * zr;                                                       \
        add_to_total(&high_r, &low_r, r##t * er + i##t * ei);                                      \
        add_to_total(&high_i, &low_i, i##t * er - r##t * ei);                                      \
    }
        ADD_TO_SAMPLE(0)
        ADD_TO_SAMPLE(1)
        ADD_TO_SAMPLE(2)
        ADD_TO_SAMPLE(3)
    }
    __global real *total = out + 4 * (size_t)m;
    STORE(high_r, 0, total);
    STORE(low_r, 1, total);
    STORE(high_i, 2, total);
    STORE(low_i, 3, total);
}

// out[sample] = high + low, for the samples from `offset` on. Geometry: samples.
__kernel void finish(const ulong items, __global const real *totals, const ulong offset,
                     __global const int *order, const int with_order, const ulong first,
                     __global real2 *out)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    __global const real *total = totals + i / LANES * 4 * LANES + i % LANES;
    const size_t m = with_order ? order[offset + i] : offset + i;
    out[first + m] =
        (real2)(total[0] + total[LANES], total[2 * LANES] + total[3 * LANES]);
}
