// Needs the DSP extension. Fast as one_division.h, and because SSAT and USAT clamp.
#pragma once

#include "ops/div/one_division.h"
#include "runtimes/cmsis/dsp_words.h"

namespace opsmith::div {

template <class P, class T>
void dsp_one_division(const P& p, const In<T>& in, const Out<T>& out) {
  divide(p, in.a, in.b, out.y,
         [&p](int32_t y) { return clamp(dsp::Word{y}, p.activation_min, p.activation_max).value; });
}

}  // namespace opsmith::div
