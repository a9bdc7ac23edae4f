// Needs CMSIS-NN. Fast as that library is: four elements at a time.
#pragma once

#include "cmsis/add.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::add::cmsis {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  nn::done(arm_elementwise_add_s8(in.a, in.b, -p.a_zero_point, p.a_multiplier, p.a_shift,
                                  -p.b_zero_point, p.b_multiplier, p.b_shift, p.left_shift, out.y,
                                  p.y_zero_point, p.y_multiplier, p.y_shift, p.activation_min,
                                  p.activation_max, p.elements));
}

}  // namespace opsmith::add::cmsis
