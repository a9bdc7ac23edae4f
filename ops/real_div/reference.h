// Real div, the definition.
#pragma once

#include "real_div.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/quantization.h"
#include "runtimes/core/rounding.h"

namespace opsmith::real_div {

template <class P>
float steps(const P& p, float a, float b) {
  if (!p.of_elements) return a / b / static_cast<float>(p.y_scale);
  return b != 0.0f ? a / b * static_cast<float>(p.y_scale) : 0.0f;
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const int8_t *a = in.a, *b = in.b;
  int8_t* y = out.y;
  for_each_pair(p, a, b, y, [&p](int8_t a_element, int8_t b_element) {
    const float real_a = real_value(a_element, static_cast<float>(p.a_scale), p.a_zero_point);
    const float real_b = real_value(b_element, static_cast<float>(p.b_scale), p.b_zero_point);
    const float found = steps(p, real_a, real_b);
    const float within = found > 512.0f ? 512.0f : found > -512.0f ? found : -512.0f;
    const int32_t element = round_half_even(within) + p.y_zero_point;
    return static_cast<int8_t>(clamp(element, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::real_div
