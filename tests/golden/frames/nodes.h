// Kernel instances and constants of frames.
#pragma once

#include "conv_2d.op.h"

namespace frames {

void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::PlainTables& tables, const opsmith::conv_2d::PlainScratch& scratch);
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::PlainTables& tables, const opsmith::conv_2d::PlainScratch& scratch);

extern const int8_t t3_filter[96] asm("frames_t3_filter");
extern const int32_t t3_requantization[32] asm("frames_t3_requantization");
extern const int8_t t6_filter[32] asm("frames_t6_filter");
extern const int32_t t6_requantization[16] asm("frames_t6_requantization");

}  // namespace frames
