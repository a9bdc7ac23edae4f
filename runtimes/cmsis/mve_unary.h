// Functions of runtimes/families/unary.h by Helium.
#pragma once

#include "runtimes/cmsis/mve_words.h"
#include "runtimes/families/unary.h"

namespace opsmith::mve {

// y[i] = F::of(p, x[i])
template <class F, class P, class X, class Y>
void elements(const P& p, const X* x, Y* y) {
  for_each_four(p.elements, y, [&p](Words each) { return F::of(p, each); }, x);
}

}  // namespace opsmith::mve
