// NonMaxSuppressionV5, the definition (tensorflow/lite/kernels/non_max_suppression.cc).
#pragma once

#include "non_max_suppression_v5.op.h"
#include "runtimes/families/non_max_suppression.h"

namespace opsmith::non_max_suppression_v5 {

template <class P>
void reference(const P& p, const In& in, const Out& out, const Tables& tables,
               const ReferenceScratch& scratch) {
  const suppression::Limits limits{tables.limits[0], tables.limits[1], tables.limits[2]};
  const suppression::Places places{scratch.heap, scratch.falling, scratch.compared};
  const int32_t found = suppression::choose(in.boxes, in.scores, p.boxes, p.most, limits, places,
                                            out.chosen, out.best);
  for (int32_t i = found; i < p.most; ++i) {
    out.chosen[i] = 0;
    out.best[i] = 0;
  }
  out.count[0] = found;
}

}  // namespace opsmith::non_max_suppression_v5
