// Kernel instances and constants of classifier.
#pragma once

#include "conv_2d.op.h"
#include "dequantize.op.h"
#include "quantize.op.h"

namespace classifier {

void quantize_0(
    const opsmith::quantize::In<float, int8_t>& in,
    const opsmith::quantize::Out<float, int8_t>& out);
void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void dequantize_0(
    const opsmith::dequantize::In<int8_t>& in, const opsmith::dequantize::Out<int8_t>& out);

extern const int8_t conv1_out_filter[36] asm("classifier.conv1_out_filter");
extern const int32_t conv1_out_bias[2] asm("classifier.conv1_out_bias");
extern const int32_t conv1_out_multiplier[2] asm("classifier.conv1_out_multiplier");
extern const int8_t conv1_out_shift[2] asm("classifier.conv1_out_shift");
extern const int8_t conv2_out_filter[36] asm("classifier.conv2_out_filter");
extern const int32_t conv2_out_bias[2] asm("classifier.conv2_out_bias");

}  // namespace classifier
