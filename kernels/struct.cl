// Computes FHd, Q or F (transform.h), one work-item a point, its position and sums in private
// memory, the sources in chunks of constant memory as structs: what a pair needs lies side by side.
// Geometry: one dimension, at least point_count work-items.
// Defines: DOUBLES, COILS, SIGN, REAL_VALUES, LOW_POINTS, LOW_SOURCES, RUN (defaults in
// transform.h).
// Error: its row of recon/engines/engines.cpp.
#include "transform.h"

#if !defined(COSINE) || DOUBLES
#undef COSINE
#undef SINE
#define COSINE cos // native.cl: native_cos and native_sin, which doubles have not
#define SINE sin
#endif

__kernel void transform(__constant const Source *sources, const int source_count,
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
            __constant const Source *source = sources + s;
            PLACE_IN_STRUCT(place, source);
            BITS sign;
            const real phase = TWO_PI * half_turns_off(place, point, &sign);
            const real cosine = DECAYED(WITH_SIGN(COSINE(phase), sign), place, point);
            const real sine = DECAYED(WITH_SIGN(SINE(phase), sign), place, point);
#if REAL_VALUES
            ADD_REAL_PRODUCT(sum[0], source->value[0], cosine, sine);
#else
            for (int c = 0; c < COILS; ++c) {
                ADD_PRODUCT(sum[c], source->value[2 * c],
                            source->value[2 * c + 1], cosine, sine);
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
