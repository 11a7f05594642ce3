#pragma once

// Compilers make vectors of plain loops, as wide as every x86-64 has them, and twice as wide for
// processors with AVX2: the loader chooses, which needs glibc, and which ThreadSanitizer forbids.
// Members of a template lose it to an explicit specialisation of one of them further up.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__)
#define LSRECON_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#define LSRECON_WIDE_CLONE __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define LSRECON_AVX2_CLONE
#define LSRECON_WIDE_CLONE
#endif
