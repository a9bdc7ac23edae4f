// Needs CMSIS-NN (cmsis_nn=PREFIX). Fast as that library is: its wrapper takes the best of its
// depthwise convolutions for this geometry.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::depthwise_conv_2d {

template <class S>
void depthwise_conv_2d_i8_cmsis_nn(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                   const NnTables& tables, const CmsisNnScratch& scratch) {
  const int32_t channels = s.input_channels * s.channel_multiplier;
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_dw_conv_params parameters = {
      -s.input_zero_point, s.output_zero_point, s.channel_multiplier, nn::stride_of(s),
      nn::padding_of(s),   nn::dilation_of(s),  nn::activation_of(s)};
  const cmsis_nn_per_channel_quant_params scales = nn::per_channel(tables.multiplier, tables.shift);
  const cmsis_nn_dims input = {s.batches, s.input_height, s.input_width, s.input_channels};
  const cmsis_nn_dims filter = {1, s.filter_height, s.filter_width, channels};
  const cmsis_nn_dims bias = nn::vector_of(channels);
  const cmsis_nn_dims output = {s.batches, s.output_height, s.output_width, channels};
  nn::done(arm_depthwise_conv_wrapper_s8(&context, &parameters, &scales, &input, in.x, &filter,
                                         tables.filter, &bias, tables.bias, &output, out.y));
}

}  // namespace opsmith::depthwise_conv_2d
