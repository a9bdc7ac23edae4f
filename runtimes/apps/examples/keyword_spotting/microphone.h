// Sound in blocks, as DMA of an I2S or a PDM peripheral fills them: it writes one half of a buffer
// while the other is read.
#pragma once

#include <stdint.h>

namespace microphone {

constexpr int kRate = 16'000, kBlock = 320;  // samples a second, and of a block: 20 ms

// Starts the clock of the microphone and the DMA.
void start();
// What DMA's interrupts call: this half of the buffer (0 or 1) is full.
void filled(int half);
// The half that was filled last, which stays for 20 ms; nullptr while it has been given already.
const int16_t* block();
// Halves that were overwritten before anybody took them: the model is too slow, or runs too seldom.
uint32_t lost();
// Sleeps until filled() may have been called. False where there will be no more sound.
bool wait();

}  // namespace microphone
