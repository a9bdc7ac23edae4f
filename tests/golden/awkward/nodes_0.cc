// Kernel instances of awkward, part 1 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "add/reference.h"

namespace opsmith::add {
static_assert(
#line 1 "ops/add/op.py"
    decltype(fits<ReferenceKernel<Shape, int8_t>>(add_i8_reference<Shape>))::value,
    "add_i8_reference is no ReferenceKernel, as add.op.h declares it");
#line 13 "nodes_0.cc"
}  // namespace opsmith::add

namespace awkward {

// For a_b, a_b_3.
void add_0(
    const opsmith::add::Shape& shape, const opsmith::add::In<int8_t>& in,
    const opsmith::add::Out<int8_t>& out) {
  opsmith::add::add_i8_reference(shape, in, out);
}

}  // namespace awkward
