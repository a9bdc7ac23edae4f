// What kernels that call CMSIS-NN share: sizes and parameters in its words. The library is the
// user's (libraries=cmsis_nn=PREFIX); arm_nnfunctions.h is its public header.
#pragma once

#include <stdint.h>

#include "arm_nnfunctions.h"

namespace opsmith::nn {

// The library refuses arguments alone, and these are known at build time: no node can go on.
inline void done(arm_cmsis_nn_status status) {
  if (status != ARM_CMSIS_NN_SUCCESS) __builtin_trap();
}

// The library's parameters are pointers to what it does not change.
inline cmsis_nn_per_channel_quant_params per_channel(const int32_t* multiplier,
                                                     const int32_t* shift) {
  return {const_cast<int32_t*>(multiplier), const_cast<int32_t*>(shift)};
}

inline cmsis_nn_dims vector_of(int32_t channels) { return {1, 1, 1, channels}; }

template <class P>
cmsis_nn_tile stride_of(const P& p) {
  return {p.stride_width, p.stride_height};
}

template <class P>
cmsis_nn_tile padding_of(const P& p) {
  return {p.padding_left, p.padding_top};
}

template <class P>
cmsis_nn_tile dilation_of(const P& p) {
  return {p.dilation_width, p.dilation_height};
}

template <class P>
cmsis_nn_activation activation_of(const P& p) {
  return {p.activation_min, p.activation_max};
}

}  // namespace opsmith::nn
