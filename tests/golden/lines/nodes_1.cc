// Kernel instances of lines, part 2 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "add/affine.h"

namespace opsmith::add {
static_assert(
#line 1 "ops/add/op.py"
    decltype(fits<AffineKernel<AffinePair, int8_t>>(add_i8_affine<AffinePair>))::value,
    "add_i8_affine is no AffineKernel, as add.op.h declares it");
#line 13 "nodes_1.cc"
}  // namespace opsmith::add

namespace lines {

namespace params {
constexpr opsmith::add::AffinePair add_0 = {
    {1, 1, 1, 1, 16},  // size
    {0, 0, 0, 0, 1},   // a_stride
    {0, 0, 0, 0, 1},   // b_stride
    268435456,         // a_multiplier
    268435456,         // b_multiplier
    -4718593,          // offset
    20,                // shift
    5,                 // activation_min
    127,               // activation_max
};
}  // namespace params

// For t10.
void add_0(const opsmith::add::In<int8_t>& in, const opsmith::add::Out<int8_t>& out) {
  opsmith::add::add_i8_affine(opsmith::add::StaticAffinePair<params::add_0>{}, in, out);
}

}  // namespace lines
