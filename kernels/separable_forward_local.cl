// Computes F on a lattice, for devices with fast local memory: out_m = sum_r conj(ey ez) T_rm with
//
//     T_rm = sum_x rho_rx conj(ex) = sum over x >= 0 of c S - i s D,   S, D = rho(+x) +- rho(-x)
//
// so that a product of factors of columns and of folded rows gives T: two multiply-adds a pair.
// Here the columns of the tile are samples (separable_tile.h), and STEP voxels of x at a time stand
// in local memory. A work-group takes its samples through the rows of a strip.
// Defines: those of separable_tile.h.
// Error: its row of recon/engines/engines.cpp.
#define LANES 1
#include "separable_factors.h"
#include "separable_rows.h"
#include "separable_tile.h"
#include "separable_fold.h"

static void add_quad(real4 *high, real4 *low, real4 part)
{
    const real4 sum = *high + part;
    const real4 back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

static void put_fold(real4 value, int column, int row, int row_stride, __global real *folded)
{
    __global real *to = folded + (size_t)4 * column * row_stride + row;
    to[0] = value.x;
    to[row_stride] = value.y;
    to[2 * row_stride] = value.z;
    to[3 * row_stride] = value.w;
}

// x_factors[x][c, s][samples], folded[x][real and imaginary S, real and imaginary D][row_stride],
// y_factors and z_factors as x_factors; x_count is a multiple of STEP, row_stride of ROWS, samples
// of COLUMNS. out[strip][real high, imaginary high, real low, imaginary low][samples].
// Geometry: ITEMS times groups of samples, strips of strip_rows rows, a multiple of ROWS.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void forward(__global const real *restrict x_factors, __global const real *restrict folded,
             __global const real *restrict y_factors, __global const real *restrict z_factors,
             const int x_count, const int samples, const int y_count, const int row_count,
             const int row_stride, const int strip_rows, __global real *restrict out)
{
    __local real __attribute__((aligned(4 * sizeof(real)))) a[2][STEP][2][COLUMNS];
    __local real __attribute__((aligned(4 * sizeof(real)))) b[2][STEP][4][ROWS];
    __local real4 shares[4][ITEMS];
    const int id = (int)get_local_id(0);
    const int x = PLACE_X(id);
    const int y = PLACE_Y(id);
    const int first_sample = COLUMNS * (int)get_group_id(0);
    const int first_row = strip_rows * (int)get_group_id(1);
    const int tiles = (min(strip_rows, row_stride - first_row) + ROWS - 1) / ROWS;
    const int steps = x_count / STEP;

    real4 xr[X_LOADS], xi[X_LOADS], of_rows[Y_LOADS][4];
#define FETCH(step)                                                                                \
    EACH(i, X_LOADS) {                                                                             \
        if (HAS_X_QUAD(i)) {                                                                       \
            const int quad = id + i * ITEMS;                                                       \
            const int at = (step) % steps * STEP + quad / COLUMN_QUADS;                            \
            __global const real *from =                                                           \
                x_factors + (size_t)2 * at * samples + first_sample + 4 * (quad % COLUMN_QUADS);   \
            xr[i] = *(__global const real4 *)from;                                                \
            xi[i] = *(__global const real4 *)(from + samples);                                    \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        if (HAS_Y_QUAD(i)) {                                                                       \
            const int quad = id + i * ITEMS;                                                       \
            const int at = (step) % steps * STEP + quad / ROW_QUADS;                               \
            const int row = first_row + (step) / steps * ROWS + 4 * (quad % ROW_QUADS);            \
            EACH(k, 4) {                                                                           \
                of_rows[i][k] = *(__global const real4 *)(folded +                                \
                                                           (size_t)(4 * at + k) * row_stride +     \
                                                           row);                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define PUT(buffer)                                                                                \
    EACH(i, X_LOADS) {                                                                             \
        if (HAS_X_QUAD(i)) {                                                                       \
            const int quad = id + i * ITEMS;                                                       \
            ((__local real4 *)a[buffer][quad / COLUMN_QUADS][0])[quad % COLUMN_QUADS] = xr[i];    \
            ((__local real4 *)a[buffer][quad / COLUMN_QUADS][1])[quad % COLUMN_QUADS] = xi[i];    \
        }                                                                                          \
    }                                                                                              \
    EACH(i, Y_LOADS) {                                                                             \
        if (HAS_Y_QUAD(i)) {                                                                       \
            const int quad = id + i * ITEMS;                                                       \
            EACH(k, 4) {                                                                           \
                ((__local real4 *)b[buffer][quad / ROW_QUADS][k])[quad % ROW_QUADS] =             \
                    of_rows[i][k];                                                                 \
            }                                                                                      \
        }                                                                                          \
    }

    real4 re_high[ITEM_QUADS_X], re_low[ITEM_QUADS_X], im_high[ITEM_QUADS_X],
        im_low[ITEM_QUADS_X];
    EACH(c, ITEM_QUADS_X) {
        re_high[c] = re_low[c] = im_high[c] = im_low[c] = (real4)(0.0f);
    }
    FETCH(0)
    PUT(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    int current = 0;
    UNROLLED(1)
    for (int tile = 0; tile < tiles; ++tile) {
        real4 re[ITEM_ROWS][ITEM_QUADS_X], im[ITEM_ROWS][ITEM_QUADS_X];
        EACH(r, ITEM_ROWS) {
            EACH(c, ITEM_QUADS_X) {
                re[r][c] = im[r][c] = (real4)(0.0f);
            }
        }
        UNROLLED(1)
        for (int step = 0; step < steps; ++step) {
            FETCH(min(tile * steps + step + 1, tiles * steps - 1))
            UNROLLED(UNROLL)
            for (int s = 0; s < STEP; ++s) {
                real4 cosine[ITEM_QUADS_X], sine[ITEM_QUADS_X];
                EACH(c, ITEM_QUADS_X) {
                    cosine[c] = ((__local const real4 *)a[current][s][0])[x + c * GROUP_X];
                    sine[c] = ((__local const real4 *)a[current][s][1])[x + c * GROUP_X];
                }
                EACH(q, ITEM_QUADS_Y) {
                    const int at = y + q * GROUP_Y;
                    const real4 sr = ((__local const real4 *)b[current][s][0])[at];
                    const real4 si = ((__local const real4 *)b[current][s][1])[at];
                    const real4 dr = ((__local const real4 *)b[current][s][2])[at];
                    const real4 di = ((__local const real4 *)b[current][s][3])[at];
#define MULTIPLY_ADD(r, component)                                                                 \
    re[r][c] = fma((real4)(sr.component), cosine[c], re[r][c]);                                   \
    re[r][c] = fma((real4)(di.component), sine[c], re[r][c]);                                     \
    im[r][c] = fma((real4)(si.component), cosine[c], im[r][c]);                                   \
    im[r][c] = fma((real4)(-dr.component), sine[c], im[r][c]);
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
            const int row = min(first_row + tile * ROWS + 4 * (y + r / 4 * GROUP_Y) + r % 4,
                                row_count - 1);
            EACH(c, ITEM_QUADS_X) {
                const int m = first_sample + 4 * (x + c * GROUP_X);
                __global const real *of_y = y_factors + (size_t)2 * (row % y_count) * samples + m;
                __global const real *of_z = z_factors + (size_t)2 * (row / y_count) * samples + m;
                const real4 yr = *(__global const real4 *)of_y;
                const real4 yi = *(__global const real4 *)(of_y + samples);
                const real4 zr = *(__global const real4 *)of_z;
                const real4 zi = *(__global const real4 *)(of_z + samples);
                const real4 er = yr * zr - yi * zi;
                const real4 ei = yr * zi + yi * zr;
                add_quad(&re_high[c], &re_low[c], re[r][c] * er + im[r][c] * ei);
                add_quad(&im_high[c], &im_low[c], im[r][c] * er - re[r][c] * ei);
            }
        }
    }
    EACH(c, ITEM_QUADS_X) {
        shares[0][ITEM_AT(x, y)] = re_high[c];
        shares[1][ITEM_AT(x, y)] = im_high[c];
        shares[2][ITEM_AT(x, y)] = re_low[c];
        shares[3][ITEM_AT(x, y)] = im_low[c];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y == 0) {
            for (int other = 1; other < GROUP_Y; ++other) {
                const int from = ITEM_AT(x, other);
                add_quad(&re_high[c], &re_low[c], shares[0][from]);
                add_quad(&im_high[c], &im_low[c], shares[1][from]);
                re_low[c] += shares[2][from];
                im_low[c] += shares[3][from];
            }
            __global real4 *to = (__global real4 *)(out +
                                                      (size_t)4 * get_group_id(1) * samples +
                                                      first_sample) + x + c * GROUP_X;
            to[0] = re_high[c];
            to[samples / 4] = im_high[c];
            to[2 * (samples / 4)] = re_low[c];
            to[3 * (samples / 4)] = im_low[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// out[sample] = the sum of all strips, turned back when the lattice is halved, for the samples
// from `offset` on.
// Geometry: samples.
__kernel void finish(const ulong items, __global const real *totals, const int strips,
                     const int samples, const ulong offset, __global const int *order,
                     const int with_order, __global const real *positions, const int stride,
                     const int halved, const ulong first, __global real2 *out)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    real2 low = (real2)(0.0f);
    real re = 0.0f;
    real im = 0.0f;
    for (int strip = 0; strip < strips; ++strip) {
        __global const real *total = totals + (size_t)strip * 4 * samples + i;
        real lost_re = total[2 * (size_t)samples];
        real lost_im = total[3 * (size_t)samples];
        add_to_total(&re, &lost_re, total[0]);
        add_to_total(&im, &lost_im, total[samples]);
        low += (real2)(lost_re, lost_im);
    }
    const wide2 sum = TO_WIDE2((real2)(re, im)) + TO_WIDE2(low);
    put_sample(sum, offset + i, order, with_order, positions, stride, halved, out + first);
}
