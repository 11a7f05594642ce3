// Packs sources as a variant of the direct transform (transform.h) reads them, and afterwards makes
// the values of points from its totals.
// Defines: DOUBLES; REAL_VALUES, 1 for one real value a source.
#include "real.h"
#ifndef REAL_VALUES
#define REAL_VALUES 0
#endif
#ifndef OFF_RESONANCE
#define OFF_RESONANCE 0
#endif
#define FIRST_VALUE (6 + 4 * OFF_RESONANCE)

// Field f of source s of a chunk goes to out[s * source_step + f * field_step]: high x y z, low x
// y z, what transform.h has for OFF_RESONANCE, and the values of `coils` coils from first_coil on,
// times phases[first + s] when there are some. Sources from `count` on, and coils that the kernel
// has beside these, have no value.
// Geometry: sources of the chunk, with those that pad it; fields.
__kernel void pack(const ulong items, __global const real *positions, const int with_low,
                   const ulong sources, const ulong first, const int count,
                   __global const real *values, const ulong first_coil, const int coils,
                   __global const wide2 *phases, const int with_phases, const int source_step,
                   const int field_step, __global real *out)
{
    ONLY(items)
    const int s = (int)get_global_id(0);
    const int field = (int)get_global_id(1);
    const size_t m = first + s;
    real number = 0;
    if (s < count && field < 6) {
        number = field < 3 || with_low ? positions[field * sources + m] : 0;
    } else if (s < count && field < FIRST_VALUE) {
        number = field < 9 ? positions[(field - (with_low ? 0 : 3)) * sources + m] : 0;
    } else if (s < count) {
#if REAL_VALUES
        number = field == FIRST_VALUE ? values[m] : 0;
#else
        const int coil = (field - FIRST_VALUE) / 2;
        if (coil < coils) {
            __global const real *value = values + 2 * ((first_coil + coil) * sources + m);
            const wide2 phase = with_phases ? phases[m] : (wide2)(1, 0);
            number = TO_REAL(field % 2 == 0 ? value[0] * phase.x - value[1] * phase.y
                                            : value[0] * phase.y + value[1] * phase.x);
        }
#endif
    }
    out[(size_t)s * source_step + (size_t)field * field_step] = number;
}

// out[first_coil + coil][first + p] = high + low of total p of a block. Geometry: points of the
// block, coils.
__kernel void finish(const ulong items, __global const real4 *totals, const ulong first,
                     const ulong points, const ulong first_coil, __global real2 *out)
{
    ONLY(items)
    const size_t p = get_global_id(0);
    const size_t coil = get_global_id(1);
    const real4 total = totals[coil * items + p];
    out[(first_coil + coil) * points + first + p] = total.xy + total.zw;
}

// The images of the block's points by x -> -x, whose totals follow those of `kernel_coils` coils,
// from the last point on; what the first `kept` points are stays.
__kernel void finish_images(const ulong items, __global const real4 *totals, const ulong first,
                            const ulong points, const ulong first_coil, const ulong kept,
                            const ulong kernel_coils, __global real2 *out)
{
    ONLY(items)
    const size_t p = get_global_id(0);
    const size_t coil = get_global_id(1);
    const size_t image = points - 1 - first - p;
    if (image >= kept) {
        const real4 total = totals[(kernel_coils + coil) * items + p];
        out[(first_coil + coil) * points + image] = total.xy + total.zw;
    }
}
