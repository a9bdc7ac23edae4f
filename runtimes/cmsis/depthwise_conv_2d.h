// Needs CMSIS-NN. Fast as that library is: its wrapper takes the best of its
// depthwise convolutions for this geometry.
#pragma once

#include "cmsis/depthwise_conv_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::depthwise_conv_2d::cmsis {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const NnTables& tables,
              const CmsisNnScratch& scratch) {
  const int32_t channels = p.output_channels;
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_dw_conv_params parameters = {
      -p.input_zero_point, p.output_zero_point, channels / p.input_channels, nn::stride_of(p),
      nn::padding_of(p),   nn::dilation_of(p),  nn::activation_of(p)};
  const cmsis_nn_per_channel_quant_params scales = nn::per_channel(tables.multiplier, tables.shift);
  const cmsis_nn_dims input = {p.batches, p.input_height, p.input_width, p.input_channels};
  const cmsis_nn_dims filter = {1, p.filter_height, p.filter_width, channels};
  const cmsis_nn_dims bias = nn::vector_of(channels);
  const cmsis_nn_dims output = {p.batches, p.output_height, p.output_width, channels};
  nn::done(arm_depthwise_conv_wrapper_s8(&context, &parameters, &scales, &input, in.x, &filter,
                                         tables.filter, &bias, tables.bias, &output, out.y));
}

}  // namespace opsmith::depthwise_conv_2d::cmsis
