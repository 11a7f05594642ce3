// Computes FHd or Q on a lattice without trigonometry per pair (separable.cl has the sums), for
// devices whose local memory is fast. Factors are laid out by samples:
// factors[m][real or imaginary][stride].
//
// STEP samples at a time are in local memory (separable_tile.h), while the next ones are loaded
// from global memory.
//
// `run` samples are summed in floats before the sum goes to the totals in two floats.
// Defines: those of separable_tile.h.
// Error: its row of recon/engines/engines.cpp.
#define LANES 1
#include "separable_factors.h"
#include "separable_tile.h"

#define TOTALS (ITEM_ROWS * ITEM_QUADS_X * 4)

// totals[work-group][item's sum][high, low][work-item], so that neighbours write neighbours.
// No restrict: the compiler would keep all of them in registers from run to run.
#define TOTALS_OF_A_TILE ((size_t)(2 * TOTALS * ITEMS))

static void add_quad(__global real4 *total, real4 part)
{
    const real4 old = total[0];
    const real4 sum = old + part;
    const real4 back = sum - old;
    total[0] = sum;
    total[ITEMS] += (old - (sum - back)) + (part - back);
}

// factors[m][real or imaginary][row_numbers] = value_mc exp(i 2 pi k_m n) at c * count + i, for
// n = first + i, of the samples from `offset` on.
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
    real c;
    real s;
    unit_circle(HIGH(positions, stride, dimension)[m], LOW(positions, stride, dimension)[m],
                first + (real)i, &c, &s);
    real re = c;
    real im = s;
    if (with_values) {
        const real value_re = VALUE(values, stride, coil)[m];
        const real value_im = VALUE(values, stride, coil)[stride + m];
        re = value_re * c - value_im * s;
        im = value_im * c + value_re * s;
    }
    __global real *row =
        out + 2 * get_global_id(1) * row_numbers + coil * (int)count + i;
    row[0] = re;
    row[row_numbers] = im;
}

// Rows are y + y_stride (z + z_count coil), y_stride a multiple of 4; columns are x >= 0.
// Geometry: ITEMS times column tiles, row tiles, strips of samples. Each strip has totals of its
// own; strip_samples and run are multiples of STEP.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(__global const real *restrict x_factors, __global const real *restrict y_factors,
             __global const real *restrict z_factors, const int strip_samples, const int x_stride,
             const int y_stride, const int z_stride, const int first_row, const int row_count,
             __global real4 *totals, const int run)
{
    __local real __attribute__((aligned(4 * sizeof(real)))) a[2][STEP][2][COLUMNS];
    __local real __attribute__((aligned(4 * sizeof(real)))) b[2][STEP][2][ROWS];
    const int id = (int)get_local_id(0);
    const int x = PLACE_X(id);
    const int y = PLACE_Y(id);
    const size_t strip_first = get_global_id(2) * (size_t)strip_samples;
    __global const real *from_x = x_factors + strip_first * 2 * x_stride +
                                   COLUMNS * get_group_id(0);
    __global const real *from_y = y_factors + strip_first * 2 * y_stride;
    __global const real *from_z = z_factors + strip_first * 2 * z_stride;
    __global real4 *total =
        totals + ((get_global_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
                  get_group_id(0)) * TOTALS_OF_A_TILE + id;

    real4 xr[X_LOADS], xi[X_LOADS], yr[Y_LOADS], yi[Y_LOADS];
    real zr[Y_LOADS], zi[Y_LOADS];
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
            __global const real *from = from_x + (size_t)(m) * 2 * x_stride + x_at[i];            \
            xr[i] = *(__global const real4 *)from;                                                \
            xi[i] = *(__global const real4 *)(from + x_stride);                                   \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        if (HAS_Y_QUAD(i)) {                                                                       \
            __global const real *from = from_y + (size_t)(m) * 2 * y_stride + y_at[i];            \
            yr[i] = *(__global const real4 *)from;                                                \
            yi[i] = *(__global const real4 *)(from + y_stride);                                   \
            zr[i] = from_z[(size_t)(m) * 2 * z_stride + z_at[i]];                                  \
            zi[i] = from_z[(size_t)(m) * 2 * z_stride + z_at[i] + z_stride];                       \
        }                                                                                          \
    }
#define PUT(buffer)                                                                                \
    EACH(i, X_LOADS) {                                                                             \
        const int quad = id + i * ITEMS;                                                           \
        if (HAS_X_QUAD(i)) {                                                                       \
            ((__local real4 *)a[buffer][quad / COLUMN_QUADS][0])[quad % COLUMN_QUADS] = xr[i];    \
            ((__local real4 *)a[buffer][quad / COLUMN_QUADS][1])[quad % COLUMN_QUADS] = xi[i];    \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        const int quad = id + i * ITEMS;                                                           \
        if (HAS_Y_QUAD(i)) {                                                                       \
            ((__local real4 *)b[buffer][quad / ROW_QUADS][0])[quad % ROW_QUADS] =                 \
                yr[i] * zr[i] - yi[i] * zi[i];                                                     \
            ((__local real4 *)b[buffer][quad / ROW_QUADS][1])[quad % ROW_QUADS] =                 \
                yr[i] * zi[i] + yi[i] * zr[i];                                                     \
        }                                                                                          \
    }

    FETCH(0)
    PUT(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    UNROLLED(1)
    for (int begin = 0; begin < strip_samples; begin += run) {
        real4 sums[ITEM_ROWS][ITEM_QUADS_X][4];
        EACH(r, ITEM_ROWS) {
            EACH(c, ITEM_QUADS_X) {
                EACH(i, 4) {
                    sums[r][c][i] = (real4)(0.0f);
                }
            }
        }
        const int end = min(begin + run, strip_samples);
        UNROLLED(1)
        for (int m = begin; m < end; m += STEP) {
            FETCH(min(m + STEP, strip_samples - STEP))
            UNROLLED(UNROLL)
            for (int s = 0; s < STEP; ++s) {
                real4 cosine[ITEM_QUADS_X], sine[ITEM_QUADS_X];
                EACH(c, ITEM_QUADS_X) {
                    cosine[c] = ((__local const real4 *)a[current][s][0])[x + c * GROUP_X];
                    sine[c] = ((__local const real4 *)a[current][s][1])[x + c * GROUP_X];
                }
                EACH(q, ITEM_QUADS_Y) {
                    const real4 re = ((__local const real4 *)b[current][s][0])[y + q * GROUP_Y];
                    const real4 im = ((__local const real4 *)b[current][s][1])[y + q * GROUP_Y];
#define MULTIPLY_ADD(r, component)                                                                 \
    sums[r][c][0] = fma((real4)(re.component), cosine[c], sums[r][c][0]);                         \
    sums[r][c][1] = fma((real4)(im.component), sine[c], sums[r][c][1]);                           \
    sums[r][c][2] = fma((real4)(re.component), sine[c], sums[r][c][2]);                           \
    sums[r][c][3] = fma((real4)(im.component), cosine[c], sums[r][c][3]);
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

// high + low of one sum over all strips.
static real2 sum_of_strips(__global const real *total, int strips, size_t strip_numbers)
{
    real high = 0.0f;
    real low = 0.0f;
    for (int strip = 0; strip < strips; ++strip, total += strip_numbers) {
        add_to_total(&high, &low, total[0]);
        low += total[4 * ITEMS];
    }
    return (real2)(high, low);
}

// The values of the block's rows: out(+x) = (p1 - p2) + i (p3 + p4),
// out(-x) = (p1 + p2) + i (p4 - p3). Columns are at x >= 0 or, when the lattice is `halved`, at
// x + 1/2. Rows that pad those of one z are left out. Geometry: x, row of the block.
__kernel void finish(const ulong x_count, __global const real *totals, const int strips,
                     const int column_tiles, const int row_tiles, const int first_x,
                     const int halved, const int first_row, const int y_stride,
                     const int y_count, const ulong first, __global real2 *out)
{
    ONLY(x_count)
    const int i = (int)get_global_id(0);
    const int row = (int)get_global_id(1);
    const int y = (first_row + row) % y_stride;
    const int z = (first_row + row) / y_stride;
    if (y >= y_count) {
        return;
    }
    const int x = first_x + i;
    const int column = x >= 0 ? x : -x - halved;
    const int column_quad = column % COLUMNS / 4;
    const int row_quad = row % ROWS / 4;
    const int item = ITEM_AT(column_quad % GROUP_X, row_quad % GROUP_Y);
    const int r = 4 * (row_quad / GROUP_Y) + row % 4;
    const size_t tile = (size_t)(row / ROWS) * column_tiles + column / COLUMNS;
    const int first_sum = (r * ITEM_QUADS_X + column_quad / GROUP_X) * 4;
    __global const real *total =
        totals + 4 * (tile * TOTALS_OF_A_TILE + first_sum * 2 * ITEMS + item) + column % 4;
    const size_t strip_numbers = 4 * TOTALS_OF_A_TILE * row_tiles * column_tiles;
    const real2 p1 = sum_of_strips(total, strips, strip_numbers);
    const real2 p2 = sum_of_strips(total + 8 * ITEMS, strips, strip_numbers);
    const real2 p3 = sum_of_strips(total + 16 * ITEMS, strips, strip_numbers);
    const real2 p4 = sum_of_strips(total + 24 * ITEMS, strips, strip_numbers);
    const real2 re = x >= 0 ? p1 - p2 : p1 + p2;
    const real2 im = x >= 0 ? p3 + p4 : p4 - p3;
    out[first + ((size_t)z * y_count + y) * x_count + i] =
        (real2)(re.x + re.y, im.x + im.y);
}
