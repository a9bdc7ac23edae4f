// Kernel instances of average_rows in lines.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/kernel_contract.h"
#include "average_rows/reference.h"

namespace opsmith::average_rows {
static_assert(
    decltype(is_as_declared<void(
        const Params&, const In<int8_t>&, const Out<int8_t>&, const State&
#line 1 "ops/average_rows/op.py"
    )>(reference<Params>))::value,
    "reference.h does not define what average_rows.op.h declares");
#line 16 "nodes_average_rows.cc"
}  // namespace opsmith::average_rows

namespace lines {

namespace params {
constexpr opsmith::average_rows::Params average_rows_0 = {
    2,     // input_width
    8,     // channels
    16,    // window_height
    2,     // window_width
    1,     // output_width
    2,     // stride_width
    0,     // padding_left
    -128,  // activation_min
    127,   // activation_max
};
}  // namespace params

// For t11.
void average_rows_0(
    const opsmith::average_rows::In<int8_t>& in, const opsmith::average_rows::Out<int8_t>& out,
    const opsmith::average_rows::State& state) {
  opsmith::average_rows::reference(
      opsmith::average_rows::Static<params::average_rows_0>{}, in, out, state);
}

}  // namespace lines
