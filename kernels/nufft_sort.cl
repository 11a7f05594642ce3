// Sorts the samples of a NUFFT for kernels/nufft.cl (recon/engines/opencl/nufft_bins.cpp): by bin
// and first layer, and in the order of the scan where these are the same.
//
// Keys are sorted by one digit after the other, the lowest first. A work-group counts the digits of
// GROUP * EACH samples; the counts, added up, say where it puts each of them. Without atomics: the
// order is the same on every device.
//
// Define: DOUBLES.
#include "real.h"

#define DIGITS 16
#define GROUP 256
#define EACH 8 // samples of a work-item: 4 bits count them
#define WORDS 4 // that hold the counts of a work-group, 16 bits a digit

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

static uint count_in(ulong word, uint digit)
{
    return word >> 16 * (digit % 4) & 0xffff;
}

// sums[word * GROUP + item] becomes the sum up to this item.
static void add_up_items(__local ulong *sums, int words)
{
    const int item = get_local_id(0);
    ulong other[WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GROUP; step *= 2) {
        for (int w = 0; w < words; ++w) {
            other[w] = item >= step ? sums[w * GROUP + item - step] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int w = 0; w < words; ++w) {
            sums[w * GROUP + item] += other[w];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The digits of an item's samples, 4 bits a count. sums: those of its group up to this item.
static ulong count_item(__global const uint *keys, ulong samples, int shift, __local ulong *sums)
{
    const size_t first = get_global_id(0) * EACH;
    ulong counts = 0;
    for (size_t i = first; i < min(first + EACH, samples); ++i) {
        counts += 1UL << 4 * digit_of(keys[i], shift);
    }
    for (int w = 0; w < WORDS; ++w) {
        const ulong four = counts >> 16 * w;
        sums[w * GROUP + get_local_id(0)] =
            (four & 15) | (four & 0xf0) << 12 | (four & 0xf00) << 24 | (four & 0xf000) << 36;
    }
    add_up_items(sums, WORDS);
    return counts;
}

// counts[digit * groups + group] = samples of a group that have this digit.
// Geometry: work-groups of GROUP, EACH samples an item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_digits(__global const uint *keys, ulong samples, int shift, __global uint *counts)
{
    __local ulong sums[WORDS * GROUP];
    const uint digit = get_local_id(0);
    count_item(keys, samples, shift, sums);
    if (digit < DIGITS) {
        counts[digit * get_num_groups(0) + get_group_id(0)] =
            count_in(sums[digit / 4 * GROUP + GROUP - 1], digit);
    }
}

// counts[i] becomes the sum of those before it.
// Geometry: one work-group of GROUP.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void add_up(ulong numbers,
                                                                        __global uint *counts)
{
    __local ulong sums[GROUP];
    const size_t item = get_local_id(0);
    ulong before = 0; // sum of the numbers before those of this round
    for (ulong begin = 0; begin < numbers; begin += GROUP * EACH) {
        const ulong first = begin + item * EACH, end = min(first + EACH, numbers);
        ulong sum = 0;
        for (ulong i = first; i < end; ++i) {
            sum += counts[i];
        }
        sums[item] = sum;
        add_up_items(sums, 1);
        ulong at = before + sums[item] - sum;
        for (ulong i = first; i < end; ++i) {
            const uint count = counts[i];
            counts[i] = at;
            at += count;
        }
        before += sums[GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// starts: counts, added up.
// Geometry: as that of count_digits.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
move_by_digit(__global const uint *keys, __global const uint *order, ulong samples, int shift,
              __global const uint *starts, __global uint *to_keys, __global uint *to_order)
{
    __local ulong sums[WORDS * GROUP];
    const size_t first = get_global_id(0) * EACH;
    // The sums count this item, too: what it has left to move goes before their end.
    ulong left = count_item(keys, samples, shift, sums);
    for (size_t i = first; i < min(first + EACH, samples); ++i) {
        const uint digit = digit_of(keys[i], shift);
        const uint to = starts[digit * get_num_groups(0) + get_group_id(0)] +
                        count_in(sums[digit / 4 * GROUP + get_local_id(0)], digit) -
                        (left >> 4 * digit & 15);
        left -= 1UL << 4 * digit;
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
