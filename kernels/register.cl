// Computes FHd, Q or F (transform.h), one work-item a point, with its position and its sums in
// private memory: global memory is read for sources only, and written once a chunk.
// Geometry: one dimension, at least point_count work-items.
// Defines: DOUBLES, COILS, SIGN, REAL_VALUES, LOW_POINTS, LOW_SOURCES, RUN (defaults in
// transform.h).
// Error: its row of recon/engines/engines.cpp.
#include "transform.h"

#ifndef SOURCE_MEMORY
#define SOURCE_MEMORY __global // constant.cl: __constant
#endif

__kernel void transform(SOURCE_MEMORY const real *sources, const int source_count,
                        __global const real *points, const int point_stride,
                        const int first_point, const int point_count, __global real4 *out)
{
    const int p = (int)get_global_id(0);
    if (p >= point_count) {
        return;
    }
    const Place point = place_of_point(points, point_stride, first_point + p);
    real4 total[COILS];
    for (int c = 0; c < COILS; ++c) {
        total[c] = out[c * point_count + p];
    }
    for (int first = 0; first < source_count; first += RUN) {
        const int last = min(first + RUN, source_count);
        real2 sum[COILS] = {(real2)(0.0f, 0.0f)};
        for (int s = first; s < last; ++s) {
            PLACE_IN_ARRAYS(source, sources, source_count, s);
            BITS sign;
            const real phase = TWO_PI * half_turns_off(source, point, &sign);
            const real cosine = DECAYED(WITH_SIGN(cos(phase), sign), source, point);
            const real sine = DECAYED(WITH_SIGN(sin(phase), sign), source, point);
#if REAL_VALUES
            ADD_REAL_PRODUCT(sum[0], ARRAY(sources, FIRST_VALUE, source_count, s), cosine, sine);
#else
            for (int c = 0; c < COILS; ++c) {
                ADD_PRODUCT(sum[c], ARRAY(sources, FIRST_VALUE + 2 * c, source_count, s),
                            ARRAY(sources, FIRST_VALUE + 2 * c + 1, source_count, s), cosine, sine);
            }
#endif
        }
        for (int c = 0; c < COILS; ++c) {
            total[c] = add_to_total(total[c], sum[c]);
        }
    }
    for (int c = 0; c < COILS; ++c) {
        out[c * point_count + p] = total[c];
    }
}
