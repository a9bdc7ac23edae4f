// FakeQuant, the definition (FakeQuantizeArray of tensorflow/lite/kernels/internal).
#pragma once

#include "fake_quant.op.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fake_quant {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  const float least = static_cast<float>(p.least), greatest = static_cast<float>(p.greatest);
  const float step = static_cast<float>(p.step);
  const float steps = 1.0f / step;
  for (int32_t i = 0; i < p.elements; ++i) {
    const float x = least < in.x[i] ? in.x[i] : least;
    const float within = x < greatest ? x : greatest;
    out.y[i] = static_cast<float>(round_half_away((within - least) * steps)) * step + least;
  }
}

}  // namespace opsmith::fake_quant
