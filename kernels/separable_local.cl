// FHd or Q on a lattice without trigonometry per pair (separable.cl has the sums), for devices
// whose local memory is fast. Factors are laid out by samples:
// factors[m][real or imaginary][stride].
//
// STEP samples at a time stand in local memory (separable_tile.h); the next ones are on their way
// from global memory meanwhile.
//
// `run` samples are summed in floats before the sum goes to the totals in two floats.
// Defines: those of separable_tile.h.
// Error: recon/base/tolerance.hpp, direct_transform.
#define LANES 1
#include "separable_factors.h"
#include "separable_tile.h"

#define TOTALS (ITEM_ROWS * ITEM_QUADS_X * 4)

// totals[work-group][item's sum][high, low][work-item], so that neighbours write neighbours.
// No restrict: the compiler would keep all of them in registers from run to run.
#define TOTALS_OF_A_GROUP ((size_t)(2 * TOTALS * ITEMS))

static void add_quad(__global float4 *total, float4 part)
{
    const float4 old = total[0];
    const float4 sum = old + part;
    const float4 back = sum - old;
    total[0] = sum;
    total[ITEMS] += (old - (sum - back)) + (part - back);
}

// factors[m][real or imaginary][stride] = value_mc exp(i 2 pi k_m n) at c * count + i, for
// n = first + i.
// Geometry: i, m, coil.
__kernel void factors(__global const float *samples, const int padded, const int dimension,
                      const int with_values, const float first, const int stride,
                      __global float *out)
{
    const int i = (int)get_global_id(0);
    const int m = (int)get_global_id(1);
    const int coil = (int)get_global_id(2);
    float c;
    float s;
    unit_circle(HIGH(samples, padded, dimension)[m], LOW(samples, padded, dimension)[m],
                first + (float)i, &c, &s);
    float re = c;
    float im = s;
    if (with_values) {
        const float value_re = VALUE(samples, padded, coil)[m];
        const float value_im = VALUE(samples, padded, coil)[padded + m];
        re = value_re * c - value_im * s;
        im = value_im * c + value_re * s;
    }
    __global float *row = out + (size_t)2 * m * stride + coil * (int)get_global_size(0) + i;
    row[0] = re;
    row[stride] = im;
}

// Rows are y + y_stride (z + z_count coil), y_stride a multiple of 4; columns are x >= 0.
// Geometry: ITEMS times column groups, row groups, slices of samples. Each slice has totals of its
// own; slice_samples and run are multiples of STEP.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(__global const float *restrict x_factors, __global const float *restrict y_factors,
             __global const float *restrict z_factors, const int slice_samples, const int x_stride,
             const int y_stride, const int z_stride, const int first_row, const int row_count,
             __global float4 *totals, const int run)
{
    __local float __attribute__((aligned(16))) a[2][STEP][2][COLUMNS];
    __local float __attribute__((aligned(16))) b[2][STEP][2][ROWS];
    const int id = (int)get_local_id(0);
    const int x = PLACE_X(id);
    const int y = PLACE_Y(id);
    const size_t slice_first = get_global_id(2) * (size_t)slice_samples;
    __global const float *from_x = x_factors + slice_first * 2 * x_stride +
                                   COLUMNS * get_group_id(0);
    __global const float *from_y = y_factors + slice_first * 2 * y_stride;
    __global const float *from_z = z_factors + slice_first * 2 * z_stride;
    __global float4 *total =
        totals + ((get_global_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
                  get_group_id(0)) * TOTALS_OF_A_GROUP + id;

    float4 xr[X_LOADS], xi[X_LOADS], yr[Y_LOADS], yi[Y_LOADS];
    float zr[Y_LOADS], zi[Y_LOADS];
    int x_at[X_LOADS], y_at[Y_LOADS], z_at[Y_LOADS];
    EACH(i, X_LOADS) {
        const int quad = id + i * ITEMS;
        x_at[i] = quad / COLUMN_QUADS * 2 * x_stride + 4 * (quad % COLUMN_QUADS);
    }
    EACH(i, Y_LOADS) {
        const int quad = id + i * ITEMS;
        const int row = first_row + min(ROWS * (int)get_group_id(1) + 4 * (quad % ROW_QUADS),
                                        row_count - 4);
        y_at[i] = quad / ROW_QUADS * 2 * y_stride + row % y_stride;
        z_at[i] = quad / ROW_QUADS * 2 * z_stride + row / y_stride;
    }
#define FETCH(m)                                                                                   \
    EACH(i, X_LOADS) {                                                                             \
        if (HAS_X_QUAD(i)) {                                                                       \
            __global const float *from = from_x + (size_t)(m) * 2 * x_stride + x_at[i];            \
            xr[i] = *(__global const float4 *)from;                                                \
            xi[i] = *(__global const float4 *)(from + x_stride);                                   \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        if (HAS_Y_QUAD(i)) {                                                                       \
            __global const float *from = from_y + (size_t)(m) * 2 * y_stride + y_at[i];            \
            yr[i] = *(__global const float4 *)from;                                                \
            yi[i] = *(__global const float4 *)(from + y_stride);                                   \
            zr[i] = from_z[(size_t)(m) * 2 * z_stride + z_at[i]];                                  \
            zi[i] = from_z[(size_t)(m) * 2 * z_stride + z_at[i] + z_stride];                       \
        }                                                                                          \
    }
#define PUT(buffer)                                                                                \
    EACH(i, X_LOADS) {                                                                             \
        const int quad = id + i * ITEMS;                                                           \
        if (HAS_X_QUAD(i)) {                                                                       \
            ((__local float4 *)a[buffer][quad / COLUMN_QUADS][0])[quad % COLUMN_QUADS] = xr[i];    \
            ((__local float4 *)a[buffer][quad / COLUMN_QUADS][1])[quad % COLUMN_QUADS] = xi[i];    \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        const int quad = id + i * ITEMS;                                                           \
        if (HAS_Y_QUAD(i)) {                                                                       \
            ((__local float4 *)b[buffer][quad / ROW_QUADS][0])[quad % ROW_QUADS] =                 \
                yr[i] * zr[i] - yi[i] * zi[i];                                                     \
            ((__local float4 *)b[buffer][quad / ROW_QUADS][1])[quad % ROW_QUADS] =                 \
                yr[i] * zi[i] + yi[i] * zr[i];                                                     \
        }                                                                                          \
    }

    FETCH(0)
    PUT(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    UNROLLED(1)
    for (int begin = 0; begin < slice_samples; begin += run) {
        float4 sums[ITEM_ROWS][ITEM_QUADS_X][4];
        EACH(r, ITEM_ROWS) {
            EACH(c, ITEM_QUADS_X) {
                EACH(i, 4) {
                    sums[r][c][i] = (float4)(0.0f);
                }
            }
        }
        const int end = min(begin + run, slice_samples);
        UNROLLED(1)
        for (int m = begin; m < end; m += STEP) {
            FETCH(min(m + STEP, slice_samples - STEP))
            UNROLLED(UNROLL)
            for (int s = 0; s < STEP; ++s) {
                float4 cosine[ITEM_QUADS_X], sine[ITEM_QUADS_X];
                EACH(c, ITEM_QUADS_X) {
                    cosine[c] = ((__local const float4 *)a[current][s][0])[x + c * GROUP_X];
                    sine[c] = ((__local const float4 *)a[current][s][1])[x + c * GROUP_X];
                }
                EACH(q, ITEM_QUADS_Y) {
                    const float4 re = ((__local const float4 *)b[current][s][0])[y + q * GROUP_Y];
                    const float4 im = ((__local const float4 *)b[current][s][1])[y + q * GROUP_Y];
#define MULTIPLY_ADD(r, component)                                                                 \
    sums[r][c][0] = fma((float4)(re.component), cosine[c], sums[r][c][0]);                         \
    sums[r][c][1] = fma((float4)(im.component), sine[c], sums[r][c][1]);                           \
    sums[r][c][2] = fma((float4)(re.component), sine[c], sums[r][c][2]);                           \
    sums[r][c][3] = fma((float4)(im.component), cosine[c], sums[r][c][3]);
                    EACH(c, ITEM_QUADS_X) {
                        MULTIPLY_ADD(4 * q, x)
                        MULTIPLY_ADD(4 * q + 1, y)
                        MULTIPLY_ADD(4 * q + 2, z)
                        MULTIPLY_ADD(4 * q + 3, w)
                    }
                }
            }
            PUT(1 - current)
            barrier(CLK_LOCAL_MEM_FENCE);
            current = 1 - current;
        }
        EACH(r, ITEM_ROWS) {
            EACH(c, ITEM_QUADS_X) {
                EACH(i, 4) {
                    add_quad(total + ((r * ITEM_QUADS_X + c) * 4 + i) * 2 * ITEMS, sums[r][c][i]);
                }
                barrier(CLK_LOCAL_MEM_FENCE); // or all loads would be hoisted into registers
            }
        }
    }
}

// high + low of one sum over all slices.
static float2 sum_of_slices(__global const float *total, int slices, size_t slice_floats)
{
    float high = 0.0f;
    float low = 0.0f;
    for (int slice = 0; slice < slices; ++slice, total += slice_floats) {
        add_to_total(&high, &low, total[0]);
        low += total[4 * ITEMS];
    }
    return (float2)(high, low);
}

// out[row][x] of the block: out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3).
// Columns are at x >= 0 or, when the lattice is `halved`, at x + 1/2. Geometry: x, row.
__kernel void finish(__global const float *totals, const int slices, const int column_groups,
                     const int row_groups, const int first_x, const int halved,
                     __global float2 *out)
{
    const int i = (int)get_global_id(0);
    const int row = (int)get_global_id(1);
    const int x = first_x + i;
    const int column = x >= 0 ? x : -x - halved;
    const int column_quad = column % COLUMNS / 4;
    const int row_quad = row % ROWS / 4;
    const int item = ITEM_AT(column_quad % GROUP_X, row_quad % GROUP_Y);
    const int r = 4 * (row_quad / GROUP_Y) + row % 4;
    const size_t group = (size_t)(row / ROWS) * column_groups + column / COLUMNS;
    const int first_sum = (r * ITEM_QUADS_X + column_quad / GROUP_X) * 4;
    __global const float *total =
        totals + 4 * (group * TOTALS_OF_A_GROUP + first_sum * 2 * ITEMS + item) + column % 4;
    const size_t slice_floats = 4 * TOTALS_OF_A_GROUP * row_groups * column_groups;
    const float2 p1 = sum_of_slices(total, slices, slice_floats);
    const float2 p2 = sum_of_slices(total + 8 * ITEMS, slices, slice_floats);
    const float2 p3 = sum_of_slices(total + 16 * ITEMS, slices, slice_floats);
    const float2 p4 = sum_of_slices(total + 24 * ITEMS, slices, slice_floats);
    const float2 re = x >= 0 ? p1 - p2 : p1 + p2;
    const float2 im = x >= 0 ? p3 + p4 : p4 - p3;
    out[(size_t)row * get_global_size(0) + i] = (float2)(re.x + re.y, im.x + im.y);
}
