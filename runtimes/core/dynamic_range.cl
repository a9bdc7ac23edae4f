// Floats quantised at run time by their range: dynamic_range.h in OpenCL C. A group of work-items
// finds the range; each quantises what it reads.
#include "runtimes/core/binary64.cl"
#include "runtimes/core/division.cl"
#include "runtimes/core/groups.cl"
#include "runtimes/core/rounding.cl"

// What quantised elements mean, (q - zero_point) * scale, and how they are made.
typedef struct {
  float scale;
  float inverse;  // of the scale
  int zero_point;
  int least;
} DynamicRange;

// x as an element without its zero point; what is not finite is the least.
INLINE int dynamic_element(const DynamicRange range, float x) {
  const float scaled = x * range.inverse;
  const bool finite = scaled > -256.0f && scaled < 256.0f;
  const int q = finite ? round_half_away(scaled) + range.zero_point : range.least;
  return clamp(q, range.least, 127) - range.zero_point;
}

// The zero point of a range that is not a single number: of the two that its ends ask for, that
// whose end is farther away.
INLINE int dynamic_zero_point(float least, float greatest) {
  const float width = greatest - least;
  if (isinf(width)) return isinf(greatest) ? -128 : 127;
  const ulong step = quotient64(from_float64(width), from_int64(255));
  const ulong low = quotient64(from_float64(least), step);
  const ulong high = quotient64(from_float64(greatest), step);
  const ulong below = difference64(from_int64(128), low);
  const ulong above = sum64(from_int64(127), high);
  const ulong exact = less64(below, above) ? difference64(from_int64(-128), low)
                                           : difference64(from_int64(127), high);
  return clamp(round_half_away64(exact), -128, 127);
}

// Elements from -128 to 127, of which one is exactly 0.
INLINE void asymmetric_range(float least, float greatest, DynamicRange* range) {
  const bool zero = least == greatest;
  range->scale = zero ? 1 : divided(greatest - least, 255);
  range->inverse = range->scale == 0 ? 0 : divided(1, range->scale);
  range->zero_point = zero ? 0 : dynamic_zero_point(least, greatest);
  range->least = -128;
}

// Elements from -127 to 127, with zero point 0.
INLINE void symmetric_range(float least, float greatest, DynamicRange* range) {
  const float largest = -least > greatest ? -least : greatest;
  range->scale = largest == 0 ? 1 : divided(largest, 127);
  range->inverse = largest == 0 ? 0 : divided(127, largest);
  range->zero_point = 0;
  range->least = -127;
}

// The range of 0 and every `step`-th of some floats, for all work-items of a group; NaN does not
// count.
INLINE void range_of_every(int step, const __global float* x, int size, bool asymmetric,
                           __local float* shared, DynamicRange* range) {
  float low = 0;
  float high = 0;
  for (int i = get_local_id(0); i < size; i += get_local_size(0)) {
    const float each = x[i * step];
    if (each < low) low = each;
    if (each > high) high = each;
  }
  low = least_float_of_group(low, shared);
  high = largest_float_of_group(high, shared);
  if (asymmetric) {
    asymmetric_range(low, high, range);
  } else {
    symmetric_range(low, high, range);
  }
}

INLINE void range_of(const __global float* x, int size, bool asymmetric, __local float* shared,
                     DynamicRange* range) {
  range_of_every(1, x, size, asymmetric, shared, range);
}

// Finds that range and quantises the floats, `size` of them, for all work-items of a group.
INLINE void quantise_every(int step, const __global float* x, int size, bool asymmetric,
                           __local float* shared, DynamicRange* range, __global int8_t* elements) {
  range_of_every(step, x, size, asymmetric, shared, range);
  for (int i = get_local_id(0); i < size; i += get_local_size(0)) {
    elements[i] = (int8_t)(dynamic_element(*range, x[i * step]) + range->zero_point);
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// Whether all of some floats are 0, for all work-items of a group.
INLINE bool all_zero(const __global float* x, int size, __local float* shared) {
  bool zero = true;
  for (int i = get_local_id(0); i < size; i += get_local_size(0)) zero = zero && x[i] == 0;
  return largest_float_of_group(zero ? 0 : 1, shared) == 0;
}
