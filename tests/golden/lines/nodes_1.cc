// Kernel instances of lines, part 2 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "add/reference.h"

namespace opsmith::add {
static_assert(
#line 1 "ops/add/op.py"
    decltype(fits<ReferenceKernel<Shape, int8_t>>(add_i8_reference<Shape>))::value,
    "add_i8_reference is no ReferenceKernel, as add.op.h declares it");
#line 13 "nodes_1.cc"
}  // namespace opsmith::add

namespace lines {

namespace shapes {
constexpr opsmith::add::Shape add_0 = {
    {1, 1, 1, 1, 16},  // size
    {0, 0, 0, 0, 1},   // a_stride
    {0, 0, 0, 0, 1},   // b_stride
    5,                 // a_zero_point
    5,                 // b_zero_point
    5,                 // y_zero_point
    1073741824,        // a_multiplier
    0,                 // a_shift
    1073741824,        // b_multiplier
    0,                 // b_shift
    1073741824,        // y_multiplier
    -18,               // y_shift
    5,                 // activation_min
    127,               // activation_max
};
}  // namespace shapes

// For t10.
void add_0(const opsmith::add::In<int8_t>& in, const opsmith::add::Out<int8_t>& out) {
  opsmith::add::add_i8_reference(opsmith::add::Static<shapes::add_0>{}, in, out);
}

}  // namespace lines
