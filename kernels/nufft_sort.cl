// Sorts the samples of a NUFFT for kernels/nufft.cl (recon/engines/opencl/nufft_bins.cpp): by bin
// and first layer, and in the order of the scan where these are the same.
//
// Keys are sorted by one digit after the other, the lowest first. A work-item counts those of
// `each` samples that follow one another; the counts, added up, say where it puts each of them.
// Without atomics: the order is the same on every device.
//
// Define: DOUBLES.
#include "real.h"

#define DIGITS 16
#define GROUP 256 // that adds up

// A sample on the fine grid.
typedef struct {
    ushort first[4]; // point of its kernel: x, y and layer
    real t[3]; // 2 offset - 1, by dimension
} Place;

// bins: along x and y, and layers. tile: points along x and y.
// Geometry: samples.
__kernel void find_keys(const ulong items, __global const Place *places, int4 bins, int2 bin_size,
                        __global uint *keys, __global uint *order)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    __global const ushort *first = places[i].first;
    const uint bin = first[1] / bin_size.y * bins.x + first[0] / bin_size.x;
    keys[i] = bin * bins.z + first[2];
    order[i] = i;
}

static uint digit_of(uint key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

// counts[digit * items + item] = samples of an item that have this digit.
// Geometry: samples / each, rounded up.
__kernel void count_digits(const ulong items, __global const uint *keys, ulong samples, ulong each,
                           int shift, __global uint *counts)
{
    ONLY(items)
    const size_t item = get_global_id(0);
    uint count[DIGITS];
    for (int digit = 0; digit < DIGITS; ++digit) {
        count[digit] = 0;
    }
    for (size_t i = item * each; i < min((item + 1) * each, samples); ++i) {
        ++count[digit_of(keys[i], shift)];
    }
    for (int digit = 0; digit < DIGITS; ++digit) {
        counts[digit * items + item] = count[digit];
    }
}

// counts[i] becomes the sum of those before it.
// Geometry: one work-group of GROUP.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void add_up(ulong numbers,
                                                                        __global uint *counts)
{
    __local uint sums[GROUP];
    const ulong item = get_local_id(0);
    const ulong each = (numbers + GROUP - 1) / GROUP;
    const ulong begin = item * each, end = min(begin + each, numbers);
    uint sum = 0;
    for (ulong i = begin; i < end; ++i) {
        sum += counts[i];
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (ulong i = 0; i < item; ++i) {
        before += sums[i];
    }
    for (ulong i = begin; i < end; ++i) {
        const uint count = counts[i];
        counts[i] = before;
        before += count;
    }
}

// starts: counts, added up.
// Geometry: as that of count_digits.
__kernel void move_by_digit(const ulong items, __global const uint *keys,
                            __global const uint *order, ulong samples, ulong each, int shift,
                            __global const uint *starts, __global uint *to_keys,
                            __global uint *to_order)
{
    ONLY(items)
    const size_t item = get_global_id(0);
    uint next[DIGITS];
    for (int digit = 0; digit < DIGITS; ++digit) {
        next[digit] = starts[digit * items + item];
    }
    for (size_t i = item * each; i < min((item + 1) * each, samples); ++i) {
        const uint to = next[digit_of(keys[i], shift)]++;
        to_keys[to] = keys[i];
        to_order[to] = order[i];
    }
}

// Geometry: samples.
__kernel void gather(const ulong items, __global const uint *order, __global const Place *places,
                     __global const real2 *phases_of_scan, int with_phases,
                     __global ushort4 *first_points, __global real *offsets,
                     __global real2 *phases)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    __global const Place *place = places + order[i];
    first_points[i] = vload4(0, place->first);
    for (int d = 0; d < 3; ++d) {
        offsets[d * items + i] = place->t[d];
    }
    if (with_phases) {
        phases[i] = phases_of_scan[order[i]];
    }
}

// starts[key] = samples whose keys are lower, up to key `end`, which none has.
// Geometry: samples and one more.
__kernel void find_starts(const ulong items, __global const uint *keys, uint end,
                          __global uint *starts)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    const uint last = i + 1 < items ? keys[i] : end;
    for (uint key = i > 0 ? keys[i - 1] + 1 : 0; key <= last; ++key) {
        starts[key] = i;
    }
}
