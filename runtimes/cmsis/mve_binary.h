// Functions of runtimes/families/binary.h by Helium.
#pragma once

#include "runtimes/cmsis/mve_words.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/families/binary.h"

namespace opsmith::mve {

// y = F::of<Y>(p, a, b) of every pair of elements; P has the members that for_each_row wants.
template <class F, class P, class A, class B, class Y>
void pairs(const P& p, const A* a, const B* b, Y* y) {
  opsmith::for_each_row(p, a, b, y, [&p](const A* of_a, const B* of_b, Y* of_y) {
    const auto f = [&p](Words x, Words z) { return F::template of<Y>(p, x, z); };
    if (p.a_stride[4] == 0) {
      const Words x = {vdupq_n_s32(*of_a)};
      for_each_four(p.size[4], of_y, [f, x](Words z) { return f(x, z); }, of_b);
    } else if (p.b_stride[4] == 0) {
      const Words z = {vdupq_n_s32(*of_b)};
      for_each_four(p.size[4], of_y, [f, z](Words x) { return f(x, z); }, of_a);
    } else {
      for_each_four(p.size[4], of_y, f, of_a, of_b);
    }
  });
}

}  // namespace opsmith::mve
