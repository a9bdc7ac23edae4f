// The buffer of microphone.h, and in place of a microphone two seconds of made-up sound: a tone of
// 1 kHz between silence.
//
// On a board start() sets up the peripheral and a circular DMA over `samples`, whose interrupts for
// one half and for both call filled(0) and filled(1), and wait() is a WFI. PDM has to be filtered
// to 16-bit samples before it comes here (of an STM32 by DFSDM or MDF, an nRF52 does it itself).

#include "microphone.h"

namespace microphone {
namespace {

constexpr int kBlocks = 2 * kRate / kBlock, kToneFrom = 40, kToneTo = 80;

int16_t samples[2][kBlock];
volatile int full = -1;
volatile uint32_t lost_blocks = 0;
int made = 0;

int16_t sample(int block, int index) {
  static const int16_t half_wave[] = {0, 3061, 5657, 7391, 8000, 7391, 5657, 3061};
  const int16_t wave = half_wave[index % 8];
  if (block < kToneFrom || block >= kToneTo) return 0;
  return index % 16 < 8 ? wave : static_cast<int16_t>(-wave);
}

}  // namespace

void start() { made = 0; }

void filled(int half) {
  if (full >= 0) lost_blocks = lost_blocks + 1;
  full = half;
}

const int16_t* block() {
  const int half = full;
  if (half < 0) return nullptr;
  full = -1;
  return samples[half];
}

uint32_t lost() { return lost_blocks; }

bool wait() {
  if (made == kBlocks) return false;
  int16_t* half = samples[made % 2];
  for (int i = 0; i < kBlock; ++i) half[i] = sample(made, i);
  filled(made % 2);
  ++made;
  return true;
}

}  // namespace microphone
