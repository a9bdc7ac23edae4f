// What the kernels of this backend share.
#pragma once

#include <stdint.h>

namespace opsmith::add::turbo {

inline int32_t limited(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

}  // namespace opsmith::add::turbo
