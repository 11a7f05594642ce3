// What the separable kernels share: vectors of LANES floats, factors of one dimension, and totals of
// two floats.

#ifndef LANES
#define LANES 16
#endif
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define FLOATS JOIN(float, LANES)
#define LOAD(i, p) JOIN(vload, LANES)(i, p)
#define STORE(v, i, p) JOIN(vstore, LANES)(v, i, p)

// c + i s = exp(i 2 pi t): the nearest quarter turn is taken off exactly, what is left is below
// pi/4, where the Taylor polynomials are right to 2e-9; rounding leaves about 5e-8.
static void unit_circle(FLOATS t, FLOATS *c, FLOATS *s)
{
    const FLOATS quarters = rint(4.0f * t);
    const FLOATS y = 6.28318530717958647692f * (t - 0.25f * quarters);
    const FLOATS y2 = y * y;
    const FLOATS sine =
        y + y * y2 * (-1.6666666667e-1f +
                      y2 * (8.3333333333e-3f + y2 * (-1.9841269841e-4f + y2 * 2.7557319224e-6f)));
    const FLOATS cosine =
        1.0f + y2 * (-0.5f + y2 * (4.1666666667e-2f +
                                   y2 * (-1.3888888889e-3f + y2 * 2.4801587302e-5f)));
    // quarters modulo 4: 0 keeps, 1 turns by 90 degrees, 2 by 180, 3 by 270.
    const FLOATS q = quarters - 4.0f * floor(0.25f * quarters);
    const FLOATS odd = q - 2.0f * floor(0.5f * q);
    const FLOATS next_q = q + 1.0f - 4.0f * floor(0.25f * (q + 1.0f));
    const FLOATS sign_c = 1.0f - 2.0f * floor(0.5f * next_q);
    const FLOATS sign_s = 1.0f - 2.0f * floor(0.5f * q);
    *c = sign_c * (cosine + odd * (sine - cosine));
    *s = sign_s * (sine + odd * (cosine - sine));
}

// k in cycles a voxel as high + low (recon/plan/split.hpp): high * n is exact.
static FLOATS turns(FLOATS high, FLOATS low, FLOATS n)
{
    const FLOATS exact = high * n;
    return (exact - rint(exact)) + low * n;
}

// panel[tile][m][c or s][LANES] for x = tile * LANES + lane number, of the samples from `offset`
// on. Geometry: m, tile.
__kernel void factors_x(__global const float *high, __global const float *low, const int offset,
                        __global const float *lane_numbers, __global float *panel)
{
    const size_t m = get_global_id(0);
    const size_t tile = get_global_id(1);
    const FLOATS n = LOAD(0, lane_numbers) + (float)(tile * LANES);
    FLOATS c;
    FLOATS s;
    unit_circle(turns((FLOATS)(high[offset + m]), (FLOATS)(low[offset + m]), n), &c, &s);
    __global float *out = panel + 2 * LANES * (tile * get_global_size(0) + m);
    STORE(c, 0, out);
    STORE(s, 1, out);
}

// factors[row][real or imaginary][m] = value_m exp(i 2 pi k_m n), n = first + index, for
// row = coil * count + index, of the samples from `offset` on; values[coil][real or imaginary][m]
// are those of all samples, `stride` of them. Geometry: m / LANES, index, coil.
__kernel void factors_rows(__global const float *high, __global const float *low, const int offset,
                           const int first, __global const float *values, const int stride,
                           __global float *factors)
{
    const size_t block = get_global_id(0);
    const size_t blocks = get_global_size(0);
    const size_t row = get_global_id(2) * get_global_size(1) + get_global_id(1);
    const FLOATS n = (FLOATS)((float)(first + (int)get_global_id(1)));
    FLOATS c;
    FLOATS s;
    unit_circle(turns(LOAD(block, high + offset), LOAD(block, low + offset), n), &c, &s);
    __global const float *value = values + 2 * get_global_id(2) * stride + offset;
    const FLOATS re = LOAD(block, value);
    const FLOATS im = LOAD(block, value + stride);
    STORE(re * c - im * s, 2 * row * blocks + block, factors);
    STORE(im * c + re * s, (2 * row + 1) * blocks + block, factors);
}

// Knuth, TAOCP 2, 4.2.2, TwoSum: what the addition to a total loses is kept beside it.
static void add_to_total(FLOATS *high, FLOATS *low, FLOATS part)
{
    const FLOATS sum = *high + part;
    const FLOATS back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}
