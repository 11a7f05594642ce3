// Implements the operations of recon/device/device.hpp on arrays. x is the fastest dimension.
//
// A dot product is summed in a fixed order, so that repeated runs give identical bits: work-item i
// of all takes the elements i, i + items, ...; a tree adds the items of a work-group, another the
// work-groups. Sums are two numbers, (high, low): their error is that of the products, eps each.
//
// Defines: DOUBLES, for the arrays; MAP_REAL, of maps; GROUP, work-items of a work-group that sums,
// a power of two.

#include "grid.h"
#ifndef MAP_REAL
#define MAP_REAL REAL
#endif
#ifndef GROUP
#define GROUP 128
#endif
typedef JOIN(MAP_REAL, 2) map2;

// TwoSum needs its sums as they are written.
#pragma OPENCL FP_CONTRACT OFF

static real2 conjugate(real2 a)
{
    return (real2)(a.x, -a.y);
}

static real2 product(real2 a, real2 b)
{
    return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// --- one number at a time -----------------------------------------------------------------------

__kernel void convert(const ulong items, __global const map2 *from, __global real2 *to)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    to[i] = TO_REAL2(from[i]);
}

// y = a x + b y; y is not read for b = 0. Real numbers, two of a complex one.
__kernel void combine(const ulong items, real a, __global const real *x, real b, __global real *y)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    y[i] = b == 0 ? a * x[i] : a * x[i] + b * y[i];
}

// Geometry: values of f, repetitions.
__kernel void multiply(const ulong items, __global const real *f, ulong first, __global real2 *y)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    y[get_global_id(1) * items + i] *= f[first + i];
}

__kernel void multiply_complex(const ulong items, __global const map2 *f, ulong first,
                               __global real2 *y)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    const size_t at = get_global_id(1) * items + i;
    y[at] = product(TO_REAL2(f[first + i]), y[at]);
}

__kernel void multiply_conjugate(const ulong items, __global const map2 *f, ulong first,
                                 __global real2 *y)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    const size_t at = get_global_id(1) * items + i;
    y[at] = product(conjugate(TO_REAL2(f[first + i])), y[at]);
}

// out[i] += conj(map[i]) in[first + i]
__kernel void add_conjugate_product(const ulong items, __global const map2 *map,
                                    __global const real2 *in, ulong first, __global real2 *out)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    out[i] += product(conjugate(TO_REAL2(map[i])), in[first + i]);
}

__kernel void keep_real(const ulong items, __global const real2 *in, real scale, ulong first,
                        __global real *out)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    out[first + i] = scale * in[i].x;
}

// --- a box in a period --------------------------------------------------------------------------
//
// `pad` and `crop` are for boxes that begin at 0 and are no longer than the period: neighbours stay
// neighbours, and nothing is added up. The others take any box.

// Of the factors of x, y and z, one after the other.
static real2 factor_of(__global const real2 *factors, int4 size, int x, int y, int z)
{
    return product(factors[x], product(factors[size.x + y], factors[size.x + size.y + z]));
}

static real2 padded(__global const real2 *in, __global const map2 *map, int with_map, int4 size,
                    __global const real2 *factors, int x, int y, int z)
{
    const size_t n = index_in(size, x, y, z);
    const real2 value = with_map ? product(TO_REAL2(map[n]), in[n]) : in[n];
    return product(factor_of(factors, size, x, y, z), value);
}

static void add_cropped(__global const real2 *point, __global const map2 *map, int with_map,
                        int4 size, __global const real2 *factors, int x, int y, int z,
                        __global real2 *out)
{
    const size_t n = index_in(size, x, y, z);
    const real2 value = product(conjugate(factor_of(factors, size, x, y, z)), *point);
    out[n] += with_map ? product(conjugate(TO_REAL2(map[n])), value) : value;
}

// Geometry: the points of a period, which starts at `start` of out.
__kernel void pad(const ulong items, __global const real2 *in, __global const map2 *map,
                  int with_map, int4 size, int4 first, int4 extents,
                  __global const real2 *factors, ulong start, __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int inside = x < size.x && y < size.y && z < size.z;
    out[start + index_in(extents, x, y, z)] =
        inside ? padded(in, map, with_map, size, factors, x, y, z) : (real2)(0.0f, 0.0f);
}

// Geometry: the values of the box.
__kernel void crop(const ulong items, __global const real2 *in, __global const map2 *map,
                   int with_map, int4 size, int4 first, int4 extents,
                   __global const real2 *factors, ulong start, __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    add_cropped(in + start + index_in(extents, x, y, z), map, with_map, size, factors, x, y, z,
                out);
}

// Where a value stands in the period, and the first value that stands at a point: first + n and
// point - first lie within one period of it.
static int wrapped(int at, int extent)
{
    return at < 0 ? at + extent : (at >= extent ? at - extent : at);
}

__kernel void pad_wrapped(const ulong items, __global const real2 *in, __global const map2 *map,
                          int with_map, int4 size, int4 first, int4 extents,
                          __global const real2 *factors, ulong start, __global real2 *out)
{
    ONLY(items)
    const int gx = get_global_id(0), gy = get_global_id(1), gz = get_global_id(2);
    real2 sum = (real2)(0.0f, 0.0f);
    for (int z = wrapped(gz - first.z, extents.z); z < size.z; z += extents.z) {
        for (int y = wrapped(gy - first.y, extents.y); y < size.y; y += extents.y) {
            for (int x = wrapped(gx - first.x, extents.x); x < size.x; x += extents.x) {
                sum += padded(in, map, with_map, size, factors, x, y, z);
            }
        }
    }
    out[start + index_in(extents, gx, gy, gz)] = sum;
}

__kernel void crop_wrapped(const ulong items, __global const real2 *in, __global const map2 *map,
                           int with_map, int4 size, int4 first, int4 extents,
                           __global const real2 *factors, ulong start, __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t point =
        index_in(extents, wrapped(first.x + x, extents.x), wrapped(first.y + y, extents.y),
                 wrapped(first.z + z, extents.z));
    add_cropped(in + start + point, map, with_map, size, factors, x, y, z, out);
}

// --- dot products -------------------------------------------------------------------------------

// Knuth, TAOCP 2, 4.2.2, TwoSum.
static real2 add(real2 total, real part)
{
    const real sum = total.x + part;
    const real back = sum - total.x;
    return (real2)(sum, total.y + ((total.x - (sum - back)) + (part - back)));
}

// The sum of every work-item's total, on work-item 0.
static real2 sum_of_group(real2 total, __local real2 *totals)
{
    const int i = get_local_id(0);
    totals[i] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = GROUP / 2; half_way > 0; half_way /= 2) {
        if (i < half_way) {
            const real2 other = totals[i + half_way];
            real2 sum = add(totals[i], other.x);
            sum.y += other.y;
            totals[i] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return totals[0];
}

// parts[group] = its share of the real part of sum conj(a) b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_parts(__global const real2 *a, __global const real2 *b, ulong count, __global real2 *parts)
{
    __local real2 totals[GROUP];
    real2 total = (real2)(0.0f, 0.0f);
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        total = add(add(total, a[i].x * b[i].x), a[i].y * b[i].y);
    }
    total = sum_of_group(total, totals);
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = total;
    }
}

// parts[place] = the sum of the first `count` of them; one work-group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_total(__global real2 *parts, int count, int place)
{
    __local real2 totals[GROUP];
    real2 total = (real2)(0.0f, 0.0f);
    for (int i = get_local_id(0); i < count; i += GROUP) {
        total = add(total, parts[i].x);
        total.y += parts[i].y;
    }
    total = sum_of_group(total, totals);
    if (get_local_id(0) == 0) {
        parts[place] = total;
    }
}
