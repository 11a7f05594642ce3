// What the kernels with sums in double precision share: how a work-group divides its tile of a
// product of real matrices, and the step of that product, by matrix units where there are some.
//
// A row stands for two of the left matrix, real and imaginary part. A work-group has ROWS x COLUMNS
// of the product, a warp of 32 work-items WARP_ROWS x WARP_COLUMNS of it. STEP columns of the left
// matrix and rows of the right one at a time stand in local memory, as pairs of doubles:
// a[step][row] real and imaginary part, x[step][pair] neighbours of a row of the right matrix. A
// quarter of a warp reads 2 neighbours of 4 steps, which two pairs more a step put into different
// banks.
// Defines: WARPS_X x WARPS_Y warps, WARP_COLUMNS and WARP_ROWS (multiples of 8, at most 64 and 32),
// STEP (a multiple of 8), COLUMN_REALS columns of the right matrix a column; MATRIX_UNITS where the
// compiler takes PTX for compute capability 9.0. Without it the same work-items have the same sums
// by plain multiply-adds.
#define LANES 1
#ifndef WIDE
#define WIDE double
#endif
#include "separable_factors.h"

#define ITEMS (32 * WARPS_X * WARPS_Y)
#define COLUMNS (WARPS_X * WARP_COLUMNS)
#define ROWS (WARPS_Y * WARP_ROWS)
#define PAIRS (COLUMNS * COLUMN_REALS / 2)

// Tiles of a warp: 8 rows, 16 with real and imaginary parts, by 8 columns of the right matrix.
#define ROW_TILES (WARP_ROWS / 8)
#define COLUMN_TILES (WARP_COLUMNS * COLUMN_REALS / 8)

#define A_STRIDE (ROWS + 2)
#define X_STRIDE (PAIRS + 2)
#define A_LOADS (STEP * ROWS / ITEMS)
#define X_LOADS (STEP * PAIRS / ITEMS)

// Place of a work-item: 4 g + k in its warp, and where its warp starts.
#define PLACE_K(id) ((id) % 4)
#define PLACE_G(id) ((id) % 32 / 4)
#define WARP_ROW(id) ((id) / 32 / WARPS_X * WARP_ROWS)
#define WARP_PAIR(id) ((id) / 32 % WARPS_X * (4 * COLUMN_TILES))

// exp(i 2 pi k n) of sample m, right to double precision as far as k is.
static double2 unit_circle_in_doubles(__global const real *positions, int stride, int dimension,
                                      size_t m, double n)
{
    const double high = HIGH(positions, stride, dimension)[m];
    const double exact = n * high;
#if DOUBLES
    const double rest = fma(n, high, -exact);
#else
    const double rest = n * (double)LOW(positions, stride, dimension)[m];
#endif
    const double half_turns = 2.0 * ((exact - rint(exact)) + rest);
    return (double2)(cospi(half_turns), sinpi(half_turns));
}

// OPERANDS(s) and then MULTIPLY(r, s) for every row tile: sums += left x right over the steps
// 4 s .. 4 s + 3. sums[r][2 c + p][0..3] are real part of columns 2 k and 2 k + 1 of the tile, then
// imaginary part; column n of the tiles 2 c and 2 c + 1 is the pair 8 c + n.
#ifdef MATRIX_UNITS
// NVIDIA, PTX ISA, mma.m16n8k4 with .f64: work-item 4 g + k of a warp has rows g and 8 + g of column
// k of the left matrix, column g of row k of the right one, and rows g and 8 + g of columns 2 k and
// 2 k + 1 of the sum. Rows g are real parts, 8 + g imaginary ones.
#define MATRIX_MULTIPLY_ADD(sum, left, right)                                                      \
    __asm__("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "                                    \
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                  \
            : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])                               \
            : "d"(left.x), "d"(left.y), "d"(right));
#define OPERANDS(s)                                                                                \
    double2 left[ROW_TILES], right[COLUMN_TILES / 2];                                              \
    EACH(r, ROW_TILES) {                                                                           \
        left[r] = a[current][4 * (s) + k][warp_row + 8 * r + g];                                   \
    }                                                                                              \
    EACH(c, COLUMN_TILES / 2) {                                                                    \
        right[c] = x[current][4 * (s) + k][warp_pair + 8 * c + g];                                 \
    }
#define MULTIPLY(r, s)                                                                             \
    EACH(c, COLUMN_TILES / 2) {                                                                    \
        MATRIX_MULTIPLY_ADD(sums[r][2 * c], left[r], right[c].x)                                   \
        MATRIX_MULTIPLY_ADD(sums[r][2 * c + 1], left[r], right[c].y)                               \
    }
#else
#define MULTIPLY_ADD(sum, column)                                                                  \
    sum[0] = fma(left.x, right.column, sum[0]);                                                    \
    sum[1] = fma(left.x, next_right.column, sum[1]);                                               \
    sum[2] = fma(left.y, right.column, sum[2]);                                                    \
    sum[3] = fma(left.y, next_right.column, sum[3]);
#define OPERANDS(s)
#define MULTIPLY(r, s)                                                                             \
    for (int c = 0; c < COLUMN_TILES / 2; ++c) {                                                   \
        for (int h = 0; h < 4; ++h) {                                                              \
            const double2 left = a[current][4 * (s) + h][warp_row + 8 * (r) + g];                  \
            const double2 right = x[current][4 * (s) + h][warp_pair + 8 * c + 2 * k];              \
            const double2 next_right = x[current][4 * (s) + h][warp_pair + 8 * c + 2 * k + 1];     \
            MULTIPLY_ADD(sums[r][2 * c], x)                                                        \
            MULTIPLY_ADD(sums[r][2 * c + 1], y)                                                    \
        }                                                                                          \
    }
#endif

// Between the multiply-adds of a step a work-item puts what it has fetched into the other half of
// local memory, and fetches what the step after that needs: FETCH_A(i), PUT_A(i, buffer) and the
// same for X, of the i-th load. The matrix units and the rest work side by side.
#define DUE(i, loads, part) ((i) * (STEP / 4 * ROW_TILES) / (loads) == (part))
#define ADD_STEP                                                                                   \
    EACH(s, STEP / 4) {                                                                            \
        OPERANDS(s)                                                                                \
        EACH(r, ROW_TILES) {                                                                       \
            MULTIPLY(r, s)                                                                         \
            EACH(i, X_LOADS) {                                                                     \
                if (DUE(i, X_LOADS, s * ROW_TILES + r)) {                                          \
                    PUT_X(i, 1 - current)                                                          \
                    FETCH_X(i)                                                                     \
                }                                                                                  \
            }                                                                                      \
            EACH(i, A_LOADS) {                                                                     \
                if (DUE(i, A_LOADS, s * ROW_TILES + r)) {                                          \
                    PUT_A(i, 1 - current)                                                          \
                    FETCH_A(i)                                                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    current = 1 - current;
#define FETCH_ALL                                                                                  \
    EACH(i, X_LOADS) {                                                                             \
        FETCH_X(i)                                                                                 \
    }                                                                                              \
    EACH(i, A_LOADS) {                                                                             \
        FETCH_A(i)                                                                                 \
    }
#define PUT_ALL(buffer)                                                                            \
    EACH(i, X_LOADS) {                                                                             \
        PUT_X(i, buffer)                                                                           \
    }                                                                                              \
    EACH(i, A_LOADS) {                                                                             \
        PUT_A(i, buffer)                                                                           \
    }
#define CLEAR_SUMS                                                                                 \
    EACH(r, ROW_TILES) {                                                                           \
        EACH(c, COLUMN_TILES) {                                                                    \
            EACH(i, 4) {                                                                           \
                sums[r][c][i] = 0.0;                                                               \
            }                                                                                      \
        }                                                                                          \
    }
