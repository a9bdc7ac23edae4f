// Functions of runtimes/families/binary.h by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/families/binary.h"

namespace opsmith::dsp {

// y = F::of<T>(p, a, b) of every pair of elements.
template <class F, class P, class T>
void pairs(const P& p, const T* a, const T* b, T* y) {
  for_each_pair(p, a, b, y, [&p](int32_t of_a, int32_t of_b) {
    return static_cast<T>(F::template of<T>(p, Word{of_a}, Word{of_b}).value);
  });
}

}  // namespace opsmith::dsp
