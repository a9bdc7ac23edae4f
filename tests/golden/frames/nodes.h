// Kernel instances and constants of frames.
#pragma once

#include "conv_2d.op.h"

namespace frames {

void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);

extern const int8_t t3_filter[96] asm("frames.t3_filter");
extern const int32_t t3_bias[8] asm("frames.t3_bias");
extern const int32_t t3_multiplier[8] asm("frames.t3_multiplier");
extern const int8_t t3_shift[8] asm("frames.t3_shift");
extern const int8_t t6_filter[32] asm("frames.t6_filter");
extern const int32_t t6_bias[4] asm("frames.t6_bias");
extern const int32_t t6_multiplier[4] asm("frames.t6_multiplier");
extern const int8_t t6_shift[4] asm("frames.t6_shift");

}  // namespace frames
