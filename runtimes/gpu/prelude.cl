// What every kernel may use: C++'s names of element types, and functions that must be inlined.
#pragma OPENCL FP_CONTRACT OFF

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))  // for what is long and called from many places

// In double precision where the device has it, as constants without an f would be.
#undef M_E
#define M_E M_E_F
#undef M_LOG2E
#define M_LOG2E M_LOG2E_F
#undef M_LOG10E
#define M_LOG10E M_LOG10E_F
#undef M_LN2
#define M_LN2 M_LN2_F
#undef M_LN10
#define M_LN10 M_LN10_F
#undef M_PI
#define M_PI M_PI_F
#undef M_PI_2
#define M_PI_2 M_PI_2_F
#undef M_PI_4
#define M_PI_4 M_PI_4_F
#undef M_1_PI
#define M_1_PI M_1_PI_F
#undef M_2_PI
#define M_2_PI M_2_PI_F
#undef M_2_SQRTPI
#define M_2_SQRTPI M_2_SQRTPI_F
#undef M_SQRT2
#define M_SQRT2 M_SQRT2_F
#undef M_SQRT1_2
#define M_SQRT1_2 M_SQRT1_2_F
