// Reorders and rotates values around complex FFTs to make cosine transforms (DCT-II) of a grid
// (recon/operators/cosine_basis.cpp). Makhoul 1980, IEEE Trans. ASSP 28:27. x is the fastest
// dimension.
//
// Errors: a few roundings of eps. Define: DOUBLES.

#include "grid.h"

// --- the order of elements ----------------------------------------------------------------------
//
// Geometry of both: the voxels of a grid.

// Where element n of N goes: even ones come first, odd ones last and backwards.
static int interleaved(int n, int end)
{
    return n % 2 == 0 ? n / 2 : end - 1 - n / 2;
}

static size_t interleaved_in(int4 size, int x, int y, int z)
{
    return index_in(size, interleaved(x, size.x), interleaved(y, size.y), interleaved(z, size.z));
}

__kernel void interleave(const ulong items, __global const real2 *in, int4 size,
                         __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[interleaved_in(size, x, y, z)] = in[index_in(size, x, y, z)];
}

__kernel void deinterleave(const ulong items, __global const real2 *in, int4 size,
                           __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[index_in(size, x, y, z)] = in[interleaved_in(size, x, y, z)];
}

// --- a diagonal matrix of cosines ---------------------------------------------------------------

static real2 turned(real2 w, real2 a)
{
    return (real2)(w.x * a.x - w.y * a.y, w.x * a.y + w.y * a.x);
}

static real2 turned_back(real2 w, real2 a)
{
    return (real2)(w.x * a.x + w.y * a.y, w.x * a.y - w.y * a.x);
}

static real2 times_i(real2 a)
{
    return (real2)(-a.y, a.x);
}

// U of elements k and N - k, and its inverse.
static void to_cosines(real2 w, real2 *a, real2 *b)
{
    const real half_root = sqrt((real)0.5f);
    const real2 p = turned(w, *a), q = turned_back(w, *b);
    *a = half_root * (p + q);
    *b = half_root * times_i(p - q);
}

static void from_cosines(real2 w, real2 *a, real2 *b)
{
    const real half_root = sqrt((real)0.5f);
    const real2 p = *a, q = times_i(*b);
    *a = half_root * turned_back(w, p - q);
    *b = half_root * turned(w, p + q);
}

// y = U^H f U y. A work-item has the eight elements that are k or N - k in each dimension; where
// both are the same, they are there twice.
// Geometry: 0 to N / 2 of each dimension.
__kernel void multiply_in_cosines(const ulong items, __global real2 *y, int4 size,
                                  __global const real2 *phase_factors, __global const real *f)
{
    ONLY(items)
    const int k[3] = {get_global_id(0), get_global_id(1), get_global_id(2)};
    const int end[3] = {size.x, size.y, size.z};
    const real2 w[3] = {phase_factors[k[0]], phase_factors[size.x + k[1]],
                        phase_factors[size.x + size.y + k[2]]};
    int across[3];
    for (int d = 0; d < 3; ++d) {
        across[d] = k[d] == 0 ? 0 : end[d] - k[d];
    }
    size_t at[8];
    real2 v[8];
    for (int i = 0; i < 8; ++i) {
        at[i] = index_in(size, i & 1 ? across[0] : k[0], i & 2 ? across[1] : k[1],
                         i & 4 ? across[2] : k[2]);
        v[i] = y[at[i]];
    }
    for (int d = 0; d < 3; ++d) {
        for (int i = 0; i < 8; ++i) {
            if (across[d] != k[d] && !(i & 1 << d)) {
                to_cosines(w[d], &v[i], &v[i | 1 << d]);
            }
        }
    }
    for (int i = 0; i < 8; ++i) {
        v[i] *= f[at[i]];
    }
    for (int d = 0; d < 3; ++d) {
        for (int i = 0; i < 8; ++i) {
            if (across[d] != k[d] && !(i & 1 << d)) {
                from_cosines(w[d], &v[i], &v[i | 1 << d]);
            }
        }
    }
    for (int i = 0; i < 8; ++i) {
        y[at[i]] = v[i];
    }
}
