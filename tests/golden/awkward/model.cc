// The sequence of awkward, one line per node.
#include "model.h"

#include "nodes.h"

namespace awkward {
namespace {

alignas(arena_alignment) uint8_t arena[arena_bytes];
static_assert(arena_bytes == 48, "model.h is of another plan");

// Tensors, where the plan puts them. What is not alive at once may share bytes.
int8_t* const int_ = reinterpret_cast<int8_t*>(arena + 0);  // [1, 2, 3], int
int8_t* const t = reinterpret_cast<int8_t*>(arena + 16);  // [3], ? */
int8_t* const a_b = reinterpret_cast<int8_t*>(arena + 0);  // [1, 2, 3], a/b
int8_t* const a_b_3 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 2, 3], a_b
int8_t* const t_2 = reinterpret_cast<int8_t*>(arena + 32);  // [1, 3, 5], unnamed

namespace shapes {

constexpr opsmith::add::Shape a_b = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 6, 3, 1},  // a_stride
    {0, 0, 3, 0, 1},  // b_stride
    1,                // a_zero_point
    -2,               // b_zero_point
    3,                // y_zero_point
    1073741824,       // a_multiplier
    0,                // a_shift
    1073741824,       // b_multiplier
    -1,               // b_shift
    1431655765,       // y_multiplier
    -19,              // y_shift
    3,                // activation_min
    11,               // activation_max
    0.0,              // real_min
    0.0,              // real_max
};

constexpr opsmith::add::Shape a_b_3 = {
    {1, 1, 1, 2, 3},  // size
    {0, 0, 6, 3, 1},  // a_stride
    {0, 0, 3, 0, 1},  // b_stride
    3,                // a_zero_point
    0,                // b_zero_point
    3,                // y_zero_point
    1073741824,       // a_multiplier
    0,                // a_shift
    1431655765,       // b_multiplier
    -1,               // b_shift
    1073741824,       // y_multiplier
    -18,              // y_shift
    -128,             // activation_min
    127,              // activation_max
    0.0,              // real_min
    0.0,              // real_max
};

constexpr opsmith::pad::Shape t_2 = {
    {1, 1, 1, 2, 3},  // x_size
    {1, 1, 1, 3, 5},  // y_size
    {0, 0, 0, 1, 0},  // before
    3,                // value
};

}  // namespace shapes

}  // namespace

void invoke() {
  add_0(shapes::a_b, {int_, t}, {a_b});
  add_0(shapes::a_b_3, {a_b, a_b_2}, {a_b_3});
  pad_0(shapes::t_2, {a_b_3}, {t_2});
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
      return {const_cast<int8_t*>(a_b_2), 3};
  }
  return {nullptr, 0};
}

opsmith::Span<int8_t, 6> inputs::int_::data() { return {::awkward::int_}; }
opsmith::Span<int8_t, 3> inputs::t::data() { return {::awkward::t}; }

opsmith::Span<const int8_t, 15> outputs::t_2::data() { return {::awkward::t_2}; }
opsmith::Span<const int8_t, 6> outputs::a_b::data() { return {::awkward::a_b}; }
opsmith::Span<const int8_t, 3> outputs::a_b_2::data() { return {::awkward::a_b_2}; }

}  // namespace awkward
