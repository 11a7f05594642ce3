// FHd or Q on a lattice without trigonometry per pair (separable.cl has the sums), with the sums in
// double precision, for devices whose matrix units have that at the rate of floats.
//
// It is a product of real matrices: rows are the real and imaginary parts of b, columns are c and s
// of ex. Factors are right to half an ulp of a float, b = y z is formed in floats; what the sums
// lose is nothing beside that. STEP samples at a time stand in local memory, as doubles. A work-item
// forms some of the next ones between its multiply-adds, and fetches those after them.
// Defines: WARPS_X x WARPS_Y warps of 32 work-items a work-group, WARP_COLUMNS x WARP_ROWS of the
// product a warp (multiples of 8, at most 32), STEP (a multiple of 8); MATRIX_UNITS where the
// compiler takes PTX for compute capability 9.0. Without it the same work-items have the same sums
// by plain multiply-adds.
// Error: recon/base/tolerance.hpp, separable_in_doubles.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef WARPS_X
#define WARPS_X 2
#define WARPS_Y 2
#define WARP_COLUMNS 32
#define WARP_ROWS 16
#define STEP 8
#endif

#define LANES 1
#include "separable_factors.h"

#define ITEMS (32 * WARPS_X * WARPS_Y)
#define COLUMNS (WARPS_X * WARP_COLUMNS)
#define ROWS (WARPS_Y * WARP_ROWS)
#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); ++i)

// Tiles of a warp: 8 rows, that is 16 with real and imaginary parts, by 4 columns, that is 8.
#define ROW_TILES (WARP_ROWS / 8)
#define COLUMN_TILES (WARP_COLUMNS / 4)

// Local memory, in pairs of doubles: a[sample][row] is b, x[sample][2 (column / 2) + i] is c (i = 0)
// or s (1) of two columns. A quarter of a warp reads 2 neighbours of 4 samples, which two pairs more
// a sample put into different banks.
#define A_STRIDE (ROWS + 2)
#define X_STRIDE (COLUMNS + 2)
#define A_LOADS (STEP * ROWS / ITEMS)
#define X_LOADS (STEP * COLUMNS / ITEMS)

// factors[m][c * count + i] = value_mc exp(i 2 pi k_m n) for n = first + i; those of x as local
// memory has them. Geometry: i, m, coil.
__kernel void factors(__global const float *samples, const int padded, const int dimension,
                      const int with_values, const float first, const int stride,
                      __global float *out)
{
    const int i = (int)get_global_id(0);
    const int m = (int)get_global_id(1);
    const int coil = (int)get_global_id(2);
    const double n = (double)first + i;
    const double exact = n * (double)HIGH(samples, padded, dimension)[m];
    const double half_turns =
        2.0 * ((exact - rint(exact)) + n * (double)LOW(samples, padded, dimension)[m]);
    const double c = cospi(half_turns);
    const double s = sinpi(half_turns);
    __global float *row = out + (size_t)2 * m * stride;
    if (dimension == 0) {
        row[i / 2 * 4 + i % 2] = (float)c;
        row[i / 2 * 4 + 2 + i % 2] = (float)s;
        return;
    }
    double2 factor = (double2)(c, s);
    if (with_values) {
        const double re = VALUE(samples, padded, coil)[m];
        const double im = VALUE(samples, padded, coil)[padded + m];
        factor = (double2)(re * c - im * s, im * c + re * s);
    }
    vstore2(convert_float2(factor), coil * (int)get_global_size(0) + i, row);
}

#ifdef MATRIX_UNITS
// NVIDIA, PTX ISA, mma.m16n8k4 with .f64: work-item 4 g + k of a warp has rows g and 8 + g of column
// k of the left matrix, column g of row k of the right one, and rows g and 8 + g of columns 2 k and
// 2 k + 1 of the sum. Rows g are real parts and 8 + g imaginary ones, columns 2 k are c and 2 k + 1
// are s, so that a work-item has the four sums of a pair.
#define MATRIX_MULTIPLY_ADD(sum, left, right)                                                      \
    __asm__("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "                                    \
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                  \
            : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])                               \
            : "d"(left.x), "d"(left.y), "d"(right));
#endif

// Rows are y + y_stride (z + z_count coil), columns are x >= 0. Geometry: ITEMS times column groups,
// row groups, slices of samples. totals[slice][row][column][c re, s re, c im, s im], for whole
// groups of rows and columns.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(__global const float2 *restrict x_factors, __global const float2 *restrict y_factors,
             __global const float2 *restrict z_factors, const int slice_samples,
             const int x_stride, const int y_stride, const int z_stride, const int first_row,
             const int row_count, __global double4 *totals)
{
    __local double2 a[2][STEP][A_STRIDE];
    __local double2 x[2][STEP][X_STRIDE];
    const int id = (int)get_local_id(0);
    const int k = id % 4;
    const int g = id % 32 / 4;
    const int warp_row = id / 32 / WARPS_X * WARP_ROWS;
    const int warp_column = id / 32 % WARPS_X * WARP_COLUMNS;

    const size_t slice_first = get_global_id(2) * (size_t)slice_samples;
    const int a_sample = id / ROWS;
    const int a_row = id % ROWS;
    const int x_sample = id / COLUMNS;
    const int x_pair = id % COLUMNS;
    const int row = first_row + min(ROWS * (int)get_group_id(1) + a_row, row_count - 1);
    __global const float2 *from_x = x_factors + (slice_first + x_sample) * x_stride +
                                    COLUMNS * get_group_id(0) + x_pair;
    __global const float2 *from_y = y_factors + (slice_first + a_sample) * y_stride +
                                    row % y_stride;
    __global const float2 *from_z = z_factors + (slice_first + a_sample) * z_stride +
                                    row / y_stride;
    float2 xs[X_LOADS], ys[A_LOADS], zs[A_LOADS];
#define FETCH_X(i, m) xs[i] = from_x[(size_t)((m) + i * (ITEMS / COLUMNS)) * x_stride];
#define FETCH_A(i, m)                                                                              \
    ys[i] = from_y[(size_t)((m) + i * (ITEMS / ROWS)) * y_stride];                                 \
    zs[i] = from_z[(size_t)((m) + i * (ITEMS / ROWS)) * z_stride];
#define PUT_X(i, buffer) x[buffer][x_sample + i * (ITEMS / COLUMNS)][x_pair] = convert_double2(xs[i]);
#define PUT_A(i, buffer)                                                                           \
    a[buffer][a_sample + i * (ITEMS / ROWS)][a_row] =                                              \
        convert_double2((float2)(ys[i].x * zs[i].x - ys[i].y * zs[i].y,                            \
                                 ys[i].x * zs[i].y + ys[i].y * zs[i].x));
// Whether the i-th of so many loads is due in a part of a step.
#define DUE(i, loads, part) ((i) * (STEP / 4 * ROW_TILES) / (loads) == (part))

    double sums[ROW_TILES][COLUMN_TILES][4];
    EACH(r, ROW_TILES) {
        EACH(c, COLUMN_TILES) {
            EACH(i, 4) {
                sums[r][c][i] = 0.0;
            }
        }
    }
    EACH(i, X_LOADS) {
        FETCH_X(i, 0)
        PUT_X(i, 0)
        FETCH_X(i, min(STEP, slice_samples - STEP))
    }
    EACH(i, A_LOADS) {
        FETCH_A(i, 0)
        PUT_A(i, 0)
        FETCH_A(i, min(STEP, slice_samples - STEP))
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    _Pragma("unroll 1")
    for (int m = 0; m < slice_samples; m += STEP) {
        const int after_next = min(m + 2 * STEP, slice_samples - STEP);
        EACH(s, STEP / 4) {
#ifdef MATRIX_UNITS
            double2 left[ROW_TILES], right[COLUMN_TILES / 2];
            EACH(r, ROW_TILES) {
                left[r] = a[current][4 * s + k][warp_row + 8 * r + g];
            }
            EACH(c, COLUMN_TILES / 2) {
                right[c] = x[current][4 * s + k][warp_column + 8 * c + g];
            }
#endif
            EACH(r, ROW_TILES) {
                EACH(c, COLUMN_TILES / 2) {
#ifdef MATRIX_UNITS
                    MATRIX_MULTIPLY_ADD(sums[r][2 * c], left[r], right[c].x)
                    MATRIX_MULTIPLY_ADD(sums[r][2 * c + 1], left[r], right[c].y)
#else
                    EACH(h, 4) {
                        const double2 b = a[current][4 * s + h][warp_row + 8 * r + g];
                        const double2 cosine = x[current][4 * s + h][warp_column + 8 * c + 2 * k];
                        const double2 sine = x[current][4 * s + h][warp_column + 8 * c + 2 * k + 1];
#define MULTIPLY_ADD(sum, column)                                                                  \
    sum[0] = fma(b.x, cosine.column, sum[0]);                                                      \
    sum[1] = fma(b.x, sine.column, sum[1]);                                                        \
    sum[2] = fma(b.y, cosine.column, sum[2]);                                                      \
    sum[3] = fma(b.y, sine.column, sum[3]);
                        MULTIPLY_ADD(sums[r][2 * c], x)
                        MULTIPLY_ADD(sums[r][2 * c + 1], y)
                    }
#endif
                }
                EACH(i, X_LOADS) {
                    if (DUE(i, X_LOADS, s * ROW_TILES + r)) {
                        PUT_X(i, 1 - current)
                        FETCH_X(i, after_next)
                    }
                }
                EACH(i, A_LOADS) {
                    if (DUE(i, A_LOADS, s * ROW_TILES + r)) {
                        PUT_A(i, 1 - current)
                        FETCH_A(i, after_next)
                    }
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        current = 1 - current;
    }
    const size_t rows = (size_t)ROWS * get_num_groups(1);
    const size_t columns = (size_t)COLUMNS * get_num_groups(0);
    EACH(r, ROW_TILES) {
        __global double4 *total =
            totals + (get_global_id(2) * rows + ROWS * get_group_id(1) + warp_row + 8 * r + g) *
                         columns + COLUMNS * get_group_id(0) + warp_column + 2 * k;
        EACH(c, COLUMN_TILES) {
            total[c / 2 * 8 + c % 2] +=
                (double4)(sums[r][c][0], sums[r][c][1], sums[r][c][2], sums[r][c][3]);
        }
    }
}

// out[row][x] of the block, from the sums p1, p3, p4, p2 of separable.cl. Columns are at x >= 0 or,
// when the lattice is `halved`, at x + 1/2. Geometry: x, row.
__kernel void finish(__global const double4 *totals, const int slices, const int column_groups,
                     const int row_groups, const int first_x, const int halved,
                     __global float2 *out)
{
    const int i = (int)get_global_id(0);
    const size_t row = get_global_id(1);
    const int x = first_x + i;
    const size_t columns = (size_t)COLUMNS * column_groups;
    __global const double4 *total = totals + row * columns + (x >= 0 ? x : -x - halved);
    double4 p = (double4)(0.0);
    for (int slice = 0; slice < slices; ++slice) {
        p += total[(size_t)slice * ROWS * row_groups * columns];
    }
    const double2 voxel =
        x >= 0 ? (double2)(p.x - p.w, p.y + p.z) : (double2)(p.x + p.w, p.z - p.y);
    out[row * get_global_size(0) + i] = convert_float2(voxel);
}
