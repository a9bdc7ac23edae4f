// What kernels that call CMSIS-NN share: sizes and parameters in its words. The library is the
// user's (cmsis_nn=PREFIX); arm_nnfunctions.h is its public header.
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

template <class S>
cmsis_nn_tile stride_of(const S& s) {
  return {s.stride_width, s.stride_height};
}

template <class S>
cmsis_nn_tile padding_of(const S& s) {
  return {s.padding_left, s.padding_top};
}

template <class S>
cmsis_nn_tile dilation_of(const S& s) {
  return {s.dilation_width, s.dilation_height};
}

template <class S>
cmsis_nn_activation activation_of(const S& s) {
  return {s.activation_min, s.activation_max};
}

}  // namespace opsmith::nn
