// Quantize of float32, the definition (quantize.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "quantize.op.h"
#include "runtimes/core/quantization.h"

namespace opsmith::quantize {

// Numbers beyond 2^31 scales saturate and NaN becomes the least element. There TFLite converts to
// int32_t out of range, which is undefined; its builds for x86 give either end.
template <class P, class Y>
void reference(const P& p, const In<float, Y>& in, const Out<float, Y>& out) {
  const float scale = static_cast<float>(p.y_scale);
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = nearest_element<Y>(in.x[i], scale, p.y_zero_point, p.y_min, p.y_max);
  }
}

}  // namespace opsmith::quantize
