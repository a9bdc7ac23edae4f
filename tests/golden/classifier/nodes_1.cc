// Kernel instances of classifier, part 2 of 4.
#include "nodes.h"

#include "dequantize/reference.h"

namespace classifier {

namespace shapes {
constexpr opsmith::dequantize::Shape dequantize_0 = {
    128,                  // elements
    -3,                   // x_zero_point
    0.05000000074505806,  // x_scale
};
}  // namespace shapes

// For StatefulPartitionedCall.
void dequantize_0(
    const opsmith::dequantize::In<int8_t>& in, const opsmith::dequantize::Out<int8_t>& out) {
  opsmith::dequantize::dequantize_i8_reference(
      opsmith::dequantize::Static<shapes::dequantize_0>{}, in, out);
}

}  // namespace classifier
