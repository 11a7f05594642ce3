// Computes FHd, Q or F (transform.h), one work-item a point, everything in global memory: position
// and sum are read and written there for every pair, in one float a component.
// Geometry: one dimension, at least point_count work-items.
// Defines: DOUBLES, COILS, SIGN, REAL_VALUES, LOW_POINTS, LOW_SOURCES (defaults in transform.h).
// Error: its row of recon/engines/engines.cpp.
#include "transform.h"

__kernel void transform(__global const real *sources, const int source_count,
                        __global const real *points, const int point_stride,
                        const int first_point, const int point_count, __global real4 *out)
{
    const int p = (int)get_global_id(0);
    if (p >= point_count) {
        return;
    }
    for (int s = 0; s < source_count; ++s) {
        PLACE_IN_ARRAYS(source, sources, source_count, s);
        const Place point = place_of_point(points, point_stride, first_point + p);
        BITS sign;
        const real phase = TWO_PI * half_turns_off(source, point, &sign);
        const real cosine = DECAYED(WITH_SIGN(cos(phase), sign), source, point);
        const real sine = DECAYED(WITH_SIGN(sin(phase), sign), source, point);
#if REAL_VALUES
        ADD_REAL_PRODUCT(out[p], ARRAY(sources, FIRST_VALUE, source_count, s), cosine, sine);
#else
        for (int c = 0; c < COILS; ++c) {
            ADD_PRODUCT(out[c * point_count + p],
                        ARRAY(sources, FIRST_VALUE + 2 * c, source_count, s),
                        ARRAY(sources, FIRST_VALUE + 2 * c + 1, source_count, s), cosine, sine);
        }
#endif
    }
}
