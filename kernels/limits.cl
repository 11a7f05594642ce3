// Measures what the device does at most: multiply-adds, and pairs of a sine and a cosine of one
// phase, by the hardware or by the library. `bench` divides a variant's rate by these.
//
// MATRIX_UNITS: multiply-adds of doubles by matrix units, too (separable_matrix.cl).
//
// CHAINS independent chains a work-item hide the latency of one; every step needs the one before it
// and the last is written, so that the compiler can leave nothing out. Vectors of WIDTH floats for
// devices that have them. Geometry: one-dimensional, as many work-items as fill the device.

#ifndef WIDTH
#define WIDTH 1
#endif

#if WIDTH == 1
typedef float FLOATS;
#else
#define JOIN(a, b) a##b
#define VECTOR_OF(width) JOIN(float, width)
typedef VECTOR_OF(WIDTH) FLOATS;
#endif

#define CHAINS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9)
#define FOUR_CHAINS(DO) DO(0) DO(1) DO(2) DO(3)

#define START(i) FLOATS x##i = (FLOATS)(0.01f * i) + b;
#define ADD_UP(i) sum += x##i;

#define MULTIPLY_ADD(i) x##i = fma(x##i, factor, term);

// rounds x 80 multiply-adds of FLOATS: eight steps of ten chains, beside which the loop is small.
__kernel void multiply_adds(const int rounds, const float a, const float b, __global FLOATS *out)
{
    const FLOATS factor = (FLOATS)(a);
    const FLOATS term = (FLOATS)(b);
    CHAINS(START)
    for (int t = 0; t < rounds; ++t) {
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
        CHAINS(MULTIPLY_ADD)
    }
    FLOATS sum = (FLOATS)(0.0f);
    CHAINS(ADD_UP)
    out[get_global_id(0)] = sum;
}

// With a = 1/2 the phase stays within a quarter turn, where the transforms have it, too.
#define PAIR(i)                                                                                    \
    {                                                                                              \
        const FLOATS s = SINE(x##i);                                                               \
        const FLOATS c = COSINE(x##i);                                                             \
        x##i = fma(s, factor, c);                                                                  \
    }

// rounds x 4 pairs of FLOATS.
#define PAIRS_KERNEL(name)                                                                         \
    __kernel void name(const int rounds, const float a, const float b, __global FLOATS *out)       \
    {                                                                                              \
        const FLOATS factor = (FLOATS)(a);                                                         \
        FOUR_CHAINS(START)                                                                         \
        for (int t = 0; t < rounds; ++t) {                                                         \
            FOUR_CHAINS(PAIR)                                                                      \
        }                                                                                          \
        FLOATS sum = (FLOATS)(0.0f);                                                               \
        FOUR_CHAINS(ADD_UP)                                                                        \
        out[get_global_id(0)] = sum;                                                               \
    }

#define SINE native_sin
#define COSINE native_cos
PAIRS_KERNEL(native_pairs)
#undef SINE
#undef COSINE

#define SINE sin
#define COSINE cos
PAIRS_KERNEL(library_pairs)

#ifdef MATRIX_UNITS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); ++i)
#define MATRIX_CHAINS 8

// rounds x 512 multiply-adds a work-item: 32 of them have a product of 16 x 16 by 16 x 8 for each
// chain. PTX ISA, mma.m16n8k16 with .f64.
__kernel void matrix_multiply_adds(const int rounds, const float a, const float b,
                                   __global float *out)
{
    double sums[MATRIX_CHAINS][4];
    double left[8];
    double right[4];
    EACH(i, 8) {
        left[i] = a + 0.01 * i;
    }
    EACH(i, 4) {
        right[i] = b - 0.01 * i;
    }
    EACH(i, 4) {
        EACH(j, MATRIX_CHAINS) {
            sums[j][i] = 0.0;
        }
    }
    for (int t = 0; t < rounds; ++t) {
        EACH(j, MATRIX_CHAINS) {
            __asm__("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                    "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                    : "+d"(sums[j][0]), "+d"(sums[j][1]), "+d"(sums[j][2]), "+d"(sums[j][3])
                    : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(left[4]),
                      "d"(left[5]), "d"(left[6]), "d"(left[7]), "d"(right[0]), "d"(right[1]),
                      "d"(right[2]), "d"(right[3]));
        }
    }
    double sum = 0.0;
    EACH(i, 4) {
        EACH(j, MATRIX_CHAINS) {
            sum += sums[j][i];
        }
    }
    out[get_global_id(0)] = (float)sum;
}
#endif
