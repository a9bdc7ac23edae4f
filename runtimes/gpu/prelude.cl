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
