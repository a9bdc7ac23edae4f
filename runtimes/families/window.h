// Sliding windows over an image. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// Taps [first, end) of a window.
struct Taps {
  int32_t first;
  int32_t end;
};

// Along one axis: the taps of a window that lie inside the image when tap 0 is at `origin`.
constexpr Taps taps_inside(int32_t origin, int32_t image, int32_t window, int32_t dilation) {
  const int32_t first = origin < 0 ? (dilation - 1 - origin) / dilation : 0;
  const int32_t end = origin < image ? (image - 1 - origin) / dilation + 1 : 0;
  return {first, min(window, end)};
}

}  // namespace opsmith
