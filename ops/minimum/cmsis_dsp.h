// Needs the DSP extension. Fast because SSUB8 and SEL compare four elements at once.
#pragma once

#include "minimum.op.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::minimum {

template <class S>
void minimum_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  dsp::for_each_word(s.elements, in.a, in.b, out.y, dsp::min_bytes);
}

}  // namespace opsmith::minimum
