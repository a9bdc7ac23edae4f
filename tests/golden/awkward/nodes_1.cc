// Kernel instances of awkward, part 2 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "pad/reference.h"

namespace opsmith::pad {
static_assert(
#line 1 "ops/pad/op.py"
    decltype(fits<ReferenceKernel<Shape, int8_t>>(pad_i8_reference<Shape>))::value,
    "pad_i8_reference is no ReferenceKernel, as pad.op.h declares it");
#line 13 "nodes_1.cc"
}  // namespace opsmith::pad

namespace awkward {

// For t_2.
void pad_0(
    const opsmith::pad::Shape& shape, const opsmith::pad::In<int8_t>& in,
    const opsmith::pad::Out<int8_t>& out) {
  opsmith::pad::pad_i8_reference(shape, in, out);
}

}  // namespace awkward
