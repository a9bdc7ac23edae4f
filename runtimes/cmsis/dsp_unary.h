// Functions of runtimes/families/unary.h by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/families/unary.h"

namespace opsmith::dsp {

// y[i] = F::of(p, x[i])
template <class F, class P, class X, class Y>
void elements(const P& p, const X* x, Y* y) {
  for (int32_t i = 0; i < p.elements; ++i) {
    y[i] = static_cast<Y>(F::of(p, Word{static_cast<int32_t>(x[i])}).value);
  }
}

}  // namespace opsmith::dsp
