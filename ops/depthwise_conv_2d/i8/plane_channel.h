// The constants of a channel, for kernels that copy a channel into a plane and then compute all of
// its outputs.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/high_product.h"

namespace opsmith::depthwise_conv_2d::i8 {
namespace planes {

// Calls output(outputs, constants) for channel c; corrects its exceptions by correct(the first),
// which returns the next channel's.
template <class P, class F, class G>
void output_channel(const P& p, const int32_t* table, int32_t c,
                    [[maybe_unused]] const Exception*& e, F output, [[maybe_unused]] G correct) {
  const auto o = sum_outputs(p);
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    if (const Rounding* own = own_of(p, table, c)) return output(o, *own);
  }
  if (p.right_shift != 0) {
    output(static_cast<const SumOutputs&>(o), reinterpret_cast<const Threshold*>(table)[c]);
  } else {
    output(static_cast<const SumOutputs&>(o), reinterpret_cast<const Rounding*>(table)[c]);
  }
  if constexpr (is_listed(static_cast<const P*>(nullptr))) {
    if (e->channel() == c) e = correct(e);
  }
}

}  // namespace planes
}  // namespace opsmith::depthwise_conv_2d::i8
