// The sequence of lines, node by node.
#include "model.h"

#include <string.h>

#include "nodes.h"
#include "runtimes/core/stream.h"

namespace lines {
namespace {

alignas(arena_alignment) uint8_t arena[arena_bytes];
static_assert(arena_bytes == 128, "model.h belongs to another plan");

// Tensors at their planned addresses; those never live together may share bytes.
int8_t* const t11 = reinterpret_cast<int8_t*>(arena + 112);  // [1, 1, 1, 8]
int8_t* const x_row = reinterpret_cast<int8_t*>(arena + 32);  // [1, 1, 4, 4], x
int8_t* const t3_row = reinterpret_cast<int8_t*>(arena + 80);  // [1, 1, 2, 8], t3
int8_t* const t6_row = reinterpret_cast<int8_t*>(arena + 32);  // [1, 1, 2, 8], t6
int8_t* const t10_row = reinterpret_cast<int8_t*>(arena + 32);  // [1, 1, 2, 8], t10
int8_t* const t9_row = reinterpret_cast<int8_t*>(arena + 96);  // [1, 1, 2, 8], t9
int8_t* const t11_row = reinterpret_cast<int8_t*>(arena + 80);  // [1, 1, 1, 8], t11
int8_t* const x_rows = reinterpret_cast<int8_t*>(arena + 0);  // [1, 3, 4, 4], x
int8_t* const t3_rows = reinterpret_cast<int8_t*>(arena + 48);  // [1, 3, 2, 8], t3
int8_t* const t9_rows = reinterpret_cast<int8_t*>(arena + 96);  // [1, 1, 2, 8], t9

namespace rows {
uint8_t* const x_row_last_3 = reinterpret_cast<uint8_t*>(arena + 0);
uint8_t* const t3_row_last_3 = reinterpret_cast<uint8_t*>(arena + 48);
uint8_t* const t9_row_last_1 = reinterpret_cast<uint8_t*>(arena + 96);
}  // namespace rows

// Buffers that persist between calls of invoke().
alignas(4) int32_t t11_sums[8];
alignas(4) int32_t t11_rows[1];

namespace tables {
const opsmith::conv_2d::i8::Tables t3 = {t3_filter, t3_bias, t3_multiplier, t3_shift};
const opsmith::conv_2d::i8::Tables t6 = {t6_filter, t6_bias, t3_multiplier, t3_shift};
const opsmith::conv_2d::i8::Tables t9 = {t9_filter, t9_bias, t3_multiplier, t3_shift};
}  // namespace tables

namespace states {
const opsmith::average_rows::State t11 = {t11_sums, t11_rows};
}  // namespace states

int32_t pass = 0;  // passes completed

// Fills the padding rows above the image and clears running sums.
void begin() {
  memset(t11_sums, 0, sizeof(t11_sums));
  memset(t11_rows, 0, sizeof(t11_rows));
  memset(rows::x_row_last_3, -3, 32);
  memset(rows::t3_row_last_3, 5, 32);
}

// Runs the nodes that are due in this pass.
void advance() {
  // t3_row: 16 rows, in every 2nd pass from pass 1 on
  if (const int32_t row = opsmith::row_in_pass(pass, 1, 2); row >= 0) {
    if (row < 16) {
      // conv_2d by reference, 1x1x2x8, about 5,328 cycles
        conv_2d_0({x_rows}, {t3_row}, tables::t3);
    } else {
      memset(t3_row, 5, 16);
    }
  }
  if (opsmith::row_in_pass(pass, 0, 1) >= 0) {
    opsmith::drop_oldest_row(rows::x_row_last_3, 16, 32);
  }
  // t6_row: 16 rows, in every 2nd pass from pass 3 on
  if (opsmith::row_due(pass, 3, 2, 16)) {
    // conv_2d by reference, 1x1x2x8, about 9,936 cycles
      conv_2d_1({t3_rows}, {t6_row}, tables::t6);
  }
  // t10_row: 16 rows, in every 2nd pass from pass 3 on
  if (opsmith::row_due(pass, 3, 2, 16)) {
    // add by affine, 1x1x2x8, about 320 cycles
      add_0({t9_rows, t6_row}, {t10_row});
  }
  // t9_row: 16 rows, in every 2nd pass from pass 1 on
  if (opsmith::row_due(pass, 1, 2, 16)) {
    // conv_2d by reference, 1x1x2x8, about 1,744 cycles
      conv_2d_2({t3_row}, {t9_row}, tables::t9);
  }
  if (opsmith::row_in_pass(pass, 1, 2) >= 0) {
    opsmith::drop_oldest_row(rows::t3_row_last_3, 16, 32);
  }
  // average_rows: 16 rows, in every 2nd pass from pass 3 on
  if (opsmith::row_due(pass, 3, 2, 16)) {
    // average_rows by reference, 1x1x1x8
      average_rows_0({t10_row}, {t11_row}, states::t11);
  }
  // t11_row: one row, in pass 33
  if (const int32_t row = opsmith::row_in_pass(pass, 33, 2); row >= 0) {
    if (row < 1) {
      memcpy(t11 + row * 8, t11_row, 8);
    }
  }
  ++pass;
}

}  // namespace

bool push_row(const int8_t* row) {
  if (pass == 0) begin();
  memcpy(x_row, row, 16);
  advance();
  if (pass < 31) return false;
  while (pass < 34) {
    memset(x_row, -3, 16);
    advance();
  }
  pass = 0;
  return true;
}

void invoke(const int8_t* image) {
  pass = 0;
  for (int32_t i = 0; i < stream::rows; ++i) {
    push_row(image + i * stream::row_elements);
  }
}

opsmith::Buffer output(int index) {
  switch (index) {
    case 0:
      return {t11, 8};
  }
  return {nullptr, 0};
}

void reset() {
  pass = 0;
  memset(t11_sums, 0, sizeof(t11_sums));
  memset(t11_rows, 0, sizeof(t11_rows));
}

const int8_t* outputs::t11_tensor::data() { return ::lines::t11; }

}  // namespace lines
