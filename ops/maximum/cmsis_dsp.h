// Needs the DSP extension. Fast because SSUB8 and SEL compare four elements at once.
#pragma once

#include "maximum.op.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::maximum {

template <class S>
void maximum_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  dsp::for_each_word(s.elements, in.a, in.b, out.y, dsp::max_bytes);
}

}  // namespace opsmith::maximum
