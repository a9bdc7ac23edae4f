// The sequence of awkward, node by node.
#include "model.h"

#include "nodes.h"

namespace awkward {
namespace {

alignas(arena_alignment) uint8_t arena[arena_bytes];
static_assert(arena_bytes == 48, "model.h belongs to another plan");

// Tensors at their planned addresses; those never live together may share bytes.
int8_t* const int_ = reinterpret_cast<int8_t*>(arena + 0);  // [1, 2, 3], int
int8_t* const t = reinterpret_cast<int8_t*>(arena + 16);  // [3], ? */
int8_t* const a_b = reinterpret_cast<int8_t*>(arena + 0);  // [1, 2, 3], a/b
int8_t* const a_b_2 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a_b
int8_t* const b_0 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a+b 0
int8_t* const b_1 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a+b 1
int8_t* const b_2 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a+b 2
int8_t* const b_3 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a+b 3
int8_t* const a_b_3 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a-b
int8_t* const t_2 = reinterpret_cast<int8_t*>(arena + 32);  // [1, 3, 5], unnamed

namespace params {

constexpr opsmith::add::AffinePairs a_b = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 0, 3, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    178956971,        // a_multiplier
    89478485,         // b_multiplier
    3670016,          // offset
    20,               // shift
    3,                // activation_min
    11,               // activation_max
};

constexpr opsmith::add::AffinePairs a_b_2 = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 0, 3, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    268435456,        // a_multiplier
    178956971,        // b_multiplier
    524288,           // offset
    20,               // shift
    -128,             // activation_min
    127,              // activation_max
};

constexpr opsmith::add::AffinePairs b_1 = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 0, 3, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    268435456,        // a_multiplier
    178956971,        // b_multiplier
    1572864,          // offset
    20,               // shift
    -128,             // activation_min
    127,              // activation_max
};

constexpr opsmith::add::AffinePairs b_2 = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 0, 3, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    268435456,        // a_multiplier
    178956971,        // b_multiplier
    3670016,          // offset
    20,               // shift
    -128,             // activation_min
    127,              // activation_max
};

constexpr opsmith::add::AffinePairs b_3 = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 0, 3, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    268435456,        // a_multiplier
    178956971,        // b_multiplier
    5767168,          // offset
    20,               // shift
    -128,             // activation_min
    127,              // activation_max
};

constexpr opsmith::add::AffinePairs a_b_3 = {
    {1, 1, 1, 1, 6},  // size
    {0, 0, 0, 0, 1},  // a_stride
    {0, 0, 0, 0, 1},  // b_stride
    134218240,        // a_multiplier
    134218240,        // b_multiplier
    -8912945,         // offset
    20,               // shift
    -128,             // activation_min
    127,              // activation_max
};

constexpr opsmith::pad::Params t_2 = {
    {1, 1, 1, 2, 3},  // x_size
    {1, 1, 1, 3, 5},  // y_size
    {0, 0, 0, 1, 0},  // before
    1,                // unit
    {3, 0},           // value
};

}  // namespace params

}  // namespace

void invoke() {
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::a_b, {int_, t}, {a_b});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::a_b_2, {a_b, a_b_4}, {a_b_2});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::a_b_2, {a_b_2, a_b_4}, {b_0});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::b_1, {b_0, a_b_4}, {b_1});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::b_2, {b_1, a_b_4}, {b_2});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::b_3, {b_2, a_b_4}, {b_3});
  // add by affine, 1x2x3, about 120 cycles
  add_0(params::a_b_3, {b_3, b_3}, {a_b_3});
  // pad by reference, 1x3x5
  pad_0(params::t_2, {a_b_3}, {t_2});
}

opsmith::Buffer input(int index) {
  switch (index) {
    case 0:
      return {int_, 6};
    case 1:
      return {t, 3};
  }
  return {nullptr, 0};
}

opsmith::Buffer output(int index) {
  switch (index) {
    case 0:
      return {t_2, 15};
    case 1:
      return {a_b, 6};
    case 2:
      return {const_cast<int8_t*>(a_b_4), 3};
  }
  return {nullptr, 0};
}

int8_t* inputs::int_tensor::data() { return ::awkward::int_; }
int8_t* inputs::t_tensor::data() { return ::awkward::t; }

const int8_t* outputs::t_2_tensor::data() { return ::awkward::t_2; }
const int8_t* outputs::a_b_tensor::data() { return ::awkward::a_b; }
const int8_t* outputs::a_b_4_tensor::data() { return ::awkward::a_b_4; }

}  // namespace awkward
