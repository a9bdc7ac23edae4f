// Real average pool, the definition: means of what the elements stand for, halves to even.
#pragma once

#include "real_average_pool_2d.op.h"
#include "runtimes/core/even_quotient.h"
#include "runtimes/families/pooling.h"

namespace opsmith::real_average_pool_2d {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto add = [&p](int32_t sum, int8_t x) { return sum + x - p.zero_point; };
  const int8_t* x = in.x;
  pool(p, x, static_cast<int8_t*>(out.y), int32_t{0}, add, [&p](int32_t sum, int32_t count) {
    return static_cast<int8_t>(even_quotient(sum, count) + p.zero_point);
  });
}

}  // namespace opsmith::real_average_pool_2d
