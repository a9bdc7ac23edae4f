// Needs CMSIS-NN. Fast as that library is; what it adds up of the weights at run
// time is a table here. Not exact for every node: fully_connected.py says when.
#pragma once

#include "cmsis/fully_connected.op.h"
#include "runtimes/cmsis/nn.h"

namespace opsmith::fully_connected::cmsis {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const NnTables& tables) {
  const cmsis_nn_context context = {const_cast<int32_t*>(tables.sums), 0};
  const cmsis_nn_fc_params parameters = {-p.input_zero_point, 0, p.output_zero_point,
                                         nn::activation_of(p)};
  const cmsis_nn_quant_params scales = {const_cast<int32_t*>(tables.multiplier),
                                        const_cast<int32_t*>(tables.shift), p.per_channel};
  const cmsis_nn_dims input = {p.rows, 1, 1, p.depth};
  const cmsis_nn_dims filter = {p.depth, 1, 1, p.channels};
  const cmsis_nn_dims bias = nn::vector_of(p.channels);
  const cmsis_nn_dims output = {p.rows, 1, 1, p.channels};
  nn::done(arm_fully_connected_wrapper_s8(&context, &parameters, &scales, &input, in.x, &filter,
                                          tables.weights, &bias, tables.bias, &output, out.y));
}

}  // namespace opsmith::fully_connected::cmsis
