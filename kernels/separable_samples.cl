// Packs the values of a scan's samples as the separable kernels take them (separable_factors.h).
// Defines: DOUBLES; WIDE, the type in which phases are applied: double where the device has that;
// REAL_VALUES, 1 for one real value a sample.
#define LANES 1
#include "separable_factors.h"
#ifndef REAL_VALUES
#define REAL_VALUES 0
#endif

// out[coil][real or imaginary][i] is the value of sample order[i], turned when the lattice is
// halved; zeros from `count` on. Geometry: stride, coils.
__kernel void pack(const ulong stride, __global const real *values, const ulong count,
                   const ulong first_coil, __global const int *order, const int with_order,
                   __global const real *positions, const int halved, __global real *out)
{
    ONLY(stride)
    const size_t i = get_global_id(0);
    const size_t coil = get_global_id(1);
    wide2 value = (wide2)(0, 0);
    if (i < count) {
        const size_t at = (first_coil + coil) * count + (with_order ? order[i] : i);
#if REAL_VALUES
        value.x = values[at];
#else
        value = (wide2)(values[2 * at], values[2 * at + 1]);
#endif
        if (halved) {
            value = turned(value, positions, (int)stride, i, 1);
        }
    }
    out[2 * coil * stride + i] = TO_REAL(value.x);
    out[(2 * coil + 1) * stride + i] = TO_REAL(value.y);
}
