// Computes FHd, Q or F (transform.h), several points a work-item as one vector, so that what
// belongs to a source, and on a lattice to a row, is done once for all of them. What remains of a
// pair on a lattice is one multiply-add of the exact phase and one of the rest, four for the turns
// and radians, sine, cosine, and four for the sums; with MIRROR that is two pairs.
//
// Geometry: one dimension, ceil(row_length / VOXELS) work-items a row. Neighbours take neighbouring
// points, so that what they read and write lies side by side; a work-item's points are that many
// apart. With ROWS the points of a row differ in x alone; without, all points are one row.
//
// Defines: COILS, SIGN, REAL_VALUES, LOW_POINTS, LOW_SOURCES, OFF_RESONANCE, DECAY, RUN
// (defaults in transform.h), and
//   VOXELS        points of a work-item: 1, 2, 4, 8 or 16
//   UNROLL        of the loop over sources; divides RUN
//   TRIGONOMETRY  0: the hardware's; 1: polynomials, which a CPU does in vectors, and doubles
//   ROWS          1: rows of a lattice
//   MIRROR        1: every point stands for its image by x -> -x, too, whose phase is the same with
//                 the other sign: its sums follow those of all coils
//   SMALL_REST    1: the low parts of a phase are below 1/32 turn
//   UNROLL_POINTS of the loops over points and coils: 16 makes their arrays registers; 1 is for
//                 CPUs, where a point is a lane of a register, and builds sooner
// GROUP and CHUNK are the launch's alone: work-items of a group, and sources of a chunk at most.
//
// Low parts come in radians. Sources are structs of whole float4, source_count a multiple of RUN:
// the host appends sources without a value.
// Error: its row of recon/engines/engines.cpp.
#include "transform.h"

#ifndef VOXELS
#define VOXELS 8
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef UNROLL_POINTS
#define UNROLL_POINTS 16
#endif
#ifndef TRIGONOMETRY
#define TRIGONOMETRY 0
#endif
#ifndef ROWS
#define ROWS 0
#endif
#ifndef MIRROR
#define MIRROR 0
#endif
#ifndef SMALL_REST
#define SMALL_REST 0
#endif

#if DOUBLES
#undef TRIGONOMETRY
#define TRIGONOMETRY 1
#endif

#if VOXELS == 1
typedef real reals;
typedef BITS bits;
#define AS_VECTOR_OF_BITS AS_BITS
#define AS_REALS AS_REAL
#else
typedef JOIN(REAL, VOXELS) reals;
typedef JOIN(BITS, VOXELS) bits;
#define AS_VECTOR_OF_BITS JOIN(AS_BITS, VOXELS)
#define AS_REALS JOIN(AS_REAL, VOXELS)
#endif
typedef union {
    reals all;
    real each[VOXELS];
} PerVoxel;

#define OUTPUTS (COILS * (1 + MIRROR))

// What the points of a row share.
#if ROWS
typedef real of_row;
#else
typedef reals of_row;
#endif

#define WHOLE_VECTORS ((SOURCE_NUMBERS + 3) / 4)
typedef struct {
    real4 vector[WHOLE_VECTORS];
} AlignedSource;

#include "tuned_trigonometry.h"

// Radians in [-pi/2, pi/2], and a little beyond with SMALL_REST, of a phase in exact turns and a
// rest in radians; half_turns_off of transform.h explains why and how. A small rest does not choose
// the half turn: one addition less.
static reals radians_of(reals exact, reals rest, bits *sign)
{
#if SMALL_REST
    const reals shifted = 2.0f * exact + ROUNDER;
#else
    const reals shifted = (2.0f * exact + (2 / TWO_PI) * rest) + ROUNDER;
#endif
    *sign = AS_VECTOR_OF_BITS(shifted) << SIGN_BIT;
    return TWO_PI * (exact - 0.5f * (shifted - ROUNDER)) + rest;
}

// Where the points of a row share their half turns, whole turns are taken off the rest of a pair's
// phase. Against the bias that transform.h explains, the sign of the row is as good as a sign for
// each pair: it changes as often from source to source. It is put on the value once for all points.
// The hardware's trigonometry takes radians up to pi; the polynomials do not.
#define SHARED_SIGN (ROWS && TRIGONOMETRY == 0)

static real row_without_half_turns(real exact, BITS *sign)
{
    const real shifted = 2.0f * exact + ROUNDER;
    *sign = AS_BITS(shifted) << SIGN_BIT;
    return exact - 0.5f * (shifted - ROUNDER);
}

// add_to_total of transform.h, for one component of every point.
static void add_part(reals *high, reals *low, reals part)
{
    const reals sum = *high + part;
    const reals back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

__kernel void transform(__constant const AlignedSource *sources, const int source_count,
                        __global const real *all_points, const int point_stride,
                        const int first_point, const int point_count, __global real4 *out,
                        const int row_length)
{
    __global const real *points = all_points + first_point;
    const int step = (row_length + VOXELS - 1) / VOXELS;
    const int row = (int)get_global_id(0) / step;
    const int column = (int)get_global_id(0) - row * step;
    const int start = row * row_length;
    if (start >= point_count) {
        return;
    }
    // Beyond the end of its row a work-item repeats the row's last point and keeps it to itself.
    int at[VOXELS];
    PerVoxel position[FIRST_OFF + 3 * OFF_RESONANCE];
#pragma unroll UNROLL_POINTS
    for (int j = 0; j < VOXELS; ++j) {
        at[j] = start + min(column + j * step, row_length - 1);
#pragma unroll UNROLL_POINTS
        for (int d = 0; d < FIRST_OFF + 3 * OFF_RESONANCE; ++d) {
            position[d].each[j] = points[d * point_stride + at[j]];
        }
    }
    const reals x = position[0].all;
#if ROWS
    const real y = points[point_stride + start];
    const real z = points[2 * point_stride + start];
#else
    const reals y = position[1].all;
    const reals z = position[2].all;
#endif
    // High and low, real and imaginary: xz and yw of a total of transform.h.
    PerVoxel total[OUTPUTS][4];
#pragma unroll UNROLL_POINTS
    for (int c = 0; c < OUTPUTS; ++c) {
#pragma unroll UNROLL_POINTS
        for (int j = 0; j < VOXELS; ++j) {
            const real4 before = out[c * point_count + at[j]];
            total[c][0].each[j] = before.x;
            total[c][1].each[j] = before.y;
            total[c][2].each[j] = before.z;
            total[c][3].each[j] = before.w;
        }
    }
    for (int first = 0; first < source_count; first += RUN) {
        reals sum_real[COILS];
        reals sum_imaginary[COILS];
        reals odd_real[COILS]; // with sines, whose sign the image changes
        reals odd_imaginary[COILS];
#pragma unroll UNROLL_POINTS
        for (int c = 0; c < COILS; ++c) {
            sum_real[c] = sum_imaginary[c] = odd_real[c] = odd_imaginary[c] = (reals)(0.0f);
        }
#pragma unroll UNROLL
        for (int s = 0; s < RUN; ++s) {
            __constant const AlignedSource *source = sources + first + s;
            const real4 begin = source->vector[0]; // high x y z, low x
            const real4 end = source->vector[1];   // low y z, then off or the first value
            const of_row exact_of_row = begin.y * y + begin.z * z;
#if SHARED_SIGN
            BITS sign;
            reals exact = begin.x * x + row_without_half_turns(exact_of_row, &sign);
#else
            reals exact = begin.x * x + exact_of_row;
#endif
#if LOW_SOURCES
            const of_row rest_of_row = end.x * y + end.y * z;
            reals rest = begin.w * x + rest_of_row;
#else
            reals rest = (reals)(0.0f);
#endif
#if LOW_POINTS
            // High and low together: what is lost is below 2^-24 of a product with a low part.
            rest += (begin.x + (1 / TWO_PI) * begin.w) * position[3].all;
            rest += (begin.y + (1 / TWO_PI) * end.x) * position[4].all;
            rest += (begin.z + (1 / TWO_PI) * end.y) * position[5].all;
#endif
#if OFF_RESONANCE
            exact += end.z * position[FIRST_OFF].all;
            rest += end.w * position[FIRST_OFF].all;
            rest += (end.z + (1 / TWO_PI) * end.w) * position[FIRST_OFF + 1].all;
#endif
#if SHARED_SIGN
            const reals turns = (exact + ROUNDER) - ROUNDER;
            const reals phase = TWO_PI * (exact - turns) + rest;
            reals cos_of = cosine(phase);
            reals sin_of = sine(phase);
#define SIGNED(value) AS_REAL(AS_BITS(value) ^ sign)
#else
            bits sign;
            const reals phase = radians_of(exact, rest, &sign);
            reals cos_of = AS_REALS(AS_VECTOR_OF_BITS(cosine(phase)) ^ sign);
            reals sin_of = AS_REALS(AS_VECTOR_OF_BITS(sine(phase)) ^ sign);
#define SIGNED(value) (value)
#endif
#if DECAY
            const reals left = exp(-source->vector[2].x * position[FIRST_OFF + 2].all);
            cos_of *= left;
            sin_of *= left;
#endif
#if REAL_VALUES
            const real value = SIGNED(end.z);
            sum_real[0] += value * cos_of;
            sum_imaginary[0] += SIGN * value * sin_of;
#else
            // Two statements a sum: each is then one multiply-add.
#pragma unroll UNROLL_POINTS
            for (int c = 0; c < COILS; ++c) {
                const real2 value = ((__constant const real2 *)source)[FIRST_VALUE / 2 + c];
                const real re = SIGNED(value.x);
                const real im = SIGNED(value.y);
                sum_real[c] += re * cos_of;
                sum_imaginary[c] += im * cos_of;
#if MIRROR
                odd_real[c] -= (SIGN * im) * sin_of;
                odd_imaginary[c] += (SIGN * re) * sin_of;
#else
                sum_real[c] -= (SIGN * im) * sin_of;
                sum_imaginary[c] += (SIGN * re) * sin_of;
#endif
            }
#endif
        }
#pragma unroll UNROLL_POINTS
        for (int c = 0; c < COILS; ++c) {
            add_part(&total[c][0].all, &total[c][2].all, sum_real[c] + odd_real[c]);
            add_part(&total[c][1].all, &total[c][3].all, sum_imaginary[c] + odd_imaginary[c]);
#if MIRROR
            add_part(&total[COILS + c][0].all, &total[COILS + c][2].all, sum_real[c] - odd_real[c]);
            add_part(&total[COILS + c][1].all, &total[COILS + c][3].all,
                     sum_imaginary[c] - odd_imaginary[c]);
#endif
        }
    }
#pragma unroll UNROLL_POINTS
    for (int c = 0; c < OUTPUTS; ++c) {
#pragma unroll UNROLL_POINTS
        for (int j = 0; j < VOXELS; ++j) {
            if (column + j * step < row_length) {
                out[c * point_count + at[j]] =
                    (real4)(total[c][0].each[j], total[c][1].each[j], total[c][2].each[j],
                             total[c][3].each[j]);
            }
        }
    }
}
