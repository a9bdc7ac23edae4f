// What the model hears of a block: the loudness of bands. A model knows only the features that it
// was trained on: put those here.
#pragma once

#include <math.h>
#include <stdint.h>

#include "microphone.h"

// Loudness in bels of one of some bands of equal width: the sum of what Goertzel's filter finds in
// each piece of the block that is as long as it takes to tell the bands apart.
inline float loudness(const int16_t* samples, int band, int bands) {
  const float turn = 3.14159265f * (static_cast<float>(band) + 0.5f) / static_cast<float>(bands);
  const float factor = 2 * cosf(turn);
  float power = 0;
  for (int from = 0; from + 2 * bands <= microphone::kBlock; from += 2 * bands) {
    float last = 0, before = 0;
    for (int i = from; i < from + 2 * bands; ++i) {
      const float next = static_cast<float>(samples[i]) / 32768 + factor * last - before;
      before = last;
      last = next;
    }
    power += last * last + before * before - factor * last * before;
  }
  return log10f(1 + power);
}
