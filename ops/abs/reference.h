// Abs of integers, the definition; the least int32 stays.
#pragma once

#include "abs.op.h"
#include "runtimes/core/requantize.h"
#include "runtimes/families/unary.h"

namespace opsmith::abs {

template <class P>
void reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  unary::of_each(p, in.x, out.y, [](int32_t x) {
    return x < 0 ? static_cast<int32_t>(0u - static_cast<uint32_t>(x)) : x;
  });
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  unary::of_each(p, in.x, out.y,
                 [&p](int32_t x) { return static_cast<int16_t>(requantize(p, x < 0 ? -x : x)); });
}

}  // namespace opsmith::abs
