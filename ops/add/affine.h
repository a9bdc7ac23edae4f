// Needs nothing. Fast because both rescalings and the sum's are four short multiplications and one
// shift, which the compiler has tried with every pair of elements.
#pragma once

#include "add.op.h"
#include "runtimes/core/affine.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::add {

template <class S>
void add_i8_affine(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](int8_t a, int8_t b) {
    const int32_t sum =
        s.offset + affine_product(a, s.a_multiplier) + affine_product(b, s.b_multiplier);
    return static_cast<int8_t>(clamp(sum >> s.shift, s.activation_min, s.activation_max));
  });
}

}  // namespace opsmith::add
