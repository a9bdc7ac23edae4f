// Kernel instances of add in awkward.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/affine.h"

namespace awkward {

// For a_b, a_b_2, b_0, b_1, b_2, b_3, a_b_3.
void add_0(
    const opsmith::add::AffinePairs& params, const opsmith::add::In<int8_t>& in,
    const opsmith::add::Out<int8_t>& out) {
  [[maybe_unused]] const auto& p = params;
#line 1 "ops/add/op.py"
  opsmith::affine_pairs(p, in.a, in.b, out.y);
#line 17 "nodes_add.cc"
}

}  // namespace awkward
