// Shortens the vector at each voxel by a threshold (recon/operators/proximal.cpp).
//
// Errors: a rounding of eps for each operation. Define: DOUBLES.

#include "real.h"

// Each vector has `parts` numbers, one in every `count`, of each image; the first is at `first`,
// and images are `apart`.
// Geometry: the vectors, `count` of them.
__kernel void shrink(const ulong items, __global real2 *y, ulong first, ulong count, ulong parts,
                     ulong images, ulong apart, real length_less)
{
    ONLY(items)
    const size_t n = first + get_global_id(0);
    real squares = 0;
    for (ulong i = 0; i < images; ++i) {
        for (ulong part = 0; part < parts; ++part) {
            const real2 value = y[i * apart + part * count + n];
            squares += value.x * value.x + value.y * value.y;
        }
    }
    const real norm = sqrt(squares);
    const real factor = norm > length_less ? 1 - length_less / norm : 0;
    for (ulong i = 0; i < images; ++i) {
        for (ulong part = 0; part < parts; ++part) {
            y[i * apart + part * count + n] *= factor;
        }
    }
}
