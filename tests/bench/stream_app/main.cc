// For tests.bench.streams: pushes a whole input of pseudo-random bytes, and one row more.

#include <stdint.h>

#include "model.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

int main() {
  constexpr int32_t elements = model::stream::rows * model::stream::row_elements;
  static model::stream::Element whole[elements];
  uint32_t x = 12345;
  for (model::stream::Element& element : whole) {
    x = x * 1664525u + 1013904223u;
    element = static_cast<model::stream::Element>(x >> 24);
  }
  model::invoke(whole);
  model::OPSMITH_PUSH(whole);
  opsmith::board::exit(0);
}
