// Computes F on a lattice (separable_forward_local.cl has the sums), with the sums in double
// precision, for devices whose matrix units have that at the rate of floats.
//
// T is a product of real matrices: rows are its real and imaginary parts, columns are samples, and
// every x >= 0 is two steps, c with (re S, im S) and s with (im D, -re D).
// Defines: those of separable_matrix.h.
// Error: its row of recon/engines/engines.cpp.
#ifndef WARPS_X
#define WARPS_X 2
#define WARPS_Y 2
#define WARP_COLUMNS 32
#define WARP_ROWS 32
#define STEP 8
#endif
#define COLUMN_REALS 1
#include "separable_matrix.h"
#include "separable_fold.h"

// As in separable_rows.h: factors[index][real or imaginary][m] = exp(i 2 pi k_m n), n = first +
// index. Geometry: m, index.
__kernel void factors_rows(const ulong samples, __global const real *positions,
                           __global const real *values, const int stride, const int offset,
                           const int dimension, const int with_values, const real first,
                           __global real *factors)
{
    ONLY(samples)
    const size_t m = get_global_id(0);
    const size_t index = get_global_id(1);
    const double2 factor = unit_circle_in_doubles(positions, stride, dimension, offset + m,
                                                  (double)first + (double)index);
    factors[2 * index * samples + m] = TO_REAL(factor.x);
    factors[(2 * index + 1) * samples + m] = TO_REAL(factor.y);
}

// folded[x][c or s][row_stride]: what c and s of x are multiplied with.
static void put_fold(real4 value, int column, int row, int row_stride, __global real *folded)
{
    __global real2 *to = (__global real2 *)folded + (size_t)2 * column * row_stride + row;
    to[0] = value.xy;
    to[row_stride] = (real2)(value.w, -value.z);
}

// Arguments and results as those of separable_forward_local.cl, but for `folded`; 2 x_count is a
// multiple of STEP. Geometry: ITEMS times groups of samples, strips of strip_rows rows, a multiple
// of ROWS.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void forward(__global const real *restrict x_factors, __global const real2 *restrict folded,
             __global const real *restrict y_factors, __global const real *restrict z_factors,
             const int x_count, const int samples, const int y_count, const int row_count,
             const int row_stride, const int strip_rows, __global double2 *restrict out)
{
    __local double2 a[2][STEP][A_STRIDE];
    __local double2 x[2][STEP][X_STRIDE];
    __local double2 shares[8 * WARPS_Y][16 * WARPS_X];
    const int id = (int)get_local_id(0);
    const int k = PLACE_K(id);
    const int g = PLACE_G(id);
    const int warp_row = WARP_ROW(id);
    const int warp_pair = WARP_PAIR(id);
    const int first_sample = COLUMNS * (int)get_group_id(0);
    const int first_row = strip_rows * (int)get_group_id(1);
    const int end_row = min(first_row + strip_rows, row_stride);

    const int a_step = id / ROWS;
    const int x_step = id / PAIRS;
    const int x_pair = id % PAIRS;
    __global const real *from_x = x_factors + (size_t)x_step * samples + first_sample + 2 * x_pair;
    __global const real2 *from_rows = folded + (size_t)a_step * row_stride + first_row + id % ROWS;
    real2 xs[X_LOADS], rows[A_LOADS];
    int ahead = 0; // steps
    int rows_ahead = 0;
#define FETCH_X(i)                                                                                 \
    xs[i] = *(__global const real2 *)(from_x + (size_t)(ahead + i * (ITEMS / PAIRS)) * samples);
#define FETCH_A(i)                                                                                 \
    rows[i] = from_rows[(size_t)(ahead + i * (ITEMS / ROWS)) * row_stride + rows_ahead];
#define PUT_X(i, buffer) x[buffer][x_step + i * (ITEMS / PAIRS)][x_pair] = convert_double2(xs[i]);
#define PUT_A(i, buffer)                                                                           \
    a[buffer][a_step + i * (ITEMS / ROWS)][id % ROWS] = convert_double2(rows[i]);
// The step after, and after the last one of these rows the first of the next; the last is enough.
#define GO_AHEAD                                                                                   \
    ahead += STEP;                                                                                 \
    if (ahead == 2 * x_count) {                                                                    \
        ahead = 0;                                                                                 \
        rows_ahead = min(rows_ahead + ROWS, end_row - first_row - ROWS);                           \
    }

    double2 totals[COLUMN_TILES / 2][4];
    EACH(c, COLUMN_TILES / 2) {
        EACH(i, 4) {
            totals[c][i] = (double2)(0.0);
        }
    }
    FETCH_ALL
    PUT_ALL(0)
    GO_AHEAD
    FETCH_ALL
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    _Pragma("unroll 1")
    for (int tile = first_row; tile < end_row; tile += ROWS) {
        double sums[ROW_TILES][COLUMN_TILES][4];
        CLEAR_SUMS
        _Pragma("unroll 1")
        for (int step = 0; step < 2 * x_count; step += STEP) {
            GO_AHEAD
            ADD_STEP
        }
        EACH(r, ROW_TILES) {
            const int row = min(tile + warp_row + 8 * r + g, row_count - 1);
            EACH(c, COLUMN_TILES / 2) {
                const int m = first_sample + 2 * (warp_pair + 8 * c + 2 * k);
                __global const real *of_y = y_factors + (size_t)2 * (row % y_count) * samples + m;
                __global const real *of_z = z_factors + (size_t)2 * (row / y_count) * samples + m;
                const real4 yr = *(__global const real4 *)of_y;
                const real4 yi = *(__global const real4 *)(of_y + samples);
                const real4 zr = *(__global const real4 *)of_z;
                const real4 zi = *(__global const real4 *)(of_z + samples);
                const double4 er = convert_double4(yr * zr - yi * zi);
                const double4 ei = convert_double4(yr * zi + yi * zr);
// Sample i of four: tile i % 2 of the pair of tiles, column i / 2 of the work-item's two.
#define ADD_SAMPLE(i, component)                                                                   \
    {                                                                                              \
        const double re = sums[r][2 * c + i % 2][i / 2];                                           \
        const double im = sums[r][2 * c + i % 2][2 + i / 2];                                       \
        totals[c][i].x += re * er.component + im * ei.component;                                   \
        totals[c][i].y += im * er.component - re * ei.component;                                   \
    }
                ADD_SAMPLE(0, x)
                ADD_SAMPLE(1, y)
                ADD_SAMPLE(2, z)
                ADD_SAMPLE(3, w)
            }
        }
    }
    EACH(c, COLUMN_TILES / 2) {
        EACH(i, 4) {
            shares[8 * (id / 32 / WARPS_X) + g][16 * (id / 32 % WARPS_X) + 4 * k + i] =
                totals[c][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < 16 * WARPS_X) {
            double2 sum = shares[0][id];
            for (int other = 1; other < 8 * WARPS_Y; ++other) {
                sum += shares[other][id];
            }
            out[(size_t)get_group_id(1) * samples + first_sample + id / 16 * WARP_COLUMNS + 16 * c +
                id % 16] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// out[sample] = the sum of all strips, turned back when the lattice is halved, for the samples
// from `offset` on.
// Geometry: samples.
__kernel void finish(const ulong items, __global const double2 *totals, const int strips,
                     const int samples, const ulong offset, __global const int *order,
                     const int with_order, __global const real *positions, const int stride,
                     const int halved, const ulong first, __global real2 *out)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    double2 sum = (double2)(0.0);
    for (int strip = 0; strip < strips; ++strip) {
        sum += totals[(size_t)strip * samples + i];
    }
    put_sample(sum, offset + i, order, with_order, positions, stride, halved, out + first);
}
