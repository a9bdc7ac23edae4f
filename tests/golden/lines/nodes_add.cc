// Kernel instances of add in lines.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/affine.h"

namespace lines {

namespace params {
constexpr opsmith::add::AffinePairs add_0 = {
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
  [[maybe_unused]] const auto& p = opsmith::add::StaticAffinePairs<params::add_0>{};
#line 1 "ops/add/op.py"
  opsmith::affine_pairs(p, in.a, in.b, out.y);
#line 29 "nodes_add.cc"
}

}  // namespace lines
