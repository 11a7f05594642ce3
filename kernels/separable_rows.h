// Factors laid out by rows: factors[row][real or imaginary][m] = value_m exp(i 2 pi k_m n) for
// row = coil * count + index, n = first + index, of the samples from `offset` on.
// Geometry: m / LANES, index, coil.
__kernel void factors_rows(const ulong vectors, __global const real *positions,
                           __global const real *values, const int stride, const int offset,
                           const int dimension, const int with_values, const real first,
                           __global real *factors)
{
    ONLY(vectors)
    const size_t v = get_global_id(0);
    const size_t coil = get_global_id(2);
    const size_t row = coil * get_global_size(1) + get_global_id(1);
    REALS c;
    REALS s;
    unit_circle(LOAD(v, HIGH(positions, stride, dimension) + offset),
                LOAD(v, LOW(positions, stride, dimension) + offset),
                (REALS)(first + (real)get_global_id(1)), &c, &s);
    REALS re = c;
    REALS im = s;
    if (with_values) {
        const REALS value_re = LOAD(v, VALUE(values, stride, coil) + offset);
        const REALS value_im = LOAD(v, VALUE(values, stride, coil) + stride + offset);
        re = value_re * c - value_im * s;
        im = value_im * c + value_re * s;
    }
    STORE(re, 2 * row * vectors + v, factors);
    STORE(im, (2 * row + 1) * vectors + v, factors);
}
