// Kernel instances of dequantize in classifier.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/kernel_contract.h"
#include "dequantize/reference.h"

namespace opsmith::dequantize {
static_assert(
    decltype(is_as_declared<void(
        const DequantizeParams&, const In<int8_t>&, const Out<int8_t>&
#line 1 "ops/dequantize/op.py"
    )>(reference<DequantizeParams>))::value,
    "reference.h does not define what dequantize.op.h declares");
#line 16 "nodes_dequantize.cc"
}  // namespace opsmith::dequantize

namespace classifier {

namespace params {
constexpr opsmith::dequantize::DequantizeParams dequantize_0 = {
    128,                  // elements
    -3,                   // x_zero_point
    0.05000000074505806,  // x_scale
};
}  // namespace params

// For StatefulPartitionedCall.
void dequantize_0(
    const opsmith::dequantize::In<int8_t>& in, const opsmith::dequantize::Out<int8_t>& out) {
  opsmith::dequantize::reference(
      opsmith::dequantize::StaticDequantize<params::dequantize_0>{}, in, out);
}

}  // namespace classifier
