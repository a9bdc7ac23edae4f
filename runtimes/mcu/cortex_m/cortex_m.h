// What the files of this folder share.
#pragma once

#include <stdint.h>

namespace opsmith::mcu {

// The word that Reset_Handler paints the unused stack with.
constexpr uint32_t kStackPaint = 0xC5C5C5C5;

// Finds a counter that counts (DWT, else SysTick) and starts it.
void start_cycles();

// One semihosting request: returns what the debugger answers, -1 without one.
int32_t semihost(uint32_t operation, const void* argument);

}  // namespace opsmith::mcu
