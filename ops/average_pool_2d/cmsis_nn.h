// Needs CMSIS-NN (cmsis_nn=PREFIX). Fast as that library is.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::average_pool_2d {

template <class S>
void average_pool_2d_i8_cmsis_nn(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                 const CmsisNnScratch& scratch) {
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_pool_params parameters = {nn::stride_of(s), nn::padding_of(s),
                                           nn::activation_of(s)};
  const cmsis_nn_dims input = {s.batches, s.input_height, s.input_width, s.channels};
  const cmsis_nn_dims window = {1, s.window_height, s.window_width, 1};
  const cmsis_nn_dims output = {s.batches, s.output_height, s.output_width, s.channels};
  nn::done(arm_avgpool_s8(&context, &parameters, &input, in.x, &window, &output, out.y));
}

}  // namespace opsmith::average_pool_2d
