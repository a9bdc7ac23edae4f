// Needs CMSIS-NN (cmsis_nn=PREFIX). Fast as that library is: four elements at a time.
#pragma once

#include "add.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::add {

template <class S>
void add_i8_cmsis_nn(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  constexpr int32_t kLeftShift = 20;  // bits of headroom that op.py chose the multipliers for
  int32_t elements = 1;
  for (int32_t axis = 0; axis < 5; ++axis) elements *= s.size[axis];
  nn::done(arm_elementwise_add_s8(in.a, in.b, -s.a_zero_point, s.a_multiplier, s.a_shift,
                                  -s.b_zero_point, s.b_multiplier, s.b_shift, kLeftShift, out.y,
                                  s.y_zero_point, s.y_multiplier, s.y_shift, s.activation_min,
                                  s.activation_max, elements));
}

}  // namespace opsmith::add
