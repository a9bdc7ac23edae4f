// Indices that are computed at run time.

// Number i of a tensor of int16, int32 or int64, of which each has `width` bytes, brought into 0 to
// size - 1. Where TFLite fails at run time, firmware has the nearest position.
INLINE int index_within(const __global void* indices, int width, int i, int size) {
  const long found = width == 8   ? ((const __global long*)indices)[i]
                     : width == 4 ? ((const __global int*)indices)[i]
                                  : ((const __global short*)indices)[i];
  return (int)clamp(found, 0L, (long)size - 1);
}
