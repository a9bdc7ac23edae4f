// Needs CMSIS-NN. Fast as that library is.
#pragma once

#include "cmsis/average_pool_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::average_pool_2d::cmsis {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
              const CmsisNnScratch& scratch) {
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_pool_params parameters = {nn::stride_of(p), nn::padding_of(p),
                                           nn::activation_of(p)};
  const cmsis_nn_dims input = {p.batches, p.input_height, p.input_width, p.channels};
  const cmsis_nn_dims window = {1, p.window_height, p.window_width, 1};
  const cmsis_nn_dims output = {p.batches, p.output_height, p.output_width, p.channels};
  nn::done(arm_avgpool_s8(&context, &parameters, &input, in.x, &window, &output, out.y));
}

}  // namespace opsmith::average_pool_2d::cmsis
