// What the work-items of a group, a power of two of them in one dimension, find together. `shared`
// has an element for each; every work-item gets the result.
#include "runtimes/core/wrapping.cl"

// F of two at a time, in a tree.
#define REDUCED_BY_GROUP(mine, shared, F)                           \
  const int me = get_local_id(0);                                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                     \
  shared[me] = mine;                                                \
  for (int count = get_local_size(0) / 2; count > 0; count /= 2) {  \
    barrier(CLK_LOCAL_MEM_FENCE);                                   \
    if (me < count) shared[me] = F(shared[me], shared[me + count]); \
  }                                                                 \
  barrier(CLK_LOCAL_MEM_FENCE);                                     \
  return shared[0];

// The sum of what those have that share the first of two dimensions, where there are a power of two
// in the second: the first of them gets it. Sums wrap.
#define SUMMED_BY_COLUMN(mine, shared)                                                       \
  const int across = get_local_size(0);                                                      \
  const int part = get_local_id(1);                                                          \
  const int me = part * across + get_local_id(0);                                            \
  shared[me] = mine;                                                                         \
  for (int count = get_local_size(1) / 2; count > 0; count /= 2) {                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                            \
    if (part < count) shared[me] = wrapping_sum(shared[me], shared[me + count * across]);    \
  }                                                                                          \
  return shared[me];

INLINE __attribute__((overloadable)) int sum_of_column(int mine, __local int* shared) {
  SUMMED_BY_COLUMN(mine, shared)
}

INLINE __attribute__((overloadable)) long sum_of_column(long mine, __local long* shared) {
  SUMMED_BY_COLUMN(mine, shared)
}

#define SUM_OF_TWO(a, b) ((a) + (b))

INLINE int largest_of_group(int mine, __local int* shared){REDUCED_BY_GROUP(mine, shared, max)}

INLINE int sum_of_group(int mine, __local int* shared){REDUCED_BY_GROUP(mine, shared, SUM_OF_TWO)}

// No element is NaN.
INLINE float largest_float_of_group(float mine,
                                    __local float* shared){REDUCED_BY_GROUP(mine, shared, fmax)}

INLINE float least_float_of_group(float mine, __local float* shared) {
  REDUCED_BY_GROUP(mine, shared, fmin)
}
