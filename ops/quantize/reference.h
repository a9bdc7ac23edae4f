// Quantize, the definition (quantize.h and requantize.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "quantize.op.h"
#include "runtimes/core/quantization.h"
#include "runtimes/core/requantize.h"

namespace opsmith::quantize {

// Numbers beyond 2^31 scales saturate and NaN becomes the least element. There TFLite converts to
// int32_t out of range, which is undefined; its builds for x86 give either end.
template <class P>
void quantize_f32_i8_reference(const P& p, const In<float, int8_t>& in,
                               const Out<float, int8_t>& out) {
  const float scale = static_cast<float>(p.y_scale);
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = nearest_element<int8_t>(in.x[i], scale, p.y_zero_point, p.y_min, p.y_max);
  }
}

template <class P>
void quantize_i8_i8_reference(const P& p, const In<int8_t, int8_t>& in,
                              const Out<int8_t, int8_t>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = static_cast<int8_t>(requantize(p, in.x[i]));
  }
}

}  // namespace opsmith::quantize
