// The application: `scons board=… model=… app=app` builds it. It computes the model once, of zeros,
// and says how many cycles that took.

#include <stdint.h>

#include "model.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

namespace {

void say_number(uint32_t value) {
  char digits[11] = {};
  int first = 10;
  do {
    digits[--first] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value);
  opsmith::board::debug_write(digits + first);
}

}  // namespace

int main() {
  opsmith::board::init();
  for (int i = 0; i < model::input_count; ++i) {
    const opsmith::Buffer input = model::input(i);
    for (uint32_t at = 0; at < input.bytes; ++at) static_cast<uint8_t*>(input.data)[at] = 0;
  }
  const uint32_t begin = opsmith::board::cycles();
  model::invoke();
  say_number(opsmith::board::cycles() - begin);
  opsmith::board::debug_write(" cycles\n");
  return 0;
}
