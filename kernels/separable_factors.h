// What the separable kernels share: vectors of LANES numbers, factors of one dimension, and totals
// of two numbers.

#include "real.h"
#ifndef LANES
#define LANES 16
#endif
#if LANES == 1
#define REALS real
#define LOAD(i, p) (p)[i]
#define STORE(v, i, p) (p)[i] = (v)
#else
#define REALS JOIN(REAL, LANES)
#define LOAD(i, p) JOIN(vload, LANES)(i, p)
#define STORE(v, i, p) JOIN(vstore, LANES)(v, i, p)
#endif

#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); ++i)

// Samples come as arrays of `stride` numbers: positions as high and low of x, y and z, or x, y and z
// in doubles; values as real and imaginary parts of each coil. What pads them has no value.
#if DOUBLES
#define HIGH(positions, stride, dimension) ((positions) + (size_t)(dimension) * (stride))
#define LOW(positions, stride, dimension) HIGH(positions, stride, dimension) // not used
#else
#define HIGH(positions, stride, dimension) ((positions) + (size_t)2 * (dimension) * (stride))
#define LOW(positions, stride, dimension) (HIGH(positions, stride, dimension) + (stride))
#endif
#define VALUE(values, stride, coil) ((values) + (size_t)2 * (coil) * (stride))

// Knuth, TAOCP 2, 4.2.2, TwoSum: what the addition to a total loses is kept beside it.
static void add_to_total(REALS *high, REALS *low, REALS part)
{
    const REALS sum = *high + part;
    const REALS back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

// c + i s = exp(i 2 pi k n), k in cycles a voxel as high + low (recon/engines/split.hpp): high * n is
// exact, in doubles but for what an fma keeps. Whole and quarter turns are taken off exactly, what
// rounding takes from the angle, below pi/4, is added back to first order, and the Taylor polynomials
// are right to 2e-9 there, 5e-17 in doubles: a little more than half an ulp.
#if DOUBLES
#define TWO_PI_LOW 2.4492935982947064e-16
#define SINE_TERMS(x)                                                                              \
    (-1.6666666666666666e-1 +                                                                      \
     x * (8.3333333333333333e-3 +                                                                  \
          x * (-1.9841269841269841e-4 +                                                            \
               x * (2.7557319223985893e-6 +                                                        \
                    x * (-2.5052108385441720e-8 +                                                  \
                         x * (1.6059043836821613e-10 - x * 7.6471637318198164e-13))))))
#define COSINE_TERMS(x)                                                                            \
    (-0.5 +                                                                                        \
     x * (4.1666666666666664e-2 +                                                                  \
          x * (-1.3888888888888889e-3 +                                                            \
               x * (2.4801587301587302e-5 +                                                        \
                    x * (-2.7557319223985888e-7 +                                                  \
                         x * (2.0876756987868099e-9 +                                              \
                              x * (-1.1470745597729725e-11 + x * 4.7794773323873853e-14)))))))
#else
#define TWO_PI_LOW -1.7484555314695172e-7f
#define SINE_TERMS(x)                                                                              \
    (-1.6666666667e-1f +                                                                           \
     x * (8.3333333333e-3f + x * (-1.9841269841e-4f + x * 2.7557319224e-6f)))
#define COSINE_TERMS(x)                                                                            \
    (-0.5f +                                                                                       \
     x * (4.1666666667e-2f +                                                                       \
          x * (-1.3888888889e-3f + x * (2.4801587302e-5f - x * 2.7557319224e-7f))))
#endif
static void unit_circle(REALS high, REALS low, REALS n, REALS *c, REALS *s)
{
    const REALS two_pi = (REALS)(TWO_PI);
    const REALS exact = high * n;
    REALS t = exact - rint(exact);
    REALS lost = (REALS)(0.0f);
#if DOUBLES
    add_to_total(&t, &lost, fma(high, n, -exact));
#else
    add_to_total(&t, &lost, low * n);
#endif
    const REALS quarters = rint(4.0f * t);
    const REALS r = t - 0.25f * quarters;
    const REALS y = two_pi * r;
    const REALS y_low = fma(two_pi, r, -y) + ((REALS)(TWO_PI_LOW) * r + two_pi * lost);
    const REALS y2 = y * y;
    const REALS sine = y + (y * y2 * SINE_TERMS(y2) + y_low);
    const REALS cosine = 1.0f + (y2 * COSINE_TERMS(y2) - y_low * y);
    // quarters modulo 4: 0 keeps, 1 turns by 90 degrees, 2 by 180, 3 by 270.
    const REALS q = quarters - 4.0f * floor(0.25f * quarters);
    const REALS odd = q - 2.0f * floor(0.5f * q);
    const REALS next_q = q + 1.0f - 4.0f * floor(0.25f * (q + 1.0f));
    const REALS sign_c = 1.0f - 2.0f * floor(0.5f * next_q);
    const REALS sign_s = 1.0f - 2.0f * floor(0.5f * q);
    *c = sign_c * (odd > 0.0f ? sine : cosine);
    *s = sign_s * (odd > 0.0f ? cosine : sine);
}

// v exp(-i pi k sign), k the position of sample i in x, in cycles a voxel: what moves the middle of
// a halved lattice to a voxel and, for F, back. Right to half an ulp and a little of WIDE.
static wide2 turned(wide2 v, __global const real *positions, int stride, size_t i, WIDE sign)
{
    const WIDE pi = (WIDE)(0.5f) * (WIDE)(TWO_PI);
    const WIDE high = HIGH(positions, stride, 0)[i];
#if DOUBLES
    const WIDE c = cospi(high);
    const WIDE s = sinpi(high);
#else
    const WIDE low = pi * (WIDE)(LOW(positions, stride, 0)[i]);
    const WIDE c = cospi(high) - low * sinpi(high);
    const WIDE s = sinpi(high) + low * cospi(high);
#endif
    return (wide2)(v.x * c + sign * (v.y * s), v.y * c - sign * (v.x * s));
}
