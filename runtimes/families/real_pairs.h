// Sums and products of int8 in float32, quantised once, halves to even. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/quantization.h"
#include "runtimes/core/rounding.h"
#include "runtimes/families/binary.h"

namespace opsmith::binary {

// y = F(a, b) of the values that elements stand for; beyond 512 steps every element is an end.
template <class F, class P>
void reals(const P& p, const int8_t* a, const int8_t* b, int8_t* y) {
  for_each_pair(p, a, b, y, [&p](int8_t a_element, int8_t b_element) {
    const float real_a = real_value(a_element, static_cast<float>(p.a_scale), p.a_zero_point);
    const float real_b = real_value(b_element, static_cast<float>(p.b_scale), p.b_zero_point);
    const float steps = F()(real_a, real_b) / static_cast<float>(p.y_scale);
    const float within = steps > 512.0f ? 512.0f : steps > -512.0f ? steps : -512.0f;
    const int32_t element = round_half_even(within) + p.y_zero_point;
    return static_cast<int8_t>(clamp(element, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::binary
