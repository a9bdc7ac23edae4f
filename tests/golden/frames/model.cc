// The sequence of frames, node by node.
#include "model.h"

#include <string.h>

#include "nodes.h"
#include "runtimes/core/stream.h"

namespace frames {
namespace {

alignas(arena_alignment) uint8_t arena[arena_bytes];
static_assert(arena_bytes == 64, "model.h belongs to another plan");

// Tensors at their planned addresses; those never live together may share bytes.
int8_t* const t6 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 4, 1, 4]
int8_t* const t7 = reinterpret_cast<int8_t*>(arena + 16);  // [1, 16]
int8_t* const x_row = reinterpret_cast<int8_t*>(arena + 32);  // [1, 1, 1, 4], x
int8_t* const t3_row = reinterpret_cast<int8_t*>(arena + 48);  // [1, 1, 1, 8], t3
int8_t* const t6_row = reinterpret_cast<int8_t*>(arena + 32);  // [1, 1, 1, 4], t6
int8_t* const x_rows = reinterpret_cast<int8_t*>(arena + 0);  // [1, 3, 1, 4], x

namespace rows {
uint8_t* const x_row_last_3 = reinterpret_cast<uint8_t*>(arena + 0);
uint8_t* const t6_row_last_4 = reinterpret_cast<uint8_t*>(arena + 16);
}  // namespace rows

namespace tables {
const opsmith::conv_2d::i8::Tables t3 = {t3_filter, t3_bias, t3_multiplier, t3_shift};
const opsmith::conv_2d::i8::Tables t6 = {t6_filter, t6_bias, t6_multiplier, t6_shift};
}  // namespace tables

int32_t pass = 0;  // passes completed

// Runs the nodes that are due in this pass.
void advance() {
  // x_row: in every pass from pass 0 on
  if (const int32_t row = opsmith::row_in_pass(pass, 0, 1); row >= 0) {
    memcpy(rows::x_row_last_3 + 8, x_row, 4);
  }
  // t3_row: in every pass from pass 2 on
  if (pass >= 2) {
    // conv_2d by reference, 1x1x1x8, about 1,128 cycles
      conv_2d_0({x_rows}, {t3_row}, tables::t3);
  }
  if (opsmith::row_in_pass(pass, 0, 1) >= 0) {
    opsmith::drop_oldest_row(rows::x_row_last_3, 4, 8);
  }
  // t6_row: in every pass from pass 2 on
  if (const int32_t row = opsmith::row_in_pass(pass, 2, 1); row >= 0) {
    opsmith::drop_oldest_row(rows::t6_row_last_4, 4, 12);
    // conv_2d by reference, 1x1x1x4, about 436 cycles
      conv_2d_1({t3_row}, {t6_row}, tables::t6);
    memcpy(rows::t6_row_last_4 + 12, t6_row, 4);
  }
  pass += pass < 6;
}

}  // namespace

bool push_frame(const int8_t* frame) {
  memcpy(x_row, frame, 4);
  advance();
  if (pass < 6) return false;
  // t7: reshape of t6, in place
  return true;
}

void invoke(const int8_t* window) {
  for (int32_t i = 0; i < stream::rows; ++i) {
    push_frame(window + i * stream::row_elements);
  }
}

opsmith::Buffer output(int index) {
  switch (index) {
    case 0:
      return {t7, 16};
  }
  return {nullptr, 0};
}

void reset() {
  pass = 0;
}

const int8_t* outputs::t7_tensor::data() { return ::frames::t7; }

}  // namespace frames
