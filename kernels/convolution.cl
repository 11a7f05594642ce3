// Multiplies a box of values by circulant matrices of twice the period
// (recon/device/opencl/line_convolution.cpp): FFTs of lines in local memory, along one dimension a
// kernel. A kernel does all that its lines need at once: coil maps, factors, the spectrum, sums
// over parities. So the values pass through memory five times, and zeros never.
//
// x has a program of its own, and so has every length. Defines: ALONG_X, 1 or 0; LENGTH of lines
// and R0 to R7, the radices whose product it is, 1 for none; LINES of a work-group, THREADS of a
// line; PARITIES of the dimension, but of x; DOUBLES; MAP_REAL, of maps.
//
// x is the fastest dimension. Sums are in a fixed order. Errors: those of an FFT, whose roots are
// rounded from doubles.

#include "grid.h"
#ifndef MAP_REAL
#define MAP_REAL REAL
#endif
typedef JOIN(MAP_REAL, 2) map2;
#ifndef LENGTH
#define ALONG_X 0
#define LENGTH 8
#define R0 8
#define R1 1
#define R2 1
#define R3 1
#define R4 1
#define R5 1
#define R6 1
#define R7 1
#define LINES 4
#define THREADS 1
#define PARITIES 2
#endif

#define GROUP (LINES * THREADS)
#define PITCH (LINES > 1 ? LINES + 1 : 1) // neighbours along a line are in different banks, too
#define HELD ((LENGTH + THREADS - 1) / THREADS) // values of a work-item

static real2 conjugate(real2 a)
{
    return (real2)(a.x, -a.y);
}

static real2 product(real2 a, real2 b)
{
    return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static real2 times_minus_i(real2 a)
{
    return (real2)(a.y, -a.x);
}

// --- FFTs of a few values -----------------------------------------------------------------------

static void dft2(real2 *v)
{
    const real2 a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
}

static void dft4(real2 *v)
{
    const real2 a = v[0] + v[2], b = v[0] - v[2];
    const real2 c = v[1] + v[3], d = times_minus_i(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
}

static void dft8(real2 *v)
{
    const real root = (real)0.70710678118654752440;
    real2 even[4] = {v[0], v[2], v[4], v[6]};
    real2 odd[4] = {v[1], v[3], v[5], v[7]};
    dft4(even);
    dft4(odd);
    odd[1] = root * (odd[1] + times_minus_i(odd[1]));
    odd[2] = times_minus_i(odd[2]);
    odd[3] = root * (times_minus_i(odd[3]) - odd[3]);
    for (int k = 0; k < 4; ++k) {
        v[k] = even[k] + odd[k];
        v[k + 4] = even[k] - odd[k];
    }
}

__constant real cosines3[3] = {1, -0.5, -0.5};
__constant real sines3[3] = {0, 0.86602540378443864676, -0.86602540378443864676};
__constant real cosines5[5] = {1, 0.30901699437494742410, -0.80901699437494742410,
                               -0.80901699437494742410, 0.30901699437494742410};
__constant real sines5[5] = {0, 0.95105651629515357212, 0.58778525229247312917,
                             -0.58778525229247312917, -0.95105651629515357212};
__constant real cosines7[7] = {1,
                               0.62348980185873353053,
                               -0.22252093395631440429,
                               -0.90096886790241912624,
                               -0.90096886790241912624,
                               -0.22252093395631440429,
                               0.62348980185873353053};
__constant real sines7[7] = {0,
                             0.78183148246802980871,
                             0.97492791218182360702,
                             0.43388373911755812048,
                             -0.43388373911755812048,
                             -0.97492791218182360702,
                             -0.78183148246802980871};

// Sums of v[j] and v[N - j] meet cosines, differences meet sines.
#define DEFINE_ODD_DFT(N)                                                                          \
    static void dft##N(real2 *v) {                                                                 \
        real2 sums[N / 2], differences[N / 2];                                                     \
        const real2 first = v[0];                                                                  \
        for (int j = 1; j <= N / 2; ++j) {                                                         \
            sums[j - 1] = v[j] + v[N - j];                                                         \
            differences[j - 1] = times_minus_i(v[j] - v[N - j]);                                   \
            v[0] += sums[j - 1];                                                                   \
        }                                                                                          \
        for (int k = 1; k <= N / 2; ++k) {                                                         \
            real2 even = first, odd = (real2)(0, 0);                                               \
            for (int j = 1; j <= N / 2; ++j) {                                                     \
                even += cosines##N[j * k % N] * sums[j - 1];                                       \
                odd += sines##N[j * k % N] * differences[j - 1];                                   \
            }                                                                                      \
            v[k] = even + odd;                                                                     \
            v[N - k] = even - odd;                                                                 \
        }                                                                                          \
    }
DEFINE_ODD_DFT(3)
DEFINE_ODD_DFT(5)
DEFINE_ODD_DFT(7)

// --- an FFT of lines ----------------------------------------------------------------------------

// A step of Stockham's FFT, of the radix R: `stride` is the product of the radices before. Values
// stand in local memory, place after place, LINES of each; `roots` are exp(-i 2 pi n / LENGTH).
#define DEFINE_STEP(R)                                                                             \
    static void step##R(__local real2 *values, int stride, __global const real2 *roots) {          \
        const int line = get_local_id(0) % LINES, thread = get_local_id(0) / LINES;                \
        real2 v[(LENGTH / R + THREADS - 1) / THREADS + 1][R];                                      \
        for (int i = 0; i * THREADS < LENGTH / R; ++i) {                                           \
            const int b = thread + i * THREADS;                                                    \
            if (b < LENGTH / R) {                                                                  \
                for (int j = 0; j < R; ++j) {                                                      \
                    v[i][j] = values[(b + j * (LENGTH / R)) * PITCH + line];                       \
                }                                                                                  \
                dft##R(v[i]);                                                                      \
                if (stride * R < LENGTH) { /* others are 1 */                                      \
                    const int root = b / stride * stride;                                          \
                    for (int k = 1; k < R; ++k) {                                                  \
                        v[i][k] = product(v[i][k], roots[k * root]);                               \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int i = 0; i * THREADS < LENGTH / R; ++i) {                                           \
            const int b = thread + i * THREADS;                                                    \
            if (b < LENGTH / R) {                                                                  \
                const int first = b % stride + b / stride * stride * R;                            \
                for (int k = 0; k < R; ++k) {                                                      \
                    values[(first + k * stride) * PITCH + line] = v[i][k];                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }
DEFINE_STEP(2)
DEFINE_STEP(3)
DEFINE_STEP(4)
DEFINE_STEP(5)
DEFINE_STEP(7)
DEFINE_STEP(8)

#define STEP(R, STRIDE)                                                                            \
    if (R == 2) {                                                                                  \
        step2(values, STRIDE, roots);                                                              \
    } else if (R == 3) {                                                                           \
        step3(values, STRIDE, roots);                                                              \
    } else if (R == 4) {                                                                           \
        step4(values, STRIDE, roots);                                                              \
    } else if (R == 5) {                                                                           \
        step5(values, STRIDE, roots);                                                              \
    } else if (R == 7) {                                                                           \
        step7(values, STRIDE, roots);                                                              \
    } else if (R == 8) {                                                                           \
        step8(values, STRIDE, roots);                                                              \
    }

// exp(-i 2 pi ...), once every work-item has put its values.
static void transform(__local real2 *values, __global const real2 *roots)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    STEP(R0, 1)
    STEP(R1, R0)
    STEP(R2, (R0 * R1))
    STEP(R3, (R0 * R1 * R2))
    STEP(R4, (R0 * R1 * R2 * R3))
    STEP(R5, (R0 * R1 * R2 * R3 * R4))
    STEP(R6, (R0 * R1 * R2 * R3 * R4 * R5))
    STEP(R7, (R0 * R1 * R2 * R3 * R4 * R5 * R6))
}

// The other direction is this one with real and imaginary parts exchanged before and after.
static real2 exchanged(real2 a)
{
    return a.yx;
}

// The factors of a dimension: `size` numbers from `place` on, in `even` or `odd` as the parity is.
#define FACTORS __global const real2 *even, __global const real2 *odd, int place, int size
#define FACTOR(parity, n) ((parity) == 0 ? even[place + (n)] : odd[place + (n)])

// Value `at` of a line, of those that stand `width` apart.
#define AT(at) ((size_t)(at) * width + first + line)

#if ALONG_X

// --- along x, from and to the image -------------------------------------------------------------
//
// A line is a row of the image; `rows` of it. Group 1: a slot of the batch and a parity, of
// `parities` from `first_parity` on.

#define MAPS                                                                                       \
    __global const map2 *of0, __global const map2 *of1, __global const map2 *of2,                  \
        __global const map2 *of3, __global const map2 *of4, __global const map2 *of5,              \
        __global const map2 *of6, __global const map2 *of7

#define MAP_OF(slot)                                                                               \
    (slot == 0   ? of0                                                                             \
     : slot == 1 ? of1                                                                             \
     : slot == 2 ? of2                                                                             \
     : slot == 3 ? of3                                                                             \
     : slot == 4 ? of4                                                                             \
     : slot == 5 ? of5                                                                             \
     : slot == 6 ? of6                                                                             \
                 : of7)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pad_along_x(__global const real2 *in, MAPS, int with_maps, ulong rows, FACTORS, int first_parity,
            int parities, __global const real2 *roots, __global real2 *out)
{
    __local real2 values[LENGTH * PITCH];
    const size_t first = get_group_id(0) * LINES;
    const int slot = get_group_id(1) / parities;
    const int parity = first_parity + get_group_id(1) % parities;
    __global const map2 *map = MAP_OF(slot);
    for (int i = get_local_id(0); i < LENGTH * LINES; i += GROUP) {
        const int x = i % LENGTH, line = i / LENGTH;
        real2 value = (real2)(0, 0);
        if (x < size && first + line < rows) {
            const size_t n = (first + line) * size + x;
            value =
                product(FACTOR(parity, x), with_maps ? product(TO_REAL2(map[n]), in[n]) : in[n]);
        }
        values[x * PITCH + line] = value;
    }
    transform(values, roots);
    __global real2 *period = out + get_group_id(1) * rows * LENGTH;
    for (int i = get_local_id(0); i < LENGTH * LINES; i += GROUP) {
        const int x = i % LENGTH, line = i / LENGTH;
        if (first + line < rows) {
            period[(first + line) * LENGTH + x] = values[x * PITCH + line];
        }
    }
}

// out += the sum over `slots` and their parities. What memory has is asked for before it is needed.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
crop_along_x(__global const real2 *in, MAPS, int with_maps, ulong rows, FACTORS, int first_parity,
             int parities, int slots, __global const real2 *roots, __global real2 *out)
{
    __local real2 values[LENGTH * PITCH];
    const size_t first = get_group_id(0) * LINES;
    real2 sums[HELD], shares[HELD];
    for (int k = 0; k < HELD; ++k) {
        const int i = get_local_id(0) + k * GROUP, x = i % LENGTH, line = i / LENGTH;
        if (line < LINES && x < size && first + line < rows) {
            sums[k] = out[(first + line) * size + x];
        }
    }
    for (int p = 0; p < slots * parities; ++p) {
        const int slot = p / parities;
        const int parity = first_parity + p % parities;
        __global const map2 *map = MAP_OF(slot);
        __global const real2 *period = in + p * rows * LENGTH;
        for (int k = 0; k < HELD; ++k) {
            const int i = get_local_id(0) + k * GROUP, x = i % LENGTH, line = i / LENGTH;
            if (line < LINES) {
                const int inside = first + line < rows;
                values[x * PITCH + line] =
                    inside ? exchanged(period[(first + line) * LENGTH + x]) : (real2)(0, 0);
                if (inside && x < size) {
                    const size_t n = (first + line) * size + x;
                    const real2 factor = FACTOR(parity, x);
                    shares[k] =
                        conjugate(with_maps ? product(TO_REAL2(map[n]), factor) : factor);
                }
            }
        }
        transform(values, roots);
        for (int k = 0; k < HELD; ++k) {
            const int i = get_local_id(0) + k * GROUP, x = i % LENGTH, line = i / LENGTH;
            if (line < LINES && x < size && first + line < rows) {
                sums[k] += product(shares[k], exchanged(values[x * PITCH + line]));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < HELD; ++k) {
        const int i = get_local_id(0) + k * GROUP, x = i % LENGTH, line = i / LENGTH;
        if (line < LINES && x < size && first + line < rows) {
            out[(first + line) * size + x] = sums[k];
        }
    }
}

#else

// --- along y, beside z --------------------------------------------------------------------------
//
// A line is a column of a plane; `width` of them. Group 1: a plane of a period; group 2: a period.
// A period becomes one a parity, and these one again.

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pad_along_y(__global const real2 *in, ulong width, FACTORS, __global const real2 *roots,
            ulong start, __global real2 *out)
{
    __local real2 values[LENGTH * PITCH];
    const size_t first = get_group_id(0) * LINES, planes = get_num_groups(1);
    const int line = get_local_id(0) % LINES, thread = get_local_id(0) / LINES;
    in += (get_group_id(2) * planes + get_group_id(1)) * size * width;
    for (int parity = 0; parity < PARITIES; ++parity) {
        for (int y = thread; y < LENGTH; y += THREADS) {
            values[y * PITCH + line] = y < size && first + line < width
                                           ? product(FACTOR(parity, y), in[AT(y)])
                                           : (real2)(0, 0);
        }
        transform(values, roots);
        __global real2 *to =
            out + start +
            ((get_group_id(2) * PARITIES + parity) * planes + get_group_id(1)) * LENGTH * width;
        for (int y = thread; y < LENGTH && first + line < width; y += THREADS) {
            to[AT(y)] = values[y * PITCH + line];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
crop_along_y(__global const real2 *in, ulong start, ulong width, FACTORS,
             __global const real2 *roots, __global real2 *out)
{
    __local real2 values[LENGTH * PITCH];
    const size_t first = get_group_id(0) * LINES, planes = get_num_groups(1);
    const int line = get_local_id(0) % LINES, thread = get_local_id(0) / LINES;
    real2 sums[HELD];
    for (int k = 0; k < HELD; ++k) {
        sums[k] = (real2)(0, 0);
    }
    for (int parity = 0; parity < PARITIES; ++parity) {
        __global const real2 *from =
            in + start +
            ((get_group_id(2) * PARITIES + parity) * planes + get_group_id(1)) * LENGTH * width;
        for (int y = thread; y < LENGTH; y += THREADS) {
            values[y * PITCH + line] =
                first + line < width ? exchanged(from[AT(y)]) : (real2)(0, 0);
        }
        transform(values, roots);
        for (int k = 0; k < HELD; ++k) {
            const int y = thread + k * THREADS;
            if (y < size) {
                sums[k] +=
                    product(conjugate(FACTOR(parity, y)), exchanged(values[y * PITCH + line]));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out += (get_group_id(2) * planes + get_group_id(1)) * size * width;
    for (int k = 0; k < HELD; ++k) {
        const int y = thread + k * THREADS;
        if (y < size && first + line < width) {
            out[AT(y)] = sums[k];
        }
    }
}

// --- along the slowest dimension, there and back ------------------------------------------------
//
// Group 1: a period. Those of one slot have the parities of the faster dimensions: `first_parity`
// of x and on, `parities` of them, each with all of y. `spectra` are those of all parities, x's
// changing first, of which x has `all_parities`.

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
convolve_along_last(__global real2 *in, ulong start, ulong width, FACTORS,
                    __global const real *spectra, int first_parity, int parities, int all_parities,
                    int parities_of_y, __global const real2 *roots)
{
    __local real2 values[LENGTH * PITCH];
    const size_t first = get_group_id(0) * LINES;
    const int line = get_local_id(0) % LINES, thread = get_local_id(0) / LINES;
    const int of_slot = get_group_id(1) % (parities * parities_of_y);
    const int of_x = first_parity + of_slot / parities_of_y, of_y = of_slot % parities_of_y;
    in += start + get_group_id(1) * size * width;
    real2 sums[HELD];
    for (int k = 0; k < HELD; ++k) {
        sums[k] = (real2)(0, 0);
    }
    for (int parity = 0; parity < PARITIES; ++parity) {
        for (int z = thread; z < LENGTH; z += THREADS) {
            values[z * PITCH + line] = z < size && first + line < width
                                           ? product(FACTOR(parity, z), in[AT(z)])
                                           : (real2)(0, 0);
        }
        transform(values, roots);
        __global const real *spectrum =
            spectra +
            (of_x + all_parities * (of_y + parities_of_y * parity)) * (LENGTH * (size_t)width);
        for (int z = thread; z < LENGTH; z += THREADS) {
            const real share = first + line < width ? spectrum[AT(z)] : 0;
            values[z * PITCH + line] = share * exchanged(values[z * PITCH + line]);
        }
        transform(values, roots);
        for (int k = 0; k < HELD; ++k) {
            const int z = thread + k * THREADS;
            if (z < size) {
                sums[k] +=
                    product(conjugate(FACTOR(parity, z)), exchanged(values[z * PITCH + line]));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < HELD; ++k) {
        const int z = thread + k * THREADS;
        if (z < size && first + line < width) {
            in[AT(z)] = sums[k];
        }
    }
}

#endif
