// Needs CMSIS-NN (cmsis_nn=PREFIX). Fast as that library is: its wrapper takes the best of its
// convolutions for this geometry.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::conv_2d {

template <class S>
void conv_2d_i8_cmsis_nn(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                         const NnTables& tables, const CmsisNnScratch& scratch) {
  const cmsis_nn_context context = {scratch.buffer, 0};
  const cmsis_nn_conv_params parameters = {-s.input_zero_point, s.output_zero_point,
                                           nn::stride_of(s),    nn::padding_of(s),
                                           nn::dilation_of(s),  nn::activation_of(s)};
  const cmsis_nn_per_channel_quant_params scales = nn::per_channel(tables.multiplier, tables.shift);
  const cmsis_nn_dims input = {s.batches, s.input_height, s.input_width, s.input_channels};
  const cmsis_nn_dims filter = {s.output_channels, s.filter_height, s.filter_width,
                                s.filter_channels};
  const cmsis_nn_dims bias = nn::vector_of(s.output_channels);
  const cmsis_nn_dims output = {s.batches, s.output_height, s.output_width, s.output_channels};
  nn::done(arm_convolve_wrapper_s8(&context, &parameters, &scales, &input, in.x, &filter,
                                   tables.filter, &bias, tables.bias, &output, out.y));
}

}  // namespace opsmith::conv_2d
