// Kernel instances of classifier, part 3 of 4.
#include "nodes.h"

#include "runtimes/core/kernel_contract.h"
#include "quantize/reference.h"

namespace opsmith::quantize {
static_assert(
#line 1 "ops/quantize/op.py"
    decltype(fits<ReferenceKernel<Params, float, int8_t>>(quantize_f32_i8_reference<Params>))::value,
    "quantize_f32_i8_reference is no ReferenceKernel, as quantize.op.h declares it");
#line 13 "nodes_2.cc"
}  // namespace opsmith::quantize

namespace classifier {

namespace params {
constexpr opsmith::quantize::Params quantize_0 = {
    128,                  // elements
    0,                    // x_zero_point
    -3,                   // y_zero_point
    0.05000000074505806,  // y_scale
    0,                    // multiplier
    0,                    // shift
    -128,                 // y_min
    127,                  // y_max
};
}  // namespace params

// For image_2.
void quantize_0(
    const opsmith::quantize::In<float, int8_t>& in,
    const opsmith::quantize::Out<float, int8_t>& out) {
  opsmith::quantize::quantize_f32_i8_reference(
      opsmith::quantize::Static<params::quantize_0>{}, in, out);
}

}  // namespace classifier
