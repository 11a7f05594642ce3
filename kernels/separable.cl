// Computes FHd or Q on a lattice without trigonometry per pair: exp(i 2 pi k.u) = ex ey ez.
//
//     out_r,x = sum_m b_mr ex_mx,   b_mr = value_m ey ez for the row r = (coil, z, y)
//
// ex = c + i s and x -> -x turns s into -s, so that the four real sums over m
//
//     p1 = Br c,  p2 = Bi s,  p3 = Br s,  p4 = Bi c
//
// give both voxels: out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3):
// two multiply-adds a pair.
//
// This is the form for CPUs; separable_local.cl has the one for GPUs. Three kernels a chunk of
// samples: factors_x writes c and s for all x >= 0 in panels of LANES, factors_rows writes ey, and
// value ez, for every row index; product forms the b of ROWS rows in private memory and then runs
// over the panels with ROWS x 4 vectors of sums.
// Defines: LANES x ROWS x 4 sums are kept in registers over RUN samples, RUNS of them are added in
// one number before that goes to a total of two; CHUNK samples at most stand in private memory.
// Such sums lose 0.3 eps sqrt(RUN + RUNS), the terms 1.2 eps: measured at 32^3 voxels and 2048
// random samples, 32 and 4 are 1.3e-7 wrong, 16 and 8 1.1e-7, 8 and 8 1.0e-7 for a sixth more time.
// Error: its row of recon/engines/engines.cpp.

#ifndef RUN
#define RUN 16
#endif
#ifndef RUNS
#define RUNS 8
#endif
#ifndef CHUNK
#define CHUNK 512
#endif
#define ROWS 4
#define SUMS (4 * ROWS)

#include "separable_factors.h"
#include "separable_rows.h"

// panel[tile][m][c or s][LANES] for x = tile * LANES + lane number, of the samples from `offset`
// on. Geometry: m, tile.
__kernel void factors_x(const ulong items, __global const real *positions, const int stride,
                        const int offset, __global const real *lane_numbers, __global real *panel)
{
    ONLY(items)
    const size_t m = get_global_id(0);
    const size_t tile = get_global_id(1);
    const REALS n = LOAD(0, lane_numbers) + (real)(tile * LANES);
    REALS c;
    REALS s;
    unit_circle((REALS)(HIGH(positions, stride, 0)[offset + m]),
                (REALS)(LOW(positions, stride, 0)[offset + m]), n, &c, &s);
    __global real *out = panel + 2 * LANES * (tile * items + m);
    STORE(c, 0, out);
    STORE(s, 1, out);
}

// mid += the four sums of every row over the samples begin..end-1, in registers.
static void add_run(real b[2 * ROWS][CHUNK], __global const real *ex, int begin, int end,
                    REALS mid[SUMS])
{
    REALS p00 = (REALS)(0.0f), p01 = p00, p02 = p00, p03 = p00;
    REALS p10 = p00, p11 = p00, p12 = p00, p13 = p00;
    REALS p20 = p00, p21 = p00, p22 = p00, p23 = p00;
    REALS p30 = p00, p31 = p00, p32 = p00, p33 = p00;
    for (int m = begin; m < end; ++m) {
        const REALS c = LOAD(2 * m, ex);
        const REALS s = LOAD(2 * m + 1, ex);
#define MULTIPLY_ADD(t)                                                                            \
    p##t##0 = fma((REALS)(b[2 * t][m]), c, p##t##0);                                              \
    p##t##1 = fma((REALS)(b[2 * t + 1][m]), s, p##t##1);                                          \
    p##t##2 = fma((REALS)(b[2 * t][m]), s, p##t##2);                                              \
    p##t##3 = fma((REALS)(b[2 * t + 1][m]), c, p##t##3);
        MULTIPLY_ADD(0)
        MULTIPLY_ADD(1)
        MULTIPLY_ADD(2)
        MULTIPLY_ADD(3)
    }
#define ADD_ROW(t)                                                                                 \
    mid[4 * t] += p##t##0;                                                                         \
    mid[4 * t + 1] += p##t##1;                                                                     \
    mid[4 * t + 2] += p##t##2;                                                                     \
    mid[4 * t + 3] += p##t##3;
    ADD_ROW(0)
    ADD_ROW(1)
    ADD_ROW(2)
    ADD_ROW(3)
}

// totals[row][tile][sum p1..p4, high then low][LANES]. Geometry: rows / ROWS.
__kernel void product(__global const real *panel, __global const real *y_factors,
                      __global const real *z_factors, const int samples, const int y_count,
                      const int first_row, const int row_count, const int tiles,
                      __global real *totals)
{
    const int first = (int)get_global_id(0) * ROWS;
    real b[2 * ROWS][CHUNK];
    for (int t = 0; t < ROWS; ++t) {
        const int row = first_row + min(first + t, row_count - 1);
        __global const real *y = y_factors + (size_t)(row % y_count) * 2 * samples;
        __global const real *z = z_factors + (size_t)(row / y_count) * 2 * samples;
        for (int m = 0; m < samples; m += LANES) {
            const REALS yr = LOAD(0, y + m);
            const REALS yi = LOAD(0, y + samples + m);
            const REALS zr = LOAD(0, z + m);
            const REALS zi = LOAD(0, z + samples + m);
            STORE(yr * zr - yi * zi, 0, &b[2 * t][m]);
            STORE(yr * zi + yi * zr, 0, &b[2 * t + 1][m]);
        }
    }
    for (int tile = 0; tile < tiles; ++tile) {
        REALS high[SUMS];
        REALS low[SUMS];
        for (int i = 0; i < SUMS; ++i) {
            high[i] = (REALS)(0.0f);
            low[i] = (REALS)(0.0f);
        }
        __global const real *ex = panel + (size_t)tile * samples * 2 * LANES;
        for (int first_run = 0; first_run < samples; first_run += RUN * RUNS) {
            REALS mid[SUMS];
            for (int i = 0; i < SUMS; ++i) {
                mid[i] = (REALS)(0.0f);
            }
            const int runs_end = min(first_run + RUN * RUNS, samples);
            for (int begin = first_run; begin < runs_end; begin += RUN) {
                add_run(b, ex, begin, min(begin + RUN, runs_end), mid);
            }
            for (int i = 0; i < SUMS; ++i) {
                add_to_total(&high[i], &low[i], mid[i]);
            }
        }
        for (int t = 0; t < ROWS && first + t < row_count; ++t) {
            __global real *total = totals + ((size_t)(first + t) * tiles + tile) * 8 * LANES;
            for (int i = 0; i < 4; ++i) {
                REALS sum = LOAD(2 * i, total);
                REALS lost = LOAD(2 * i + 1, total) + low[4 * t + i];
                add_to_total(&sum, &lost, high[4 * t + i]);
                STORE(sum, 2 * i, total);
                STORE(lost, 2 * i + 1, total);
            }
        }
    }
}

// The values of rows of a block, one coil's rows after another's:
// out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3). Columns are at x >= 0 or,
// when the lattice is `halved`, at x + 1/2. Geometry: x, row.
__kernel void finish(const ulong items, __global const real *totals, const int tiles,
                     const int first_x, const int halved, const ulong first, __global real2 *out)
{
    ONLY(items)
    const int x = first_x + (int)get_global_id(0);
    const int column = x >= 0 ? x : -x - halved;
    __global const real *total =
        totals + (get_global_id(1) * tiles + column / LANES) * 8 * LANES + column % LANES;
#define SUM(i) (total[2 * (i) * LANES] + total[(2 * (i) + 1) * LANES])
    const real2 value = x >= 0 ? (real2)(SUM(0) - SUM(1), SUM(2) + SUM(3))
                               : (real2)(SUM(0) + SUM(1), SUM(3) - SUM(2));
    out[first + get_global_id(1) * items + get_global_id(0)] = value;
}
