// Factors laid out by rows: factors[row][real or imaginary][m] = value_m exp(i 2 pi k_m n) for
// row = coil * count + index, n = first + index, of the samples from `offset` on.
// Geometry: m / LANES, index, coil.
__kernel void factors_rows(__global const float *samples, const int padded, const int offset,
                           const int dimension, const int with_values, const float first,
                           __global float *factors)
{
    const size_t block = get_global_id(0);
    const size_t blocks = get_global_size(0);
    const size_t coil = get_global_id(2);
    const size_t row = coil * get_global_size(1) + get_global_id(1);
    FLOATS c;
    FLOATS s;
    unit_circle(LOAD(block, HIGH(samples, padded, dimension) + offset),
                LOAD(block, LOW(samples, padded, dimension) + offset),
                (FLOATS)(first + (float)get_global_id(1)), &c, &s);
    FLOATS re = c;
    FLOATS im = s;
    if (with_values) {
        const FLOATS value_re = LOAD(block, VALUE(samples, padded, coil) + offset);
        const FLOATS value_im = LOAD(block, VALUE(samples, padded, coil) + padded + offset);
        re = value_re * c - value_im * s;
        im = value_im * c + value_re * s;
    }
    STORE(re, 2 * row * blocks + block, factors);
    STORE(im, (2 * row + 1) * blocks + block, factors);
}
