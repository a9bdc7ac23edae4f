// The sequence of classifier, node by node.
#include "model.h"

#include "nodes.h"

namespace classifier {
namespace {

alignas(arena_alignment) uint8_t arena[arena_bytes];
static_assert(arena_bytes == 512, "model.h belongs to another plan");

// Tensors at their planned addresses; those never live together may share bytes.
float* const image = reinterpret_cast<float*>(arena + 0);  // [1, 8, 8, 2], serving_default_image:0
int8_t* const image_2 = reinterpret_cast<int8_t*>(arena + 0);  // [1, 8, 8, 2], image
int8_t* const conv1_Relu = reinterpret_cast<int8_t*>(arena + 32);  // [1, 8, 8, 2], conv1/Relu
int8_t* const conv2_Relu = reinterpret_cast<int8_t*>(arena + 384);  // [1, 8, 8, 2], conv2/Relu
int8_t* const flat = reinterpret_cast<int8_t*>(arena + 384);  // [1, 128]
// [1, 128], StatefulPartitionedCall:0
float* const StatefulPartitionedCall = reinterpret_cast<float*>(arena + 0);

namespace tables {
const opsmith::conv_2d::i8::Tables conv1_out = {
    conv1_out_filter, conv1_out_bias, conv1_out_multiplier, conv1_out_shift};
const opsmith::conv_2d::i8::Tables conv2_out = {
    conv2_out_filter, conv2_out_bias, conv1_out_multiplier, conv1_out_shift};
}  // namespace tables

}  // namespace

void invoke() {
  // quantize by reference, 1x8x8x2, about 3,328 cycles
  quantize_0({image}, {image_2});
  // conv_2d by reference, 1x8x8x2, about 24,192 cycles
  conv_2d_0({image_2}, {conv1_Relu}, tables::conv1_out);
  // conv_2d by reference, 1x8x8x2, about 24,192 cycles
  conv_2d_1({conv1_Relu}, {conv2_Relu}, tables::conv2_out);
  // flat: reshape of conv2_Relu, in place
  // dequantize by reference, 1x128, about 1,024 cycles
  dequantize_0({flat}, {StatefulPartitionedCall});
}

opsmith::Buffer input(int index) {
  switch (index) {
    case 0:
      return {image, 512};
  }
  return {nullptr, 0};
}

opsmith::Buffer output(int index) {
  switch (index) {
    case 0:
      return {StatefulPartitionedCall, 512};
  }
  return {nullptr, 0};
}

float* inputs::image_tensor::data() { return ::classifier::image; }

const float* outputs::StatefulPartitionedCall_tensor::data() {
  return ::classifier::StatefulPartitionedCall;
}

}  // namespace classifier
