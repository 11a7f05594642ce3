// FHd, Q or F (transform.h), several points a work-item as one vector, so that what belongs to a
// source, and on a lattice to a row, is done once for all of them. What remains of a pair on a
// lattice is one multiply-add of the exact phase and one of the rest, four for the turns and
// radians, sine, cosine, and four for the sums; with MIRROR that is two pairs.
//
// Geometry: one dimension, ceil(row_length / VOXELS) work-items a row. Neighbours take neighbouring
// points, so that what they read and write lies side by side; a work-item's points are that many
// apart. With ROWS the points of a row differ in x alone; without, all points are one row.
//
// Defines: COILS, SIGN, REAL_VALUES, LOW_POINTS, LOW_SOURCES, RUN (defaults in transform.h), and
//   VOXELS        points of a work-item: 1, 2, 4, 8 or 16
//   UNROLL        of the loop over sources; divides RUN
//   TRIGONOMETRY  0: the hardware's; 1: polynomials, which a CPU does in vectors
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
// Error: recon/base/tolerance.hpp, direct_transform.
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

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#if VOXELS == 1
typedef float floats;
typedef uint uints;
#define AS_UINTS as_uint
#define AS_FLOATS as_float
#else
typedef JOIN(float, VOXELS) floats;
typedef JOIN(uint, VOXELS) uints;
#define AS_UINTS JOIN(as_uint, VOXELS)
#define AS_FLOATS JOIN(as_float, VOXELS)
#endif
typedef union {
    floats all;
    float each[VOXELS];
} PerVoxel;

#define OUTPUTS (COILS * (1 + MIRROR))

// What the points of a row share.
#if ROWS
typedef float of_row;
#else
typedef floats of_row;
#endif

#define WHOLE_VECTORS ((SOURCE_FLOATS + 3) / 4)
typedef struct {
    float4 vector[WHOLE_VECTORS];
} AlignedSource;

#if TRIGONOMETRY == 1
// Minimax in |r| <= 2 pi (1/4 + 1/32), where the phases are: right to 2e-8 and 2e-9, beside what
// rounding adds.
static floats sine(floats r)
{
    const floats s = r * r;
    floats p = 2.558955884524039e-06f * s - 0.00019785641052294523f;
    p = p * s + 0.008332688361406326f;
    p = p * s - 0.1666664183139801f;
    return (r * s) * p + r;
}

static floats cosine(floats r)
{
    const floats s = r * r;
    floats p = -2.5829285732470453e-07f * s + 2.4749504518695176e-05f;
    p = p * s - 0.0013888231478631496f;
    p = p * s + 0.04166663810610771f;
    p = p * s - 0.5f;
    return p * s + 1.0f;
}
#else
#define sine native_sin
#define cosine native_cos
#endif

// Radians in [-pi/2, pi/2], and a little beyond with SMALL_REST, of a phase in exact turns and a
// rest in radians; half_turns_off of transform.h tells why and how. A small rest does not choose
// the half turn: one addition less.
static floats radians_of(floats exact, floats rest, uints *sign)
{
#if SMALL_REST
    const floats shifted = 2.0f * exact + 12582912.0f;
#else
    const floats shifted = (2.0f * exact + 0.318309886183790672f * rest) + 12582912.0f;
#endif
    *sign = AS_UINTS(shifted) << 31;
    return TWO_PI * (exact - 0.5f * (shifted - 12582912.0f)) + rest;
}

// Where the points of a row share their half turns, whole turns are taken off the rest of a pair's
// phase. The sign of the row is as good as one of its own against the bias that transform.h tells
// of: from source to source it changes as often, and it is put on the value once for all points.
// The hardware's trigonometry takes radians up to pi; the polynomials do not.
#define SHARED_SIGN (ROWS && TRIGONOMETRY == 0)

static float row_without_half_turns(float exact, uint *sign)
{
    const float shifted = 2.0f * exact + 12582912.0f;
    *sign = as_uint(shifted) << 31;
    return exact - 0.5f * (shifted - 12582912.0f);
}

// add_to_total of transform.h, for one component of every point.
static void add_part(floats *high, floats *low, floats part)
{
    const floats sum = *high + part;
    const floats back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

__kernel void transform(__constant const AlignedSource *sources, const int source_count,
                        __global const float *points, const int point_count,
                        __global float4 *out, const int row_length)
{
    const int step = (row_length + VOXELS - 1) / VOXELS;
    const int row = (int)get_global_id(0) / step;
    const int column = (int)get_global_id(0) - row * step;
    const int start = row * row_length;
    if (start >= point_count) {
        return;
    }
    // Beyond the end of its row a work-item repeats the row's last point and keeps it to itself.
    int at[VOXELS];
    PerVoxel position[6];
#pragma unroll UNROLL_POINTS
    for (int j = 0; j < VOXELS; ++j) {
        at[j] = start + min(column + j * step, row_length - 1);
#pragma unroll UNROLL_POINTS
        for (int d = 0; d < (LOW_POINTS ? 6 : 3); ++d) {
            position[d].each[j] = points[d * point_count + at[j]];
        }
    }
    const floats x = position[0].all;
#if ROWS
    const float y = points[point_count + start];
    const float z = points[2 * point_count + start];
#else
    const floats y = position[1].all;
    const floats z = position[2].all;
#endif
    // High and low, real and imaginary: xz and yw of a total of transform.h.
    PerVoxel total[OUTPUTS][4];
#pragma unroll UNROLL_POINTS
    for (int c = 0; c < OUTPUTS; ++c) {
#pragma unroll UNROLL_POINTS
        for (int j = 0; j < VOXELS; ++j) {
            const float4 before = out[c * point_count + at[j]];
            total[c][0].each[j] = before.x;
            total[c][1].each[j] = before.y;
            total[c][2].each[j] = before.z;
            total[c][3].each[j] = before.w;
        }
    }
    for (int first = 0; first < source_count; first += RUN) {
        floats real[COILS];
        floats imaginary[COILS];
        floats odd_real[COILS]; // with sines, whose sign the image changes
        floats odd_imaginary[COILS];
#pragma unroll UNROLL_POINTS
        for (int c = 0; c < COILS; ++c) {
            real[c] = imaginary[c] = odd_real[c] = odd_imaginary[c] = (floats)(0.0f);
        }
#pragma unroll UNROLL
        for (int s = 0; s < RUN; ++s) {
            __constant const AlignedSource *source = sources + first + s;
            const float4 begin = source->vector[0]; // high x y z, low x
            const float4 end = source->vector[1];   // low y z, first value
            const of_row exact_of_row = begin.y * y + begin.z * z;
#if SHARED_SIGN
            uint sign;
            const floats exact = begin.x * x + row_without_half_turns(exact_of_row, &sign);
#else
            const floats exact = begin.x * x + exact_of_row;
#endif
#if LOW_SOURCES
            const of_row rest_of_row = end.x * y + end.y * z;
            floats rest = begin.w * x + rest_of_row;
#else
            floats rest = (floats)(0.0f);
#endif
#if LOW_POINTS
            // High and low together: what is lost is below 2^-24 of a product with a low part.
            rest += (begin.x + (1 / TWO_PI) * begin.w) * position[3].all;
            rest += (begin.y + (1 / TWO_PI) * end.x) * position[4].all;
            rest += (begin.z + (1 / TWO_PI) * end.y) * position[5].all;
#endif
#if SHARED_SIGN
            const floats turns = (exact + 12582912.0f) - 12582912.0f;
            const floats phase = TWO_PI * (exact - turns) + rest;
            const floats cos_of = cosine(phase);
            const floats sin_of = sine(phase);
#define SIGNED(value) as_float(as_uint(value) ^ sign)
#else
            uints sign;
            const floats phase = radians_of(exact, rest, &sign);
            const floats cos_of = AS_FLOATS(AS_UINTS(cosine(phase)) ^ sign);
            const floats sin_of = AS_FLOATS(AS_UINTS(sine(phase)) ^ sign);
#define SIGNED(value) (value)
#endif
#if REAL_VALUES
            const float value = SIGNED(end.z);
            real[0] += value * cos_of;
            imaginary[0] += SIGN * value * sin_of;
#else
            // Two statements a sum: each is then one multiply-add.
#pragma unroll UNROLL_POINTS
            for (int c = 0; c < COILS; ++c) {
                const float2 value = ((__constant const float2 *)source)[3 + c];
                const float re = SIGNED(value.x);
                const float im = SIGNED(value.y);
                real[c] += re * cos_of;
                imaginary[c] += im * cos_of;
#if MIRROR
                odd_real[c] -= (SIGN * im) * sin_of;
                odd_imaginary[c] += (SIGN * re) * sin_of;
#else
                real[c] -= (SIGN * im) * sin_of;
                imaginary[c] += (SIGN * re) * sin_of;
#endif
            }
#endif
        }
#pragma unroll UNROLL_POINTS
        for (int c = 0; c < COILS; ++c) {
            add_part(&total[c][0].all, &total[c][2].all, real[c] + odd_real[c]);
            add_part(&total[c][1].all, &total[c][3].all, imaginary[c] + odd_imaginary[c]);
#if MIRROR
            add_part(&total[COILS + c][0].all, &total[COILS + c][2].all, real[c] - odd_real[c]);
            add_part(&total[COILS + c][1].all, &total[COILS + c][3].all,
                     imaginary[c] - odd_imaginary[c]);
#endif
        }
    }
#pragma unroll UNROLL_POINTS
    for (int c = 0; c < OUTPUTS; ++c) {
#pragma unroll UNROLL_POINTS
        for (int j = 0; j < VOXELS; ++j) {
            if (column + j * step < row_length) {
                out[c * point_count + at[j]] =
                    (float4)(total[c][0].each[j], total[c][1].each[j], total[c][2].each[j],
                             total[c][3].each[j]);
            }
        }
    }
}
