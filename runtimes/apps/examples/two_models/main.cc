// Two models: a small one looks at every input, and a large one only at those that woke it.
// scons … model=wake.tflite,command.tflite arena=shared: they run in turn, so that one arena serves
// both.

#include <stdint.h>
#include <stdio.h>

#include "command.h"
#include "runtimes/mcu/board.h"
#include "wake.h"

namespace {

constexpr int kInputs = 4, kNothing = 0;

// In place of a sensor: what it says at a time, as both models take it.
template <class Input>
void read_sensor(const Input& input, int time) {
  for (auto& element : input) element = input.quantize(time % 2 ? 4.0f : -4.0f);
}

template <class Scores>
int best_class(const Scores& scores) {
  int best = 0;
  for (uint32_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

int main() {
  opsmith::board::init();
  for (int time = 0; time < kInputs; ++time) {
    read_sensor(wake::first_input, time);
    wake::invoke();
    if (best_class(wake::first_output) == kNothing) continue;
    read_sensor(command::first_input, time);  // what was there is gone: the arena is shared
    command::invoke();
    printf("input %d is command %d\n", time, best_class(command::first_output));
  }
  return 0;
}
