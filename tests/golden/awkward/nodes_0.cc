// Kernel instances of awkward, part 1 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "add/affine.h"

namespace opsmith::add {
static_assert(
#line 1 "ops/add/op.py"
    decltype(fits<AffineKernel<AffinePair, int8_t>>(add_i8_affine<AffinePair>))::value,
    "add_i8_affine is no AffineKernel, as add.op.h declares it");
#line 13 "nodes_0.cc"
}  // namespace opsmith::add

namespace awkward {

// For a_b, a_b_2, a_b_3.
void add_0(
    const opsmith::add::AffinePair& params, const opsmith::add::In<int8_t>& in,
    const opsmith::add::Out<int8_t>& out) {
  opsmith::add::add_i8_affine(params, in, out);
}

}  // namespace awkward
