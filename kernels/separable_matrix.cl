// Computes FHd or Q on a lattice without trigonometry per pair (separable.cl has the sums), with
// the sums in double precision, for devices whose matrix units have that at the rate of floats.
//
// It is a product of real matrices: rows are the real and imaginary parts of b, columns are c and s
// of ex. Factors are right to half an ulp of a float, b = y z is formed in floats; what the sums
// lose is nothing beside that. With DOUBLES factors and b are doubles, too.
// Defines: those of separable_matrix.h.
// Error: its row of recon/engines/engines.cpp.
#ifndef WARPS_X
#define WARPS_X 2
#define WARPS_Y 2
#define WARP_COLUMNS 32
#define WARP_ROWS 16
#define STEP 8
#endif
#define COLUMN_REALS 2
#include "separable_matrix.h"

// factors[m][c * count + i] = value_mc exp(i 2 pi k_m n) for n = first + i, of the samples from
// `offset` on; those of x as pairs of local memory, c of two columns and then s.
// Geometry: i, m, coil.
__kernel void factors(const ulong count, __global const real *positions,
                      __global const real *values, const int stride, const int offset,
                      const int dimension, const int with_values, const real first,
                      const int row_numbers, __global real *out)
{
    ONLY(count)
    const int i = (int)get_global_id(0);
    const size_t m = offset + get_global_id(1);
    const int coil = (int)get_global_id(2);
    double2 factor = unit_circle_in_doubles(positions, stride, dimension, m, (double)first + i);
    __global real *row = out + 2 * get_global_id(1) * row_numbers;
    if (dimension == 0) {
        row[i / 2 * 4 + i % 2] = TO_REAL(factor.x);
        row[i / 2 * 4 + 2 + i % 2] = TO_REAL(factor.y);
        return;
    }
    if (with_values) {
        const double re = VALUE(values, stride, coil)[m];
        const double im = VALUE(values, stride, coil)[stride + m];
        factor = (double2)(re * factor.x - im * factor.y, im * factor.x + re * factor.y);
    }
    vstore2(TO_REAL2(factor), coil * (int)count + i, row);
}

// Rows are y + y_stride (z + z_count coil), columns are x >= 0. totals[strip][row][column][c re,
// s re, c im, s im], for whole tiles. Geometry: ITEMS times column tiles, row
// tiles, strips of samples.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(__global const real2 *restrict x_factors, __global const real2 *restrict y_factors,
             __global const real2 *restrict z_factors, const int strip_samples,
             const int x_stride, const int y_stride, const int z_stride, const int first_row,
             const int row_count, __global double4 *totals)
{
    __local double2 a[2][STEP][A_STRIDE];
    __local double2 x[2][STEP][X_STRIDE];
    const int id = (int)get_local_id(0);
    const int k = PLACE_K(id);
    const int g = PLACE_G(id);
    const int warp_row = WARP_ROW(id);
    const int warp_pair = WARP_PAIR(id);

    const size_t strip_first = get_global_id(2) * (size_t)strip_samples;
    const int a_step = id / ROWS;
    const int a_row = id % ROWS;
    const int x_step = id / PAIRS;
    const int x_pair = id % PAIRS;
    const int row = first_row + min(ROWS * (int)get_group_id(1) + a_row, row_count - 1);
    __global const real2 *from_x = x_factors + (strip_first + x_step) * x_stride +
                                    PAIRS * get_group_id(0) + x_pair;
    __global const real2 *from_y = y_factors + (strip_first + a_step) * y_stride + row % y_stride;
    __global const real2 *from_z = z_factors + (strip_first + a_step) * z_stride + row / y_stride;
    real2 xs[X_LOADS], ys[A_LOADS], zs[A_LOADS];
    int ahead = 0;
#define FETCH_X(i) xs[i] = from_x[(size_t)(ahead + i * (ITEMS / PAIRS)) * x_stride];
#define FETCH_A(i)                                                                                 \
    ys[i] = from_y[(size_t)(ahead + i * (ITEMS / ROWS)) * y_stride];                               \
    zs[i] = from_z[(size_t)(ahead + i * (ITEMS / ROWS)) * z_stride];
#define PUT_X(i, buffer) x[buffer][x_step + i * (ITEMS / PAIRS)][x_pair] = convert_double2(xs[i]);
#define PUT_A(i, buffer)                                                                           \
    a[buffer][a_step + i * (ITEMS / ROWS)][a_row] =                                                \
        convert_double2((real2)(ys[i].x * zs[i].x - ys[i].y * zs[i].y,                            \
                                 ys[i].x * zs[i].y + ys[i].y * zs[i].x));

    double sums[ROW_TILES][COLUMN_TILES][4];
    CLEAR_SUMS
    FETCH_ALL
    PUT_ALL(0)
    ahead = min(STEP, strip_samples - STEP);
    FETCH_ALL
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    _Pragma("unroll 1")
    for (int m = 0; m < strip_samples; m += STEP) {
        ahead = min(m + 2 * STEP, strip_samples - STEP);
        ADD_STEP
    }
    const size_t rows = (size_t)ROWS * get_num_groups(1);
    const size_t columns = (size_t)COLUMNS * get_num_groups(0);
    EACH(r, ROW_TILES) {
        __global double4 *total =
            totals + (get_global_id(2) * rows + ROWS * get_group_id(1) + warp_row + 8 * r + g) *
                         columns + COLUMNS * get_group_id(0) + warp_pair + 2 * k;
        EACH(c, COLUMN_TILES) {
            total[c / 2 * 8 + c % 2] +=
                (double4)(sums[r][c][0], sums[r][c][1], sums[r][c][2], sums[r][c][3]);
        }
    }
}

// The values of the block's rows, from the sums p1, p3, p4, p2 of separable.cl. Columns are at
// x >= 0 or, when the lattice is `halved`, at x + 1/2. Rows that pad those of one z are left out.
// Geometry: x, row of the block.
__kernel void finish(const ulong x_count, __global const double4 *totals, const int strips,
                     const int column_tiles, const int row_tiles, const int first_x,
                     const int halved, const int first_row, const int y_stride,
                     const int y_count, const ulong first, __global real2 *out)
{
    ONLY(x_count)
    const int i = (int)get_global_id(0);
    const size_t row = get_global_id(1);
    const int y = (first_row + (int)row) % y_stride;
    const int z = (first_row + (int)row) / y_stride;
    if (y >= y_count) {
        return;
    }
    const int x = first_x + i;
    const size_t columns = (size_t)COLUMNS * column_tiles;
    __global const double4 *total = totals + row * columns + (x >= 0 ? x : -x - halved);
    double4 p = (double4)(0.0);
    for (int strip = 0; strip < strips; ++strip) {
        p += total[(size_t)strip * ROWS * row_tiles * columns];
    }
    const double2 voxel =
        x >= 0 ? (double2)(p.x - p.w, p.y + p.z) : (double2)(p.x + p.w, p.z - p.y);
    out[first + ((size_t)z * y_count + y) * x_count + i] = TO_REAL2(voxel);
}
