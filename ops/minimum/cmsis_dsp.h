// Needs the DSP extension. Fast because SSUB8 and SEL compare four elements at once.
#pragma once

#include "minimum.op.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::minimum {

template <class P>
void minimum_i8_cmsis_dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_row(p, in.a, in.b, out.y, [&p](const int8_t* a, const int8_t* b, int8_t* y) {
    dsp::for_each_word(p.size[4], a, b, y, dsp::min_bytes);
  });
}

}  // namespace opsmith::minimum
