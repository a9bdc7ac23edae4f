// Real mean, the definition: of what the elements stand for, rounded once. Where a sum makes
// another element is found when the model is built.
#pragma once

#include "real_mean.op.h"
#include "runtimes/families/reduction.h"

namespace opsmith::real_mean {

inline constexpr int32_t kSteps = 256;  // elements that y can be

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  reduction::for_each_element(p, in.x, out.y, [&p, &tables](const int8_t* x) {
    int32_t sum = -p.zero_point_sum;
    reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
    int32_t reached = 0;  // steps, in rising order
    for (int32_t more = kSteps / 2; more > 0; more /= 2) {
      if (sum >= tables.steps[reached + more - 1]) reached += more;
    }
    return static_cast<int8_t>(reached + INT8_MIN);
  });
}

}  // namespace opsmith::real_mean
