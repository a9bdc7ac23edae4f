// Needs Helium. Fast because VADDVA adds sixteen neighbours, and SMMLAR rescales their sum. For
// means of neighbours, whose sums are shifted to the right.
#pragma once

#include "mean.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/cmsis/rescaled_runs.h"

namespace opsmith::mean {

template <class P>
void mve_runs(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto sum_of = [](const int8_t* x, int32_t size) { return mve::sum_of(x, size); };
  dsp::rescaled_runs(p, p.output_zero_point, in.x, out.y, sum_of);
}

}  // namespace opsmith::mean
