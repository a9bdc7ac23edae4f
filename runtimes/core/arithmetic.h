// What kernels need of the compiler's numbers: without it, bytes differ from LiteRT's.
#pragma once

#if defined(__arm__) && defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
// At -O0 variables are in memory and r7 is the frame pointer: assembly lacks registers.
#pragma GCC optimize("O2", "fp-contract=off", "no-schedule-insns")
#endif

#if defined(__FAST_MATH__)
#error "-ffast-math changes results"
#elif defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "-funsafe-math-optimizations changes results, and so does each part of it"
#elif __FINITE_MATH_ONLY__
#error "-ffinite-math-only changes results"
#elif __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
// 1 and 2 compute in more bits, as x87 does. Clang says -1 with -funsafe-math-optimizations.
#error \
    "floats must be computed in 32 bits: for x86 -mfpmath=sse, nowhere -funsafe-math-optimizations"
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "constants are little-endian"
#endif
static_assert(sizeof(int) == 4, "kernels compute in an int of 32 bits");
static_assert(sizeof(1.0) == 8,
              "double must have 64 bits; -fsingle-precision-constant changes results");
