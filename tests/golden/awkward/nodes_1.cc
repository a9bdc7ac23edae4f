// Kernel instances of awkward, part 2 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "pad/reference.h"

namespace opsmith::pad {
static_assert(
#line 1 "ops/pad/op.py"
    decltype(fits<ReferenceKernel<Params, int8_t>>(pad_i8_reference<Params>))::value,
    "pad_i8_reference is no ReferenceKernel, as pad.op.h declares it");
#line 13 "nodes_1.cc"
}  // namespace opsmith::pad

namespace awkward {

namespace params {
constexpr opsmith::pad::Params pad_0 = {
    {1, 1, 1, 2, 3},  // x_size
    {1, 1, 1, 3, 5},  // y_size
    {0, 0, 0, 1, 0},  // before
    3,                // value
};
}  // namespace params

// For t_2.
void pad_0(const opsmith::pad::In<int8_t>& in, const opsmith::pad::Out<int8_t>& out) {
  opsmith::pad::pad_i8_reference(opsmith::pad::Static<params::pad_0>{}, in, out);
}

}  // namespace awkward
