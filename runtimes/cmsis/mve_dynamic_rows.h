// Rows of quantised floats by rows of int8 weights, whose sums become floats, by Helium. Fast
// because each vector of inputs that is loaded serves four channels, whose sums become floats
// together.
#pragma once

#include "runtimes/cmsis/mve_dynamic_range.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::mve {

// The inputs of a row: those before its first whole vector, or 0: 16, and the vectors after them.
struct Steps {
  int32_t tail, full;
};

// All outputs of a row within bounds. put(x) is the activation, of rows that are not is_normal().
template <class Put>
inline void row_of_reals(const RealBounds& bounds, const DynamicRange& range, const int8_t* x,
                         const Steps& steps, const int8_t* weights, const RealFour* constants,
                         int32_t channels, float* y, Put put) {
  const bool normal = is_normal(bounds, range);
  for (int32_t c = 0; c < channels; c += 4) {
    int32x4_t sums;
    weights = dot_products(x, weights, steps.tail, steps.full, sums);
    if (normal) sums = reals_of_four(bounds, range, constants[c / 4], sums);
    vstrwq_p_s32(reinterpret_cast<int32_t*>(y + c), sums,
                 vctp32q(static_cast<uint32_t>(channels - c)));
  }
  if (!normal) slow_reals<false>(range, constants, 1, channels, y, put);
}

}  // namespace opsmith::mve
