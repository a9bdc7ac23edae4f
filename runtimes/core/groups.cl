// What the work-items of a group, a power of two of them in one dimension, find together. `shared`
// has an element for each; every work-item gets the result.

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

#define SUM_OF_TWO(a, b) ((a) + (b))

INLINE int largest_of_group(int mine, __local int* shared){REDUCED_BY_GROUP(mine, shared, max)}

INLINE int sum_of_group(int mine, __local int* shared){REDUCED_BY_GROUP(mine, shared, SUM_OF_TWO)}

// No element is NaN.
INLINE float largest_float_of_group(float mine,
                                    __local float* shared){REDUCED_BY_GROUP(mine, shared, fmax)}

INLINE float least_float_of_group(float mine, __local float* shared) {
  REDUCED_BY_GROUP(mine, shared, fmin)
}
