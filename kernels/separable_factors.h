// What the separable kernels share: vectors of LANES floats, factors of one dimension, and totals of
// two floats.

#ifndef LANES
#define LANES 16
#endif
#if LANES == 1
#define FLOATS float
#define LOAD(i, p) (p)[i]
#define STORE(v, i, p) (p)[i] = (v)
#else
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define FLOATS JOIN(float, LANES)
#define LOAD(i, p) JOIN(vload, LANES)(i, p)
#define STORE(v, i, p) JOIN(vstore, LANES)(v, i, p)
#endif

#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); ++i)

// Samples come as arrays of `padded` floats: high and low of x, y and z, then real and imaginary
// parts of the values of each coil. What pads them has no value.
#define HIGH(samples, padded, dimension) ((samples) + (size_t)2 * (dimension) * (padded))
#define LOW(samples, padded, dimension) (HIGH(samples, padded, dimension) + (padded))
#define VALUE(samples, padded, coil) ((samples) + (size_t)(6 + 2 * (coil)) * (padded))

// Knuth, TAOCP 2, 4.2.2, TwoSum: what the addition to a total loses is kept beside it.
static void add_to_total(FLOATS *high, FLOATS *low, FLOATS part)
{
    const FLOATS sum = *high + part;
    const FLOATS back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

// c + i s = exp(i 2 pi k n), k in cycles a voxel as high + low (recon/plan/split.hpp): high * n is
// exact. Whole and quarter turns are taken off exactly, what rounding takes from the angle, below
// pi/4, comes back to first order, and the Taylor polynomials are right to 2e-9 there: half an ulp
// and a little.
static void unit_circle(FLOATS high, FLOATS low, FLOATS n, FLOATS *c, FLOATS *s)
{
    const FLOATS two_pi = (FLOATS)(6.2831854820251464844f);
    const FLOATS two_pi_low = (FLOATS)(-1.7484555314695172e-7f);
    const FLOATS exact = high * n;
    FLOATS t = exact - rint(exact);
    FLOATS lost = (FLOATS)(0.0f);
    add_to_total(&t, &lost, low * n);
    const FLOATS quarters = rint(4.0f * t);
    const FLOATS r = t - 0.25f * quarters;
    const FLOATS y = two_pi * r;
    const FLOATS y_low = fma(two_pi, r, -y) + (two_pi_low * r + two_pi * lost);
    const FLOATS y2 = y * y;
    const FLOATS sine =
        y + (y * y2 * (-1.6666666667e-1f +
                       y2 * (8.3333333333e-3f +
                             y2 * (-1.9841269841e-4f + y2 * 2.7557319224e-6f))) +
             y_low);
    const FLOATS cosine =
        1.0f + (y2 * (-0.5f +
                      y2 * (4.1666666667e-2f +
                            y2 * (-1.3888888889e-3f +
                                  y2 * (2.4801587302e-5f - y2 * 2.7557319224e-7f)))) -
                y_low * y);
    // quarters modulo 4: 0 keeps, 1 turns by 90 degrees, 2 by 180, 3 by 270.
    const FLOATS q = quarters - 4.0f * floor(0.25f * quarters);
    const FLOATS odd = q - 2.0f * floor(0.5f * q);
    const FLOATS next_q = q + 1.0f - 4.0f * floor(0.25f * (q + 1.0f));
    const FLOATS sign_c = 1.0f - 2.0f * floor(0.5f * next_q);
    const FLOATS sign_s = 1.0f - 2.0f * floor(0.5f * q);
    *c = sign_c * (odd > 0.0f ? sine : cosine);
    *s = sign_s * (odd > 0.0f ? cosine : sine);
}
