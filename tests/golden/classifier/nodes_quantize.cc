// Kernel instances of quantize in classifier.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/kernel_contract.h"
#include "quantize/reference.h"

namespace opsmith::quantize {
static_assert(
    decltype(is_as_declared<void(
        const QuantizeParams&, const In<float, int8_t>&, const Out<float, int8_t>&
#line 1 "ops/quantize/op.py"
    )>(reference<QuantizeParams>))::value,
    "reference.h does not define what quantize.op.h declares");
#line 16 "nodes_quantize.cc"
}  // namespace opsmith::quantize

namespace classifier {

namespace params {
constexpr opsmith::quantize::QuantizeParams quantize_0 = {
    128,                  // elements
    -3,                   // y_zero_point
    0.05000000074505806,  // y_scale
    -128,                 // y_min
    127,                  // y_max
};
}  // namespace params

// For image_2.
void quantize_0(
    const opsmith::quantize::In<float, int8_t>& in,
    const opsmith::quantize::Out<float, int8_t>& out) {
  opsmith::quantize::reference(opsmith::quantize::StaticQuantize<params::quantize_0>{}, in, out);
}

}  // namespace classifier
