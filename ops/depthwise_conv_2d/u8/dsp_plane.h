// Needs the DSP extension. Fast as the kernel of int8 is: a channel is copied into a plane with its
// border, as int8, 128 less, and weights lose their zero point where they become halfwords, once
// for each channel. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/dsp_planes.h"

namespace opsmith::depthwise_conv_2d::u8 {

template <class P>
void dsp_plane(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out,
               const DspPlaneTables& tables, const DspPlaneScratch& scratch) {
  const auto weights = [&](const uint8_t* bytes) {
    return dsp::unpacked_3x3(bytes, p.filter_zero_point);
  };
  all_planes<0x80808080>(p, in, out, tables, scratch, weights);
}

}  // namespace opsmith::depthwise_conv_2d::u8
