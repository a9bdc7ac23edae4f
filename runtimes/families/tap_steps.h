// How far apart the taps of a window of float32 are. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// The part of a window that lies inside an image, which may be none, and how many floats lie from
// one tap to another.
struct WindowTaps {
  int32_t rows, columns;
  int32_t x_step, weight_step;  // from a tap to the next in its row
  int32_t x_row, weight_row;    // from a row of taps to the next

  constexpr bool is_empty() const { return rows <= 0 || columns <= 0; }

  // In bytes, also from the end of a row to the next.
  constexpr int32_t x_bytes() const { return x_step * kFloat; }
  constexpr int32_t weight_bytes() const { return weight_step * kFloat; }
  constexpr int32_t x_back() const { return (x_row - columns * x_step) * kFloat; }
  constexpr int32_t weights_back() const { return (weight_row - columns * weight_step) * kFloat; }

 private:
  static constexpr int32_t kFloat = sizeof(float);
};

}  // namespace opsmith
