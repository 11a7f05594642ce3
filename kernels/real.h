// The numbers that a file computes with: floats, or doubles with DOUBLES.
#ifndef DOUBLES
#define DOUBLES 0
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#if DOUBLES
#define REAL double
#define BITS ulong
#define SIGN_BIT 63
#define TWO_PI 6.283185307179586476925286766559
#define ROUNDER 6755399441055744.0 // adding 1.5 2^52 rounds to a whole number
#else
#define REAL float
#define BITS uint
#define SIGN_BIT 31
#define TWO_PI 6.28318530717958647692f
#define ROUNDER 12582912.0f // 1.5 2^23
#endif
typedef REAL real;
typedef JOIN(REAL, 2) real2;
typedef JOIN(REAL, 3) real3;
typedef JOIN(REAL, 4) real4;
#define TO_REAL JOIN(convert_, REAL)
#define TO_REAL2 JOIN(TO_REAL, 2)
#define AS_BITS JOIN(as_, BITS)
#define AS_REAL JOIN(as_, REAL)

// All launches are rounded up to whole work-groups of one size: some compilers build a kernel again
// for every other size. The first argument is the number of items in dimension 0.
#define ONLY(items)                                                                                \
    if (get_global_id(0) >= (items)) {                                                             \
        return;                                                                                    \
    }

// What a few products are made in, where a device has doubles: -DWIDE=double.
#ifndef WIDE
#define WIDE REAL
#endif
typedef JOIN(WIDE, 2) wide2;
#define TO_WIDE2 JOIN(convert_, JOIN(WIDE, 2))
