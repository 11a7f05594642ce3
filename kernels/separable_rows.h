// Factors laid out by rows: factors[row][real or imaginary][m] = value_m exp(i 2 pi k_m n) for
// row = coil * count + index, n = first + index, of the samples from `offset` on.
// Geometry: m / LANES, index, coil.
__kernel void factors_rows(const ulong blocks, __global const real *positions,
                           __global const real *values, const int stride, const int offset,
                           const int dimension, const int with_values, const real first,
                           __global real *factors)
{
    ONLY(blocks)
    const size_t block = get_global_id(0);
    const size_t coil = get_global_id(2);
    const size_t row = coil * get_global_size(1) + get_global_id(1);
    REALS c;
    REALS s;
    unit_circle(LOAD(block, HIGH(positions, stride, dimension) + offset),
                LOAD(block, LOW(positions, stride, dimension) + offset),
                (REALS)(first + (real)get_global_id(1)), &c, &s);
    REALS re = c;
    REALS im = s;
    if (with_values) {
        const REALS value_re = LOAD(block, VALUE(values, stride, coil) + offset);
        const REALS value_im = LOAD(block, VALUE(values, stride, coil) + stride + offset);
        re = value_re * c - value_im * s;
        im = value_im * c + value_re * s;
    }
    STORE(re, 2 * row * blocks + block, factors);
    STORE(im, (2 * row + 1) * blocks + block, factors);
}
