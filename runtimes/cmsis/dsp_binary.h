// Functions of runtimes/families/binary.h by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/families/binary.h"

namespace opsmith::dsp {

// y = F::of<T>(p, a, b) of every pair of elements. One that repeats along a row is read once, and
// so is what F makes of it alone.
template <class F, class P, class T>
void pairs(const P& p, const T* a, const T* b, T* y) {
  const auto element = [&p](int32_t of_a, int32_t of_b) {
    return static_cast<T>(F::template of<T>(p, Word{of_a}, Word{of_b}).value);
  };
  for_each_row(p, a, b, y, [&p, element](const T* of_a, const T* of_b, T* of_y) {
    const int32_t size = p.size[4], step_a = p.a_stride[4], step_b = p.b_stride[4];
    if (step_a == 0) {
      const int32_t repeated = *of_a;
      for (int32_t i = 0; i < size; ++i) of_y[i] = element(repeated, of_b[i * step_b]);
    } else if (step_b == 0) {
      const int32_t repeated = *of_b;
      for (int32_t i = 0; i < size; ++i) of_y[i] = element(of_a[i * step_a], repeated);
    } else {
      for (int32_t i = 0; i < size; ++i) of_y[i] = element(of_a[i * step_a], of_b[i * step_b]);
    }
  });
}

}  // namespace opsmith::dsp
