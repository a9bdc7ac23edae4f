// Kernel instances of conv_2d in lines.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/kernel_contract.h"
#include "conv_2d/i8/reference.h"

namespace opsmith::conv_2d::i8 {
static_assert(
    decltype(is_as_declared<void(
        const Params&, const In<int8_t>&, const Out<int8_t>&, const Tables&
#line 1 "ops/conv_2d/i8/__init__.py"
    )>(reference<Params>))::value,
    "i8/reference.h does not define what conv_2d.op.h declares");
#line 16 "nodes_conv_2d.cc"
}  // namespace opsmith::conv_2d::i8

namespace lines {

namespace params {
constexpr opsmith::conv_2d::i8::Params conv_2d_0 = {
    1,      // batches
    3,      // input_height
    4,      // input_width
    4,      // input_channels
    3,      // filter_height
    3,      // filter_width
    1,      // output_height
    2,      // output_width
    2,      // stride_height
    2,      // stride_width
    1,      // dilation_height
    1,      // dilation_width
    0,      // padding_top
    0,      // padding_left
    4,      // filter_channels
    8,      // output_channels
    -3,     // input_zero_point
    5,      // output_zero_point
    -128,   // activation_min
    127,    // activation_max
    false,  // reversed
};
}  // namespace params

// For t3.
void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables) {
  opsmith::conv_2d::i8::reference(
      opsmith::conv_2d::i8::Static<params::conv_2d_0>{}, in, out, tables);
}

namespace params {
constexpr opsmith::conv_2d::i8::Params conv_2d_1 = {
    1,      // batches
    3,      // input_height
    2,      // input_width
    8,      // input_channels
    3,      // filter_height
    3,      // filter_width
    1,      // output_height
    2,      // output_width
    1,      // stride_height
    1,      // stride_width
    1,      // dilation_height
    1,      // dilation_width
    0,      // padding_top
    1,      // padding_left
    8,      // filter_channels
    8,      // output_channels
    5,      // input_zero_point
    5,      // output_zero_point
    -128,   // activation_min
    127,    // activation_max
    false,  // reversed
};
}  // namespace params

// For t6.
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables) {
  opsmith::conv_2d::i8::reference(
      opsmith::conv_2d::i8::Static<params::conv_2d_1>{}, in, out, tables);
}

namespace params {
constexpr opsmith::conv_2d::i8::Params conv_2d_2 = {
    1,      // batches
    1,      // input_height
    2,      // input_width
    8,      // input_channels
    1,      // filter_height
    1,      // filter_width
    1,      // output_height
    2,      // output_width
    1,      // stride_height
    1,      // stride_width
    1,      // dilation_height
    1,      // dilation_width
    0,      // padding_top
    0,      // padding_left
    8,      // filter_channels
    8,      // output_channels
    5,      // input_zero_point
    5,      // output_zero_point
    -128,   // activation_min
    127,    // activation_max
    false,  // reversed
};
}  // namespace params

// For t9.
void conv_2d_2(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables) {
  opsmith::conv_2d::i8::reference(
      opsmith::conv_2d::i8::Static<params::conv_2d_2>{}, in, out, tables);
}

}  // namespace lines
