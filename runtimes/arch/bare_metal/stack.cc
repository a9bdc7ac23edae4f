// The stack's size and its high-water mark, from what Reset_Handler painted.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

extern "C" const uint32_t __stack_limit[], __stack_top[];

namespace opsmith::board {

uint32_t stack_size() {
  return reinterpret_cast<uint32_t>(__stack_top) - reinterpret_cast<uint32_t>(__stack_limit);
}

uint32_t stack_used() {
  const volatile uint32_t* word = __stack_limit;
  while (word != __stack_top && *word == mcu::kStackPaint) ++word;
  return reinterpret_cast<uint32_t>(__stack_top) - reinterpret_cast<uint32_t>(word);
}

}  // namespace opsmith::board
