// What every variant of the direct transform shares.
//
//     out_cp = sum_s value_cs exp(SIGN i 2 pi k . u)
//
// FHd: points p are voxels, sources s are samples, value = mu,         SIGN = +1
// Q:   the same with one real value, w |phi|^2,                        SIGN = +1
// F:   points p are samples, sources s are voxels, value = rho,        SIGN = -1
//
// u is a position in voxels, k a trajectory point in cycles a voxel. Both come as high + low:
// products of high parts are exact in single precision, so that their sum loses nothing before
// the half turns are taken off. The error of the phase is then about 2^-24 turns whatever the
// matrix (recon/plan/split.hpp derives it).

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

#ifndef RUN
#define RUN 32 // sources that are summed before their sum goes to the total
#endif

#define VALUES (REAL_VALUES ? 1 : 2 * COILS) // floats a source brings beside its position
#define SOURCE_FLOATS (6 + VALUES)           // high x y z, low x y z, values
#define TWO_PI 6.28318530717958647692f

// As structs, a chunk is an array of these.
typedef struct {
    float high[3];
    float low[3];
    float value[VALUES];
} Source;

// As arrays, a chunk is SOURCE_FLOATS arrays of `count` floats.
#define ARRAY(sources, field, count, s) (sources)[(field) * (count) + (s)]

// exp(i 2 pi k.u) is +-exp(i 2 pi t) with t in [-1/4, 1/4] turns: the nearest number of half turns is
// taken off exactly, and its last bit is the sign, as the sign bit of a float.
//
// A half and not a whole turn, because a sine that is a little wrong in proportion to its angle, by
// the rounding of 2 pi alone, is wrong on average by that: Q, whose weights have one sign, summed
// it up to 6e-6 of its norm on an NVIDIA H200 at 65536 samples. The signs cancel it.
//
// Adding 1.5 2^23 rounds to a whole number, at full rate where rint() shares the slow unit of the
// trigonometry, and leaves its last bit last.
static float half_turns_off(float3 source_high, float3 source_low, float3 point_high,
                            float3 point_low, uint *sign)
{
    const float exact = source_high.x * point_high.x + source_high.y * point_high.y +
                        source_high.z * point_high.z;
    float rest = 0.0f;
#if LOW_SOURCES
    rest += source_low.x * point_high.x + source_low.y * point_high.y + source_low.z * point_high.z;
#endif
#if LOW_POINTS
    rest += source_high.x * point_low.x + source_high.y * point_low.y + source_high.z * point_low.z;
#endif
#if LOW_SOURCES && LOW_POINTS
    rest += source_low.x * point_low.x + source_low.y * point_low.y + source_low.z * point_low.z;
#endif
    const float shifted = 2.0f * (exact + rest) + 12582912.0f;
    *sign = as_uint(shifted) << 31;
    return (exact - 0.5f * (shifted - 12582912.0f)) + rest;
}

#define WITH_SIGN(value, sign) as_float(as_uint(value) ^ (sign))

// Points come as arrays: high x y z, and low x y z when LOW_POINTS.
static float3 point_high(__global const float *points, int count, int p)
{
    return (float3)(points[p], points[count + p], points[2 * count + p]);
}

static float3 point_low(__global const float *points, int count, int p)
{
#if LOW_POINTS
    return (float3)(points[3 * count + p], points[4 * count + p], points[5 * count + p]);
#else
    return (float3)(0.0f, 0.0f, 0.0f);
#endif
}

// A total is kept in two floats a component, (high, low) = (xy, zw): without, every addition of a
// scan whose energy sits in a few samples loses 2^-24 of the total (measured: 1.2e-6 of F^H d
// against 5e-8, and a solution that is off by a thousand times that). Knuth, TAOCP 2, 4.2.2, TwoSum.
static float4 add_to_total(float4 total, float2 part)
{
    const float2 sum = total.xy + part;
    const float2 back = sum - total.xy;
    const float2 lost = (total.xy - (sum - back)) + (part - back);
    return (float4)(sum, total.zw + lost);
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
