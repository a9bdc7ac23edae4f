// Needs the DSP extension. Fast because SSUB8 and SEL compare four bytes or two halfwords at once.
#pragma once

#include "maximum.op.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::maximum {

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_row(p, in.a, in.b, out.y, [&p](const T* a, const T* b, T* y) {
    dsp::for_each_word(p.size[4], a, b, y, dsp::larger_of<T>);
  });
}

}  // namespace opsmith::maximum
