// Needs CMSIS-NN. Fast as that library is: its wrapper takes the best of its
// convolutions for this geometry.
#pragma once

#include "cmsis/conv_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::conv_2d::cmsis {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const NnTables& tables,
              const CmsisNnScratch& scratch) {
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_conv_params parameters = {-p.input_zero_point, p.output_zero_point,
                                           nn::stride_of(p),    nn::padding_of(p),
                                           nn::dilation_of(p),  nn::activation_of(p)};
  const cmsis_nn_per_channel_quant_params scales = nn::per_channel(tables.multiplier, tables.shift);
  const cmsis_nn_dims input = {p.batches, p.input_height, p.input_width, p.input_channels};
  const cmsis_nn_dims filter = {p.output_channels, p.filter_height, p.filter_width,
                                p.filter_channels};
  const cmsis_nn_dims bias = nn::vector_of(p.output_channels);
  const cmsis_nn_dims output = {p.batches, p.output_height, p.output_width, p.output_channels};
  nn::done(arm_convolve_wrapper_s8(&context, &parameters, &scales, &input, in.x, &filter,
                                   tables.filter, &bias, tables.bias, &output, out.y));
}

}  // namespace opsmith::conv_2d::cmsis
