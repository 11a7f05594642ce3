// Conjugate gradients on the normal equations (sum_c S_c^H T S_c + shift I) x = b, step by step.
//
// T is a convolution with Q, of the period 2L in each dimension. Its frequencies 2g + s of one
// parity s are a transform of length L of what is twisted by exp(-i pi s n / L), the first step of
// an FFT decimated in frequency (Cooley and Tukey 1965, Math. Comp. 19:297); an image of N <= L
// voxels is then padded to L, not to 2L. So T is a sum over the parities, 2 a dimension: twist,
// FFT, multiply by the real spectrum of Q, inverse FFT, twist back, crop. x is the fastest
// dimension.
//
// A dot product is summed in a fixed order, so that repeated runs give identical bits: work-item i
// of all takes the elements i, i + items, ...; a tree adds the items of a group, another the
// groups.
// Sums are two numbers, (high, low): their error is that of the products, eps each.
//
// REAL is double where the device has it: rounding costs the residuals their orthogonality, and so
// makes another image of the same number of iterations (docs/maths.md).

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifndef REAL
#define REAL float
#endif
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
typedef REAL real;
typedef JOIN(REAL, 2) real2;

#ifndef GROUP
#define GROUP 128 // work-items of a group, a power of two
#endif

// TwoSum needs its sums as they are written.
#pragma OPENCL FP_CONTRACT OFF

static size_t index_in(int4 size, int x, int y, int z)
{
    return ((size_t)z * size.y + y) * size.x + x;
}

static real2 conjugate(real2 a)
{
    return (real2)(a.x, -a.y);
}

static real2 product(real2 a, real2 b)
{
    return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(-i pi s.n / L) from the arrays exp(-i pi n / L) of the dimensions, one after the other.
static real2 twist(__global const real2 *turns, int4 extents, int4 parity, int x, int y, int z)
{
    real2 result = (real2)(1.0f, 0.0f);
    if (parity.x) {
        result = turns[x];
    }
    if (parity.y) {
        result = product(result, turns[extents.x + y]);
    }
    if (parity.z) {
        result = product(result, turns[extents.x + extents.y + z]);
    }
    return result;
}

// --- Q ------------------------------------------------------------------------------------------

// Q at a difference from its half, 0 where no two voxels have it: the slowest of the dimensions
// runs over 0..N-1, the others over -(N-1)..N-1; Q(-d) = conj Q(d), also in the plane of
// slowest = 0, and Q(0) is real.
static real2 q_at(__global const real2 *half_of_q, int4 size, int dimensions, int x, int y, int z)
{
    if (max(x, -x) >= size.x || max(y, -y) >= size.y || max(z, -z) >= size.z) {
        return (real2)(0.0f, 0.0f);
    }
    const int negative = z < 0 || (z == 0 && (y < 0 || (y == 0 && x < 0)));
    const int sign = negative ? -1 : 1;
    const int rows_before = dimensions == 3 ? size.y - 1 : 0;
    const int4 stored = (int4)(2 * size.x - 1, size.y + rows_before, size.z, 1);
    real2 value = half_of_q[index_in(stored, sign * x + size.x - 1, sign * y + rows_before,
                                     sign * z)];
    value.y = x == 0 && y == 0 && z == 0 ? 0.0f : sign * value.y;
    return value;
}

// Q of the period 2L, folded to L for the frequencies of one parity.
__kernel void fold(__global const real2 *half_of_q, int4 size, int dimensions, int4 extents,
                   __global const real2 *turns, int4 parity, __global real2 *folded)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    real2 sum = (real2)(0.0f, 0.0f);
    for (int before = 0; before < 8; ++before) {
        const int bx = before & 1, by = before >> 1 & 1, bz = before >> 2;
        const real2 q = q_at(half_of_q, size, dimensions, x - bx * extents.x, y - by * extents.y,
                             z - bz * extents.z);
        const int odd = (bx & parity.x) ^ (by & parity.y) ^ (bz & parity.z);
        sum += odd ? -q : q;
    }
    folded[index_in(extents, x, y, z)] = product(sum, twist(turns, extents, parity, x, y, z));
}

// The spectra of the parities lie one after the other; `first` is where this one starts.
__kernel void keep_real(__global const real2 *values, real scale, ulong first,
                        __global real *spectra)
{
    const size_t i = get_global_id(0);
    spectra[first + i] = scale * values[i].x;
}

// --- the product with A -------------------------------------------------------------------------

// padded = twist S_c in where there is a voxel, 0 elsewhere; S_c starts at `map` of `maps`, if
// there are maps.
__kernel void pad(__global const real2 *in, __global const real2 *maps, int with_maps, ulong map,
                  int4 size, int4 extents, __global const real2 *turns, int4 parity,
                  __global real2 *padded)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    real2 value = (real2)(0.0f, 0.0f);
    if (x < size.x && y < size.y && z < size.z) {
        const size_t n = index_in(size, x, y, z);
        value = with_maps ? product(maps[map + n], in[n]) : in[n];
        value = product(value, twist(turns, extents, parity, x, y, z));
    }
    padded[index_in(extents, x, y, z)] = value;
}

__kernel void multiply(__global const real *spectra, ulong first, __global real2 *padded)
{
    const size_t i = get_global_id(0);
    padded[i] *= spectra[first + i];
}

// out += conj(twist S_c) padded, after out = shift in at the start.
__kernel void crop(__global const real2 *padded, __global const real2 *maps, int with_maps,
                   ulong map, int4 size, int4 extents, __global const real2 *turns, int4 parity,
                   int start, real shift, __global const real2 *in, __global real2 *out)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const size_t n = index_in(size, x, y, z);
    real2 value = product(conjugate(twist(turns, extents, parity, x, y, z)),
                          padded[index_in(extents, x, y, z)]);
    if (with_maps) {
        value = product(conjugate(maps[map + n]), value);
    }
    out[n] = value + (start ? shift * in[n] : out[n]);
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

static real2 add_squares(real2 total, real2 a, real2 b)
{
    return add(add(total, a.x * b.x), a.y * b.y);
}

// parts[group] = its share of the real part of sum conj(a) b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_parts(__global const real2 *a, __global const real2 *b, ulong count, __global real2 *parts)
{
    __local real2 totals[GROUP];
    real2 total = (real2)(0.0f, 0.0f);
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        total = add_squares(total, a[i], b[i]);
    }
    total = sum_of_group(total, totals);
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = total;
    }
}

// scalars[place] = the sum of the parts, rounded to (high, low) that do not overlap; one group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_total(__global const real2 *parts, int count, int place, __global real2 *scalars)
{
    __local real2 totals[GROUP];
    real2 total = (real2)(0.0f, 0.0f);
    for (int i = get_local_id(0); i < count; i += GROUP) {
        total = add(total, parts[i].x);
        total.y += parts[i].y;
    }
    total = sum_of_group(total, totals);
    if (get_local_id(0) == 0) {
        const real high = total.x + total.y;
        scalars[place] = (real2)(high, (total.x - high) + total.y);
    }
}

// --- conjugate gradients ------------------------------------------------------------------------

// alpha = r^H r / p^H A p; x += alpha p; r -= alpha A p; and the parts of the new r^H r.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
advance(__global const real2 *scalars, int squares, int curvature, ulong count,
        __global const real2 *p, __global const real2 *a_p, __global real2 *x,
        __global real2 *r, __global real2 *parts)
{
    __local real2 totals[GROUP];
    const real alpha = scalars[squares].x / scalars[curvature].x;
    real2 total = (real2)(0.0f, 0.0f);
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        x[i] += alpha * p[i];
        const real2 rest = r[i] - alpha * a_p[i];
        r[i] = rest;
        total = add_squares(total, rest, rest);
    }
    total = sum_of_group(total, totals);
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = total;
    }
}

// beta = r^H r now / r^H r before; p = r + beta p.
__kernel void turn(__global const real2 *scalars, int now, int before, __global const real2 *r,
                   __global real2 *p)
{
    const size_t i = get_global_id(0);
    p[i] = r[i] + (scalars[now].x / scalars[before].x) * p[i];
}
