// Kernel instances of awkward, part 2 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "pad/reference.h"

namespace opsmith::pad {
static_assert(
#line 1 "ops/pad/op.py"
    decltype(is_as_declared<void(const Params&, const In<void>&, const Out<void>&)>(reference<Params>))::value,
    "reference.h does not define what pad.op.h declares");
#line 13 "nodes_1.cc"
}  // namespace opsmith::pad

namespace awkward {

namespace params {
constexpr opsmith::pad::Params pad_0 = {
    {1, 1, 1, 2, 3},  // x_size
    {1, 1, 1, 3, 5},  // y_size
    {0, 0, 0, 1, 0},  // before
    1,                // unit
    {3, 0},           // value
};
}  // namespace params

// For t_2.
void pad_0(const opsmith::pad::In<void>& in, const opsmith::pad::Out<void>& out) {
  opsmith::pad::reference(opsmith::pad::Static<params::pad_0>{}, in, out);
}

}  // namespace awkward
