// Needs the DSP extension. Fast because a word has four elements, and SMLAW rescales and adds one
// of them in an instruction. For rows of neighbours.
#pragma once

#include "runtimes/cmsis/affine.h"
#include "runtimes/core/broadcast.h"
#include "sub.op.h"

namespace opsmith::sub {

template <class P>
void sub_i8_cmsis_dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_row(p, in.a, in.b, out.y,
               [&p](const int8_t* a, const int8_t* b, int8_t* y) { dsp::add_affine(p, a, b, y); });
}

}  // namespace opsmith::sub
