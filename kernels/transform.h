// What every variant of the direct transform shares.
//
//     out_cp = sum_s value_cs exp(SIGN i 2 pi k . u)
//
// FHd: points p are voxels, sources s are samples, value = mu,         SIGN = +1
// Q:   the same with one real value, w |phi|^2,                        SIGN = +1
// F:   points p are samples, sources s are voxels, value = rho,        SIGN = -1
//
// With OFF_RESONANCE the phase is k . u + f t, of the field at a voxel and the time of a sample, in
// units whose product is turns; with DECAY a term is also multiplied by exp(-r t).
//
// u is a position in voxels, k a trajectory point in cycles a voxel. Both come as high + low:
// products of high parts are exact in single precision, so that their sum loses nothing before
// the half turns are taken off. The error of the phase is then about 2^-24 turns for any
// matrix (recon/engines/split.hpp derives it). Doubles need no low parts.
#include "real.h"

#ifndef COILS
#define COILS 1 // coils that share the exponentials of a pair
#endif
#ifndef SIGN
#define SIGN 1 // of the exponent
#endif
#ifndef REAL_VALUES
#define REAL_VALUES 0 // 1 for Q: one real value a source
#endif
#ifndef LOW_POINTS
#define LOW_POINTS 0 // 1 when points have low parts
#endif
#ifndef LOW_SOURCES
#define LOW_SOURCES 1 // 1 when sources have low parts
#endif

#ifndef OFF_RESONANCE
#define OFF_RESONANCE 0
#endif
#ifndef DECAY
#define DECAY 0
#endif

#ifndef RUN
#define RUN 32 // sources that are summed before their sum goes to the total
#endif

#define VALUES (REAL_VALUES ? 1 : 2 * COILS) // numbers a source brings beside its position
// high x y z, low x y z; with OFF_RESONANCE f or t, high and low, r or t, and one that is not used;
// then the values.
#define FIRST_VALUE (6 + 4 * OFF_RESONANCE)
#define SOURCE_NUMBERS (FIRST_VALUE + VALUES)

// As structs, a chunk is an array of these.
typedef struct {
    real high[3];
    real low[3];
#if OFF_RESONANCE
    real off[4];
#endif
    real value[VALUES];
} Source;

// Where a source or a point is.
typedef struct {
    real3 high;
    real3 low;
    real3 off; // f or t, high and low, r or t
} Place;

// As arrays, a chunk is SOURCE_NUMBERS arrays of `count` numbers.
#define ARRAY(sources, field, count, s) (sources)[(field) * (count) + (s)]

// exp(i 2 pi k.u) is +-exp(i 2 pi t) with t in [-1/4, 1/4] turns: the nearest number of half turns is
// taken off exactly, and its last bit is the sign, as the sign bit of a float.
//
// Half turns and not whole ones, because the rounding of 2 pi makes every angle wrong in proportion,
// which is a bias of the cosine over whole turns. Q, whose weights have one sign, summed it up to
// 6e-6 of its norm on an NVIDIA H200 at 65536 samples. With half turns the signs cancel it.
//
// Adding ROUNDER rounds to a whole number, at full rate where rint() shares the slow unit of the
// trigonometry, and leaves its last bit last.
static real half_turns_off(const Place source, const Place point, BITS *sign)
{
    real exact = source.high.x * point.high.x + source.high.y * point.high.y +
                 source.high.z * point.high.z;
    real rest = 0.0f;
#if LOW_SOURCES
    rest += source.low.x * point.high.x + source.low.y * point.high.y + source.low.z * point.high.z;
#endif
#if LOW_POINTS
    rest += source.high.x * point.low.x + source.high.y * point.low.y + source.high.z * point.low.z;
#endif
#if LOW_SOURCES && LOW_POINTS
    rest += source.low.x * point.low.x + source.low.y * point.low.y + source.low.z * point.low.z;
#endif
#if OFF_RESONANCE
    exact += source.off.x * point.off.x;
    rest += source.off.y * point.off.x + source.off.x * point.off.y + source.off.y * point.off.y;
#endif
    const real shifted = 2.0f * (exact + rest) + ROUNDER;
    *sign = AS_BITS(shifted) << SIGN_BIT;
    return (exact - 0.5f * (shifted - ROUNDER)) + rest;
}

#define WITH_SIGN(value, sign) AS_REAL(AS_BITS(value) ^ (sign))

// Points come as arrays of `stride` numbers: high x y z, low x y z when LOW_POINTS, and off when
// OFF_RESONANCE.
#define FIRST_OFF (LOW_POINTS ? 6 : 3)

static Place place_of_point(__global const real *points, int stride, int p)
{
    Place place;
    place.high = (real3)(points[p], points[stride + p], points[2 * stride + p]);
#if LOW_POINTS
    place.low = (real3)(points[3 * stride + p], points[4 * stride + p], points[5 * stride + p]);
#endif
#if OFF_RESONANCE
    place.off = (real3)(points[FIRST_OFF * stride + p], points[(FIRST_OFF + 1) * stride + p],
                         points[(FIRST_OFF + 2) * stride + p]);
#endif
    return place;
}

#if OFF_RESONANCE
#define SET_OFF(place, high, low, rate) (place).off = (real3)(high, low, rate)
#else
#define SET_OFF(place, high, low, rate)
#endif

// Of a source in arrays, or in a struct.
#define PLACE_IN_ARRAYS(place, sources, count, s)                                                  \
    Place place;                                                                                   \
    place.high = (real3)(ARRAY(sources, 0, count, s), ARRAY(sources, 1, count, s),                 \
                          ARRAY(sources, 2, count, s));                                            \
    place.low = (real3)(ARRAY(sources, 3, count, s), ARRAY(sources, 4, count, s),                  \
                         ARRAY(sources, 5, count, s));                                             \
    SET_OFF(place, ARRAY(sources, 6, count, s), ARRAY(sources, 7, count, s),                       \
            ARRAY(sources, 8, count, s))
#define PLACE_IN_STRUCT(place, source)                                                             \
    Place place;                                                                                   \
    place.high = (real3)((source)->high[0], (source)->high[1], (source)->high[2]);                 \
    place.low = (real3)((source)->low[0], (source)->low[1], (source)->low[2]);                     \
    SET_OFF(place, (source)->off[0], (source)->off[1], (source)->off[2])

// What is left of a signal, exp(-r t).
#if DECAY
#define DECAYED(value, source, point) ((value) * exp(-(source).off.z * (point).off.z))
#else
#define DECAYED(value, source, point) (value)
#endif

// A total is kept in two floats a component, (high, low) = (xy, zw): without, every addition of a
// scan whose energy sits in a few samples loses 2^-24 of the total (measured: 1.2e-6 of F^H d
// against 5e-8, and a solution that is off by a thousand times that). Knuth, TAOCP 2, 4.2.2, TwoSum.
static real4 add_to_total(real4 total, real2 part)
{
    const real2 sum = total.xy + part;
    const real2 back = sum - total.xy;
    const real2 lost = (total.xy - (sum - back)) + (part - back);
    return (real4)(sum, total.zw + lost);
}

// real + i imaginary += value exp(SIGN i phase), with c = cos and s = sin of the phase.
#define ADD_PRODUCT(sum, value_real, value_imaginary, c, s)                                        \
    do {                                                                                           \
        (sum).x += (value_real) * (c) - SIGN * (value_imaginary) * (s);                            \
        (sum).y += (value_imaginary) * (c) + SIGN * (value_real) * (s);                            \
    } while (0)

#define ADD_REAL_PRODUCT(sum, value, c, s)                                                         \
    do {                                                                                           \
        (sum).x += (value) * (c);                                                                  \
        (sum).y += SIGN * (value) * (s);                                                           \
    } while (0)
