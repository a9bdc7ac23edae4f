// Needs the DSP extension. Fast because a word has four elements, and SMLAW rescales and adds one
// of them in an instruction. For tensors of one shape.
#pragma once

#include "runtimes/cmsis/affine.h"
#include "sub.op.h"

namespace opsmith::sub {

template <class S>
void sub_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  dsp::add_affine(s, in.a, in.b, out.y, s.size[4]);
}

}  // namespace opsmith::sub
