// Rows of int8 by eight rows of weights, as dsp_rows.h multiplies them, whose outputs are float32.
#pragma once

#include "runtimes/cmsis/dsp_real_outputs.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::dsp {

// Params of weights that all fit in pairs.
struct AllPaired {};

// Constants of a channel: dsp_dynamic_range.py.
struct RealRow : RealChannel {
  int32_t added;  // by which sums exceed those of products
};

// No activation.
struct AsItIs {
  float operator()(float x) const { return x; }
};

// All outputs of a row of N inputs, whole words, of which the sums of each `part` fit 24 bits;
// `parts` has room for a sum of each. activated() takes a sum with its bias.
template <class Activated>
__attribute__((noinline)) void row_of_reals(const RealOutputs& outputs, const int8_t* x,
                                            int32_t inputs, int32_t part, const int8_t* packed,
                                            const RealRow* channel, int32_t channels,
                                            int32_t* parts, float* y, Activated activated) {
  const RealOutputs o = outputs;
  const auto* weights = reinterpret_cast<const uint32_t*>(packed);
  int32_t whole;
  const int32_t* products = neighbours_of_parts(x, inputs, part, whole, parts);
  for (int32_t left = channels; left > 0; left -= 8) {
    int32_t sums[8];
    weights = eight_sums(AllPaired{}, x, inputs, part, products, weights, sums);
    float* const end = y + (left < 8 ? left : 8);
    for (const int32_t* sum = sums; y != end; ++sum, ++channel, ++y) {
      const int32_t products_alone = *sum - channel->added - o.zero_point * channel->weights;
      const float real = static_cast<float>(products_alone);
      *y = activated(real * (channel->scale * o.of_scales) * o.of_sums + channel->bias);
    }
  }
}

}  // namespace opsmith::dsp
